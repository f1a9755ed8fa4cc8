import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import { isNoBuildServer } from '../upstream/upstream.ts'
import type { KnownPosition } from './build-list.ts'
import { EmptyAnswer, type History } from './history.ts'
import type { Journal } from './journal.ts'
import { createBackoff } from './upstream-fetch.ts'

export interface ReplayOptions {
  readonly history: History
  readonly journal: Journal
  readonly clock: Clock
  readonly random: () => number
  /** Ends the replay: the reader is gone. */
  readonly signal: AbortSignal
  readonly from: KnownPosition
  /** What the reader has, though the journal does not yet. */
  readonly had: ReadonlySet<string>
  /** Whether the live stream will tell every build from some moment on. */
  readonly anchored: () => boolean
  /** Resolves when that may have become so. */
  readonly untilAnchored: (signal: AbortSignal) => Promise<void>
  /** Takes the next builds; resolves when the reader can take more. */
  readonly send: (builds: readonly BuildMessage[]) => Promise<void>
  /** About how many builds are still to come: at most one call a second. */
  readonly onBacklog: (builds: number) => void
}

/** How a replay ended. */
export type ReplayEnd =
  /** Everything up to a place in the journal was sent; what is in `seen` is not to be repeated. */
  | { readonly kind: 'joined'; readonly after: number; readonly seen: ReadonlySet<string> }
  /** The upstream does not know the position, or does not give its history. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'gone' }

/**
 * Sends what the upstream kept after a position and joins it to the journal without loss or repeat.
 * The history is asked again until it meets the journal, or has nothing new. In the latter case all
 * that was in the journal before that request is old, and all that comes to it later is new but for
 * what was sent meanwhile. This needs a live stream that was open before: it is waited for.
 */
export async function replay(options: ReplayOptions): Promise<ReplayEnd> {
  const { journal, signal } = options
  const seen = new Set(options.had)
  const progress = createProgress(options.clock, options.onBacklog)
  const backoff = createBackoff(options.random)
  let position = options.from
  let emptyAnswers = 0
  const dropRepeats = createRepeatFilter(options, seen)

  /** One request to the history; the place to join at when it met the journal. */
  const pass = async (): Promise<{ readonly met?: number; readonly fresh: number }> => {
    let fresh = 0
    const answer = dropRepeats(options.history.pass(position, signal))
    for await (const unseen of answer) {
      const meeting = unseen.findIndex(({ buildId }) => journal.numberOf(buildId) !== undefined)
      const sent = meeting === -1 ? unseen : unseen.slice(0, meeting)
      const met = journal.numberOf(unseen[meeting]?.buildId ?? '')
      fresh += sent.length
      for (const { buildId } of sent) remember(seen, buildId)
      const last = sent.at(-1)
      if (last !== undefined) {
        position = { kind: 'after', id: last.buildId, timestamp: last.timestamp }
        progress.add(sent)
        await options.send(sent)
      }
      if (signal.aborted) break
      if (met !== undefined) return { met: met - 1, fresh }
      backoff.reset()
    }
    return { fresh }
  }

  while (!signal.aborted) {
    const wasAnchored = options.anchored()
    const head = journal.head()
    try {
      const { met, fresh } = await pass()
      emptyAnswers = 0
      if (met !== undefined) {
        // A list that is sorted by time has what came earlier and is dated ahead only behind it.
        const first = options.from.kind === 'instant' ? journal.before(options.from.at) : met
        return { kind: 'joined', after: Math.min(met, first), seen }
      }
      if (fresh === 0 && wasAnchored) return { kind: 'joined', after: head, seen }
      if (!options.anchored()) await options.untilAnchored(signal)
    } catch (error) {
      if (isAborted(signal)) break
      if (isNoBuildServer(error)) return { kind: 'joined', after: head, seen }
      if (!mayRecover(error)) return { kind: 'refused' }
      if (error instanceof EmptyAnswer) {
        emptyAnswers++
        // A server that says once more that it sent all of nothing is believed.
        const isBelieved = error.framed ? emptyAnswers > 1 : emptyAnswers > mostEmptyAnswers
        if (isBelieved && !error.framed && seen.size === options.had.size)
          return { kind: 'refused' }
        if (isBelieved && wasAnchored) return { kind: 'joined', after: head, seen }
      }
      const asked = error instanceof ProblemError ? error.retryAfterMs : undefined
      await wait(options.clock, backoff.next(asked), signal)
    }
  }
  return { kind: 'gone' }
}

/**
 * What a reader that comes from another process has and the journal still lacks: the builds after the
 * journal's newest one, or those of an empty one since an instant (epoch ms), up to `last`, which the
 * reader has. None where `last` is older, or the history cannot be read.
 */
export async function readAhead(
  { history, journal, signal }: Pick<ReplayOptions, 'history' | 'journal' | 'signal'>,
  last: string,
  emptySince: number,
): Promise<ReadonlySet<string>> {
  const newest = journal.newestBuild()
  const ids = new Set<string>()
  const position: KnownPosition =
    newest === undefined
      ? { kind: 'instant', at: Math.max(0, emptySince - lateMs) }
      : { kind: 'after', id: newest }
  try {
    for await (const builds of history.pass(position, signal)) {
      for (const { buildId } of builds) {
        ids.add(buildId)
        if (buildId === last) return ids
      }
      if (ids.size > rememberedBuilds) break
    }
  } catch {
    // The replay that follows says what it means for the reader.
  }
  return new Set()
}

/** A build may reach the log so long after the upstream received it: an outage is made up for. */
const lateMs = 600_000

/** After so many answers of nothing without a length in a row, within some ten seconds, there is nothing to wait for. */
const mostEmptyAnswers = 4

/**
 * Leaves out of the answers of a replay what was sent already, and what a server that resumes too
 * early repeats: what is older than the build that was asked after, and before it. The first builds are held back for
 * as long as that build may still follow.
 */
function createRepeatFilter(
  { from, had }: Pick<ReplayOptions, 'from' | 'had'>,
  seen: ReadonlySet<string>,
): (answer: AsyncIterable<readonly BuildMessage[]>) => AsyncGenerator<readonly BuildMessage[]> {
  return async function* (answer) {
    const isFirst = from.kind === 'after' && seen.size === had.size
    let held: BuildMessage[] | undefined = isFirst ? [] : undefined
    try {
      for await (const builds of answer) {
        const ids = new Set<string>()
        const fresh = builds.filter(({ buildId }) => {
          const isStart = held !== undefined && from.kind === 'after' && from.id === buildId
          const isNew = isStart || (!seen.has(buildId) && !ids.has(buildId))
          ids.add(buildId)
          return isNew
        })
        if (held === undefined) {
          if (fresh.length > 0) yield fresh
          continue
        }
        held.push(...fresh)
        const again = held.findIndex(({ buildId }) => from.kind === 'after' && buildId === from.id)
        if (again === -1 && held.length < mostRepeated) continue
        const asked = held[again]?.timestamp ?? -Infinity
        const first = held.filter(({ timestamp }, at) => at > again || timestamp > asked)
        held = undefined
        if (first.length > 0) yield first
      }
    } catch (error) {
      // What came before a cut counts, or a server that always cuts would never be read to its end.
      if (held !== undefined && held.length > 0) yield held
      throw error
    }
    if (held !== undefined && held.length > 0) yield held
  }
}

/** So many builds a server may repeat before the one that was asked after. */
const mostRepeated = 200

/** More than the live stream can lag behind the history. */
const rememberedBuilds = 20_000

function remember(seen: Set<string>, buildId: string): void {
  seen.add(buildId)
  if (seen.size > rememberedBuilds) seen.delete(seen.keys().next().value ?? '')
}

/** A refused credential may be renewed; an unknown build stays unknown. */
function mayRecover(error: unknown): boolean {
  return !(error instanceof ProblemError) || error.status === 401 || isRetryable(error.status)
}

/** Asked anew after each wait: a signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Estimates how much of a replay is still to come. */
export interface ReplayProgress {
  readonly add: (builds: readonly BuildMessage[]) => void
}

/**
 * Tells once a second about how many builds are left: nobody says how many there are, but how fast
 * the replayed time has filled with builds so far says how many fit the time up to now.
 */
function createProgress(clock: Clock, onBacklog: (builds: number) => void): ReplayProgress {
  const startedAt = clock.now()
  let toldAt = startedAt
  let sent = 0
  let first: number | undefined
  return {
    add: (builds) => {
      sent += builds.length
      first ??= builds[0]?.timestamp
      const last = builds.at(-1)?.timestamp
      const now = clock.now()
      if (first === undefined || last === undefined || last <= first) return
      if (now - toldAt < 1000) return
      toldAt = now
      onBacklog(Math.round((sent * Math.max(0, startedAt - last)) / (last - first)))
    },
  }
}
