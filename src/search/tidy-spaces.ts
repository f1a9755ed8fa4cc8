import { applyEdits } from './diagnostic.ts'
import { gapsOf } from './gaps.ts'
import type { Query } from './tree.ts'

/**
 * The text with its spaces in order and all else as it is: one between words and none around them;
 * with `keepLines` a line break stays one.
 */
export function tidySpaces(query: Query, keepLines: boolean): string {
  const edits = gapsOf(query).map(({ from, to }) => ({
    from,
    to,
    insert: query.text
      .slice(from, to)
      .replace(/\s+/g, (space) => (keepLines && space.includes('\n') ? '\n' : ' ')),
  }))
  const tidied = applyEdits(query.text, edits)
  return edits.length > 0 ? tidied.trim() : tidied
}
