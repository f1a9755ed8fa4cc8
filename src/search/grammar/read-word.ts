import { backslash, isSpace, quote, star } from './tokens.ts'
import type { Segment, Span, SyntaxFault, Word } from '../tree.ts'

/**
 * The value that is written at `span`, with its quotes and escapes resolved. Outside quotes a backslash
 * takes the character behind it as it is, unless that is a space; inside, `\"` and `\\` alone are
 * escapes. `*` is a wildcard in both, `\*` outside quotes is not. Curly quotes are text.
 */
export function readWord(text: string, { from, to }: Span, faults: SyntaxFault[]): Word {
  const segments: Segment[] = []
  let start = from
  let resolved = ''
  let quotedFrom = -1

  function endSegment(end: number): void {
    if (resolved !== '') {
      segments.push({ type: 'text', from: start, to: end, text: resolved, quoted: quotedFrom >= 0 })
    }
    resolved = ''
  }

  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      endSegment(at)
      quotedFrom = quotedFrom >= 0 ? -1 : at
      start = ++at
    } else if (code === star) {
      endSegment(at)
      segments.push({ type: 'wildcard', from: at, to: ++at })
      start = at
    } else {
      const isEscape =
        code === backslash && at + 1 < to && isEscaped(text.charCodeAt(at + 1), quotedFrom >= 0)
      if (isEscape) at += 1
      const next = isEscape ? at + 1 : plainEnd(text, at + 1, to)
      resolved += text.slice(at, next)
      at = next
    }
  }
  endSegment(to)
  if (quotedFrom >= 0) faults.push({ code: 'unclosed-quote', from: quotedFrom, to })
  return { type: 'word', from, to, segments }
}

function isEscaped(code: number, quoted: boolean): boolean {
  return quoted ? code === quote || code === backslash : !isSpace(code)
}

/** The end of the stretch that means nothing but itself. */
function plainEnd(text: string, from: number, to: number): number {
  let at = from
  while (at < to) {
    const code = text.charCodeAt(at)
    if (code === quote || code === star || code === backslash) break
    at += 1
  }
  return at
}
