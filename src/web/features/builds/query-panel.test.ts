import { expect, test } from 'vitest'
import { applyEdits } from '../../../search/diagnostic.ts'
import { typedSpan } from './query-panel.tsx'

const typed = 'buildStartTime:>2026-11-20 projct:x'
const edits = [
  { from: 14, to: 15, insert: '' },
  { from: 26, to: 26, insert: 'T00:00:00+01:00' },
]
const sent = applyEdits(typed, edits)

test.each([
  ['projct', 'projct'],
  ['buildStartTime', 'buildStartTime'],
  ['2026-11-20T00:00:00+01:00', '2026-11-20'],
  ['x', 'x'],
])('what is "%s" in the sent text was typed as "%s"', (inSent, inTyped) => {
  const from = sent.indexOf(inSent)
  const span = typedSpan({ from, to: from + inSent.length }, edits, typed)
  expect(typed.slice(span.from, span.to)).toBe(inTyped)
})

test('a place at or past the end is the last character', () => {
  expect(typedSpan({ from: 900, to: 901 }, edits, typed)).toEqual({ from: 34, to: 35 })
  expect(typedSpan({ from: 0, to: 0 }, [], '')).toEqual({ from: 0, to: 0 })
})
