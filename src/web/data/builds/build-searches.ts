import type { Clock } from '../../../protocol/clock.ts'
import { type BuildListReader, createBuildListReader } from './build-list-reader.ts'
import type { BuildQuestion, BuildSearch } from './build-search.ts'
import { createBuildSearch } from './create-build-search.ts'
import { createFeedFacts } from '../live/feed-filter.ts'
import type { Feed } from '../live/feed-state.ts'
import type { Request } from '../core/request.ts'

/** The searches of this page. */
export interface BuildSearches {
  /** The search of this key: the one that was begun before, so that a step back shows it as it was. */
  readonly open: (key: string, question: () => BuildQuestion) => BuildSearch
  /** Forgets what was found, so that the next one to open it begins anew. */
  readonly forget: (key: string) => void
  /** The list itself, for those who only count. */
  readonly reader: BuildListReader
}

/** What searches are made with. */
export interface BuildSearchesOptions {
  readonly request: Request
  readonly clock: Clock
  readonly random: () => number
  /** Knows facts of builds that are live. */
  readonly feed: Feed
}

/** As many as somebody may step back to. */
const mostKept = 8

/** Searches that share what was learned of the server; the ones opened last are kept. */
export function createBuildSearches(options: BuildSearchesOptions): BuildSearches {
  const { clock, random } = options
  const reader = createBuildListReader(options.request)
  const factsOf = createFeedFacts(options.feed)
  const kept = new Map<string, BuildSearch>()
  return {
    reader,
    open: (key, question) => {
      const search =
        kept.get(key) ?? createBuildSearch(question(), { reader, clock, random, factsOf })
      kept.delete(key)
      kept.set(key, search)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return search
    },
    forget: (key) => {
      kept.delete(key)
    },
  }
}
