import { autocompletion } from '@codemirror/autocomplete'
import { bracketMatching } from '@codemirror/language'
import { EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, type Rect } from '@codemirror/view'
import { minimalSetup } from 'codemirror'
import { type Expression, leavesOf, type Span } from '../../../search/tree.ts'
import { hostOf } from './editor-host.ts'
import { offeredFixes, queryDocs, suggest } from './query-completion.ts'
import { earlierQueries, queryKeymap, refusedQueries } from './query-keymap.ts'
import { queryLanguage, queryOf } from './query-language.ts'
import { queryProblems } from './query-problems.ts'

/** The editor in the colours and sizes of tokens.css, which follow the scheme by themselves. */
const editorTheme: Extension = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--field-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    maxHeight: 'calc(8 * 1.5em + 12px)',
    fontFamily: 'var(--font-mono)',
    lineHeight: '1.5',
    overflow: 'hidden auto',
  },
  '.cm-content': { padding: 'var(--field-padding) 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--space-2)' },
  '.cm-placeholder': {
    overflow: 'hidden',
    maxWidth: '100%',
    color: 'var(--ink-dim)',
    textOverflow: 'ellipsis',
    verticalAlign: 'bottom',
    whiteSpace: 'nowrap',
  },
  '.cm-placeholder > span::before': { content: 'attr(data-text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { background: 'var(--code-selection)' },

  '.cm-lintRange': { backgroundImage: 'none', textDecorationSkipInk: 'none' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad) 1.5px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--waiting) 1.5px' },
  '.cm-lintRange-info': { textDecoration: 'underline dotted var(--info) 1.5px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--surface-selected)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--bad)' },
  '.cm-lintPoint-warning:after': { borderBottomColor: 'var(--waiting)' },
  '.cm-lintPoint-info:after': { borderBottomColor: 'var(--info)' },

  '.cm-tooltip': {
    maxWidth: 'min(560px, calc(100vw - 16px))',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface-panel)',
    boxShadow: '0 4px 16px rgb(0 0 0 / 20%)',
    color: 'var(--ink)',
    lineHeight: '1.4',
  },
  // Apart from the line, so that what is underlined there stays in sight.
  '.cm-tooltip.cm-tooltip-below': { marginTop: '4px' },
  '.cm-tooltip.cm-tooltip-above': { marginTop: '-4px' },
  '.cm-tooltip-section:not(:first-child)': { borderTop: '1px solid var(--line)' },
  '.cm-tooltip-lint': { padding: '0' },
  '.cm-diagnostic': { padding: 'var(--space-2) var(--space-3)', borderLeftWidth: '4px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--waiting)' },
  '.cm-diagnostic-info': { borderLeftColor: 'var(--info)' },
  '.cm-diagnosticText': { display: 'block' },
  '.cm-diagnosticAction': {
    height: 'var(--control-height)',
    margin: 'var(--space-1) var(--space-2) 0 0',
    padding: '0 var(--space-2)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius)',
    background: 'var(--surface-raised)',
    color: 'var(--ink)',
    cursor: 'pointer',
  },

  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    minWidth: '240px',
    maxWidth: 'calc(100vw - 16px)',
    maxHeight: 'min(40vh, 320px)',
    fontFamily: 'var(--font-mono)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    gap: 'var(--space-3)',
    alignItems: 'center',
    minHeight: 'var(--control-height)',
    padding: '0 var(--space-3)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--surface-selected)',
    boxShadow: 'inset 3px 0 var(--focus)',
    color: 'var(--ink)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > completion-section': {
    padding: 'var(--space-1) var(--space-3)',
    borderBottom: '0',
    color: 'var(--ink-dim)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: 'var(--text-small)',
    opacity: '1',
  },
  '.cm-completionLabel': {
    overflow: 'hidden',
    flex: 'none',
    maxWidth: '100%',
    textOverflow: 'ellipsis',
  },
  '.cm-completionMatchedText': {
    color: 'var(--info-ink)',
    fontWeight: '600',
    textDecoration: 'none',
  },
  '.cm-completionDetail': {
    overflow: 'hidden',
    flex: '1',
    margin: '0',
    color: 'var(--ink-dim)',
    fontFamily: 'var(--mantine-font-family)',
    fontSize: 'var(--text-small)',
    fontStyle: 'normal',
    textAlign: 'right',
    textOverflow: 'ellipsis',
  },
  '.cm-docs': { padding: 'var(--space-2) var(--space-3)' },
  '.cm-docs p': { margin: '0' },
  '.cm-docs p + p': { marginTop: 'var(--space-1)' },
  '.cm-docs p:first-child': { fontFamily: 'var(--font-mono)', fontWeight: '600' },
  '.cm-query-wildcard': { color: 'var(--code-keyword)', fontWeight: '600' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: '320px', padding: 'var(--space-2) var(--space-3)' },
})

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

/** Where the explanation of a suggestion goes: beside the list, or below it, never on other suggestions. */
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
 * the ones that the language knows, and signs without a width, as chats and documents add them, are left out. Lines are kept only where the query already has several; else
 * they become one, with a space for each break.
 */
export function pastedText(text: string, intoLines: boolean): string {
  const straight = text
    .replaceAll(/[“”„‟]/g, '"')
    .replaceAll(/[\u00a0\u202f\u2007]/g, ' ')
    .replaceAll(/[\u00ad\u200b\u2060\ufeff]/g, '')
  if (intoLines) return straight.replaceAll(/\r\n?/g, '\n')
  return straight.replace(/\s+$/, '').replaceAll(/[ \t]*(?:\r\n?|\n)+[ \t]*/g, ' ')
}
