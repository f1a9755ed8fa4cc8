import { generateHistory, type HistoryOptions } from './history.ts'
import { createPresent } from './present.ts'
import type { RecordedBuild } from './recorded-build.ts'
import { hourMs } from './rhythm.ts'

/** What a database is begun with. */
export interface PastOptions extends HistoryOptions {
  /** That of the present to come, in builds per second; 0 where nothing will come. */
  readonly ratePerSecond: number
  /** See `PresentOptions`. */
  readonly random: () => number
}

/**
 * The company's past up to `until`: its history, and then an hour at the pace of the present, which
 * is faster. Without it whoever starts a demonstration looks at an hour in which next to nothing
 * happened. A past that was asked for small stays as it is, and at high rates the hour is cut short
 * so that it is at most half as long as the history.
 */
export function* generatePast(options: PastOptions): Generator<RecordedBuild, void, undefined> {
  const { seed, count, until, ratePerSecond, random } = options
  const isSmall = ratePerSecond === 0 || count < enoughForAnHour
  const recentMs = isSmall ? 0 : Math.min(hourMs, (1000 * count) / 2 / ratePerSecond)
  yield* generateHistory({ seed, count, until: until - recentMs })
  if (isSmall) return
  const present = createPresent({ seed, ratePerSecond, random })
  let at = until - recentMs
  for (;;) {
    const { waitMs, build } = present.next(at)
    at += waitMs
    if (at >= until) return
    yield build
  }
}

const enoughForAnHour = 2000
