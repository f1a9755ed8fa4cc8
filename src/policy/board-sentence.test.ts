import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { type Board, boardPlaces } from './board.ts'
import { type BoardCell, type BoardRow, boardRows, emptyCell, worstRowsFirst } from './board-row.ts'
import { boardCsv, boardMarkdown } from './board-export.ts'
import { boardFailures, failureGroups } from './board-failures.ts'
import { boardSentence } from './board-sentence.ts'

/** Boards in a row of letters, one package each: what its one cell came to; or a word of them each. */
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

/** Of a run in which these policies fail, and these of high severity weren't applicable. */
function run(failing: readonly string[], unchecked: readonly string[] = []): BoardCell {
  const ofPolicies = outcome(failing.length)
  const uriOf = (name: string) => `/policies/Sbom/${name}`
  return {
    ...emptyCell,
    known: {
      at: 1000,
      outcome: {
        ...ofPolicies,
        failing: failing.map((name) => ({ uri: uriOf(name), status: 'unsatisfied', remedy: '' })),
        notApplicable: unchecked.map((name) => ({ uri: uriOf(name), severity: 'high' })),
      },
    },
  }
}

const undecided: BoardOutcome = { ...outcome(0), verdict: 'undecided' }
const cells: Readonly<Record<string, BoardCell>> = {
  // What fails by policies of these names, is not checked, undecided, or fails without a reason.
  a: run(['a']),
  b: run(['a', 'b', 'c']),
  d: run(['a', 'b', 'c', 'd']),
  h: run([], ['signed']),
  w: run(['sbom-present'], ['signed']),
  u: { ...emptyCell, known: { at: 1000, outcome: undecided } },
  r: {
    ...emptyCell,
    known: { at: 1000, outcome: { ...outcome(1), failing: [] } },
  },
  n: {
    ...emptyCell,
    known: {
      at: 1000,
      outcome: {
        ...outcome(0),
        verdict: 'nothing-applied',
        counts: { satisfied: 0, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
        results: 0,
      },
    },
  },
  p: { ...emptyCell, known: { at: 1000, outcome: outcome(0) } },
  f: { ...emptyCell, known: { at: 1000, outcome: outcome(1) } },
  x: {
    ...emptyCell,
    fault: { is: 'refused', at: 1, problem: { type: 'about:blank', title: 'Gone', status: 404 } },
  },
}

function rows(letters: string, waivers: readonly Waiver[] = []): readonly BoardRow[] {
  return rowsOf(Array.from(letters), waivers)
}

function rowsOf(packages: readonly string[], waivers: readonly Waiver[] = []): readonly BoardRow[] {
  const scans = ['release', 'production'].slice(0, packages[0]?.length)
  const board: Board = {
    title: 'Release',
    scans,
    packages: packages.map((_word, index) => ({
      address: { type: 'oci', name: `app-${index}`, version: '1' },
      sha256,
      repositoryUrl: 'registry.example',
      scans: undefined,
    })),
  }
  const places = boardPlaces(board)
  const known = new Map(
    places.map(({ key, row, scan }) => {
      const letter = packages[row]?.[scans.indexOf(scan)] ?? ''
      return [key, cells[letter] ?? emptyCell] as const
    }),
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
  ['pppppppff', "2 of 9 packages can't be released: 2 fail sbom-present.", '7 can be released.'],
  ['pp', 'All 2 packages can be released.'],
  ['--', 'None of 2 packages has been evaluated yet.'],
  [
    'pf-x',
    "2 of 4 packages can't be released: 1 fails sbom-present, 1 couldn't be evaluated.",
    '1 not evaluated yet. 1 can be released.',
  ],
  ['p', 'The package can be released.'],
  ['f', "The package can't be released: it fails sbom-present."],
  ['-', 'The package has not been evaluated yet.'],
  ['x', "The package can't be released: it couldn't be evaluated."],
  ['u', "The package can't be released: its results are inconclusive."],
  ['h', 'The package can be released, but a high-severity policy was not checked.'],
  ['n', "The package can't be released: nothing was checked in release."],
  ['', 'The board has no packages.'],
  ['p--', '2 of 3 packages have not been evaluated yet.', '1 can be released.'],
  ['f--', "1 of 3 packages can't be released: 1 fails sbom-present.", '2 not evaluated yet.'],
  [
    'bd-',
    "2 of 3 packages can't be released: a fails in 2, b in 2.",
    '2 more policies fail. 1 not evaluated yet.',
  ],
  ['pu', "1 of 2 packages can't be released: 1 inconclusive.", '1 can be released.'],
  ['r', "The package can't be released: it fails."],
  ['rr', 'None of 2 packages can be released: 2 fail.'],
  ['ab', 'None of 2 packages can be released: a fails in 2, b in 1.', '1 more policy fails.'],
  ['dr', 'None of 2 packages can be released: a fails in 1, b in 1.', '2 more policies fail.'],
  ['b', "The package can't be released: it fails a, b, and 1 more policy."],
  ['d', "The package can't be released: it fails a, b, and 2 more policies."],
  [
    'pn',
    "1 of 2 packages can't be released: nothing was checked in 1 (release).",
    '1 can be released.',
  ],
  [
    'phnnf',
    "3 of 5 packages can't be released: 1 fails sbom-present, nothing was checked in 2 (release).",
    '2 can be released, but in 1 a high-severity policy was not checked.',
  ],
  ['ph', 'All 2 packages can be released, but in 1 a high-severity policy was not checked.'],
])('%s reads as %j', (letters, text, more = '') => {
  expect(boardSentence(rows(letters))).toMatchObject({ text, more })
  expect(text.split(' ').length).toBeLessThanOrEqual(20)
})

test('a row in which one scan checked nothing is no pass, and the scan is named', () => {
  expect(boardSentence(rowsOf(['pn', 'pn', 'pp']))).toEqual({
    text: "2 of 3 packages can't be released: nothing was checked in 2 (production).",
    more: '1 can be released.',
    verdict: 'undecided',
  })
})

test.each([
  [['p-'], 'The package has not been fully evaluated yet.'],
  [['p-', '--'], 'None of 2 packages has been fully evaluated yet.'],
  [['pp', '-p'], '1 of 2 packages has not been fully evaluated yet.'],
  [['pp', '--'], '1 of 2 packages has not been evaluated yet.'],
])('a board with scans evaluated as in %j says %j', (packages, text) => {
  expect(boardSentence(rowsOf(packages)).text).toBe(text)
})

test.each([
  ['', 'open'],
  ['-', 'open'],
  ['p', 'releasable'],
  ['p-', 'open'],
  ['ph', 'releasable-unchecked'],
  ['pn', 'undecided'],
  ['h-', 'open'],
  ['u-', 'undecided'],
  ['x-', 'undecided'],
  ['fux-', 'not-releasable'],
])('%s means %s for a release', (letters, verdict) => {
  expect(boardSentence(rows(letters)).verdict).toBe(verdict)
})

test('a waiver leaves what was not checked to be said', () => {
  expect(boardSentence(rows('w', [waiver('app-0')]))).toEqual({
    text: 'The package can be released with waivers, but a high-severity policy was not checked.',
    more: '',
    verdict: 'releasable-unchecked',
  })
})

test('a waived package counts, and is said; it is still listed where it fails', () => {
  const board = rows('pf', [waiver('app-1')])
  expect(boardSentence(board)).toEqual({
    text: 'All 2 packages can be released, 1 with waivers.',
    more: '',
    verdict: 'releasable',
  })
  expect(failureGroups(boardFailures(board), 'policy')).toMatchObject([{ packages: 0, waived: 1 }])
  const report = { title: 'R', scans: ['release'], rows: board, writtenAt: 0, origin: '' }
  expect(boardMarkdown(report)).toContain('waived until Jan 1, 1970, 00:00 UTC by alice: later')
})

test('the worst comes first, those alike as they were written', () => {
  expect(worstRowsFirst(rows('pf-xf')).map(({ row }) => row)).toEqual([1, 4, 3, 2, 0])
})

test('exports hold every cell, and a pipe breaks no table', () => {
  const report = { title: 'R', scans: ['release'], rows: rows('pf-x'), writtenAt: 0, origin: '' }
  expect(boardCsv(report).trim().split('\r\n')).toHaveLength(5)
  expect(boardMarkdown(report)).toContain('Publish \\| an SBOM.')
  // What couldn't be evaluated names no policy.
  expect(boardMarkdown(report)).not.toContain('| : ')
})
