import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import { boardRows, emptyCell } from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'
import { dryRun, dryRunSentence } from './what-if.ts'

function outcome(isGood: boolean): BoardOutcome {
  return {
    verdict: isGood ? 'releasable' : 'not-releasable',
    counts: { satisfied: 1, unsatisfied: isGood ? 0 : 1, 'not-applicable': 0, unknown: 0 },
    results: 1,
    unreadable: 0,
    failing: isGood ? [] : [{ uri: '/policies/A/b', status: 'unsatisfied', remedy: '' }],
    evaluation: null,
  }
}

/** A package for each pair of letters: how it comes out by the two scans; `-` was not evaluated. */
function rowsOf(...pairs: readonly string[]) {
  const board: Board = {
    title: 'Release',
    scans: ['release', 'release-next'],
    packages: pairs.map((_pair, index) => ({
      address: { type: 'oci', name: `app-${index}`, version: '1' },
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example',
      scans: undefined,
    })),
  }
  const places = boardPlaces(board)
  const cells = new Map(
    places.flatMap(({ key, row, scan }) => {
      const letter = pairs[row]?.[board.scans.indexOf(scan)]
      if (letter === '-' || letter === undefined) return []
      return [[key, { ...emptyCell, known: { at: 1, outcome: outcome(letter === 'p') } }]]
    }),
  )
  return boardRows(board, places, cells, { waivers: [], now: 0 })
}

test.each([
  [['pf', 'pf', 'pp', 'ff'], 'release-next would newly fail 2 packages that pass release.'],
  [
    ['pf', 'fp', 'p-'],
    'release-next would newly fail 1 package that passes release; 1 would no longer fail; 1 not known yet.',
  ],
  [['pp', 'ff'], 'release-next would fail no package that passes release.'],
])('packages that come out %j: %s', (pairs, sentence) => {
  const found = dryRun(rowsOf(...pairs), 'release', 'release-next')
  expect(dryRunSentence(found, 'release', 'release-next')).toBe(sentence)
})

test('a package that one of the scans is not for is left out', () => {
  expect(dryRun(rowsOf('pf'), 'release', 'another')).toEqual({
    newlyFailing: [],
    noLongerFailing: [],
    unknown: 0,
  })
})
