import { type Block, createBlock } from './block.ts'
import { encodeEntries } from './encode-entries.ts'
import type { Entry, Journal } from './journal.ts'

/** A stretch of the journal, ready to be written. */
export interface Page {
  readonly block: Block
  /** The number of its last entry. */
  readonly end: number
}

/** Stretches of the journal, each made once for all readers that stand at the same place. */
export interface Pages {
  /** What follows entry `after`, at most up to `upTo`; the caller knows that there is something. */
  readonly next: (after: number, upTo: number, batch: boolean) => Page
}

/** Makes pages of a journal; the newest are kept, as readers come back in crowds. */
export function createPages(journal: Journal): Pages {
  const kept = new Map<string, Page>()
  return {
    next: (after, upTo, batch) => {
      // Aligned, so that readers that resumed at different places soon share what they are sent.
      const limit = Math.min(upTo, after - (after % pageEntries) + pageEntries)
      const key = `${after}:${limit}:${batch}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const page = makePage(journal, after, limit, batch)
      kept.set(key, page)
      if (kept.size > keptPages) kept.delete(kept.keys().next().value ?? '')
      return page
    },
  }
}

const pageEntries = 512
/** A reader is blocked after one page: this bounds what one that never reads can cost. */
const pageBytes = 128 * 1024
const keptPages = 64

function makePage(journal: Journal, after: number, limit: number, batch: boolean): Page {
  const entries: Entry[] = []
  let end = after
  for (let bytes = 0; end < limit && bytes < pageBytes; end++) {
    const entry = journal.entry(end + 1)
    if (entry === undefined) continue
    entries.push(entry)
    bytes += entry.json.length
  }
  return { block: createBlock(encodeEntries(entries, batch)), end }
}
