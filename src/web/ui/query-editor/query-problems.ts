import { isolateHistory } from '@codemirror/commands'
import { linter, setDiagnostics } from '@codemirror/lint'
import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Text,
  type Transaction,
} from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { countOf } from '../../../protocol/count.ts'
import { check } from '../../../search/check.ts'
import type { Diagnostic, Fix } from '../../../search/diagnostic.ts'
import { explain } from '../../../search/explain.ts'
import type { Query } from '../../../search/tree.ts'
import { assistContext, hostOf } from './editor-host.ts'
import { queryOf } from './query-language.ts'

/** How long typing rests before a query is checked, ms. */
const restMs = 300

/** Remarks of others on the query as it stands; they go when it is changed. */
export const setRemarks = StateEffect.define<readonly Diagnostic[]>()
/** Typing is over: what was held back is shown, too. */
const settle = StateEffect.define()
const setProblems = StateEffect.define<readonly Diagnostic[]>()

/** Diagnostics and the text they speak of. */
interface Remarks {
  readonly doc: Text
  readonly diagnostics: readonly Diagnostic[]
}

const remarks = diagnosticsField(setRemarks)
const problems = diagnosticsField(setProblems)

/** Whether the last thing that happened is that the word at the caret was typed. */
const typing = StateField.define<boolean>({
  create: () => false,
  update: (value, transaction) => {
    if (transaction.effects.some((effect) => effect.is(settle))) return false
    if (transaction.docChanged) return isTyping(transaction)
    return transaction.selection === undefined ? value : false
  },
})

/** Marks what `check` finds wrong or doubtful, with fixes, whenever typing pauses. */
export function queryProblems(): Extension {
  return [
    remarks,
    problems,
    typing,
    linter(null),
    checker,
    EditorView.focusChangeEffect.of((_state, isFocused) => (isFocused ? null : settle.of(null))),
  ]
}

/** The diagnostics of the text as it stands, none held back, in order. */
export function problemsNow(view: EditorView): readonly Diagnostic[] {
  view.dispatch({ effects: settle.of(null) })
  checkQuery(view)
  return view.state.field(problems).diagnostics
}

/** Whether the word at the caret was typed just now, and nothing was done since. */
export function isTypingNow(state: EditorState): boolean {
  return state.field(typing)
}

/** The one step that makes conditions of all words without a field, as `check` offers it first for each. */
export function conditionsFix(problems: readonly Diagnostic[]): Fix | undefined {
  const fixes = problems.flatMap(({ code, fixes: [first] }) =>
    code === 'syntax.free-text' && first?.edits.some(({ insert }) => insert !== '') === true
      ? [first]
      : [],
  )
  const edits = fixes.flatMap((fix) => fix.edits)
  if (edits.length === 0) return undefined
  return { label: `search for ${edits.map(({ insert }) => insert).join(' ')}`, edits }
}

/** Makes a diagnostic go away, as one step of the undo history, if the text is still the same. */
export function applyFix(view: EditorView, fix: Fix): void {
  view.dispatch({
    changes: [...fix.edits],
    userEvent: 'edit.fix',
    annotations: isolateHistory.of('full'),
    effects: EditorView.announce.of(`Fixed: ${fix.label}.`),
    scrollIntoView: true,
  })
  view.focus()
}

const checker = ViewPlugin.fromClass(
  class {
    private timer: ReturnType<typeof setTimeout> | undefined
    private readonly view: EditorView

    constructor(view: EditorView) {
      this.view = view
      this.schedule(0)
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) this.schedule(restMs)
      else if (isRecheckDue(update)) this.schedule(0)
    }

    destroy(): void {
      clearTimeout(this.timer)
    }

    private schedule(ms: number): void {
      clearTimeout(this.timer)
      this.timer = setTimeout(() => {
        checkQuery(this.view)
      }, ms)
    }
  },
)

/** Checks the query again, as something else than its text has changed. */
export const recheck = StateEffect.define()

function isRecheckDue(update: ViewUpdate): boolean {
  return (
    update.startState.field(typing) !== update.state.field(typing) ||
    update.transactions.some(({ effects }) =>
      effects.some((effect) => effect.is(setRemarks) || effect.is(recheck)),
    )
  )
}

function checkQuery(view: EditorView): void {
  const { state } = view
  const { assistance, onChecked } = hostOf(state)
  const query = queryOf(state)
  const found = [...check(query, assistContext(state)), ...remarksOf(state)]
  const shown = found.filter((diagnostic) => !isBeingTyped(state, diagnostic))
  const before = state.field(problems)
  if (before.doc.eq(state.doc) && JSON.stringify(before.diagnostics) === JSON.stringify(shown))
    return
  view.dispatch({ effects: setProblems.of(shown) }, setDiagnostics(state, shown.map(marked(view))))
  onChecked(querySummary(query, shown, assistance.timeZone))
}

function remarksOf(state: EditorState): readonly Diagnostic[] {
  const { doc, diagnostics } = state.field(remarks)
  return doc.eq(state.doc) ? diagnostics : []
}

function isBeingTyped(state: EditorState, { from, to }: Diagnostic): boolean {
  const caret = state.selection.main.head
  return state.field(typing) && from <= caret && caret <= to
}

/** A diagnostic as CodeMirror marks it; its fixes are buttons. */
function marked({ state: { doc } }: EditorView) {
  return ({ from, to, severity, message, fixes }: Diagnostic) => ({
    from,
    to,
    severity,
    message,
    actions: fixes.map((fix) => ({
      name: fix.label,
      apply: (view: EditorView) => {
        if (view.state.doc.eq(doc)) applyFix(view, fix)
      },
    })),
  })
}

function isTyping(transaction: Transaction): boolean {
  const is = (event: string): boolean => transaction.isUserEvent(event)
  return (is('input') && !is('input.paste') && !is('input.drop')) || is('delete')
}

function diagnosticsField(effectType: typeof setRemarks): StateField<Remarks> {
  return StateField.define<Remarks>({
    create: ({ doc }) => ({ doc, diagnostics: [] }),
    update: (value, { effects, newDoc }) => {
      const set = effects.findLast((effect) => effect.is(effectType))
      return set?.is(effectType) ? { doc: newDoc, diagnostics: set.value } : value
    },
  })
}

/** A query as it is read out: "2 errors. No field is called projct.", or what it asks for; empty for an empty one. */
export function querySummary(
  query: Query,
  diagnostics: readonly Diagnostic[],
  timeZone: string,
): string {
  if (query.text.trim() === '') return ''
  const count = problemCountText(diagnostics)
  const first = foremost(diagnostics)
  const words = first === undefined ? [] : [`${count}.`, first.message]
  const isWrong = first?.severity === 'error'
  return [...words, ...(isWrong ? [] : [explain(query, { timeZone })])].join(' ')
}

/** How much is wrong or doubtful: "2 errors, 1 warning"; empty where nothing is. */
function problemCountText(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic['severity']): number =>
    diagnostics.filter((diagnostic) => diagnostic.severity === severity).length
  const parts = [
    [count('error'), 'error'],
    [count('warning'), 'warning'],
    [count('info'), 'remark'],
  ] as const
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, noun]) => countOf(amount, noun))
    .join(', ')
}

/** The one to show when there is room for one: the first error, or else the first of all. */
export function foremost(diagnostics: readonly Diagnostic[]): Diagnostic | undefined {
  return diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0]
}
