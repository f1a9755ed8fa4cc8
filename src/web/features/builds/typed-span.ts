import type { TextEdit } from '../../../search/diagnostic.ts'
import type { Span } from '../../../search/tree.ts'

/**
 * Where in a text as it was typed lies what is at `span` of the text after `edits`; a place within
 * what an edit wrote is the whole of what it replaced. Never empty where the typed text is not.
 */
export function typedSpan(span: Span, edits: readonly TextEdit[], typed: string): Span {
  const from = typedPlace(span.from, edits, 'from')
  const to = Math.max(typedPlace(span.to, edits, 'to'), from)
  const end = Math.min(to, typed.length)
  return from < end ? { from, to: end } : { from: Math.max(0, end - 1), to: end }
}

function typedPlace(place: number, edits: readonly TextEdit[], side: 'from' | 'to'): number {
  let shift = 0
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    const begins = edit.from + shift
    const ends = begins + edit.insert.length
    if (place < begins || (side === 'to' && place === begins)) break
    if (place < ends || (side === 'to' && place === ends)) return edit[side]
    shift += edit.insert.length - (edit.to - edit.from)
  }
  return place - shift
}
