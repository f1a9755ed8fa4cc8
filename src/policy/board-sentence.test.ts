import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { type Board, boardPlaces } from './board.ts'
import { type BoardCell, type BoardRow, boardRows, emptyCell, worstRowsFirst } from './board-row.ts'
import { boardCsv, boardMarkdown } from './board-export.ts'
import { boardFailures, failureGroups } from './board-failures.ts'
import { boardSentence } from './board-sentence.ts'

/** Boards in a row of letters, one package each: what its one cell came to. */
const sha256 = 'ab'.repeat(32)
const uri = '/policies/Sbom/sbom-present'

function outcome(unsatisfied: number): BoardOutcome {
  return {
    verdict: unsatisfied > 0 ? 'not-releasable' : 'releasable',
    counts: { satisfied: 1, unsatisfied, 'not-applicable': 0, unknown: 0 },
    results: 1 + unsatisfied,
    unreadable: 0,
    failing: unsatisfied > 0 ? [{ uri, status: 'unsatisfied', remedy: 'Publish | an SBOM.' }] : [],
    evaluation: null,
  }
}

const cells: Readonly<Record<string, BoardCell>> = {
  p: { ...emptyCell, known: { at: 1000, outcome: outcome(0) } },
  f: { ...emptyCell, known: { at: 1000, outcome: outcome(1) } },
  x: {
    ...emptyCell,
    fault: { is: 'refused', at: 1, problem: { type: 'about:blank', title: 'Gone', status: 404 } },
  },
}

function rows(letters: string, waivers: readonly Waiver[] = []): readonly BoardRow[] {
  const board: Board = {
    title: 'Release',
    scans: ['release'],
    packages: Array.from(letters, (_letter, index) => ({
      address: { type: 'oci', name: `app-${index}`, version: '1' },
      sha256,
      repositoryUrl: 'registry.example',
      scans: undefined,
    })),
  }
  const places = boardPlaces(board)
  const known = new Map(
    places.map(({ key, row }) => [key, cells[letters[row] ?? ''] ?? emptyCell] as const),
  )
  return boardRows(board, places, known, { waivers, now: 0 })
}

function waiver(name: string): Waiver {
  return {
    id: 'w1',
    packagePath: `/packages/oci/${name}/1`,
    sha256,
    scan: 'release',
    policyUri: uri,
    reason: 'later',
    person: 'alice',
    by: 'alice',
    expiresAt: 10,
    createdAt: 0,
    endedAt: null,
    endedBy: null,
  }
}

test.each([
  ['pppppppff', '7 of 9 packages can be released; 2 fail sbom-present.'],
  ['pp', 'All 2 packages can be released.'],
  ['--', 'None of 2 packages has been evaluated yet.'],
  [
    'pf-x',
    "1 of 4 packages can be released; 1 fails sbom-present; 1 couldn't be evaluated; 1 is not evaluated yet.",
  ],
  ['f', 'None of 1 package can be released; 1 fails sbom-present.'],
])('%s reads as %j', (letters, text) => {
  expect(boardSentence(rows(letters)).text).toBe(text)
})

test('a waived package counts, and is said; it is still listed where it fails', () => {
  const board = rows('pf', [waiver('app-1')])
  expect(boardSentence(board)).toEqual({
    text: 'All 2 packages can be released, 1 of them with waivers.',
    verdict: 'releasable',
  })
  expect(failureGroups(boardFailures(board), 'policy')).toMatchObject([{ packages: 0, waived: 1 }])
  const report = { title: 'R', scans: ['release'], rows: board, writtenAt: 0, origin: '' }
  expect(boardMarkdown(report)).toContain('waived until 1970-01-01 00:00 UTC by alice: later')
})

test('the worst comes first, those alike as they were written', () => {
  expect(worstRowsFirst(rows('pf-xf')).map(({ row }) => row)).toEqual([1, 4, 3, 2, 0])
})

test('exports hold every cell, and a pipe breaks no table', () => {
  const report = { title: 'R', scans: ['release'], rows: rows('pf-x'), writtenAt: 0, origin: '' }
  expect(boardCsv(report).trim().split('\r\n')).toHaveLength(5)
  expect(boardMarkdown(report)).toContain('Publish \\| an SBOM.')
})
