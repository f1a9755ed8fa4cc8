import { setMaxListeners } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { changeTopics } from '../../../protocol/live-change.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { LiveLog } from '../../live-log/live-log.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { createChanges } from './changes.ts'

const begin = Date.UTC(2026, 0, 5)

/** A log whose connection comes back when the test says so. */
function logThatReturns(clock: ReturnType<typeof createManualClock>) {
  const listeners = new Set<() => void>()
  const log: LiveLog = {
    ...createMemoryLog(clock),
    onReturn: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    log,
    returns: () => {
      for (const listener of listeners) listener()
    },
  }
}

/** Two proxies on one log; browsers follow the second. */
async function setUp() {
  const clock = createManualClock(begin)
  const { log, returns } = logThatReturns(clock)
  const here = createChanges({ log, clock, random: () => 0 })
  const there = createChanges({ log, clock, random: () => 0 })
  const session = new AbortController()
  setMaxListeners(0, session.signal)
  const server = createServer((request, response) => {
    there.handle(
      {
        since: 'now',
        batch: false,
        lastEventId: undefined,
        lastEventIdMalformed: false,
        session: {
          holder: 'ann',
          expiresAt: begin + 3_600_000,
          ended: session.signal,
          isScreen: request.url === '/screen',
        },
        gzip: false,
      },
      response,
    )
  })
  const { port, close } = await onLoopback(server)
  onTestFinished(close)

  const follow = async (path = '/') => {
    const response = await new Promise<IncomingMessage>((resolve) => {
      get({ port, path, host: '127.0.0.1', agent: false }, resolve)
    })
    let text = ''
    let isOver = false
    response.setEncoding('utf8')
    response.on('data', (piece: string) => (text += piece))
    response.on('close', () => (isOver = true))
    return {
      response,
      text: () => text,
      isOver: () => isOver,
      changes: (): unknown[] =>
        [...text.matchAll(/^event: Change\ndata: (.*)\n\n/gm)].map(([, data = '']): unknown =>
          JSON.parse(data),
        ),
    }
  }
  return { clock, log, returns, here, there, session, follow }
}

test('what one proxy publishes is heard by the browsers of another, once for each key', async () => {
  const { clock, here, follow } = await setUp()
  const browser = await follow()
  expect(browser.response.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  for (let at = 0; at < 50; at++) {
    here.publish('evaluations', `/packages/npm/shop/1 release`)
    here.publish('evaluations', `/packages/npm/shop/2 release`)
  }
  here.publish('settings')
  clock.advance(99)
  expect(browser.changes()).toEqual([])
  clock.advance(1)
  await expect
    .poll(browser.changes)
    .toEqual([
      { topic: 'evaluations', key: '/packages/npm/shop/1 release' },
      { topic: 'evaluations', key: '/packages/npm/shop/2 release' },
      { topic: 'settings' },
    ])
})

test('a change of many things at once is one of the topic', async () => {
  const { clock, here, follow } = await setUp()
  const browser = await follow()
  for (let at = 0; at < 1000; at++) here.publish('evaluations', String(at))
  here.publish('waivers', 'a')
  clock.advance(100)
  await expect
    .poll(browser.changes)
    .toEqual([{ topic: 'evaluations' }, { topic: 'waivers', key: 'a' }])
})

test('a screen hears of what walls show and of nothing else', async () => {
  const { clock, here, returns, follow } = await setUp()
  const screen = await follow('/screen')
  here.publish('evaluations', '/packages/npm/shop/1 release')
  clock.advance(100)
  here.publish('decisions', 'main')
  here.publish('walls', 'release')
  clock.advance(100)
  await expect.poll(screen.changes).toHaveLength(1)
  returns()
  await expect
    .poll(screen.changes)
    .toEqual([{ topic: 'walls', key: 'release' }, { topic: 'claims' }, { topic: 'walls' }])
})

test('what is recorded while a proxy ends is heard by the browsers of another', async () => {
  const { clock, here, follow } = await setUp()
  const browser = await follow()
  here.publish('waivers', 'a')
  const ended = here.close()
  here.publish('walls', 'main')
  await ended
  here.publish('evaluations', 'b')
  clock.advance(100)
  await expect.poll(browser.changes).toEqual([
    { topic: 'waivers', key: 'a' },
    { topic: 'walls', key: 'main' },
    { topic: 'evaluations', key: 'b' },
  ])
})

test('once notices may have been missed, anything may have changed', async () => {
  const { returns, follow } = await setUp()
  const browser = await follow()
  returns()
  await expect.poll(browser.changes).toEqual(changeTopics.map((topic) => ({ topic })))
})

test('a browser that took nothing for a while is not kept a pile for: anything may have changed', async () => {
  const { clock, there, follow } = await setUp()
  const browser = await follow()
  browser.response.pause()
  const most = 100
  for (let at = 0; at < most; at++) {
    there.publish('evaluations', `${at} ${'x'.repeat(300_000)}`)
    clock.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
  browser.response.resume()
  await expect.poll(() => browser.changes().at(-1)).toEqual({ topic: 'settings' })
  expect(browser.changes().length).toBeLessThan(most)
})

test('what a newer version publishes is passed over', async () => {
  const { log, follow } = await setUp()
  const browser = await follow()
  log.notify('changes', [{ topic: 'moons', key: 'io' }, 7, { topic: 'waivers', key: 'a', new: 1 }])
  log.notify('changes', 'nothing')
  await expect.poll(browser.changes).toEqual([{ topic: 'waivers', key: 'a' }])
})

test('a heartbeat comes every 15 s, and the stream ends with the session', async () => {
  const { clock, there, session, follow } = await setUp()
  const browser = await follow()
  for (let second = 0; second < 31; second++) clock.advance(1000)
  await expect.poll(() => browser.text().match(/^: hb$/gm)?.length).toBe(2)
  expect(there.size()).toBe(1)
  session.abort()
  await expect.poll(browser.isOver).toBe(true)
  expect(there.size()).toBe(0)
})

test('a person has at most 300 streams, and none once the proxy ends', async () => {
  const { clock, there, follow } = await setUp()
  for (let at = 0; at < 300; at++) expect((await follow()).response.statusCode).toBe(200)
  const refused = await follow()
  expect(refused.response.statusCode).toBe(429)
  const closing = there.close()
  clock.advance(0)
  expect((await follow()).response.statusCode).toBe(503)
  await closing
})
