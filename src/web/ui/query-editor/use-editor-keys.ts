import { type KeyBinding, useKeys } from '../keys.tsx'
import type { EditorCommandName } from './query-keymap.ts'

/** What the keys of the editor do outside of it, where they do the same. */
interface EditorKeyActions {
  readonly hasFocusKey: boolean
  readonly focus: () => void
  readonly runQuery: () => void
  readonly command: (name: EditorCommandName) => void
}

/** Tells of the keys of the editor in the list of keys; most of them work on the whole page. */
export function useEditorKeys(actions: EditorKeyActions): void {
  const { hasFocusKey, focus, runQuery, command } = actions
  const commandKey = (key: string, label: string, name: EditorCommandName): KeyBinding => ({
    keys: [key],
    label,
    run: () => {
      command(name)
    },
  })
  useKeys('Query editor', [
    ...(hasFocusKey ? [{ keys: ['/'] as const, label: 'Write the query', run: focus }] : []),
    { keys: ['mod+enter'], label: 'Run the query', run: runQuery },
    commandKey('f8', 'Next thing that is wrong', 'nextProblem'),
    commandKey('mod+.', 'Fix what is wrong', 'fix'),
    commandKey('mod+i', 'What the word at the caret means', 'docs'),
    ...keysWithin().map(([keys, label]) => ({ keys: [keys] as const, label, run: focus })),
  ])
}

/** Keys that CodeMirror alone listens to; no key press of the page has such a name. */
function keysWithin(): readonly (readonly [keys: string, label: string])[] {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
  return [
    ['Ctrl-Space', 'Suggestions; Tab or Enter takes the one chosen'],
    ['Shift-F8', 'Previous thing that is wrong'],
    ['Shift-Enter', 'New line'],
    ['Alt-↑', 'Query run before'],
    ['Alt-↓', 'Query run after it'],
    [isMac ? '⇧⌘F' : 'Ctrl-Shift-F', 'Format in several lines, or in one'],
  ]
}
