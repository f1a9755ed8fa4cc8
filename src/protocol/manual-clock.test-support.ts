import type { Clock } from './clock.ts'

/** A clock that stands still until it is moved: for tests, where nothing may depend on real time. */
export interface ManualClock extends Clock {
  /** Moves the time on by `ms` and calls back, in order of their time, what falls due. */
  readonly advance: (ms: number) => void
  /** How many callbacks wait: 0 when nothing was left behind. */
  readonly pending: () => number
}

/** Makes a manual clock that starts at `start` (epoch ms). */
export function createManualClock(start = 0): ManualClock {
  let time = start
  let timers: { readonly at: number; readonly callback: () => void }[] = []
  return {
    now: () => time,
    after: (ms, callback) => {
      const timer = { at: time + Math.max(0, ms), callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
    advance: (ms) => {
      const end = time + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((other) => other !== next)
        time = next.at
        next.callback()
      }
      time = end
    },
    pending: () => timers.length,
  }
}
