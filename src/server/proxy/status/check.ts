import { type Clock, wait } from '../../../protocol/clock.ts'

/** How the last run of a check ended, and when, epoch ms. */
export type Outcome<T> =
  | { readonly at: number; readonly ok: true; readonly value: T }
  | { readonly at: number; readonly ok: false; readonly fault: unknown }

/** Something that is looked at only while somebody wants to know it. */
export interface Check<T> {
  /** The last outcome; undefined before the first. */
  readonly last: () => Outcome<T> | undefined
  /** Looks again unless the last outcome is new enough; resolves when it is known. Never rejects. */
  readonly refresh: () => Promise<void>
}

/** How often is looked at most, and how long that may take, ms. */
export interface CheckLimits {
  readonly everyMs: number
  /** After a fault, where its end is to be known sooner. */
  readonly everyMsAfterFault?: number
  readonly longestMs: number
  /** Whether something else shows that what was found at this time is not so any more: it is looked at again as after a fault. */
  readonly isOutdated?: (at: number) => boolean
}

/**
 * Runs `run` at most once in `everyMs` and never twice at once: a run that takes longer than
 * `longestMs` is aborted and counts as a fault (`CheckTimeout`), but the next one waits for its end.
 */
export function createCheck<T>(
  clock: Clock,
  { everyMs, everyMsAfterFault = everyMs, longestMs, isOutdated = () => false }: CheckLimits,
  run: (signal: AbortSignal) => Promise<T>,
): Check<T> {
  let last: Outcome<T> | undefined
  let isRunning = false
  let known: Promise<void> = Promise.resolve()

  const look = (): Promise<void> => {
    isRunning = true
    const late = new AbortController()
    const ended = new AbortController()
    const end = (outcome: Outcome<T>): void => {
      isRunning = false
      // A late value is still true; a late fault is only that it was given up.
      if (outcome.ok || !late.signal.aborted) last = outcome
      ended.abort()
    }
    run(late.signal).then(
      (value) => {
        end({ at: clock.now(), ok: true, value })
      },
      (fault: unknown) => {
        end({ at: clock.now(), ok: false, fault })
      },
    )
    return wait(clock, longestMs, ended.signal).then(() => {
      if (ended.signal.aborted) return
      last = { at: clock.now(), ok: false, fault: new CheckTimeout() }
      late.abort()
    })
  }

  return {
    last: () => last,
    refresh: () => {
      const isDoubtful = last !== undefined && (!last.ok || isOutdated(last.at))
      const keptMs = isDoubtful ? everyMsAfterFault : everyMs
      const isNew = last !== undefined && clock.now() - last.at < keptMs
      if (!isRunning && !isNew) known = look()
      return isRunning ? known : Promise.resolve()
    },
  }
}

/** A check took too long. */
export class CheckTimeout extends Error {}
