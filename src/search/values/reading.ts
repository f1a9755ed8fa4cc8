/** A value as it was meant, or why the text cannot be one. */
export type Reading<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly mistake: ValueMistake }

export interface ValueMistake {
  /** As in `Diagnostic`. */
  readonly code: string
  readonly message: string
  /** The part of the text that is wrong; without it, all of it. */
  readonly from?: number
  readonly to?: number
  /** What could be written in place of the whole text, the likeliest first. */
  readonly instead: readonly string[]
}

/** A text as a sentence shows it: what is long is cut. */
export function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
