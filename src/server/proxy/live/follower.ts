import { createBlock } from './block.ts'
import { encodeEntries } from './encode-entries.ts'
import type { Entry, Journal } from './journal.ts'
import type { LiveClient } from './live-client.ts'
import type { Pages } from './pages.ts'

/** A reader that follows the journal from some entry on; it holds a place, not a queue. */
export interface Follower {
  /** Writes what it has not got, up to entry `upTo`, while its connection takes it. */
  readonly advance: (upTo: number) => void
  /** How many bytes it is behind, beyond those that it had to catch up with from the start. */
  readonly unsentBytes: () => number
  /** How many entries it still has to be sent. */
  readonly backlog: () => number
  /** Whether entries that it has not got are no longer kept: it must be served anew. */
  readonly isLost: () => boolean
}

export interface FollowerOptions {
  readonly client: LiveClient
  readonly journal: Journal
  readonly pages: Pages
  /** The number of the last entry that it has. */
  readonly after: number
  /**
   * Builds that the upstream's history has given it already. As both come in one order, the first
   * entry that is not among them ends the overlap.
   */
  readonly seen: ReadonlySet<string>
}

/** Lets a connection follow the journal. Does not write before `advance`. */
export function createFollower(options: FollowerOptions): Follower {
  const { client, journal, pages } = options
  let after = options.after
  let allowance = journal.bytesBetween(after, journal.head())
  let seen: ReadonlySet<string> | undefined = options.seen.size === 0 ? undefined : options.seen

  /** The next stretch, without what the reader has: only until the overlap is over. */
  const skipOverlap = (upTo: number): void => {
    const fresh: Entry[] = []
    const end = Math.min(upTo, after + 256)
    for (; after < end; after++) {
      const entry = journal.entry(after + 1)
      if (entry === undefined) continue
      if (entry.kind === 'build' && seen?.has(entry.id)) continue
      if (entry.kind !== 'facts') seen = undefined
      fresh.push(entry)
    }
    if (fresh.length > 0) client.send(createBlock(encodeEntries(fresh, client.request.batch)))
  }

  return {
    advance: (upTo) => {
      // What is no longer kept must not be passed over in silence.
      while (after < upTo && after >= journal.tail() && client.ready()) {
        if (seen !== undefined) {
          skipOverlap(upTo)
        } else {
          const page = pages.next(after, upTo, client.request.batch)
          client.send(page.block)
          after = page.end
        }
      }
      if (after >= upTo) allowance = 0
    },
    unsentBytes: () =>
      client.unsentBytes() + Math.max(0, journal.bytesBetween(after, journal.head()) - allowance),
    backlog: () => journal.head() - after,
    isLost: () => after < journal.tail(),
  }
}
