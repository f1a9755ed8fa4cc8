/**
 * Time as an argument: whoever waits or reads the time is given a clock, so that a test can move it
 * by hand (manual-clock.test-support.ts). The real ones are made where a program starts.
 */
export interface Clock {
  /** Epoch ms, UTC. */
  readonly now: () => number
  /** Calls back once after `ms`, unless the returned function is called before. */
  readonly after: (ms: number, callback: () => void) => () => void
}

/** A day, an hour and a minute, ms. */
export const dayMs = 24 * 60 * 60 * 1000
export const hourMs = 60 * 60 * 1000
export const minuteMs = 60 * 1000

/**
 * Epoch ms that never go back: where the clock of `date` is set back, time goes on as `passed` (ms since
 * some start) counts it. Whoever waits for a time would otherwise wait for as long as it was set back.
 * Where it goes ahead, so does time: `passed` may have stood still while the device slept.
 */
export function steadyTime(date: () => number, passed: () => number): () => number {
  let start = -Infinity
  return () => {
    start = Math.max(start, date() - passed())
    return Math.round(start + passed())
  }
}

/** Resolves after `ms`, or at once when `signal` aborts, which whoever waits looks at. Never rejects. */
export function wait(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve()
      return
    }
    const done = (): void => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(ms, done)
    signal?.addEventListener('abort', done)
  })
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    const done = (): void => {
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
  })
}

/** Whether `name` is an IANA time zone that this process, or this browser, knows. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A time in words of ISO 8601 as epoch ms, in UTC where it names no zone; NaN where it is none. */
export function parseTime(text: string): number {
  return Date.parse(text.replace(/^([\d-]+)[T ]([\d:.]+)$/i, '$1T$2Z'))
}
