import type { ServerResponse } from 'node:http'
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test'
import { build as bundle } from 'vite'
import { encodeSse } from '../src/protocol/sse.ts'
import {
  type Answer,
  beginStream,
  type HostileServer,
  startHostileServer,
} from './hostile-stream-server.ts'

/**
 * The browser side of the stream against a server that behaves badly, in a real browser: what only
 * a browser can show, such as its limit of six connections to an origin, hidden tabs, locks and
 * channels. The letters are the rows of the table of traps; the others are tests in src/web/data.
 */

/** What the page under test does: a feed like the product's, and a way to look at it. */
const pageSource = `
  import { createBrowserFeed } from '/src/web/data/live/feed-store.ts'
  import { createSession } from '/src/web/data/core/session.ts'
  const clock = {
    now: () => Date.now(),
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  }
  const tabs = { locks: navigator.locks, openChannel: (name) => new BroadcastChannel(name) }
  const ask = (...a) => fetch(...a)
  const session = createSession({ fetch: ask, clock, isOnline: () => navigator.onLine, tabs })
  const feed = createBrowserFeed({ session, clock, random: Math.random, tabs, isWall: false })
  let leave = feed.subscribe(() => {})
  window.feed = {
    ids: () => {
      const { oldest, newest, row } = feed.getSnapshot()
      const ids = []
      for (let arrival = oldest; arrival <= newest; arrival++) ids.push(row(arrival).build.buildId)
      return ids
    },
    state: () => feed.getSnapshot().connection.state,
    reason: () => feed.getSnapshot().connection.reason ?? '',
    leave: () => leave(),
    reconnect: () => feed.reconnect(),
  }
`

interface Watcher {
  readonly page: Page
  readonly ask: (what: 'ids' | 'state' | 'reason' | 'leave' | 'reconnect') => Promise<unknown>
}

interface World {
  readonly server: HostileServer
  /** Opens a tab; tabs of one world share a browser's storage, locks and channels. */
  readonly open: () => Promise<Watcher>
  readonly context: BrowserContext
}

const test = base.extend<{ world: (answer: Answer) => Promise<World> }, { script: string }>({
  script: [
    async ({}, use) => {
      const id = 'virtual:page'
      const built = await bundle({
        configFile: false,
        logLevel: 'error',
        plugins: [
          {
            name: 'page under test',
            resolveId: (source) => (source === id ? id : undefined),
            load: (source) => (source === id ? pageSource : undefined),
          },
        ],
        build: {
          write: false,
          rolldownOptions: { input: id, output: { codeSplitting: false } },
          modulePreload: false,
        },
      })
      const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) =>
        'output' in one ? one.output : [],
      )
      await use(outputs.map((one) => ('code' in one ? one.code : '')).join('\n'))
    },
    { scope: 'worker' },
  ],
  world: async ({ context, script }, use) => {
    const servers: HostileServer[] = []
    await use(async (answer) => {
      const server = await startHostileServer(answer, (url) => {
        if (url === '/') return { type: 'text/html', body: document }
        if (url === '/page.js') return { type: 'text/javascript', body: script }
        if (url === '/session') return { type: 'application/json', body: JSON.stringify(session) }
        if (url === '/plain') return { type: 'text/plain', body: 'here' }
        return undefined
      })
      servers.push(server)
      return {
        server,
        context,
        open: async () => {
          const page = await context.newPage()
          await page.goto(server.origin)
          return {
            page,
            ask: (what) => page.evaluate(`window.feed.${what}()`),
          }
        },
      }
    })
    await Promise.all(servers.map((server) => server.stop()))
  },
})

// The icon is named so that the browser does not look for one.
const document =
  '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>'

const session = {
  token: 'a-token',
  expiresAt: Date.now() + 3_600_000,
  user: { name: 'ann', roles: ['viewer'] },
}

const idOf = (number: number): string => number.toString(36).padStart(13, '0')
const upTo = (count: number): string[] => Array.from({ length: count }, (_, index) => idOf(index))

function message(number: number): string {
  const words = { toolType: 'npm', toolVersion: '1', agentVersion: '1' }
  const data = JSON.stringify({ buildId: idOf(number), timestamp: Date.now(), ...words })
  return encodeSse({ id: idOf(number), event: 'Build', data })
}

/** A proxy with a journal of builds that resumes by id and tells new ones to all who read. */
function journalOf(count: number): {
  answer: Answer
  add: (number: number) => void
  cut: () => void
} {
  let last = count - 1
  const readers = new Set<ServerResponse>()
  return {
    answer: (response, { headers }) => {
      const id = headers['last-event-id']
      const after = typeof id === 'string' ? parseInt(id, 36) : -1
      const numbers = Array.from({ length: last - after }, (_, index) => after + 1 + index)
      beginStream(response, ': ok\n\n', ...numbers.map(message))
      readers.add(response)
      response.once('close', () => readers.delete(response))
    },
    add: (number) => {
      last = number
      for (const reader of readers) reader.write(message(number))
    },
    cut: () => {
      for (const reader of readers) reader.destroy()
    },
  }
}

/** Whether the page can still reach its server: with six leaked streams it hangs for ever. */
async function reach({ page }: Watcher): Promise<unknown> {
  return page.evaluate(
    `fetch('/plain', { signal: AbortSignal.timeout(20_000) }).then((r) => r.text())`,
  )
}

test("A': heartbeats leak no connection, and none is left after the last listener", async ({
  world,
}) => {
  let beats = 0
  const { server, open } = await world((response) => {
    beginStream(response, message(0))
    const beat = setInterval(() => {
      response.write(': hb\n\n')
      beats += 1
    }, 50)
    response.once('close', () => {
      clearInterval(beat)
    })
  })
  const tab = await open()
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(1))
  // An attempt for each would long have used up all connections.
  const before = beats
  await expect.poll(() => beats).toBeGreaterThan(before + 30)
  expect(await reach(tab)).toBe('here')
  expect([server.requests.length, server.open()]).toEqual([1, 1])
  await tab.ask('leave')
  await server.quiet()
  expect(await reach(tab)).toBe('here')
})

test('E, F: endless answers that are no stream are let go of before the next attempt', async ({
  world,
}) => {
  let isMended = false
  const { server, open } = await world((response, _request, index) => {
    if (isMended) beginStream(response, message(0))
    else {
      response.writeHead(index === 1 ? 500 : 200, {
        'content-type': index === 1 ? 'text/event-stream' : 'text/html',
      })
      response.write('<html>')
    }
  })
  const tab = await open()
  for (let attempt = 1; attempt <= 3; attempt++) {
    await server.asked(attempt)
    await expect.poll(() => tab.ask('state')).toBe('retrying')
    isMended = attempt === 3
    await tab.ask('reconnect')
  }
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(1))
  expect(server.peak()).toBe(1)
  expect(await reach(tab)).toBe('here')
})

test('H, I: hiding and showing the tab changes nothing, connected or waiting', async ({
  world,
}) => {
  const { server, open } = await world((response, _request, index) => {
    // Long enough to be looked at while it waits.
    if (index === 0) response.writeHead(503, { 'retry-after': '5' }).end()
    else beginStream(response, message(0))
  })
  const tab = await open()
  const hideAndShow = (): Promise<unknown> =>
    tab.page.evaluate(`for (let turn = 0; turn < 40; turn++) {
      Object.defineProperty(document, 'hidden', { value: turn % 2 === 0, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }`)
  await expect.poll(() => tab.ask('state')).toBe('retrying')
  await hideAndShow()
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(1))
  await hideAndShow()
  expect(await reach(tab)).toBe('here')
  expect([server.requests.length, server.peak(), server.open()]).toEqual([2, 1, 1])
})

test('a stream that breaks again and again delivers every build once and in order', async ({
  world,
}) => {
  const journal = journalOf(200)
  const { server, open } = await world((response, request, index) => {
    journal.answer(response, request, index)
    if (index < 4) response.write(message(200).slice(0, 20), () => response.destroy())
  })
  const tab = await open()
  for (let attempt = 1; attempt <= 5; attempt++) {
    await server.asked(attempt)
    await tab.ask('reconnect')
  }
  journal.add(200)
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(201))
  expect(server.peak()).toBe(1)
})

test('offline is shown, and no back-off is sat out once the network is back', async ({ world }) => {
  const journal = journalOf(3)
  const { context, open } = await world(journal.answer)
  const tab = await open()
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(3))
  await context.setOffline(true)
  journal.cut()
  await expect.poll(() => tab.ask('reason')).toBe('You are offline.')
  await context.setOffline(false)
  journal.add(3)
  await expect.poll(() => tab.ask('ids')).toEqual(upTo(4))
})

test('ten tabs share one connection, and all of them show all builds', async ({ world }) => {
  const journal = journalOf(50)
  const { server, open } = await world(journal.answer)
  const tabs = [await open()]
  await expect.poll(() => tabs[0]?.ask('ids')).toEqual(upTo(50))
  while (tabs.length < 10) tabs.push(await open())
  for (let number = 50; number < 100; number++) journal.add(number)
  for (const tab of tabs) await expect.poll(() => tab.ask('ids')).toEqual(upTo(100))
  for (const tab of tabs) expect(await reach(tab)).toBe('here')
  expect([server.requests.length, server.open()]).toEqual([1, 1])
})

test('when the tab that reads goes away another one goes on, without loss or repeat', async ({
  world,
}) => {
  const journal = journalOf(1)
  const { server, open } = await world(journal.answer)
  let number = 1
  const tabs = [await open(), await open(), await open(), await open()]
  for (const tab of tabs) await expect.poll(() => tab.ask('ids')).toEqual(upTo(1))
  for (const tab of tabs.splice(0, 3)) {
    const adding = setInterval(() => {
      journal.add(number)
      number += 1
    }, 5)
    // Builds come before, while and after it goes.
    await expect.poll(() => number).toBeGreaterThan(20)
    await tab.page.close()
    const then = number
    await expect.poll(() => number).toBeGreaterThan(then + 50)
    clearInterval(adding)
    for (const left of tabs) await expect.poll(() => left.ask('ids')).toEqual(upTo(number))
    await expect.poll(() => server.open()).toBe(1)
  }
  const [last] = tabs
  await last?.ask('leave')
  await server.quiet()
})
