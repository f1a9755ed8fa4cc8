import { describe, expect, test } from 'vitest'
import { boardRows, emptyCell } from '../../../policy/board-row.ts'
import { type Board, boardPlaces } from '../../../policy/board.ts'
import type { Assignment } from '../../../protocol/assignment.ts'
import { assignedRows, waiverChoices } from './board-work.tsx'
import { type BoardFailure, notChecked } from '../../../policy/board-failures.ts'

const board: Board = {
  title: 'Release',
  scans: ['release'],
  packages: ['a', 'b', 'c'].map((name) => ({
    address: { type: 'oci', name, version: '1' },
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example',
    scans: undefined,
  })),
}
const places = boardPlaces(board)
const rows = boardRows(board, places, new Map(places.map(({ key }) => [key, emptyCell])), {
  waivers: [],
  now: 0,
})

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

describe('the waivers that are offered say what they leave out', () => {
  const failure = (at: number, more: Partial<BoardFailure>): BoardFailure => {
    const row = rows[at]
    const cell = row?.cells[0]
    if (row === undefined || cell === undefined) throw new Error('no such row')
    const policy = {
      policy: 'p',
      policyUri: '/policies/X/p',
      name: 'p',
      kind: 'X',
      policyOwner: '',
    }
    return { row, cell, ...policy, owner: '', causes: ['bad'], isWaived: false, ...more }
  }
  const bad = failure(0, {})
  const unchecked = failure(1, { causes: [notChecked] })
  const leftOut = (allowed: readonly BoardFailure[], failures: readonly BoardFailure[]) =>
    waiverChoices(allowed, failures).map((choice) => choice.leftOut)

  test('nothing where all can be waived', () => {
    expect(leftOut([bad], [bad, failure(1, { isWaived: true })])).toEqual([undefined])
  })

  test('what was not checked, of the same policy only', () => {
    expect(leftOut([bad], [bad, unchecked])).toEqual([
      "1 more failure can't be waived: the policy wasn't checked there, because its evidence is missing.",
    ])
    expect(leftOut([bad], [bad, { ...unchecked, policy: 'other' }])).toEqual([undefined])
  })

  test('what is outside the limits of the role', () => {
    expect(leftOut([bad], [bad, failure(1, {}), failure(2, {}), unchecked])).toEqual([
      "1 more failure can't be waived: the policy wasn't checked there, because its evidence is missing. 2 more failures are outside your limits.",
    ])
  })
})
