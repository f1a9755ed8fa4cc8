import type { Segment, Word } from '../tree.ts'
import type { TextPattern } from './condition.ts'

/** The pattern of a word, as it was written (case is folded by who compares). */
export function readText({ segments }: Word): TextPattern {
  return patternOf(segments)
}

/** The parts between the wildcards; wildcards side by side are one. */
export function patternOf(segments: readonly Segment[]): TextPattern {
  const [first = '', ...rest] = partsOf(segments)
  return [first, ...rest]
}

function partsOf(segments: readonly Segment[]): string[] {
  const parts: string[] = []
  let part = ''
  let behindWildcard = false
  for (const segment of segments) {
    if (segment.type === 'text') part += segment.text
    else if (!behindWildcard) {
      parts.push(part)
      part = ''
    }
    behindWildcard = segment.type === 'wildcard'
  }
  return [...parts, part]
}

/** The text of a word, or undefined where it has a wildcard. */
export function plainText({ segments }: Word): string | undefined {
  let text = ''
  for (const segment of segments) {
    if (segment.type === 'wildcard') return undefined
    text += segment.text
  }
  return text
}

/** Whether a word is `*` alone: there is a value, whatever it is. */
export function isAnything({ segments }: Word): boolean {
  return segments.length > 0 && segments.every(({ type }) => type === 'wildcard')
}

/**
 * A value as it has to be written behind `field:` to be matched exactly: in quotes where it is more than
 * letters, digits and what never has a meaning. The language has no way to write a `*` that every
 * server reads as itself, so a value that holds one also matches what the wildcard lets in.
 */
export function quoteValue(value: string): string {
  return isPlain.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`
}

const isPlain = /^[\p{L}\p{N}_*][\p{L}\p{N}_*./@+=-]*$/u

/** A value as people read it outside of queries: one of blanks alone stands in quotes, as nobody would see it. */
export function nameText(value: string): string {
  return value.trim() === '' ? `“${value}”` : value
}
