import { startCompletion } from '@codemirror/autocomplete'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView } from '@codemirror/view'
import type { Diagnostic, Fix } from '../../../search/diagnostic.ts'
import { applyFix, problemsNow } from './query-problems.ts'

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
export function fixesOffered(state: EditorState): readonly Fix[] {
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
    view.dispatch({ effects: EditorView.announce.of('There is nothing to fix by itself.') })
  } else if (others.length === 0) {
    applyFix(view, only)
  } else {
    view.dispatch({ selection: { anchor: problem.to }, scrollIntoView: true })
    view.dispatch({
      effects: [
        offer.of(problem.fixes),
        EditorView.announce.of(`${problem.fixes.length} ways to fix it: choose with the arrows.`),
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
