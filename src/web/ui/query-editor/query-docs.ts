import type { Extension } from '@codemirror/state'
import {
  activateHover,
  closeHoverTooltips,
  type Command,
  EditorView,
  hasHoverTooltips,
  hoverTooltip,
  type Tooltip,
} from '@codemirror/view'
import { hover, type Hover } from '../../../search/hover.ts'
import { assistContext } from './editor-host.ts'
import { queryOf } from './query-language.ts'

const docs = hoverTooltip((view, pos) => docsAt(view, pos), { hideOnChange: true })

/** What a word means, where the pointer rests on it, or by `showDocs`. */
export const queryDocs: Extension = [
  docs,
  EditorView.focusChangeEffect.of((_state, isFocused) => (isFocused ? null : closeHoverTooltips)),
]

/** Shows, and says, what the word at the caret means, until the caret or the text moves. */
export const showDocs: Command = (view) => {
  const { head } = view.state.selection.main
  const found = hoverAt(view, head)
  const words =
    found === undefined
      ? 'There is nothing to explain here.'
      : [`${found.title}:`, ...found.lines].join(' ')
  view.dispatch({ effects: EditorView.announce.of(words) })
  activateHover(view, head, -1, {
    tooltip: docs,
    until: ({ docChanged, selection }) => docChanged || selection !== undefined,
  })
  return true
}

/** Closes what is shown; tells whether anything was. */
export function closeDocs(view: EditorView): boolean {
  if (!hasHoverTooltips(view.state)) return false
  view.dispatch({ effects: closeHoverTooltips })
  return true
}

function docsAt(view: EditorView, pos: number): Tooltip | null {
  const found = hoverAt(view, pos)
  if (found === undefined) return null
  return {
    pos: found.from,
    end: found.to,
    create: () => ({ dom: docsElement(found) }),
  }
}

function hoverAt({ state }: EditorView, pos: number): Hover | undefined {
  return hover(queryOf(state), pos, assistContext(state))
}

function docsElement({ title, lines }: Hover): HTMLElement {
  const dom = document.createElement('div')
  dom.className = 'cm-docs'
  for (const line of [title, ...lines])
    dom.appendChild(document.createElement('p')).textContent = line
  return dom
}
