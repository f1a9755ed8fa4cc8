import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { type Command, EditorView } from '@codemirror/view'
import { hostOf } from './editor-host.ts'
import { changeBetween } from './text-change.ts'

/** Where somebody is who walks through the queries that were run before. */
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
export const earlierQuery: Command = (view) => step(view, 1)

/** The way back, at last to what was being written. */
export const laterQuery: Command = (view) => step(view, -1)

/** Only where there is nothing that the arrow could move in, or where it went on from there. */
export const earlierQueryIfEmpty: Command = (view) =>
  (view.state.doc.length === 0 || isWalkingOnOneLine(view)) && earlierQuery(view)

/** See `earlierQueryIfEmpty`. */
export const laterQueryIfWalking: Command = (view) => isWalkingOnOneLine(view) && laterQuery(view)

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
        next < 0
          ? `What you were writing: ${found}`
          : `Query ${next + 1} of ${history.length}: ${found}`,
      ),
    ],
  })
  return true
}
