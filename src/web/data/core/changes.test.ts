import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type Changes, createChanges, type PageVisibility } from './changes.ts'
import { createSession, type Tabs } from './session.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

const anything = undefined

// What the library asks of a browser, also when a connection that was cut is taken down.
beforeAll(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  const listeners = { addEventListener: vi.fn(), removeEventListener: vi.fn() }
  vi.stubGlobal('document', { hidden: true, ...listeners })
})
// Other files of this process would take it for a browser's.
afterAll(() => {
  vi.unstubAllGlobals()
})

/** A proxy with a stream of changes, and tabs of one browser that follow it. */
async function setUp({ shared = false } = {}) {
  const clock = createManualClock(1_780_000_000_000)
  const streams = new Set<ServerResponse>()
  let opened = 0
  const server = createServer((request, response) => {
    if (request.url === '/session') {
      const user = { name: 'ann', roles: ['viewer'] }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ token: 't', expiresAt: clock.now() + 3_600_000, user }))
      return
    }
    opened += 1
    streams.add(response)
    response.on('close', () => streams.delete(response))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': ok\n\n')
  })
  const { fetch: ask, close } = await onLoopback(server)
  onTestFinished(close)
  const channels = new Set<BroadcastChannel>()
  onTestFinished(() => {
    for (const channel of channels) channel.close()
  })
  const { request } = locks()
  const tabs: Tabs | undefined = shared
    ? {
        locks: { request },
        openChannel: (name) => {
          const channel = new BroadcastChannel(name)
          channels.add(channel)
          return channel
        },
      }
    : undefined

  const openTab = () => {
    const looks = new Set<() => void>()
    let visibilityState = 'visible'
    const page: PageVisibility = {
      get visibilityState() {
        return visibilityState
      },
      addEventListener: (_, listener) => looks.add(listener),
      removeEventListener: (_, listener) => looks.delete(listener),
    }
    const isOnline = (): boolean => true
    const changes = createChanges({
      fetch: ask,
      clock,
      random: () => 0.5,
      isOnline,
      session: createSession({ fetch: ask, clock, isOnline }),
      tabs,
      page,
    })
    return {
      changes,
      show: (state: 'visible' | 'hidden') => {
        visibilityState = state
        for (const look of looks) look()
      },
    }
  }
  const send = (change: unknown): void => {
    for (const stream of streams) {
      stream.write(`event: Change\ndata: ${JSON.stringify(change)}\n\n`)
    }
  }
  const cut = (): void => {
    for (const stream of streams) stream.destroy()
  }
  return { clock, openTab, send, cut, open: () => streams.size, opened: () => opened }
}

/** One lock, which goes to whoever asked first; given up, a request leaves the queue. */
function locks(): Tabs['locks'] {
  let held: Promise<void> = Promise.resolve()
  return {
    request: (_name, { signal }, callback) => {
      const before = held
      const granted = before.then(() => (signal?.aborted === true ? undefined : callback()))
      held = granted
      return granted
    },
  }
}

/** What a tab hears of evaluations. */
function listen({ subscribe }: Changes) {
  const keys: (string | undefined)[] = []
  const stop = subscribe('evaluations', (key) => keys.push(key))
  return { keys, stop }
}

test('who listens hears what has changed of the topic, and that anything may have, at each start', async () => {
  const { clock, openTab, send, cut, opened } = await setUp()
  const { keys } = listen(openTab().changes)
  await expect.poll(() => keys).toEqual([anything])
  send({ topic: 'evaluations', key: 'a release' })
  send({ topic: 'waivers', key: 'a' })
  send({ topic: 'moons', key: 'io' })
  send({ topic: 'evaluations', key: 'b release' })
  await expect.poll(() => keys).toEqual([anything, 'a release', 'b release'])
  cut()
  await expect
    .poll(() => {
      clock.advance(1000)
      return opened()
    })
    .toBe(2)
  await expect.poll(() => keys).toEqual([anything, 'a release', 'b release', anything])
})

test('there is no stream while nobody listens, and one for all who do', async () => {
  const { clock, openTab, open, opened } = await setUp()
  const { changes } = openTab()
  expect(open()).toBe(0)
  const first = listen(changes)
  const second = listen(changes)
  await expect.poll(open).toBe(1)
  await expect.poll(() => second.keys).toEqual([anything])
  first.stop()
  second.stop()
  clock.advance(4999)
  // As one page follows another, the stream goes on.
  const third = listen(changes)
  clock.advance(60_000)
  expect([open(), opened()]).toEqual([1, 1])
  third.stop()
  clock.advance(5000)
  await expect.poll(open).toBe(0)
})

test('a page that is hidden for a minute no longer follows; shown again, anything may have changed', async () => {
  const { clock, openTab, open } = await setUp()
  const tab = openTab()
  const { keys } = listen(tab.changes)
  await expect.poll(() => keys).toEqual([anything])
  tab.show('hidden')
  clock.advance(59_000)
  tab.show('visible')
  tab.show('hidden')
  clock.advance(59_000)
  expect(open()).toBe(1)
  clock.advance(1000)
  await expect.poll(open).toBe(0)
  expect(keys).toEqual([anything])
  tab.show('visible')
  expect(keys).toEqual([anything, anything])
  await expect.poll(open).toBe(1)
})

test('the tabs of a browser share one stream, and another one goes on when the first has left', async () => {
  const { clock, openTab, send, open, opened } = await setUp({ shared: true })
  const first = listen(openTab().changes)
  await expect.poll(() => first.keys).toEqual([anything])
  const second = listen(openTab().changes)
  send({ topic: 'evaluations', key: 'a release' })
  await expect.poll(() => second.keys).toEqual(['a release'])
  expect([open(), opened()]).toEqual([1, 1])
  first.stop()
  clock.advance(5000)
  await expect.poll(() => second.keys).toEqual(['a release', anything])
  send({ topic: 'evaluations', key: 'b release' })
  await expect.poll(() => second.keys).toEqual(['a release', anything, 'b release'])
  expect(first.keys).toEqual([anything, 'a release'])
  expect(opened()).toBe(2)
  second.stop()
  clock.advance(5000)
  await expect.poll(open).toBe(0)
})
