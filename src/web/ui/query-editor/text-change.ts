import type { TextEdit } from '../../../search/diagnostic.ts'

/** The one edit that makes `after` of `before` and leaves what both begin and end with; undefined where equal. */
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

/**
 * Tells what comes back from the holder of a text apart from what the holder changed: a slow one
 * gives back what was typed three letters ago, and that must not undo the three letters.
 */
export interface Echo {
  readonly report: (text: string) => void
  /** Whether this text, which is given, was reported before and comes back only now. */
  readonly isEcho: (text: string) => boolean
}

/** Has reported nothing yet. */
export function createEcho(): Echo {
  let reported: readonly string[] = []
  return {
    report: (text) => {
      reported = [...reported, text].slice(-most)
    },
    isEcho: (text) => {
      const at = reported.lastIndexOf(text)
      // What was reported before it will not come back any more, and nor will anything after a change.
      reported = at < 0 ? [] : reported.slice(at + 1)
      return at >= 0
    },
  }
}

/** Nobody is that slow. */
const most = 100
