import {
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete'
import type { EditorView } from '@codemirror/view'
import type { Completion } from '../../../search/assist/completion.ts'
import { complete } from '../../../search/complete.ts'
import type { Fix } from '../../../search/diagnostic.ts'
import { countOf } from '../../../protocol/count.ts'
import { assistContext } from './assist-context.ts'
import { fixesOffered } from './offered-fixes.ts'
import { queryOf } from './query-language.ts'
import { applyFix } from './query-problems.ts'

/**
 * The one source of suggestions: fixes while they are offered, else what `complete` says. It answers
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

/** All fields there are, before a letter of one is typed: only for who asks. */
function isUninvited({ from, to, kind }: Completion): boolean {
  return from === to && kind !== 'value' && kind !== 'operator'
}

function option(completion: Completion): Option {
  const { label, kind, count, detail, info } = completion
  const told = count === undefined ? detail : countOf(count, 'build')
  return {
    label,
    type: kind,
    ...(told !== undefined && { detail: told }),
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
