import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { SharedSearch } from '../../../protocol/shared-search.ts'
import type { Notices } from '../../live-log/live-log.ts'

/** A query that screens of another process show. */
const Want = z.object({
  /** Its canonical form. */
  query: z.string().max(10_000),
  /** When a screen last requested it, ms ago. */
  agoMs: z.number().nonnegative(),
  /** Nothing is known of it there. */
  isNew: z.boolean(),
})
export type Want = z.infer<typeof Want>

/** What the processes of an installation exchange, so that one of them searches for all. */
export interface SearchNotices {
  /** Goes to the process that polls, with what else is wanted just then. */
  readonly want: (want: Want) => void
  readonly publish: (result: SharedSearch) => void
  readonly close: () => void
}

/** Sends and hears them; what cannot be read is left out, as another release may have sent it. */
export function createSearchNotices(
  log: Notices,
  clock: Clock,
  listeners: {
    readonly onWant: (want: Want) => void
    readonly onResult: (result: SharedSearch) => void
  },
): SearchNotices {
  let wants: Want[] = []
  const stops = [
    log.onNotice(wantTopic, (value) => {
      const read = z.array(Want).safeParse(value)
      if (read.success) read.data.forEach(listeners.onWant)
    }),
    log.onNotice(resultTopic, (value) => {
      const read = SharedSearch.safeParse(value)
      if (read.success) listeners.onResult(read.data)
    }),
  ]
  return {
    want: (want) => {
      wants.push(want)
      if (wants.length > 1) return
      clock.after(gatherMs, () => {
        log.notify(wantTopic, wants)
        wants = []
      })
    },
    publish: (result) => {
      log.notify(resultTopic, result)
    },
    close: () => {
      for (const stop of stops) stop()
    },
  }
}

const wantTopic = 'search-wanted'
const resultTopic = 'search-result'
/** A wall wants all its tiles at once. */
const gatherMs = 20
