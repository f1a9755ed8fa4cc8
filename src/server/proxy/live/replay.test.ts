import { describe, expect, test } from 'vitest'
import { type BuildMessage, decodeBuildMessage } from '../../../protocol/build-message.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problemError } from '../../../protocol/problem.ts'
import { buildNumber, buildNumbers } from './hostile-upstream.test-support.ts'
import { EmptyAnswer } from './history.ts'
import { buildEntry, createFollower, createJournal, createPages, type Journal } from './journal.ts'
import type { Block } from './live-client.ts'
import { replay, type ReplayEnd } from './replay.ts'
import type { KnownPosition } from './build-list.ts'

/** What one request to the history does, in order: gives builds, fails, or lets something happen. */
type Step = readonly BuildMessage[] | Error | (() => void)

interface Replaying {
  readonly journal: Journal
  readonly sent: number[]
  readonly asked: KnownPosition[]
  readonly end: Promise<ReplayEnd>
  /** What a reader ends up with: what was sent, and what it then gets from the journal. */
  readonly got: () => Promise<number[]>
  readonly anchor: () => void
}

interface StartOptions {
  readonly ringSize: number
  readonly anchored: boolean
  readonly from: KnownPosition
}

const afterZero: KnownPosition = { kind: 'after', id: buildNumber(0).buildId }
const fromTheStart: KnownPosition = { kind: 'instant', at: 0 }

const numberOf = (buildId: string): number => parseInt(buildId.slice(1), 36)

/** Replays a scripted history, after build 0 by default; after the script it has nothing more. */
function start(
  script: (journal: Journal) => readonly (readonly Step[])[],
  { ringSize = 1000, anchored = true, from = afterZero }: Partial<StartOptions> = {},
): Replaying {
  const journal = createJournal(ringSize, { now: () => buildNumber(1000).timestamp })
  const passes = [...script(journal)]
  const sent: number[] = []
  const asked: KnownPosition[] = []
  const clock = createManualClock()
  const waiters: (() => void)[] = []
  let isAnchored = anchored
  const end = replay({
    journal,
    clock: { ...clock, after: (_, callback) => clock.after(0, callback) },
    random: () => 0,
    signal: new AbortController().signal,
    from,
    had: new Set(),
    anchored: () => isAnchored,
    untilAnchored: () => new Promise((resolve) => waiters.push(resolve)),
    onBacklog: () => undefined,
    send: (builds) => {
      sent.push(...builds.map(({ buildId }) => numberOf(buildId)))
      return Promise.resolve()
    },
    history: {
      pass: async function* (position) {
        asked.push(position)
        for (const step of passes.shift() ?? []) {
          await Promise.resolve()
          if (step instanceof Error) {
            setImmediate(() => {
              clock.advance(0)
            })
            throw step
          }
          if (typeof step === 'function') step()
          else yield step
        }
      },
    },
  })
  return {
    journal,
    sent,
    asked,
    end,
    got: async () => {
      const joined = await end
      if (joined.kind !== 'joined') return sent
      const rest: number[] = []
      const reader = createSseReader({
        onMessage: ({ data }) => rest.push(numberOf(decodeBuildMessage(JSON.parse(data)).buildId)),
      })
      const client = {
        request: { batch: false },
        ready: () => true,
        unsentBytes: () => 0,
        send: ({ plain }: Block) => {
          reader.feed(plain)
        },
      }
      createFollower({ ...joined, client, journal, pages: createPages(journal) }).advance(
        journal.head(),
      )
      return [...sent, ...rest]
    },
    anchor: () => {
      isAnchored = true
      for (const wake of waiters.splice(0)) wake()
    },
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

function arrive(journal: Journal, from: number, to: number): void {
  for (const build of buildNumbers(from, to)) journal.append(buildEntry(build))
}

/** The same while something else happens. */
const arriving = (journal: Journal, from: number, to: number) => (): void => {
  arrive(journal, from, to)
}

describe('joining history to the live stream', () => {
  test('at the first build that the journal has', async () => {
    const { got, asked } = start((journal) => {
      arrive(journal, 5, 8)
      return [[buildNumbers(1, 4), buildNumbers(4, 8)]]
    })
    expect(await got()).toEqual(range(1, 8))
    expect(asked).toHaveLength(1)
  })

  test('that has sent nothing yet', async () => {
    const { got } = start(() => [[buildNumbers(1, 4)]])
    expect(await got()).toEqual(range(1, 4))
  })

  test('that has got what was sent meanwhile, without repeating it', async () => {
    const { got } = start(
      (journal) => [[buildNumbers(0, 4), arriving(journal, 0, 6), buildNumbers(4, 6)]],
      { from: fromTheStart },
    )
    expect(await got()).toEqual(range(0, 6))
  })

  test('that has what is dated ahead in front, where the history is sorted by time', async () => {
    const { got } = start(
      (journal) => [
        [
          buildNumbers(1000, 1003),
          () => {
            arrive(journal, 1000, 1002)
            arrive(journal, 2000, 2001)
            arrive(journal, 1002, 1005)
          },
          [...buildNumbers(1003, 1005), buildNumber(2000)],
        ],
      ],
      { from: fromTheStart },
    )
    expect(await got()).toEqual([1000, 1001, 1002, 2000, 1003, 1004])
  })

  test('that is behind the history, without repeating what it sends later', async () => {
    const { got, end, journal } = start(() => [[buildNumbers(1, 6)]])
    await end
    arrive(journal, 3, 9)
    expect(await got()).toEqual(range(1, 9))
  })

  test('that sent something during the last request for history', async () => {
    const { got } = start((journal) => [[buildNumbers(1, 4)], [arriving(journal, 4, 6)]])
    expect(await got()).toEqual(range(1, 6))
  })

  test('that sent more during the replay than the ring holds', async () => {
    const { got } = start(
      (journal) => [[buildNumbers(1, 4), arriving(journal, 4, 400)], [buildNumbers(4, 400)]],
      { ringSize: 10 },
    )
    expect(await got()).toEqual(range(1, 400))
  })

  test('that is not open yet: what came in between is requested once it is', async () => {
    const { got, anchor, sent, asked } = start(() => [[buildNumbers(1, 4)], [buildNumbers(4, 6)]], {
      anchored: false,
    })
    while (sent.length < 3) await Promise.resolve()
    anchor()
    expect(await got()).toEqual(range(1, 6))
    expect(asked[1]).toMatchObject({ kind: 'after', id: buildNumber(3).buildId })
  })

  test('that is not open yet, although there is no history either', async () => {
    const { got, anchor, asked } = start(() => [[], [buildNumbers(1, 3)]], { anchored: false })
    while (asked.length < 1) await Promise.resolve()
    anchor()
    expect(await got()).toEqual(range(1, 3))
  })

  test('across failures of the history, from where it was', async () => {
    const busy = problemError(503, 'busy', 'Busy', 'Busy.')
    const { got, asked } = start(() => [
      [buildNumbers(1, 3), new Error('cut')],
      [busy],
      [buildNumbers(3, 6)],
    ])
    expect(await got()).toEqual(range(1, 6))
    expect(asked.slice(1, 3)).toEqual([
      { kind: 'after', id: buildNumber(2).buildId, timestamp: buildNumber(2).timestamp },
      { kind: 'after', id: buildNumber(2).buildId, timestamp: buildNumber(2).timestamp },
    ])
  })

  test('although the server begins with the build that was named', async () => {
    const { got } = start(() => [[buildNumbers(1, 4)], [buildNumbers(3, 5)], [buildNumbers(4, 5)]])
    expect(await got()).toEqual(range(1, 5))
  })

  test('although the server repeats the build that was named behind newer ones', async () => {
    const { got } = start((journal) => {
      arrive(journal, 1, 3)
      return [[[...buildNumbers(1, 3), buildNumber(0)]]]
    })
    expect(await got()).toEqual(range(1, 3))
  })

  test('whose journal has an old build behind newer ones, as the server repeated it', async () => {
    const { end, sent, journal } = start((log) => {
      arrive(log, 4, 6)
      arrive(log, 2, 3)
      return [[buildNumbers(1, 6)]]
    })
    expect(await end).toMatchObject({ kind: 'joined', after: 0 })
    expect(sent).toEqual([1, 2, 3])
    expect(journal.head()).toBe(3)
  })

  test.each([
    ['a length, after the second', true, 2],
    ['no length, after the fifth', false, 5],
  ])('is over when the history answers nothing with %s time', async (_, isFramed, times) => {
    const nothing = Array.from({ length: 9 }, () => [new EmptyAnswer(isFramed)])
    const { end, asked } = start(() => nothing)
    expect(await end).toMatchObject({ kind: isFramed ? 'joined' : 'refused' })
    expect(asked).toHaveLength(times)
  })

  test.each([400, 403, 404, 410])('is refused where the history answers %i', async (status) => {
    const { end } = start(() => [[problemError(status, 'no', 'No', 'No.')]])
    expect(await end).toEqual({ kind: 'refused' })
  })
})
