import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import { boardAsOf, boardAsOfSentence } from './what-if.ts'
import { boardRows, emptyCell } from './board-row.ts'
import { createBoardTally } from './board-tally.ts'
import { type Board, boardPlaces } from './board.ts'
import { policyResult } from './policy-result.test-support.ts'
import { reportWaiver } from './scan-report.test-support.ts'

const day = 86_400_000
const now = Date.UTC(2026, 10, 22, 12)
const policyUri = '/policies/PackageUrl/log4j'
const sha256 = 'ab'.repeat(32)

const letters = {
  p: [{}],
  f: [{ policyUri, status: 'unsatisfied' }],
  v: [{ details: { notAfter: '2026-12-01' } }],
  e: [{}, { policyUri, status: 'not-applicable', labels: { 'effective-on': '2026-11-30' } }],
} as const

/** A package for each letter; those of `ends` fail, and a waiver lets them pass for so many days. */
function boardOf(packages: string, ends: Readonly<Record<number, number>> = {}) {
  const board: Board = {
    title: 'Release',
    scans: ['release'],
    packages: Array.from(packages, (_letter, index) => ({
      address: { type: 'oci', name: `app-${index}`, version: '1' },
      sha256,
      repositoryUrl: 'registry.example',
      scans: undefined,
    })),
  }
  const waivers = Object.entries(ends).map(([index, days]) =>
    reportWaiver({
      id: `w${index}`,
      packagePath: `/packages/oci/app-${index}/1`,
      policyUri,
      expiresAt: now + days * day,
    }),
  )
  const places = boardPlaces(board)
  const cells = new Map(
    places.map(({ key, row }) => {
      const outcome = outcomeOf(packages[row])
      return [key, { ...emptyCell, known: outcome && { at: now, outcome } }] as const
    }),
  )
  return { rows: boardRows(board, places, cells, { waivers, now }), waivers }
}

function outcomeOf(letter: string | undefined): BoardOutcome | undefined {
  if (letter !== 'p' && letter !== 'f' && letter !== 'v' && letter !== 'e') return undefined
  const tally = createBoardTally(now)
  for (const result of letters[letter]) tally.add(policyResult(result))
  return tally.outcome(null)
}

test.each([
  ['ffp', { 0: 3, 1: 5 }, 'Releasable today, not on Dec 1: 2 waivers end.'],
  ['ff', { 0: 3, 1: 50 }, 'Releasable today, not on Dec 1: 1 waiver ends.'],
  ['fff', { 0: 3, 1: 5 }, '2 packages can be released today, not on Dec 1: 2 waivers end.'],
  ['f-', { 0: 3 }, '1 package can be released today, not on Dec 1: 1 waiver ends.'],
  ['pv', {}, 'Releasable today, inconclusive on Dec 1: validity in supported ends.'],
  ['pe', {}, 'Releasable today, inconclusive on Dec 1: log4j takes effect.'],
  ['pf', { 1: 50 }, 'Nothing that is recorded here changes until Dec 1.'],
  ['p-', {}, 'Nothing that is recorded here changes until Dec 1.'],
])('packages %s with waivers that end after days (%j): %s', (packages, ends, sentence) => {
  const { rows, waivers } = boardOf(packages, ends)
  const found = boardAsOf(rows, waivers, { now, date: now + 9 * day })
  expect(boardAsOfSentence(found, 'Dec 1')).toBe(sentence)
})

test('what fails another scan today anyway is not counted as lost', () => {
  const { rows, waivers } = boardOf('f', { 0: 3 })
  const failing = rows.map((row) => ({ ...row, verdict: 'not-releasable' as const }))
  const found = boardAsOf(failing, waivers, { now, date: now + 9 * day })
  expect(found.rows).toMatchObject([{ then: 'keeps', changes: [{ is: 'waiver-ends' }] }])
  expect(boardAsOfSentence(found, 'Dec 1')).toBe(
    'Until Dec 1: 1 waiver ends. No package that can be released today is affected.',
  )
})

test('what can no longer be released comes first, then what is uncertain', () => {
  const { rows, waivers } = boardOf('vpf', { 2: 3 })
  const found = boardAsOf(rows, waivers, { now, date: now + 9 * day })
  expect(found.rows.map(({ row, then }) => [row.row, then])).toEqual([
    [2, 'not-releasable'],
    [0, 'undecided'],
  ])
  expect(boardAsOfSentence(found, 'Dec 1')).toBe(
    'Releasable today, not on Dec 1: 1 waiver ends, validity in supported ends.',
  )
})

test('results that an older release recorded are counted: they name no dates', () => {
  const { rows } = boardOf('pv')
  const old = rows.map((row) => ({
    ...row,
    cells: row.cells.map((cell) => {
      if (cell?.cell.known === undefined) return cell
      const { dates: _dates, ...outcome } = cell.cell.known.outcome
      return { ...cell, cell: { ...cell.cell, known: { ...cell.cell.known, outcome } } }
    }),
  }))
  expect(boardAsOf(old, [], { now, date: now + 90 * day })).toEqual({
    rows: [],
    isReleasable: true,
    undated: 2,
  })
})
