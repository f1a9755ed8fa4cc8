import type { Clock } from '../../../protocol/clock.ts'

export interface SilenceWatch {
  readonly clock: Clock
  /** How long silence is believed to be mere quiet, ms. */
  readonly limitMs: number
  /** When something was last heard, epoch ms. */
  readonly lastHeardAt: () => number
  /** Called once, when nothing was heard for longer than the limit. */
  readonly onSilent: () => void
}

/**
 * Finds a source that has gone silent. Clocks are compared and timers not counted, because hidden
 * tabs throttle timers; and a look that comes late (the machine slept, or the page was busy) is
 * taken again a moment later, as bytes may be waiting behind it. Returns what ends the watch.
 */
export function watchSilence({ clock, limitMs, lastHeardAt, onSilent }: SilenceWatch): () => void {
  let cancel = (): void => undefined
  const lookAfter = (ms: number): void => {
    const due = clock.now() + ms
    cancel = clock.after(ms, () => {
      const late = clock.now() - due > lateMs
      // Heard in the future: the clock was set back since.
      const quietMs = Math.abs(clock.now() - lastHeardAt())
      if (quietMs <= limitMs) lookAfter(limitMs - quietMs + 1)
      else if (late) lookAfter(secondLookMs)
      else onSilent()
    })
  }
  lookAfter(limitMs + 1)
  return () => {
    cancel()
  }
}

const lateMs = 5000
const secondLookMs = 1000
