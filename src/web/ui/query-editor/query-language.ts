import {
  ensureSyntaxTree,
  HighlightStyle,
  LRLanguage,
  syntaxHighlighting,
} from '@codemirror/language'
import type { EditorState, Extension } from '@codemirror/state'
import type { Tree } from '@lezer/common'
import { styleTags, tags } from '@lezer/highlight'
import { parser } from '../../../search/grammar/parser.ts'
import { parse, queryFromTree } from '../../../search/parse.ts'
import type { Query } from '../../../search/tree.ts'

/** How long a keystroke may wait for the tree, ms; a query of 100,000 characters takes one. */
const patience = 100

/** What each part of a query is for, in the terms that editor themes know. */
const highlighting = styleTags({
  'AndWord OrWord NotWord ToWord': tags.logicOperator,
  'Minus Bang': tags.logicOperator,
  FieldName: tags.propertyName,
  Flag: tags.propertyName,
  Operator: tags.compareOperator,
  'Value RangeValue': tags.string,
  'Open Close': tags.paren,
  'RangeStart RangeEnd': tags.squareBracket,
  'FreeText Stray StrayBracket': tags.invalid,
})

const language = LRLanguage.define({
  name: 'query',
  parser: parser.configure({ props: [highlighting] }),
})

export const queryLanguage: Extension = [
  language,
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.propertyName, color: 'var(--code-field)' },
      {
        tag: [tags.compareOperator, tags.paren, tags.squareBracket],
        color: 'var(--code-operator)',
      },
      { tag: tags.logicOperator, color: 'var(--code-keyword)', fontWeight: '600' },
      { tag: tags.string, color: 'var(--code-value)' },
      { tag: tags.invalid, color: 'var(--bad-ink)' },
    ]),
  ),
]

const queries = new WeakMap<Tree, Query>()

/** The query of the text, read from the tree that the editor keeps: nothing is parsed twice. */
export function queryOf(state: EditorState): Query {
  const text = state.doc.toString()
  const tree = ensureSyntaxTree(state, state.doc.length, patience)
  if (tree === null) return parse(text)
  const known = queries.get(tree)
  if (known?.text === text) return known
  const query = queryFromTree(tree, text)
  queries.set(tree, query)
  return query
}
