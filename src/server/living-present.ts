import type { Clock } from '../protocol/clock.ts'
import { createPresent } from './embedded/content/history.ts'
import type { RecordedBuild } from './embedded/content/history.ts'

/** The made-up company at work. */
export interface LivingPresent {
  /** Ends it, and waits for the builds that are being stored. */
  readonly stop: () => Promise<void>
}

/** Where its builds go, and how fast they come. */
export interface LivingPresentOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly seed: number
  /** Builds per second, above 0. */
  readonly ratePerSecond: number
  readonly store: (builds: readonly RecordedBuild[]) => Promise<void>
  /** A batch could not be stored; the next one is tried all the same. */
  readonly failed: (error: unknown) => void
}

/**
 * Lets builds arrive at the given rate from now on. At high rates those that fall due within one
 * turn of the timer are stored together, so that the rate is kept however coarse the timer is; what
 * a slow database or a sleeping machine misses is not made up for.
 */
export function startLivingPresent(options: LivingPresentOptions): LivingPresent {
  const { clock, store, failed } = options
  const present = createPresent(options)
  let next = present.next(clock.now())
  let dueAt = clock.now() + next.waitMs
  let stopped = false
  let storing: Promise<void> = Promise.resolve()
  let cancel = schedule()

  function schedule(): () => void {
    return clock.after(Math.max(minTurnMs, dueAt - clock.now()), turn)
  }

  function turn(): void {
    const now = clock.now()
    // After a sleep of the machine the company goes on with the present, not with the gap.
    if (now - dueAt > longestGapMs) dueAt = now
    const due: RecordedBuild[] = []
    while (dueAt <= now) {
      due.push(next.build)
      next = present.next(dueAt)
      dueAt += next.waitMs
    }
    storing = store(due)
      .catch(failed)
      .then(() => {
        if (!stopped) cancel = schedule()
      })
  }

  return {
    stop: async () => {
      stopped = true
      cancel()
      await storing
    },
  }
}

const minTurnMs = 5
const longestGapMs = 5_000
