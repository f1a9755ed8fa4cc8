import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { beginStream, startHostileServer } from '../../../../e2e/hostile-stream-server.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createSession } from '../core/session.ts'
import { idleFeed } from './feed-state.ts'
import { createFeed } from './feed-store.ts'
import { createLiveSource, type SourceEvent, type StreamStart } from './stream-source.ts'

const hour = 3_600_000
const proxyNow = 1_780_000_000_000

beforeEach(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  vi.stubGlobal('document', { removeEventListener: () => undefined })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** The live source of a browser whose clock is `ahead` of the proxy's, and the server that it asks. */
async function sourceOf(ahead: number) {
  const clock = createManualClock(proxyNow + ahead)
  const server = await startHostileServer(
    (response) => {
      beginStream(response, ': ok\n\n')
    },
    (url) =>
      url === '/session'
        ? {
            type: 'application/json',
            headers: { date: new Date(proxyNow).toUTCString() },
            body: JSON.stringify({
              token: 't',
              expiresAt: proxyNow + hour,
              user: { name: 'ann', roles: [] },
            }),
          }
        : undefined,
  )
  const send: typeof fetch = (input, init) =>
    fetch(new URL(input instanceof Request ? input.url : input, server.origin), init)
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  const source = createLiveSource({ fetch: send, clock, random: Math.random, isOnline, session })
  return { clock, server, source }
}

/** What such a browser asks for, at first and after a skip. */
async function asksFor(
  ahead: number,
  starts: readonly [StreamStart, StreamStart],
): Promise<{ urls: string[]; told: string[] }> {
  const { server, source } = await sourceOf(ahead)
  const told: string[] = []
  const [first, second] = starts
  let start = first
  let opened = (): void => undefined
  const stream = source({
    emit: ({ type }: SourceEvent) => {
      told.push(type)
      if (type === 'opened') opened()
    },
    start: () => start,
    state: () => idleFeed,
    rowsAfter: () => ({ rows: [], missing: false }),
    withoutFacts: () => [],
    factsOf: () => [],
  })
  await new Promise<void>((resolve) => {
    opened = resolve
  })
  start = second
  stream.skipToNow()
  await server.asked(2)
  stream.close()
  await server.quiet()
  await server.stop()
  return { urls: server.requests.map(({ url }) => url), told }
}

test('the past is requested in batches, and a skip requests what comes from then on', async () => {
  const { urls, told } = await asksFor(0, [
    { lastId: undefined, since: proxyNow - hour },
    { lastId: undefined, since: proxyNow },
  ])
  expect(urls).toEqual([
    `/live/builds?since=${proxyNow - hour}&batch`,
    `/live/builds?since=${proxyNow}&batch`,
  ])
  expect(told).toContain('skipped')
})

test('a browser whose clock is hours ahead requests by the clock of the proxy, and nothing in its future', async () => {
  const { urls } = await asksFor(3 * hour, [
    { lastId: undefined, since: proxyNow + 2 * hour },
    { lastId: undefined, since: proxyNow + 4 * hour },
  ])
  expect(urls).toEqual([
    `/live/builds?since=${proxyNow - hour}&batch`,
    `/live/builds?since=${proxyNow}&batch`,
  ])
})

test.each([-3 * hour, 0, 3 * hour])(
  'the last hour that a feed asks for is that of the proxy, with a clock that is %d ms ahead',
  async (ahead) => {
    const { clock, server, source } = await sourceOf(ahead)
    const leave = createFeed({ source, clock, graceMs: 0 }).subscribe(() => undefined)
    await server.asked(1)
    leave()
    clock.advance(0)
    await server.quiet()
    await server.stop()
    expect(server.requests[0]?.url).toBe(`/live/builds?since=${proxyNow - hour}&batch`)
  },
)
