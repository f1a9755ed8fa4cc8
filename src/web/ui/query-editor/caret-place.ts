/** Where the caret of a field stands, and whether the field has the focus. */
export interface CaretPlace {
  readonly anchor: number
  readonly head: number
  readonly hasFocus: boolean
}

/** The place of the caret in a field of plain text. */
export function caretPlaceOf(field: HTMLTextAreaElement): CaretPlace {
  const { selectionStart, selectionEnd, selectionDirection } = field
  const [anchor, head] =
    selectionDirection === 'backward'
      ? [selectionEnd, selectionStart]
      : [selectionStart, selectionEnd]
  return { anchor, head, hasFocus: field.ownerDocument.activeElement === field }
}
