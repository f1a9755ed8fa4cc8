import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'

/** Estimates how much of a replay is still to come. */
export interface ReplayProgress {
  readonly add: (builds: readonly BuildMessage[]) => void
}

/**
 * Tells once a second about how many builds are left: nobody says how many there are, but how fast
 * the replayed time has filled with builds so far says how many fit the time up to now.
 */
export function createProgress(clock: Clock, onBacklog: (builds: number) => void): ReplayProgress {
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
