import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Connection, Feed, FeedView } from '../live/feed-state.ts'
import { createWallWatch, type SilentSide, type TrustFacts, trustOf } from './wall-watch.ts'

/** A feed and a proxy that stand as they are told. */
function wallOf() {
  const clock = createManualClock(1_000_000)
  let connection: Connection = { state: 'live' }
  let lastHeardAt = clock.now()
  let proxy: 'up' | 'down' = 'up'
  let lostSince: number | undefined
  let isOnline = true
  let reconnects = 0
  let pings = 0
  const view = (): FeedView => ({
    connection,
    upstream: {
      upstream: lostSince === undefined ? 'live' : 'retrying',
      since: lostSince ?? 0,
      now: 0,
      lastHeardAt: 0,
      nextAttemptAt: null,
      message: '',
      malformed: 0,
    },
    lastHeardAt,
    oldest: 1,
    newest: 0,
    dropped: 0,
    malformed: 0,
    gaps: 0,
    isPartial: false,
    perMinute: [],
    version: 0,
    row: () => undefined,
    behindMs: undefined,
    clockDifference: 0,
    changed: [],
  })
  const feed: Feed = {
    subscribe: () => () => undefined,
    getSnapshot: view,
    reconnect: () => {
      reconnects += 1
    },
    skipToNow: () => undefined,
  }
  const watch = createWallWatch({
    feed,
    clock,
    isOnline: () => isOnline,
    fetch: () => {
      pings += 1
      return proxy === 'up'
        ? Promise.resolve(new Response('{}'))
        : Promise.reject(new TypeError('down'))
    },
  })
  const leave = watch.subscribe(() => undefined)
  return {
    side: () => {
      const trust = watch.getSnapshot()
      return trust.is === 'live' ? 'live' : trust.side
    },
    reconnects: () => reconnects,
    pings: () => pings,
    leave,
    clock,
    loseUpstream: (since: number) => {
      lostSince = since
    },
    set: (next: { connection?: Connection; proxy?: 'up' | 'down'; isOnline?: boolean }) => {
      connection = next.connection ?? connection
      proxy = next.proxy ?? proxy
      isOnline = next.isOnline ?? isOnline
    },
    hear: () => {
      lastHeardAt = clock.now()
    },
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000)
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      }
    },
  }
}

const waiting = { state: 'retrying', nextAttemptAt: Infinity, reason: 'Broken.' } as const

test('silence is shown within 45 seconds, and its end within two', async () => {
  const wall = wallOf()
  await wall.pass(30)
  expect(wall.side()).toBe('live')
  await wall.pass(15)
  expect(wall.side()).toBe('proxy')
  wall.hear()
  await wall.pass(2)
  expect(wall.side()).toBe('live')
})

test('a connection that is taken up again at once is no silence', async () => {
  const wall = wallOf()
  wall.set({ connection: { ...waiting, nextAttemptAt: 1_001_000 } })
  await wall.pass(2)
  wall.set({ connection: { state: 'live' } })
  wall.hear()
  await wall.pass(10)
  expect(wall.side()).toBe('live')
})

test('a build server whose heartbeats the proxy has missed is shown as silent at once, one that was cut off after 4 s', async () => {
  const mute = wallOf()
  mute.loseUpstream(mute.clock.now() - 9000)
  await mute.pass(1)
  expect(mute.side()).toBe('upstream')
  const cut = wallOf()
  cut.loseUpstream(cut.clock.now())
  await cut.pass(3)
  expect(cut.side()).toBe('live')
  await cut.pass(2)
  expect(cut.side()).toBe('upstream')
})

test('as soon as the proxy answers again the feed stops waiting', async () => {
  const wall = wallOf()
  wall.set({ connection: waiting, proxy: 'down' })
  await wall.pass(60)
  expect(wall.side()).toBe('proxy')
  expect(wall.reconnects()).toBe(0)
  wall.set({ proxy: 'up' })
  await wall.pass(10)
  expect(wall.reconnects()).toBeGreaterThan(0)
})

test.each(['signed-out', 'refused'] as const)(
  'a feed that has given up (%s) is tried again within 15 seconds, and not all the time',
  async (state) => {
    const wall = wallOf()
    wall.set({ connection: { state, reason: 'No.' } })
    await wall.pass(15)
    expect(wall.reconnects()).toBeGreaterThan(0)
    await wall.pass(60)
    expect(wall.reconnects()).toBeLessThanOrEqual(9)
  },
)

test('without a network the wall says so', async () => {
  const wall = wallOf()
  wall.set({ connection: waiting, proxy: 'down', isOnline: false })
  await wall.pass(10)
  expect(wall.side()).toBe('network')
})

test('a wall that is left leaves no timer behind, and a live one sends no health check', async () => {
  const wall = wallOf()
  await wall.pass(20)
  expect(wall.pings()).toBe(0)
  wall.leave()
  expect(wall.clock.pending()).toBe(0)
})

type View = TrustFacts['view']
type Upstream = NonNullable<View['upstream']>

function upstream(more: Partial<Upstream>): Upstream {
  return {
    upstream: 'live',
    since: 0,
    now: 0,
    lastHeardAt: 90_000,
    nextAttemptAt: null,
    message: 'Words.',
    malformed: 0,
    ...more,
  }
}

const heard: View = {
  connection: { state: 'live' },
  upstream: upstream({}),
  lastHeardAt: 95_000,
  clockDifference: 10_000,
}

function judge(view: Partial<View>, more: Partial<TrustFacts> = {}): SilentSide | 'live' {
  const trust = trustOf({
    view: { ...heard, ...view },
    now: 100_000,
    isOnline: true,
    answers: undefined,
    ...more,
  })
  return trust.is === 'live' ? 'live' : trust.side
}

test('a wall that hears the proxy, which hears the server, is live', () => {
  expect(judge({})).toBe('live')
  expect(judge({ connection: { state: 'catching-up', received: 3, left: 7 } })).toBe('live')
  expect(judge({ upstream: upstream({ upstream: 'polling' }) })).toBe('live')
})

describe('who is silent', () => {
  test.each<[string, SilentSide, Partial<View>]>([
    ['nothing came for two heartbeats', 'proxy', { lastHeardAt: 68_000 }],
    ['the connection is lost', 'proxy', { connection: retrying() }],
    ['the proxy refuses', 'proxy', { connection: { state: 'refused', reason: 'No.' } }],
    ['there is no session', 'session', { connection: { state: 'signed-out', reason: 'Out.' } }],
    ['the proxy has lost the server', 'upstream', { upstream: upstream({ upstream: 'retrying' }) }],
    ['the server refuses the proxy', 'upstream', { upstream: upstream({ upstream: 'refused' }) }],
    [
      'the proxy tries the server again, which it had heard',
      'upstream',
      { upstream: upstream({ upstream: 'connecting' }) },
    ],
    [
      'the proxy tries the server for the first time',
      'starting',
      { upstream: upstream({ upstream: 'connecting', lastHeardAt: null }) },
    ],
    ['the stream has come to its end', 'ended', { connection: { state: 'complete' } }],
    [
      'nothing has been heard since the page was opened',
      'starting',
      { connection: { state: 'connecting' }, lastHeardAt: undefined, upstream: undefined },
    ],
  ])('%s: %s', (_, side, view) => {
    expect(judge(view)).toBe(side)
  })

  test('without a network nothing else is known', () => {
    expect(judge({ connection: retrying() }, { isOnline: false })).toBe('network')
  })

  test('a proxy that does not answer at the start is not starting', () => {
    const never = { connection: { state: 'connecting' }, lastHeardAt: undefined } as const
    expect(judge(never, { answers: false })).toBe('proxy')
  })
})

test("how long the server has been silent is measured by this browser's clock", () => {
  const trust = trustOf({
    view: { ...heard, upstream: upstream({ upstream: 'retrying', lastHeardAt: 70_000 }) },
    now: 100_000,
    isOnline: true,
    answers: undefined,
  })
  expect(trust).toMatchObject({ is: 'silent', since: 60_000, reason: 'Words.' })
})

function retrying(): Connection {
  return { state: 'retrying', nextAttemptAt: 130_000, reason: 'Broken.' }
}
