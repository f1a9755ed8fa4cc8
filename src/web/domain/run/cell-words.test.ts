import { expect, test } from 'vitest'
import { type BoardCell, emptyCell, type RowCell } from '../../../policy/board-row.ts'
import { problem } from '../../../protocol/problem.ts'
import { cellTones, cellWord } from './cell-words.ts'

const place = { key: 'k', row: 0, scan: 'release' }
const policy = { uri: 'https://policies.example/p', severity: 'high' }

function cell(verdict: RowCell['verdict'], more: Partial<RowCell> = {}): RowCell {
  const cell = more.cell ?? emptyCell
  const kept = { place, cell, of: cell, verdict }
  return { ...kept, waived: new Map(), missing: [], unchecked: [], mayLack: false, ...more }
}

function failing(unsatisfied: number): BoardCell {
  return {
    ...emptyCell,
    known: {
      at: 0,
      outcome: {
        verdict: 'not-releasable',
        counts: { satisfied: 1, unsatisfied, 'not-applicable': 0, unknown: 0 },
        results: 1 + unsatisfied,
        unreadable: 0,
        failing: [],
        notApplicable: [],
        dates: [],
        evaluation: null,
      },
    },
  }
}

test('a cell says how many policies fail and how many that are required were not checked', () => {
  expect(cellWord(cell('not-releasable', { cell: failing(2) }))).toBe('2 failing')
  expect(cellWord(cell('not-releasable', { cell: failing(0), missing: [policy] }))).toBe(
    '1 not checked',
  )
  expect(cellWord(cell('not-releasable', { cell: failing(2), missing: [policy] }))).toBe(
    '2 failing, 1 not checked',
  )
})

test('a cell that could not be evaluated says why', () => {
  const fault = {
    is: 'refused',
    at: 0,
    problem: problem(404, 'not-found', 'Not found', 'No.'),
  } as const
  expect(cellWord(cell('failed', { cell: { ...emptyCell, fault } }))).toBe('not found')
})

test('what only a waiver lets pass, and what was not checked, never looks like what passed', () => {
  expect(cellWord(cell('releasable'))).toBe('passes')
  expect(cellTones.releasable).toBe('good')
  for (const verdict of ['releasable-with-waivers', 'releasable-unchecked', 'undecided'] as const) {
    expect(cellTones[verdict]).toBe('waiting')
    expect(cellWord(cell(verdict))).not.toBe('passes')
  }
})
