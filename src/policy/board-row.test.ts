import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import { type BoardCell, createBoardRows, emptyCell, failedWord } from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'

const board: Board = {
  title: 'Release',
  scans: ['release', 'security'],
  packages: ['app', 'web', 'api'].map((name) => ({
    address: { type: 'oci', name, version: '1' },
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example/shop',
    scans: undefined,
  })),
}
const places = boardPlaces(board)
const outcome: BoardOutcome = {
  ...{ verdict: 'releasable', results: 1, unreadable: 0, failing: [], evaluation: 'one' },
  counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
}

test('rows of which nothing has changed stay the same, and the others are made anew', () => {
  const rowsOf = createBoardRows(board, places)
  const counted = { waivers: [], now: 0 }
  const cells = new Map<string, BoardCell>(places.map(({ key }) => [key, emptyCell]))
  const first = rowsOf(cells, counted)
  expect(rowsOf(new Map(cells), { ...counted })).toBe(first)

  const [, , changed] = places
  cells.set(changed?.key ?? '', { ...emptyCell, known: { at: 1, outcome } })
  const second = rowsOf(new Map(cells), counted)
  expect(second.map((row, index) => row === first[index])).toEqual([true, false, true])
  expect(second).toEqual(createBoardRows(board, places)(cells, counted))

  // Waivers count in every row.
  expect(rowsOf(cells, { waivers: [], now: 0 }).map((row) => second.includes(row))).toEqual([
    false,
    false,
    false,
  ])
})

test.each([
  ['not allowed', 403, 'urn:sightline:problem:outside-limits'],
  ['not allowed', 403, 'urn:sightline:problem:no-permission'],
  ['no access', 502, 'urn:sightline:problem:upstream-auth'],
  ['not found', 404, 'about:blank'],
  ['rejected', 403, 'urn:example:no-permission'],
  ['rejected', 422, 'about:blank'],
  ['busy', 429, 'about:blank'],
  ['busy', 503, 'about:blank'],
  ['failed', 500, 'about:blank'],
  ['no response', 504, 'urn:sightline:problem:upstream-timeout'],
  ['no response', 502, 'urn:sightline:problem:upstream-unreachable'],
])('a cell that failed says "%s" for %i %s', (word, status, type) => {
  const problem = { type, title: 'No', status }
  expect(failedWord({ ...emptyCell, fault: { is: 'refused', at: 1, problem } })).toBe(word)
})
