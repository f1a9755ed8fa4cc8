import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import type { Waiver } from '../protocol/waiver.ts'
import {
  type BoardCell,
  createBoardRows,
  emptyCell,
  failedWord,
  outcomeVerdict,
} from './board-row.ts'
import { type Board, boardPlaces } from './board.ts'
import { policyKey } from './policy-group.ts'

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

test('a row needs its repository when another row has the same package and digest', () => {
  const [app, web] = board.packages
  if (app === undefined || web === undefined) throw new Error('the board has packages')
  const other = { ...app, repositoryUrl: 'registry.example/second' }
  const packages = [
    app,
    web,
    other,
    { ...web, scans: ['release'] },
    { ...app, sha256: 'cd'.repeat(32) },
  ]
  const all = { ...board, packages }
  const rows = createBoardRows(all, boardPlaces(all))(new Map(), { waivers: [], now: 0 })
  expect(rows.map((row) => row.needsRepository)).toEqual([true, false, true, false, false])
})

test('a run that broke off counts only where it found what is not waived, else the complete one before it', () => {
  const broken = (uri: string, evaluation: string): BoardOutcome => ({
    ...{ ...outcome, ended: 'broken', verdict: 'not-releasable', evaluation },
    counts: { satisfied: 0, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
    failing: [{ uri, status: 'unsatisfied', remedy: '' }],
  })
  const before = [
    { at: 2, outcome: broken('/policies/A/b', 'two') },
    { at: 1, outcome },
  ]
  const known = { at: 3, outcome: { ...broken('/policies/A/a', 'three'), before } }
  const [first] = places
  const cells = new Map([[first?.key ?? '', { ...emptyCell, known }]])
  const rowsOf = createBoardRows(board, places)
  const waive = (...uris: string[]) =>
    rowsOf(cells, { waivers: uris.map((policyUri) => waiverOf(policyUri)), now: 5 })[0]?.cells[0]
  expect(waive()).toMatchObject({ verdict: 'not-releasable', cell: { known: { at: 3 } } })
  expect(waive('/policies/A/a')).toMatchObject({
    verdict: 'not-releasable',
    cell: { known: { at: 2 } },
  })
  expect(waive('/policies/A/a', '/policies/A/b')).toMatchObject({
    verdict: 'releasable',
    cell: { known: { at: 1 } },
  })
  const counted = { waivers: [], now: 0 }
  expect(rowsOf(new Map(cells), counted)).toBe(rowsOf(cells, counted))
})

test('waivers of policies that pass let no other policy pass', () => {
  const fails: BoardOutcome = {
    ...{ ...outcome, verdict: 'not-releasable' },
    counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
    failing: [{ uri: '/policies/A/a', status: 'unsatisfied', remedy: '' }],
  }
  const waived = (...names: string[]) => new Map(names.map((name) => [name, waiverOf(name)]))
  expect(outcomeVerdict(fails, waived(policyKey('/policies/A/b')))).toBe('not-releasable')
  expect(outcomeVerdict(fails, waived(policyKey('/policies/A/a')))).toBe('releasable-with-waivers')
})

function waiverOf(policyUri: string): Waiver {
  return {
    ...{ id: policyUri, packagePath: '/packages/oci/app/1', sha256: 'ab'.repeat(32), policyUri },
    ...{ scan: 'release', reason: 'known', person: 'ann', by: 'ann', createdAt: 0, expiresAt: 9 },
    ...{ endedAt: null, endedBy: null },
  }
}

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

test('a package lacks what the board requires where none of its scans has it, in whatever row they stand', () => {
  const [app] = board.packages
  if (app === undefined) throw new Error('it is there')
  const packages = [
    { ...app, scans: ['release'] },
    { ...app, scans: ['security'] },
  ]
  const strict: Board = { ...board, packages, require: ['T/one', 'two'] }
  const known = (...satisfied: string[]): BoardCell => {
    const counts = { ...outcome.counts, satisfied: satisfied.length }
    return {
      ...emptyCell,
      known: { at: 1, outcome: { ...outcome, counts, notApplicable: [], satisfied } },
    }
  }
  const rowsOf = createBoardRows(strict, boardPlaces(strict))
  const rows = (release: BoardCell, security: BoardCell) =>
    rowsOf(
      new Map(boardPlaces(strict).map(({ key, row }) => [key, row === 0 ? release : security])),
      { waivers: [], now: 0 },
    )
  const verdicts = (...cells: [BoardCell, BoardCell]) => rows(...cells).map((row) => row.verdict)
  const [one, two] = [known('/policies/T/one'), known('/policies/T/two')]
  expect(verdicts(one, two)).toEqual(['releasable', 'releasable'])
  expect(verdicts(one, one)).toEqual(['not-releasable', 'not-releasable'])
  expect(rows(one, one)[0]?.next).toMatchObject({
    policy: 'two',
    remedy: expect.stringContaining('Not in the response') as string,
  })
  // While one isn't evaluated, the other is taken for what it is.
  expect(verdicts(one, emptyCell)).toEqual(['releasable', 'open'])
  // What an older release recorded doesn't say.
  const old = { ...emptyCell, known: { at: 1, outcome } }
  expect(verdicts(one, old)).toEqual(['undecided', 'undecided'])
  expect(rows(one, old)[0]?.next?.remedy).toContain('Evaluate again.')
})
