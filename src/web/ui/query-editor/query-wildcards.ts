import { type EditorState, type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { leavesOf } from '../../../search/leaves.ts'
import type { Expression, Span } from '../../../search/tree.ts'
import { queryOf } from './query-language.ts'

/** Longer queries go without: nobody looks for a star in them. */
const longest = 10_000

/** Makes each `*` that stands for anything look unlike the text around it. */
export const queryWildcards: Extension = EditorView.decorations.compute(['doc'], decorate)

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
