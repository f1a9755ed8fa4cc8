import {
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  activateHover,
  closeHoverTooltips,
  type Command,
  EditorView,
  hasHoverTooltips,
  hoverTooltip,
  type Tooltip,
} from '@codemirror/view'
import type { Completion } from '../../../search/assist/completion.ts'
import { complete } from '../../../search/complete.ts'
import type { Diagnostic, Fix } from '../../../search/diagnostic.ts'
import { hover, type Hover } from '../../../search/hover.ts'
import { assistContext } from './editor-host.ts'
import { queryOf } from './query-language.ts'
import { applyFix, problemsNow } from './query-problems.ts'

/**
 * The one source of suggestions: fixes while they are offered, else those of `complete`. It answers
 * at once and again with each letter, so that the list neither flickers nor lags behind.
 */
export function suggest(context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context
  const fixes = fixesOffered(state)
  if (fixes.length > 0) return { from: pos, filter: false, options: fixes.map(fixOption) }
  const found = complete(queryOf(state), pos, assistContext(state))
  const [first] = found
  if (first === undefined || (!explicit && isUninvited(first))) return null
  return {
    from: first.from,
    to: first.to,
    filter: false,
    options: found.map(option),
    update: (_result, _from, _to, next) => suggest(next),
  }
}

/** All fields there are, before a letter of one is typed: only on demand. */
function isUninvited({ from, to, kind }: Completion): boolean {
  return from === to && kind !== 'value' && kind !== 'operator'
}

function option(completion: Completion): Option {
  const { label, kind, detail, info } = completion
  return {
    label,
    type: kind,
    ...(detail !== undefined && { detail }),
    ...(info !== undefined && { info }),
    apply: (view, chosen) => {
      const { from, to, insert, caret = from + insert.length } = completion
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: caret },
        userEvent: 'input.complete',
        annotations: pickedCompletion.of(chosen),
        scrollIntoView: true,
      })
    },
  }
}

function fixOption(fix: Fix): Option {
  return {
    label: fix.label,
    type: 'fix',
    apply: (view: EditorView) => {
      applyFix(view, fix)
    },
  }
}

const offer = StateEffect.define<readonly Fix[]>()

const offered = StateField.define<readonly Fix[]>({
  create: () => [],
  update: (value, { effects, docChanged, selection }) => {
    const set = effects.findLast((effect) => effect.is(offer))
    if (set?.is(offer)) return set.value
    return docChanged || selection !== undefined ? [] : value
  },
})

/** What `offerFixes` needs. */
export const offeredFixes: Extension = offered

/** The fixes that are offered in place of the usual suggestions; none most of the time. */
function fixesOffered(state: EditorState): readonly Fix[] {
  return state.field(offered)
}

/**
 * Fixes what is wrong at the caret, or else the first thing that can be fixed: at once where there is
 * one way, and by a choice from the list of suggestions where there are several.
 */
export const offerFixes: Command = (view) => {
  const problem = problemToFix(problemsNow(view), view.state)
  const [only, ...others] = problem?.fixes ?? []
  if (problem === undefined || only === undefined) {
    view.dispatch({ effects: EditorView.announce.of('No automatic fixes available.') })
  } else if (others.length === 0) {
    applyFix(view, only)
  } else {
    view.dispatch({ selection: { anchor: problem.to }, scrollIntoView: true })
    view.dispatch({
      effects: [
        offer.of(problem.fixes),
        EditorView.announce.of(
          `${problem.fixes.length} fixes available. Choose with the arrow keys.`,
        ),
      ],
    })
    startCompletion(view)
  }
  return true
}

/** Takes the offer back; tells whether there was one. */
export function withdrawFixes(view: EditorView): boolean {
  if (fixesOffered(view.state).length === 0) return false
  view.dispatch({ effects: offer.of([]) })
  return true
}

function problemToFix(
  problems: readonly Diagnostic[],
  { selection: { main } }: EditorState,
): Diagnostic | undefined {
  const fixable = problems.filter(({ fixes }) => fixes.length > 0)
  return fixable.find(({ from, to }) => from <= main.to && main.from <= to) ?? fixable[0]
}

const docs = hoverTooltip((view, pos) => docsAt(view, pos), { hideOnChange: true })

/** What a word means, where the pointer rests on it, or by `showDocs`. */
export const queryDocs: Extension = [
  docs,
  EditorView.focusChangeEffect.of((_state, isFocused) => (isFocused ? null : closeHoverTooltips)),
]

/** Shows, and reads out, what the word at the caret means, until the caret or the text moves. */
export const showDocs: Command = (view) => {
  const { head } = view.state.selection.main
  const found = hoverAt(view, head)
  const words =
    found === undefined ? 'Nothing to explain here.' : [`${found.title}:`, ...found.lines].join(' ')
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
