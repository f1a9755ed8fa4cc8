import { autocompletion } from '@codemirror/autocomplete'
import { bracketMatching } from '@codemirror/language'
import { EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, type Rect } from '@codemirror/view'
import { minimalSetup } from 'codemirror'
import { type Expression, leavesOf, type Span } from '../../../search/tree.ts'
import { hostOf } from './editor-host.ts'
import { editorTheme } from './editor-theme.ts'
import { offeredFixes, queryDocs, suggest } from './query-completion.ts'
import { earlierQueries, queryKeymap, refusedQueries } from './query-keymap.ts'
import { queryLanguage, queryOf } from './query-language.ts'
import { queryProblems } from './query-problems.ts'

/** CodeMirror's own messages, in the words of this page. */
const editorPhrases: Extension = EditorState.phrases.of({
  Completions: 'Suggestions',
  Diagnostics: 'Query problems',
  'No problems': 'No problems in the query',
  'Control character': 'Invisible character',
  close: 'Close',
})

/** The least width that an explanation can be read in, px. */
const readable = 160

/**
 * Where the explanation of a suggestion goes: beside the list where there is room, else below it, so
 * that it never lies on the other suggestions.
 */
function placeOfInfo(
  _view: EditorView,
  list: Rect,
  option: Rect,
  info: Rect,
  space: Rect,
): { readonly style: string; readonly class: string } {
  const left = list.left - space.left
  const right = space.right - list.right
  if (Math.max(left, right) < readable) {
    const width = Math.floor(list.right - list.left)
    return { style: `top: ${list.bottom - list.top}px; left: 0; max-width: ${width}px`, class: '' }
  }
  const room = Math.floor(Math.max(left, right))
  const top = Math.min(option.top, space.bottom - (info.bottom - info.top)) - list.top
  return {
    style: `top: ${top}px; max-width: ${Math.min(320, room)}px`,
    class: `cm-completionInfo-${right >= left ? 'right' : 'left'}`,
  }
}

/** Longer queries go without: a star in them would not be found. */
const longest = 10_000

/** Makes each `*` that stands for anything look unlike the text around it. */
const queryWildcards: Extension = EditorView.decorations.compute(['doc'], decorate)

const mark = Decoration.mark({ class: 'cm-query-wildcard' })

function decorate(state: EditorState): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  if (state.doc.length <= longest) {
    for (const { from, to } of wildcardsIn(queryOf(state).root)) builder.add(from, to, mark)
  }
  return builder.finish()
}

function wildcardsIn(root: Expression | undefined): readonly Span[] {
  return leavesOf(root).flatMap((leaf) =>
    leaf.type === 'term' && leaf.pattern.type === 'word'
      ? leaf.pattern.segments.filter(({ type }) => type === 'wildcard')
      : [],
  )
}

/** All that makes a plain CodeMirror the editor of queries; it also needs an `editorHost`. */
export const editorExtensions: Extension = [
  queryKeymap,
  minimalSetup,
  queryLanguage,
  queryWildcards,
  queryProblems(),
  queryDocs,
  offeredFixes,
  earlierQueries,
  refusedQueries,
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

/**
 * What is put in when `text` is pasted into a query: curly quotes and spaces that do not break become
 * the ones that the language knows. Lines are kept only where the query already has several; else
 * they become one, with a space for each break.
 */
export function pastedText(text: string, intoLines: boolean): string {
  const straight = text.replaceAll(/[“”„‟]/g, '"').replaceAll(/[\u00a0\u202f\u2007]/g, ' ')
  if (intoLines) return straight.replaceAll(/\r\n?/g, '\n')
  return straight.replace(/\s+$/, '').replaceAll(/[ \t]*(?:\r\n?|\n)+[ \t]*/g, ' ')
}
