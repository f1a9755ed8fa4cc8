import { format } from '../../../search/format.ts'
import { parse } from '../../../search/parse.ts'

/** How many queries are remembered, and the longest of them in characters. */
const most = 50
const longest = 2000

/**
 * The queries that were run, newest first, after one more. The same query in another spelling takes
 * the place of the one before.
 */
export function withPastQuery(past: readonly string[], text: string): readonly string[] {
  if (text.trim() === '' || text.length > longest) return past
  const key = canonical(text)
  return [text, ...past.filter((other) => canonical(other) !== key)].slice(0, most)
}

function canonical(text: string): string {
  return format(parse(text))
}
