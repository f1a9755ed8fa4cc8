import type { Logger } from 'pino'
import type * as z from 'zod/mini'
import type { EventHead } from '../../../facts/event.ts'
import { backOffMs } from '../../../protocol/back-off.ts'
import { wait } from '../../../protocol/clock.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { isRetryable, ProblemError, problemError } from '../../../protocol/problem.ts'
import type { ReadingKind } from '../../store/build-insights.ts'
import type { Database } from '../../store/database.ts'
import { type EventsSource, readBuildEvents } from './build-events.ts'
import { createKeptInsights } from './kept-insights.ts'

/**
 * Something that can be read of a build, whatever else happens to the build later. What was read is
 * kept until `version` is raised.
 */
export interface BuildReading<Result> extends ReadingKind {
  /** What the results are kept as. */
  readonly schema: z.ZodMiniType<Result>
  /**
   * Reads it once; undefined where the server has none of it. Throws as `readBuildEvents`.
   */
  readonly read: (
    source: EventsSource,
    buildId: string,
    signal: AbortSignal,
  ) => Promise<Read<Result> | undefined>
}

/** What was read of a build just now. */
export interface Read<Result> {
  readonly result: Result
  readonly bytes: number
}

/** What of a build's events is read, and how. */
export interface EventReading<Result> {
  readonly eventTypes: readonly string[]
  /** What comes after so many bytes of them is not read. */
  readonly maxBytes: number
  /** A new fold for each build. */
  readonly start: () => EventFold<Result>
}

/** Folds the events of one build. */
export interface EventFold<Result> {
  /** Takes an event of the wanted types, as its JSON text. */
  readonly take: (text: string, head: EventHead) => void
  /** What it came to; `isWhole` is false where there were more bytes than are read. */
  readonly result: (isWhole: boolean) => Result
  /** What else has to be read, into the same fold; undefined where nothing has. */
  readonly further?: () => Pick<EventReading<Result>, 'eventTypes' | 'maxBytes'> | undefined
}

/** Reads the events of a build into a fold. */
export function readingOfEvents<Result>(
  reading: EventReading<Result>,
): BuildReading<Result>['read'] {
  return async (source, buildId, signal) => {
    let fold = reading.start()
    const onEvent = (text: string, head: EventHead): void => {
      fold.take(text, head)
    }
    const first = await readBuildEvents(source, {
      ...{ buildId, types: reading.eventTypes, maxBytes: reading.maxBytes, signal, onEvent },
      onBuild: () => {
        fold = reading.start()
      },
    })
    if (first.extent === 'none') return undefined
    const further = fold.further?.()
    if (further === undefined) {
      return { result: fold.result(first.extent === 'whole'), bytes: first.bytes }
    }
    const { eventTypes: types, maxBytes } = further
    // Events that come again say the same again.
    const onBuild = (): void => undefined
    const rest = await readBuildEvents(source, {
      ...{ buildId, types, maxBytes, signal, onEvent, onBuild },
    })
    const isWhole = first.extent === 'whole' && rest.extent === 'whole'
    return { result: fold.result(isWhole), bytes: first.bytes + rest.bytes }
  }
}

/** What is known of one build, or why nothing is, as a sentence. */
export type BuildInsight<Result> =
  | {
      readonly buildId: string
      readonly result: Result
      /** How many were read for it; 0 where it was kept. */
      readonly bytes: number
    }
  | { readonly buildId: string; readonly problem: string }

/** Reads builds one way. */
export interface InsightReader<Result> {
  /**
   * Gives what is known of each of these builds once, in whatever order it becomes known: first what
   * is kept, then what is read, a few builds at a time and no further than it is taken. Ends early
   * when `signal` aborts. Never throws.
   */
  readonly read: (
    buildIds: readonly string[],
    signal: AbortSignal,
  ) => AsyncGenerator<BuildInsight<Result>, void, undefined>
  /** Gives what is kept of these builds, and reads nothing. Never throws. */
  readonly kept: (
    buildIds: readonly string[],
    signal: AbortSignal,
  ) => AsyncGenerator<BuildInsight<Result>, void, undefined>
  /** Whether all readings wait, as the server was too busy (429). */
  readonly isHeld: () => boolean
}

/** Reads the events of builds for people who wait for it. */
export interface Insights {
  /**
   * A reader for one reading. It shares its turns before the server with all others, and reads a
   * build that two people want once.
   */
  readonly reader: <Result>(reading: BuildReading<Result>) => InsightReader<Result>
}

export interface InsightsOptions extends EventsSource {
  /** 0 up to 1. */
  readonly random: () => number
  readonly logger: Logger
  /** Where results are kept; in memory alone without it, and while it fails. */
  readonly database: Database | undefined
}

/** Makes it for one server; what its readers share is here. */
export function createInsights(options: InsightsOptions): Insights {
  const { clock, random } = options
  const limit = createLimit(atOnce)
  let heldUntil = 0
  /** Builds in a row that could not be read though that was tried several times. */
  let failures = 0
  let last: { readonly at: number; readonly error: ProblemError } | undefined

  /** While the server is away nobody has to wait for as many attempts as there are builds. */
  const isAway = (): boolean =>
    failures >= failuresUntilAway && last !== undefined && clock.now() < last.at + awayMs

  async function attempt<Result>(
    reading: BuildReading<Result>,
    buildId: string,
    signal: AbortSignal,
  ): Promise<Read<Result> | undefined> {
    if (heldUntil > clock.now()) await wait(clock, heldUntil - clock.now(), signal)
    if (signal.aborted) return undefined
    const read = await reading.read(options, buildId, signal)
    if (read === undefined) throw noEvents()
    return read
  }

  /** Undefined once `signal` aborts. Throws a ProblemError when enough was tried. */
  async function readPatiently<Result>(
    reading: BuildReading<Result>,
    buildId: string,
    signal: AbortSignal,
  ): Promise<Read<Result> | undefined> {
    let attempts = 0
    let refusals = 0
    for (;;) {
      if (isAway() && last !== undefined) throw last.error
      try {
        const read = await limit.tryRun(() => attempt(reading, buildId, signal), signal)
        if (!signal.aborted) failures = 0
        return read
      } catch (error) {
        if (signal.aborted) return undefined
        const problem = asProblem(error)
        const { status, retryAfterMs } = problem
        const isRefused = status === 429
        if (isRefused) refusals += 1
        else attempts += 1
        const tried = isRefused ? refusals : attempts
        const isOver = tried >= (isRefused ? mostRefusals : mostAttempts)
        if (!isRetryable(status) || isOver || (retryAfterMs ?? 0) > longestHoldMs) {
          if (isRetryable(status)) {
            failures += 1
            last = { at: clock.now(), error: problem }
          }
          throw problem
        }
        const waitMs = backOffMs({ failures: tried, retryMs: undefined, retryAfterMs, random })
        // Another build would be refused as well; one that is still being stored holds up no other.
        if (isRefused) heldUntil = Math.max(heldUntil, clock.now() + waitMs)
        else await wait(clock, waitMs, signal)
      }
    }
  }

  function reader<Result>(reading: BuildReading<Result>): InsightReader<Result> {
    const kept = createKeptInsights({ ...options, reading })
    const shared = new Map<string, SharedReading<Result>>()

    const begin = (buildId: string): SharedReading<Result> => {
      const ending = new AbortController()
      const insight = readPatiently(reading, buildId, ending.signal).then(
        async (read): Promise<BuildInsight<Result>> => {
          if (read === undefined) return canceled(buildId)
          await kept.keep(buildId, read.result)
          return { buildId, ...read }
        },
        (error: unknown) => ({ buildId, problem: asProblem(error).sentence }),
      )
      const one = { insight, ending, readers: 0 }
      shared.set(buildId, one)
      void insight.then(() => {
        if (shared.get(buildId) === one) shared.delete(buildId)
      })
      return one
    }

    /** Joins whoever reads the build already; the last one to leave ends the reading. */
    const join = async (buildId: string, signal: AbortSignal): Promise<BuildInsight<Result>> => {
      const one = shared.get(buildId) ?? begin(buildId)
      one.readers += 1
      let leave = (): void => undefined
      const gone = new Promise<BuildInsight<Result>>((resolve) => {
        leave = () => {
          resolve(canceled(buildId))
          one.readers -= 1
          if (one.readers > 0) return
          if (shared.get(buildId) === one) shared.delete(buildId)
          one.ending.abort()
        }
      })
      signal.addEventListener('abort', leave, { once: true })
      try {
        return await Promise.race([one.insight, gone])
      } finally {
        signal.removeEventListener('abort', leave)
      }
    }

    const known: InsightReader<Result>['kept'] = async function* (buildIds, signal) {
      for await (const insight of kept.find(buildIds)) {
        if (signal.aborted) return
        yield { ...insight, bytes: 0 }
      }
    }

    return {
      kept: known,
      isHeld: () => clock.now() < heldUntil,
      read: async function* (buildIds, signal) {
        const wanted = new Set(buildIds)
        for await (const insight of known([...wanted], signal)) {
          wanted.delete(insight.buildId)
          yield insight
        }
        yield* unordered([...wanted], signal, join)
      },
    }
  }

  return { reader }
}

interface SharedReading<Result> {
  readonly insight: Promise<BuildInsight<Result>>
  readonly ending: AbortController
  readers: number
}

/** As many at a time as there are turns before the server, and only while they are taken. */
async function* unordered<Result>(
  buildIds: readonly string[],
  signal: AbortSignal,
  read: (buildId: string, signal: AbortSignal) => Promise<BuildInsight<Result>>,
): AsyncGenerator<BuildInsight<Result>, void, undefined> {
  if (signal.aborted) return
  const left = new AbortController()
  const leave = (): void => {
    left.abort()
  }
  signal.addEventListener('abort', leave)
  const running = new Map<string, Promise<BuildInsight<Result>>>()
  const waiting = [...buildIds]
  try {
    for (;;) {
      for (const buildId of waiting.splice(0, atOnce - running.size)) {
        running.set(buildId, read(buildId, left.signal))
      }
      if (running.size === 0) return
      const insight = await Promise.race(running.values())
      running.delete(insight.buildId)
      if (left.signal.aborted) return
      yield insight
    }
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

/** A server has other work, and the live feed reads builds as well. */
const atOnce = 4
const mostAttempts = 4
/** The server takes some of what it is sent meanwhile. */
const mostRefusals = 20
const longestHoldMs = 60_000
const failuresUntilAway = 3
const awayMs = 15_000

function canceled(buildId: string): { readonly buildId: string; readonly problem: string } {
  return { buildId, problem: 'Canceled.' }
}

function noEvents(): ProblemError {
  return problemError(
    404,
    'no-events',
    'No events',
    'The build server has no events of this build.',
  )
}

/** The sentence is shown beside the build. */
function asProblem(error: unknown): ProblemError {
  if (!(error instanceof ProblemError)) {
    return problemError(
      502,
      'events-unreadable',
      'Unreadable events',
      "The build's events couldn't be read.",
    )
  }
  return error.status === 404 ? noEvents() : error
}
