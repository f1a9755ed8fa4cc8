import {
  acceptCompletion,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
  startCompletion,
} from '@codemirror/autocomplete'
import { historyKeymap, insertNewline, isolateHistory, standardKeymap } from '@codemirror/commands'
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint'
import { type Extension, Prec } from '@codemirror/state'
import { type Command, EditorView, keymap } from '@codemirror/view'
import { format } from '../../../search/format.ts'
import {
  earlierQuery,
  earlierQueryIfEmpty,
  laterQuery,
  laterQueryIfWalking,
} from './earlier-queries.ts'
import { hostOf } from './editor-host.ts'
import { offerFixes, withdrawFixes } from './offered-fixes.ts'
import { foremost } from './problem-count.ts'
import { closeDocs, showDocs } from './query-docs.ts'
import { queryOf } from './query-language.ts'
import { problemsNow } from './query-problems.ts'
import { changeBetween } from './text-change.ts'

/** The keys of the editor; key-words.ts tells them to people. */
export const queryKeymap: Extension = Prec.highest(
  keymap.of([
    { key: 'Enter', run: (view) => acceptCompletion(view) || runQuery(view) },
    { key: 'Mod-Enter', run: runQuery },
    { key: 'Shift-Enter', run: insertNewline },
    { key: 'Tab', run: (view) => hasChosen(view) && acceptCompletion(view) },
    { key: 'Escape', run: close },
    { key: 'ArrowDown', run: moveCompletionSelection(true) },
    { key: 'ArrowUp', run: moveCompletionSelection(false) },
    { key: 'PageDown', run: moveCompletionSelection(true, 'page') },
    { key: 'PageUp', run: moveCompletionSelection(false, 'page') },
    { key: 'ArrowDown', run: laterQueryIfWalking },
    { key: 'ArrowUp', run: earlierQueryIfEmpty },
    { key: 'Alt-ArrowDown', run: laterQuery },
    { key: 'Alt-ArrowUp', run: earlierQuery },
    { key: 'Ctrl-Space', run: startCompletion },
    { key: 'F8', run: goToProblem(nextDiagnostic), shift: goToProblem(previousDiagnostic) },
    { key: 'Mod-.', run: offerFixes },
    { key: 'Mod-i', run: showDocs, preventDefault: true },
    { key: 'Mod-Shift-f', run: formatQuery, preventDefault: true },
    ...historyKeymap,
    ...standardKeymap,
  ]),
)

/** Runs the query, and tells all that is wrong with it. */
function runQuery(view: EditorView): boolean {
  closeCompletion(view)
  const first = foremost(problemsNow(view))
  if (first?.severity === 'error') {
    view.dispatch({ effects: EditorView.announce.of(`Error: ${first.message}`) })
  }
  hostOf(view.state).onRun(view.state.doc.toString())
  return true
}

/** Writes the query in one line where it has several, else in several, in the usual spelling. */
function formatQuery(view: EditorView): boolean {
  const query = queryOf(view.state)
  const isOneLine = view.state.doc.lines === 1
  const change = changeBetween(query.text, format(query, { multiline: isOneLine }))
  view.dispatch({
    ...(change && { changes: change }),
    userEvent: 'edit.format',
    annotations: isolateHistory.of('full'),
    effects: EditorView.announce.of(`Formatted in ${isOneLine ? 'several lines' : 'one line'}.`),
    scrollIntoView: true,
  })
  return true
}

/** Goes to the next diagnostic, which shows its message, and says it. */
function goToProblem(go: Command): Command {
  return (view) => {
    const problems = problemsNow(view)
    go(view)
    const { from, to } = view.state.selection.main
    const here = problems.find((problem) => problem.from === from && problem.to === to)
    const fix = here?.fixes[0]?.label
    const words =
      here === undefined
        ? 'Nothing is wrong with the query.'
        : `${here.message}${fix === undefined ? '' : ` To fix it: ${fix}.`}`
    view.dispatch({ effects: EditorView.announce.of(words) })
    return true
  }
}

/** An item that was moved to, not merely offered: only then does Tab not leave the editor. */
function hasChosen({ state }: EditorView): boolean {
  return completionStatus(state) === 'active' && (selectedCompletionIndex(state) ?? -1) >= 0
}

function close(view: EditorView): boolean {
  const closed = [closeCompletion(view), withdrawFixes(view), closeDocs(view)]
  return closed.includes(true)
}

/** What can be done to the editor by name, without knowing CodeMirror. */
export const editorCommands = {
  nextProblem: goToProblem(nextDiagnostic),
  fix: offerFixes,
  docs: showDocs,
  format: formatQuery,
} as const satisfies Readonly<Record<string, Command>>
export type EditorCommandName = keyof typeof editorCommands
