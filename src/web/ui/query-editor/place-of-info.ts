import type { EditorView, Rect } from '@codemirror/view'

/** The least width that an explanation can be read in, px. */
const readable = 160

/**
 * Where the explanation of a suggestion goes: beside the list where there is room, else below it, so
 * that it never lies on the other suggestions.
 */
export function placeOfInfo(
  _view: EditorView,
  list: Rect,
  option: Rect,
  info: Rect,
  space: Rect,
): { readonly style: string; readonly class: string } {
  const left = list.left - space.left
  const right = space.right - list.right
  if (Math.max(left, right) < readable) {
    const width = Math.floor(list.right - list.left)
    return { style: `top: ${list.bottom - list.top}px; left: 0; max-width: ${width}px`, class: '' }
  }
  const room = Math.floor(Math.max(left, right))
  const top = Math.min(option.top, space.bottom - (info.bottom - info.top)) - list.top
  return {
    style: `top: ${top}px; max-width: ${Math.min(320, room)}px`,
    class: `cm-completionInfo-${right >= left ? 'right' : 'left'}`,
  }
}
