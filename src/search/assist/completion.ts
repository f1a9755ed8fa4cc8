import type { Span } from '../tree.ts'

/** Something that can be written at a position: `insert` takes the place of what is from `from` to `to`. */
export interface Completion extends Span {
  readonly label: string
  readonly insert: string
  readonly kind: 'field' | 'value' | 'operator' | 'keyword'
  /** A few words beside the label. */
  readonly detail?: string
  /** A line of explanation. */
  readonly info?: string
  /** How many builds have this value. */
  readonly count?: number
  /** Where the caret goes, as an offset in the text with the insertion; without it, behind it. */
  readonly caret?: number
}

/** A completion before it is known where it goes; the caret counts from the start of `insert`. */
export type Suggestion = Omit<Completion, 'from' | 'to'>

/** A suggestion in its place. */
export function placed({ caret, ...suggestion }: Suggestion, { from, to }: Span): Completion {
  return { ...suggestion, from, to, ...(caret !== undefined && { caret: from + caret }) }
}
