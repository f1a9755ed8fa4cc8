import { EditorState } from '@codemirror/state'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { parse } from '../../../search/parse.ts'
import { queryLanguage, queryOf } from './query-language.ts'

const piece = fc.constantFrom(
  'tag',
  ':',
  '"',
  ' ',
  '(',
  ')',
  'or',
  ' and ',
  '-',
  '[',
  ' to ',
  ']',
  '*',
  '\n',
  '>',
)

const edit = fc.record({
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(4),
  insert: fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join('')),
})

test('after any edits the query of the editor is that of its text', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }),
      fc.array(edit, { maxLength: 6 }),
      (start, edits) => {
        let state = EditorState.create({ doc: start.join(''), extensions: queryLanguage })
        for (const { from: share, length, insert } of edits) {
          const from = Math.floor(share * state.doc.length)
          const to = Math.min(from + length, state.doc.length)
          state = state.update({ changes: { from, to, insert } }).state
          expect(queryOf(state)).toEqual(parse(state.doc.toString()))
        }
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a query is read once as long as its text stays', () => {
  const state = EditorState.create({ doc: 'tag:a or tag:b', extensions: queryLanguage })
  const moved = state.update({ selection: { anchor: 3 } }).state
  expect(queryOf(moved)).toBe(queryOf(state))
})
