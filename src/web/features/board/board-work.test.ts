import { expect, test } from 'vitest'
import type { Assignment } from '../../../protocol/assignment.ts'
import { assignedRows, tooManyToAssign } from './board-work.tsx'
import { places, rows } from './three-packages.test-support.ts'

function assigned(at: number, fields: Partial<Assignment>): [string, Assignment] {
  const cell = places[at]?.key ?? ''
  const nobody = { board: 'x', cell, assignee: '', note: '', dueAt: null, by: 'a', changedAt: 1 }
  return [cell, { ...nobody, ...fields }]
}

const assignments = new Map([
  assigned(0, { assignee: 'Ann', dueAt: 10 }),
  assigned(1, { note: 'n' }),
])

test.each([
  ['', 'abc'],
  ['mine', 'a'],
  ['overdue', 'a'],
  ['nobody', 'bc'],
] as const)('assigned "%s" shows %s', (which, names) => {
  const shown = assignedRows(rows, assignments, { assigned: which, user: 'ann', now: 10 })
  expect(shown.map(({ of }) => of.address.name).join('')).toBe(names)
})

test('more results than one request assigns are refused with what to do', () => {
  expect(tooManyToAssign(2000)).toBeUndefined()
  expect(tooManyToAssign(2001)).toBe(
    '2,001 results are selected, and 2,000 can be assigned at once. Cancel, and select fewer packages.',
  )
})
