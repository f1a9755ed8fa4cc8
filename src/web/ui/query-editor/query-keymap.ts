import {
  acceptCompletion,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  selectedCompletionIndex,
  startCompletion,
} from '@codemirror/autocomplete'
import { insertNewline, isolateHistory } from '@codemirror/commands'
import { nextDiagnostic, previousDiagnostic } from '@codemirror/lint'
import { type Extension, Prec, StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView, keymap } from '@codemirror/view'
import { format } from '../../../search/format.ts'
import { hostOf } from './editor-host.ts'
import { closeDocs, offerFixes, showDocs, withdrawFixes } from './query-completion.ts'
import { queryOf } from './query-language.ts'
import { applyFix, conditionsFix, foremost, isTypingNow, problemsNow } from './query-problems.ts'
import { changeBetween } from './text-change.ts'

interface Walk {
  /** Its place in the history, from 0, the newest; -1 is what was being written. */
  readonly at: number
  readonly draft: string
}

const walkTo = StateEffect.define<Walk>()

const walk = StateField.define<Walk | undefined>({
  create: () => undefined,
  update: (value, { effects, docChanged }) => {
    const step = effects.findLast((effect) => effect.is(walkTo))
    if (step?.is(walkTo)) return step.value
    return docChanged ? undefined : value
  },
})

/** What the two commands need. */
export const earlierQueries: Extension = walk

/** Puts in the query that was run before the one shown; what was being written is not lost. */
const earlierQuery: Command = (view) => step(view, 1)

/** The way back, at last to what was being written. */
const laterQuery: Command = (view) => step(view, -1)

/** Only where there is nothing that the arrow could move in, or where it went on from there. */
const earlierQueryIfEmpty: Command = (view) =>
  (view.state.doc.length === 0 || isWalkingOnOneLine(view)) && earlierQuery(view)

/** See `earlierQueryIfEmpty`. */
const laterQueryIfWalking: Command = (view) => isWalkingOnOneLine(view) && laterQuery(view)

function isWalkingOnOneLine({ state }: EditorView): boolean {
  return state.field(walk) !== undefined && state.doc.lines === 1
}

function step(view: EditorView, by: 1 | -1): boolean {
  const { state } = view
  const text = state.doc.toString()
  const { history } = hostOf(state).assistance
  const { at, draft } = state.field(walk) ?? { at: -1, draft: text }
  let next = at + by
  // The newest is often what stands there already.
  while (history[next] === text) next += by
  const found = next < 0 ? draft : history[next]
  if (found === undefined || (at < 0 && by < 0)) return at >= 0 || by > 0
  const change = changeBetween(text, found)
  view.dispatch({
    ...(change && { changes: change }),
    selection: { anchor: found.length },
    userEvent: 'edit.history',
    scrollIntoView: true,
    effects: [
      walkTo.of({ at: Math.max(next, -1), draft }),
      EditorView.announce.of(
        next < 0 ? `Your draft: ${found}` : `Query ${next + 1} of ${history.length}: ${found}`,
      ),
    ],
  })
  return true
}

/** The keys of the editor; keyWords tells them to people. */
export const queryKeymap: Extension = Prec.highest(
  keymap.of([
    { key: 'Enter', run: (view) => acceptCompletion(view) || runQuery(view) },
    { key: 'Mod-Enter', run: runQuery },
    { key: 'Shift-Enter', run: insertNewline },
    {
      key: 'Tab',
      run: (view) => (hasChosen(view) && acceptCompletion(view)) || wordsToConditions(view),
    },
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
    { key: 'F1', run: showSyntax },
    { key: 'Mod-.', run: offerFixes },
    { key: 'Mod-i', run: showDocs, preventDefault: true },
    { key: 'Mod-Shift-f', run: formatQuery, preventDefault: true },
  ]),
)

/** That this very text was run, and has errors. */
const refuse = StateEffect.define()

const refused = StateField.define<boolean>({
  create: () => false,
  update: (value, { effects, docChanged }) =>
    effects.some((effect) => effect.is(refuse)) || (value && !docChanged),
})

/** What running and the use of words need. */
export const refusedQueries: Extension = refused

/**
 * Runs the query. One with errors is not run: the first one gets the focus, and with it its message and
 * fixes. Words without a field become conditions when it is run once more.
 */
function runQuery(view: EditorView): boolean {
  closeCompletion(view)
  if (view.state.field(refused)) wordsToConditions(view)
  const problems = problemsNow(view)
  const first = foremost(problems)
  const errors = problems.filter(({ severity }) => severity === 'error')
  const areWords = errors.every(({ code }) => code === 'syntax.free-text')
  const words = areWords ? conditionsFix(problems) : undefined
  hostOf(view.state).onRun(view.state.doc.toString())
  if (first?.severity !== 'error') return true
  const way = words === undefined ? '' : ` Press Enter again to ${words.label}.`
  view.dispatch({
    effects: [refuse.of(null), EditorView.announce.of(`Error: ${first.message}${way}`)],
    // Words are left to be typed on; what else is wrong is selected.
    ...(words === undefined && { selection: { anchor: first.from, head: first.to } }),
    scrollIntoView: true,
  })
  return true
}

/** Makes conditions of words just typed or refused: who passes through by Tab changes nothing. */
function wordsToConditions(view: EditorView): boolean {
  if (!isTypingNow(view.state) && !view.state.field(refused)) return false
  const words = conditionsFix(problemsNow(view))
  if (words === undefined) return false
  closeCompletion(view)
  applyFix(view, words)
  return true
}

function showSyntax({ state }: EditorView): boolean {
  hostOf(state).onHelp()
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
    effects: EditorView.announce.of(`Formatted on ${isOneLine ? 'several lines' : 'one line'}.`),
    scrollIntoView: true,
  })
  return true
}

/** Goes to the next diagnostic, which shows its message, and reads it out. */
function goToProblem(go: Command): Command {
  return (view) => {
    const problems = problemsNow(view)
    go(view)
    const { from, to } = view.state.selection.main
    const here = problems.find((problem) => problem.from === from && problem.to === to)
    const fix = here?.fixes[0]?.label
    const words =
      here === undefined
        ? 'No problems in the query.'
        : `${here.message}${fix === undefined ? '' : ` Fix: ${fix}.`}`
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
