import { describe, expect, test } from 'vitest'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Feed } from './feed-state.ts'
import { createFeed, type FeedOptions } from './feed-store.ts'
import type { StreamSink, StreamStart } from './stream-source.ts'

const begin = 1_780_000_000_000

/** A source that does by hand what a stream would do by itself. */
interface Hand {
  readonly clock: ManualClock
  readonly feed: Feed
  readonly opened: StreamStart[]
  readonly done: string[]
  readonly sink: () => StreamSink
  readonly builds: (...numbers: number[]) => void
  readonly say: (event: string, data: unknown) => void
}

function byHand(options: Partial<FeedOptions> = {}, clock = createManualClock(begin)): Hand {
  const opened: StreamStart[] = []
  const done: string[] = []
  let sink: StreamSink | undefined
  const feed = createFeed({
    clock,
    source: (given) => {
      sink = given
      opened.push(given.start())
      return {
        reconnect: () => done.push('reconnect'),
        skipToNow: () => done.push('skipToNow'),
        close: () => done.push('close'),
      }
    },
    ...options,
  })
  const given = (): StreamSink => {
    if (sink === undefined) throw new Error('the feed has not been opened')
    return sink
  }
  const say = (event: string, data: unknown): void => {
    const message = { id: '', event, data: JSON.stringify(data) }
    given().emit({ type: 'message', message, at: clock.now() })
  }
  return {
    clock,
    feed,
    opened,
    done,
    sink: given,
    say,
    builds: (...numbers) => {
      say('Builds', numbers.map(build))
    },
  }
}

function build(number: number): Record<string, unknown> {
  return {
    buildId: number.toString(36).padStart(13, '0'),
    timestamp: begin + number,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.2',
  }
}

function factsOf(number: number, outcome: string): Record<string, unknown> {
  const { buildId } = build(number)
  const facts = {
    buildId,
    receivedAt: begin,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    outcome,
  }
  return { buildId, facts }
}

const nothing = (): void => undefined

test('what arrives is published as soon where the clock turns out to be ahead, and is set back', () => {
  const manual = createManualClock(begin)
  let aheadMs = 3_600_000
  const clock = { ...manual, now: () => manual.now() + aheadMs }
  const { feed, sink, builds } = byHand({}, clock)
  feed.subscribe(nothing)
  sink().emit({ type: 'attempt' })
  manual.advance(200)
  expect(feed.getSnapshot().connection.state).toBe('connecting')
  aheadMs = 0
  builds(1)
  manual.advance(200)
  expect(feed.getSnapshot().newest).toBe(1)
})

describe('a feed is open while somebody listens', () => {
  test('the first listener opens it, and it outlives the last one by a grace', () => {
    const { feed, clock, opened, done } = byHand({ graceMs: 5000 })
    expect(feed.getSnapshot().connection.state).toBe('idle')
    const first = feed.subscribe(nothing)
    const second = feed.subscribe(nothing)
    first()
    second()
    clock.advance(4999)
    feed.subscribe(nothing)()
    clock.advance(4999)
    expect([opened.length, done]).toEqual([1, []])
    clock.advance(1)
    expect(done).toEqual(['close'])
    expect(clock.pending()).toBe(0)
    expect(feed.getSnapshot().connection.state).toBe('idle')
  })

  test('leaving twice counts once', () => {
    const { feed, clock, done } = byHand()
    feed.subscribe(nothing)
    const leave = feed.subscribe(nothing)
    leave()
    leave()
    clock.advance(60_000)
    expect(done).toEqual([])
  })

  test('the first opening requests the last hour, a later one goes on after the newest build', () => {
    const { feed, clock, opened, builds } = byHand({ graceMs: 0 })
    const leave = feed.subscribe(nothing)
    expect(opened[0]).toEqual({ lastId: undefined, since: begin - 3_600_000 })
    builds(1, 2)
    leave()
    clock.advance(0)
    feed.subscribe(nothing)
    expect(opened[1]).toEqual({ lastId: '0000000000002', since: begin })
    expect(feed.getSnapshot().newest).toBe(2)
  })

  test('skipping to now requests what comes from now on, and is a gap', () => {
    const { feed, opened, sink, builds, clock, done } = byHand({ graceMs: 0 })
    const leave = feed.subscribe(nothing)
    builds(1)
    feed.skipToNow()
    expect(done).toEqual(['skipToNow'])
    clock.advance(5000)
    sink().emit({ type: 'skipped', at: clock.now() })
    expect(sink().start()).toEqual({ lastId: undefined, since: begin + 5000 })
    leave()
    clock.advance(0)
    expect(feed.getSnapshot().gaps).toBe(1)
    expect(opened).toHaveLength(1)
  })
})

describe('snapshots', () => {
  test('are published together after at most the flush time, and are the same until then', () => {
    const { feed, clock, builds } = byHand({ flushMs: 200 })
    const seen: number[] = []
    feed.subscribe(() => seen.push(feed.getSnapshot().newest))
    const snapshots = new Set([feed.getSnapshot()])
    for (let number = 1; number <= 100; number++) {
      builds(number)
      clock.advance(10)
      snapshots.add(feed.getSnapshot())
    }
    clock.advance(200)
    expect(seen.at(-1)).toBe(100)
    expect(seen.length).toBeLessThanOrEqual(7)
    expect(snapshots.size).toBeLessThanOrEqual(seen.length + 1)
  })

  test('never change, but for the newest knowledge of a row', () => {
    const { feed, clock, builds, say } = byHand()
    feed.subscribe(nothing)
    builds(1, 2)
    clock.advance(200)
    const before = feed.getSnapshot()
    const copy = { ...before }
    builds(3)
    say('Facts', factsOf(1, 'failed'))
    clock.advance(200)
    expect(before).toEqual(copy)
    expect(before.row(1)?.facts?.outcome).toBe('failed')
    const after = feed.getSnapshot()
    expect(after.version).toBe(before.version + 1)
    expect(after.changed).toEqual([1])
    expect(after.perMinute.at(-1)).toMatchObject({ failed: 1, unknown: 2 })
  })

  test('name no row as changed that is new, or gone', () => {
    const { feed, clock, builds, say } = byHand({ limit: 2 })
    feed.subscribe(nothing)
    builds(1, 2)
    clock.advance(200)
    say('Facts', factsOf(1, 'failed'))
    builds(3)
    say('Facts', factsOf(3, 'failed'))
    say('Facts', factsOf(99, 'failed'))
    clock.advance(200)
    const { changed, oldest, newest, dropped } = feed.getSnapshot()
    expect({ changed, oldest, newest, dropped }).toEqual({
      changed: [],
      oldest: 2,
      newest: 3,
      dropped: 1,
    })
  })

  test('keep their version while no row changes', () => {
    const { feed, clock, builds, sink } = byHand()
    feed.subscribe(nothing)
    builds(1)
    clock.advance(200)
    const { version } = feed.getSnapshot()
    sink().emit({ type: 'heard', at: clock.now() })
    builds(1)
    clock.advance(200)
    expect(feed.getSnapshot().version).toBe(version)
    expect(feed.getSnapshot().lastHeardAt).toBe(begin + 200)
  })

  test('come in hidden tabs as well, whose timers are a minute late', () => {
    let time = begin
    const lateClock: Clock = { now: () => time, after: () => () => undefined }
    const { feed, builds } = byHand({ clock: lateClock })
    feed.subscribe(nothing)
    builds(1)
    time += 1000
    builds(2)
    expect(feed.getSnapshot().newest).toBe(2)
  })

  test('let the minutes go on when nothing else happens', () => {
    const { feed, clock, builds } = byHand()
    feed.subscribe(nothing)
    builds(1)
    clock.advance(200)
    expect(feed.getSnapshot().perMinute.at(-1)?.unknown).toBe(1)
    clock.advance(120_000)
    expect(feed.getSnapshot().perMinute.at(-3)?.unknown).toBe(1)
  })

  test('count what could not be read, here and between proxy and upstream', () => {
    const { feed, clock, say } = byHand()
    feed.subscribe(nothing)
    say('Builds', 'nonsense')
    say('Status', {
      ...{ upstream: 'live', since: begin, now: begin, lastHeardAt: null, nextAttemptAt: null },
      ...{ message: 'Fine.', malformed: 5 },
    })
    clock.advance(200)
    expect(feed.getSnapshot().malformed).toBe(6)
  })
})

describe('a feed that was given what the proxy had kept, as the server was lost', () => {
  const missing = { from: null, oldest: null, again: true }
  const idsOf = ({ feed }: Hand): (string | undefined)[] => {
    const { oldest, newest, row } = feed.getSnapshot()
    return Array.from(
      { length: newest - oldest + 1 },
      (_, index) => row(oldest + index)?.build.buildId,
    )
  }
  const expected = (...numbers: number[]) => numbers.map((number) => build(number).buildId)
  const partial = (): Hand => {
    const hand = byHand()
    hand.feed.subscribe(() => undefined)
    hand.sink().emit({ type: 'opened', at: begin })
    hand.say('Gap', missing)
    hand.builds(7, 8)
    hand.clock.advance(1000)
    return hand
  }

  test('begins anew at its next opening, without loss or repeat, and the gap is closed', () => {
    const hand = partial()
    const { sink, clock, feed } = hand
    expect([idsOf(hand), feed.getSnapshot().gaps]).toEqual([expected(7, 8), 1])
    expect(sink().start()).toEqual(hand.opened[0])
    sink().emit({ type: 'opened', at: clock.now() })
    clock.advance(1000)
    // Until something comes, what is known stays; and it still begins anew where that breaks, too.
    expect(idsOf(hand)).toEqual(expected(7, 8))
    expect(sink().start()).toEqual(hand.opened[0])
    hand.builds(5, 6, 7, 8)
    hand.builds(9)
    hand.say('Facts', factsOf(8, 'failed'))
    clock.advance(1000)
    expect(idsOf(hand)).toEqual(expected(5, 6, 7, 8, 9))
    const { gaps, dropped, perMinute, row, newest } = feed.getSnapshot()
    expect([gaps, dropped]).toEqual([0, 0])
    expect(row(newest - 1)?.facts?.outcome).toBe('failed')
    const counted = perMinute.reduce((sum, one) => sum + one.unknown + one.failed, 0)
    expect(counted).toBe(5)
    expect(sink().start().lastId).toBe(build(9).buildId)
  })

  test('goes on so where the server is still lost then', () => {
    const hand = partial()
    const { sink, clock, feed } = hand
    sink().emit({ type: 'opened', at: clock.now() })
    hand.say('Gap', missing)
    hand.builds(7, 8, 9)
    clock.advance(1000)
    expect([idsOf(hand), feed.getSnapshot().gaps]).toEqual([expected(7, 8, 9), 1])
    expect(sink().start()).toEqual(hand.opened[0])
  })
})
