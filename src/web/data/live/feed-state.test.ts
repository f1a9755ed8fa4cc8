import { describe, expect, test } from 'vitest'
import type { LiveStatus } from '../../../protocol/live-feed.ts'
import {
  behindMs,
  clockDifference,
  type FeedEvent,
  FeedState,
  idleFeed,
  reduceFeed,
} from './feed-state.ts'

const proxyNow = 1_780_000_000_000

function after(...events: FeedEvent[]): FeedState {
  return events.reduce(reduceFeed, idleFeed)
}

const opened: FeedEvent = { type: 'opened', at: proxyNow }

function status(more: Partial<LiveStatus> = {}, at = proxyNow): FeedEvent {
  return {
    type: 'status',
    at,
    status: {
      upstream: 'live',
      since: proxyNow - 5000,
      now: proxyNow,
      lastHeardAt: proxyNow,
      nextAttemptAt: null,
      message: 'Fine.',
      malformed: 0,
      ...more,
    },
  }
}

function builds(count: number, ageMs: number): FeedEvent {
  return { type: 'builds', count, newestTimestamp: proxyNow - ageMs, at: proxyNow }
}

describe('the connection', () => {
  test('begins idle, connects, and is live once the proxy has nothing left to replay', () => {
    expect(idleFeed.connection.state).toBe('idle')
    expect(after({ type: 'attempt' }).connection.state).toBe('connecting')
    expect(after(opened, status({ backlog: 0 })).connection.state).toBe('live')
  })

  test('says why it was lost until the next attempt is answered', () => {
    const waiting: FeedEvent = { type: 'waiting', nextAttemptAt: proxyNow + 1000, reason: 'Gone.' }
    const lost = after(opened, waiting)
    expect(reduceFeed(lost, { type: 'attempt' }).connection).toEqual(lost.connection)
    expect(after(opened, waiting, { type: 'attempt' }, opened).connection.state).toBe('catching-up')
  })

  test('counts down what is left while it catches up, and is live at the end of it', () => {
    const far = builds(1000, 3_600_000)
    const catching = after(opened, status({ backlog: 5000 }), far, far)
    expect(catching.connection).toEqual({ state: 'catching-up', received: 2000, left: 3000 })
    expect(after(opened, status({ backlog: 1000 }), far).connection.state).toBe('live')
  })

  test('takes a better estimate of what is left, and counts all that came before it', () => {
    const far = builds(50, 3_600_000)
    const half = [opened, status(), far, status({ backlog: 70 }), far]
    const told = [...half, status({ backlog: 900 })]
    expect(after(...told).connection).toEqual({ state: 'catching-up', received: 100, left: 900 })
    expect(after(...told, status({ backlog: 0 })).connection.state).toBe('live')
  })

  test("is not taken for live because the upstream's state has changed meanwhile", () => {
    const catching = after(opened, status({ backlog: 900 }), status())
    expect(catching.connection).toEqual({ state: 'catching-up', received: 0, left: 900 })
  })

  test('is not taken for live because nothing comes for a while: only the proxy knows its end', () => {
    const waiting = after(opened, status(), { type: 'heard', at: proxyNow + 60_000 })
    expect(waiting.connection.state).toBe('catching-up')
  })

  test('of a proxy that sends no numbers is live when a build has just been made', () => {
    expect(after(opened, builds(10, 60_000)).connection).toEqual({
      state: 'catching-up',
      received: 10,
      left: undefined,
    })
    expect(after(opened, builds(10, 60_000), builds(1, 500)).connection.state).toBe('live')
  })

  test.each<[FeedEvent, FeedState['connection']]>([
    [
      { type: 'waiting', nextAttemptAt: 5, reason: 'Lost.' },
      { state: 'retrying', nextAttemptAt: 5, reason: 'Lost.' },
    ],
    [
      { type: 'refused', reason: 'No.' },
      { state: 'refused', reason: 'No.' },
    ],
    [
      { type: 'signed-out', reason: 'Over.' },
      { state: 'signed-out', reason: 'Over.' },
    ],
    [{ type: 'complete' }, { state: 'complete' }],
    [{ type: 'closed' }, { state: 'idle' }],
  ])('%j is what it is', (event, connection) => {
    expect(after(opened, status(), event).connection).toEqual(connection)
  })
})

describe('what is known besides', () => {
  test("builds are behind by the proxy's clock, not by this browser's", () => {
    const hourAhead = proxyNow + 3_600_000
    const state = after(status({ backlog: 0 }, hourAhead), {
      type: 'builds',
      count: 1,
      newestTimestamp: proxyNow + 1000,
      at: hourAhead + 1400,
    })
    expect(state.clockDifference).toBe(-3_600_000)
    expect(state.behindMs).toBe(400)
    expect(state.lastHeardAt).toBe(hourAhead + 1400)
  })

  test("this browser's clock may go ahead; a message that took long is no sign of it", () => {
    const at = proxyNow + 600_000
    const next = (sentAt: number, readAt: number): number =>
      after(opened, status(), status({ now: sentAt }, readAt)).clockDifference
    expect(next(at, at + 3_600_000)).toBe(-3_600_000)
    expect(next(at, at + 12_000)).toBe(0)
    expect(next(at, at - 12_000)).toBe(12_000)
    // The first one of a connection had nothing to wait for.
    expect(next(proxyNow, proxyNow + 1500)).toBe(-1500)
  })

  test('a build that was replayed is old, not late: it shows nothing of the delay', () => {
    const live = [opened, status({ backlog: 0 })]
    expect(after(opened, status(), builds(9, 10_000)).behindMs).toBeUndefined()
    expect(after(...live, builds(1, 10_000)).behindMs).toBeUndefined()
    const late = { ...builds(1, -1000), at: proxyNow + 11_000 }
    expect(after(...live, late).behindMs).toBe(10_000)
    expect(after(...live, late, opened).behindMs).toBeUndefined()
    expect(after(opened, status(), builds(9, 10_000), builds(1, 300)).behindMs).toBe(300)
  })

  test('before the first Status it is unknown how far builds are behind', () => {
    expect(after(opened, builds(1, 0)).behindMs).toBeUndefined()
  })

  test('gaps, skips, malformed messages and faults are counted', () => {
    const state = after(
      { type: 'gap', isPartial: false },
      { type: 'skipped', at: 1 },
      { type: 'malformed', count: 3 },
      { type: 'fault' },
    )
    expect([state.gaps, state.malformed]).toEqual([2, 4])
  })

  test('a gap that is closed by beginning anew ends when the stream is opened again', () => {
    const partial = after(opened, { type: 'gap', isPartial: true })
    expect([partial.gaps, partial.isPartial]).toEqual([1, true])
    const anew = after(opened, { type: 'gap', isPartial: true }, opened)
    expect([anew.gaps, anew.isPartial]).toEqual([0, false])
    expect(after(opened, { type: 'gap', isPartial: false }, opened).gaps).toBe(1)
  })

  test('a tab that joins takes over what another one knows', () => {
    const other = after(opened, status({ backlog: 7 }), { type: 'gap', isPartial: false })
    expect(after({ type: 'attempt' }, { type: 'adopted', state: other })).toEqual(other)
    expect(FeedState.parse(structuredClone(other))).toEqual(other)
  })
})

test('a build is behind by the time it took, whatever the clocks of browser and proxy show', () => {
  const hour = 3_600_000
  for (const browserOff of [-hour, 0, hour]) {
    const proxyNow = 1_780_000_000_000
    const difference = clockDifference(proxyNow, proxyNow + browserOff)
    const builtAt = proxyNow + 10_000
    expect(behindMs(builtAt, builtAt + 400 + browserOff, difference)).toBe(400)
  }
})

test('a server whose clock is ahead is not ahead of its time', () => {
  expect(behindMs(1000, 900, 0)).toBe(0)
})
