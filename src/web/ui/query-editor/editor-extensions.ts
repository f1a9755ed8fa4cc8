import { autocompletion } from '@codemirror/autocomplete'
import { history } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { earlierQueries } from './earlier-queries.ts'
import { editorPhrases } from './editor-phrases.ts'
import { hostOf } from './editor-host.ts'
import { editorTheme } from './editor-theme.ts'
import { offeredFixes } from './offered-fixes.ts'
import { placeOfInfo } from './place-of-info.ts'
import { pastedText } from './pasted-text.ts'
import { suggest } from './query-completion.ts'
import { queryDocs } from './query-docs.ts'
import { queryKeymap } from './query-keymap.ts'
import { queryLanguage } from './query-language.ts'
import { queryProblems } from './query-problems.ts'
import { queryWildcards } from './query-wildcards.ts'

/** All that makes a plain CodeMirror the editor of queries; it also needs an `editorHost`. */
export const editorExtensions: Extension = [
  queryKeymap,
  queryLanguage,
  queryWildcards,
  queryProblems(),
  queryDocs,
  offeredFixes,
  earlierQueries,
  history(),
  bracketMatching(),
  autocompletion({
    override: [suggest],
    defaultKeymap: false,
    // Enter runs the query unless something was chosen.
    selectOnOpen: false,
    interactionDelay: 0,
    icons: false,
    positionInfo: placeOfInfo,
    // A name of a field is followed by its values.
    activateOnCompletion: ({ type }) => type === 'field',
  }),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of(({ state }) => ({
    'aria-label': hostOf(state).label,
    'aria-describedby': hostOf(state).describedBy,
    autocapitalize: 'off',
    autocorrect: 'off',
    spellcheck: 'false',
    enterkeyhint: 'search',
  })),
  EditorView.clipboardInputFilter.of((text, state) => pastedText(text, state.doc.lines > 1)),
  editorPhrases,
  editorTheme,
]
