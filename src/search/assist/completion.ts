import type { Span } from '../tree.ts'

/** Something that can be written at a position: `insert` takes the place of what is from `from` to `to`. */
export interface Completion extends Span {
  readonly label: string
  readonly insert: string
  readonly kind: 'field' | 'value' | 'operator' | 'keyword' | 'words'
  readonly detail?: string
  readonly info?: string
  /** Where the caret goes, as an offset in the text with the insertion; without it, behind it. */
  readonly caret?: number
}

/** A completion before it is known where it goes; the caret counts from the start of `insert`. */
export type Suggestion = Omit<Completion, 'from' | 'to'>

/** A suggestion in its place. */
export function placed({ caret, ...suggestion }: Suggestion, { from, to }: Span): Completion {
  return { ...suggestion, from, to, ...(caret !== undefined && { caret: from + caret }) }
}

/** What is known beside the query, to complete and to explain what stands in it. */
export interface AssistContext {
  /** The release of the server that answers, such as `2024.1.1`. */
  readonly serverRelease?: string
  /** Epoch ms. */
  readonly now?: number
  /** The IANA zone of times that are written without one. */
  readonly timeZone?: string
  /** Values seen, most frequent first: of a field, of one name of its pairs, or, without a name, the names. */
  readonly values?: (
    fieldName: string,
    pairName?: string,
  ) => readonly { readonly value: string; readonly count: number }[]
}
