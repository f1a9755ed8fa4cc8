import type { TextEdit } from '../../../search/diagnostic.ts'

/**
 * The one edit that makes `after` of `before` and leaves alone what both begin and end with, so that
 * a caret there stays where it is; undefined where they are equal.
 */
export function changeBetween(before: string, after: string): TextEdit | undefined {
  if (before === after) return undefined
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start += 1
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return {
    from: start,
    to: before.length - end,
    insert: after.slice(start, after.length - end),
  }
}

/** What stands in a field, where its caret is, and whether it has the focus. */
export interface CaretPlace {
  readonly text: string
  readonly anchor: number
  readonly head: number
  readonly hasFocus: boolean
}

/** The text of a field and the place of its caret in it, which the page may not know of yet. */
export function caretPlaceOf(field: HTMLTextAreaElement): CaretPlace {
  const { value: text, selectionStart, selectionEnd, selectionDirection } = field
  const [anchor, head] =
    selectionDirection === 'backward'
      ? [selectionEnd, selectionStart]
      : [selectionStart, selectionEnd]
  return { text, anchor, head, hasFocus: field.ownerDocument.activeElement === field }
}
