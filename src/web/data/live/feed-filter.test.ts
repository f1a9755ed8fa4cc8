import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createFeed } from './feed-store.ts'
import type { Feed, FeedRow } from './feed-state.ts'
import { createFeedFilter, createValueCounts } from './feed-filter.ts'
import type { StreamSink } from './stream-source.ts'

const tools = ['gradle', 'maven', 'npm']

/** What may happen to a feed, or to somebody who looks at it. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('build' as const), number: fc.nat(60) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('facts' as const),
      number: fc.nat(60),
      user: fc.constantFrom('ann', 'bob', null),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const) }) },
)

const idOf = (number: number): string => number.toString(36).padStart(13, '0')

function all(feed: Feed): FeedRow[] {
  const { oldest, newest, row } = feed.getSnapshot()
  return Array.from({ length: newest - oldest + 1 }, (_, index) => row(oldest + index)).filter(
    (found) => found !== undefined,
  )
}

const byAnn = ({ facts }: FeedRow): boolean => facts?.user === 'ann'
const valuesOf = ({ build, facts }: FeedRow): string[] => [
  build.toolType,
  ...(typeof facts?.user === 'string' ? [facts.user] : []),
]

test('a filter and counts that follow a feed agree with reading all its rows anew', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(step, { maxLength: 120 }),
      (limit, steps) => {
        const clock = createManualClock(1_780_000_000_000)
        let sink: StreamSink | undefined
        const feed = createFeed({
          clock,
          limit,
          source: (given) => {
            sink = given
            return { reconnect: fail, skipToNow: fail, close: fail }
          },
        })
        const say = (event: string, data: unknown): void => {
          const message = { id: '', event, data: JSON.stringify(data) }
          sink?.emit({ type: 'message', message, at: clock.now() })
        }
        feed.subscribe(() => undefined)
        const filter = createFeedFilter(feed, byAnn)
        const counts = createValueCounts(feed, valuesOf)
        let last = filter.getSnapshot()
        for (const one of [...steps, { kind: 'flush' as const }, { kind: 'look' as const }]) {
          switch (one.kind) {
            case 'build':
              say('Build', {
                buildId: idOf(one.number),
                timestamp: 1,
                toolType: tools[one.number % 3],
                toolVersion: '1',
                agentVersion: '1',
              })
              break
            case 'facts':
              say('Facts', {
                buildId: idOf(one.number),
                facts: {
                  buildId: idOf(one.number),
                  receivedAt: 1,
                  buildTool: 'x',
                  buildToolVersion: '1',
                  agentVersion: '1',
                  user: one.user,
                },
              })
              break
            case 'flush':
              clock.advance(200)
              break
            case 'look': {
              // Facts that came since the last flush are in the rows already, but not yet told.
              clock.advance(200)
              const now = filter.getSnapshot()
              const expected = all(feed).filter(byAnn)
              expect(now.arrivals).toEqual(expected.map(({ arrival }) => arrival))
              if (JSON.stringify(now.arrivals) !== JSON.stringify(last.arrivals)) {
                expect(now.version).toBeGreaterThan(last.version)
              }
              expect(filter.getSnapshot()).toBe(now)
              last = now
              const tally = new Map<string, number>()
              for (const value of all(feed).flatMap(valuesOf))
                tally.set(value, (tally.get(value) ?? 0) + 1)
              expect(new Map([...counts.getSnapshot()].sort())).toEqual(new Map([...tally].sort()))
            }
          }
        }
      },
    ),
    { numRuns: runs(400) },
  )
})

function fail(): never {
  throw new Error('nobody asked for this')
}
