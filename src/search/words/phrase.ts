/**
 * What is said of the builds that a part of a query selects: words that follow "Builds". Phrases with
 * the same lead may share it: "tagged CI or main".
 */
export interface Phrase {
  /** Undefined where sharing would change the meaning, as behind "not tagged". */
  readonly lead?: string | undefined
  /** The words behind the lead. */
  readonly text: string
}

/** A phrase with its lead. */
export function phraseText({ lead, text }: Phrase): string {
  return lead === undefined ? text : `${lead} ${text}`
}

/** `a, b or c`. */
export function listed(items: readonly string[], word: 'and' | 'or'): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1) ?? ''}`
}
