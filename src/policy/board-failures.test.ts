import { expect, test } from 'vitest'
import type { BoardOutcome } from '../protocol/board-run.ts'
import { boardFailures, canBeWaived, failsSo, failureGroups, packagesOf } from './board-failures.ts'
import { boardRows, emptyCell } from './board-row.ts'
import { boardSentence } from './board-sentence.ts'
import { type Board, boardPlaces } from './board.ts'

const keys = '/policies/TrustedPublicKeys/release-keys'
const log4j = '/policies/PackageUrl/no-log4j'

function failing(uri: string, causes: readonly string[] | undefined, owner?: string) {
  return {
    uri,
    status: 'unsatisfied' as const,
    remedy: '',
    ...(causes === undefined ? {} : { causes: [...causes] }),
    ...(owner === undefined ? {} : { owner }),
  }
}

function outcome(fields: Partial<BoardOutcome>): BoardOutcome {
  const unsatisfied = fields.failing?.length ?? 0
  return {
    verdict: unsatisfied > 0 ? 'not-releasable' : 'releasable',
    counts: {
      satisfied: 1,
      unsatisfied,
      'not-applicable': fields.notApplicable?.length ?? 0,
      unknown: 0,
    },
    results: 3,
    unreadable: 0,
    failing: [],
    notApplicable: [],
    evaluation: null,
    ...fields,
  }
}

/** A board of one scan: a package for each outcome, of a namespace or of a configured owner. */
function rowsOf(outcomes: readonly BoardOutcome[], require: readonly string[] = []) {
  const board: Board = {
    title: 'Release',
    scans: ['release'],
    require,
    packages: outcomes.map((_outcome, index) => ({
      address: {
        type: 'oci',
        namespace: index % 2 === 0 ? 'shop' : undefined,
        name: `app-${index}`,
        version: '1',
      },
      sha256: 'ab'.repeat(32),
      repositoryUrl: 'registry.example',
      scans: undefined,
      owner: index === 2 ? 'payments' : undefined,
    })),
  }
  const places = boardPlaces(board)
  const cells = new Map(
    places.flatMap(({ key, row }) => {
      const one = outcomes[row]
      return one === undefined ? [] : [[key, { ...emptyCell, known: { at: 1, outcome: one } }]]
    }),
  )
  return boardRows(board, places, cells, { waivers: [], now: 0 })
}

const rows = rowsOf([
  outcome({ failing: [failing(keys, ['Key not accepted: 3f'], 'security')] }),
  outcome({
    failing: [failing(keys, ['No signature'], 'security'), failing(log4j, ['log4j 2.14'])],
  }),
  outcome({ failing: [failing(keys, ['Key not accepted: 3f', 'No signature'], 'security')] }),
  outcome({ failing: [failing(keys, undefined), failing(log4j, [])] }),
  outcome({}),
])

function told(by: 'policy' | 'owner' | 'policy-owner') {
  return failureGroups(boardFailures(rows), by).map(({ title, packages, lines }) => [
    title,
    packages,
    ...lines.map(({ cause, packages: number }) => `${cause} (${number})`),
  ])
}

test('packages that fail stand by policy and cause, the most first', () => {
  expect(told('policy')).toEqual([
    [
      'release-keys',
      4,
      'Key not accepted: 3f (2)',
      'No signature (2)',
      'Open the run for details (1)',
    ],
    ['no-log4j', 2, 'log4j 2.14 (1)', 'No details (1)'],
  ])
})

test('or by whom they belong to: as configured, else the namespace', () => {
  expect(told('owner').map(([title, packages]) => [title, packages])).toEqual([
    ['', 2],
    ['payments', 1],
    ['shop', 1],
  ])
  expect(told('policy-owner').map(([title, packages]) => [title, packages])).toEqual([
    ['security', 3],
    ['', 2],
  ])
})

test('a package counts as failing until all of its failures are waived', () => {
  const waiving = (policies: readonly string[]) =>
    boardFailures(rows).map((failure) =>
      failure.row.row === 1 && policies.includes(failure.policyUri)
        ? { ...failure, isWaived: true }
        : failure,
    )
  expect(packagesOf(waiving([]))).toBe(4)
  expect(packagesOf(waiving([keys]))).toBe(4)
  expect(packagesOf(waiving([keys, log4j]))).toBe(3)
})

const all = { policy: '', cause: '', owner: '', policyOwner: '' }

test.each([
  [{ policy: keys }, '0123'],
  [{ policy: keys, cause: 'No signature' }, '12'],
  [{ owner: 'No owner' }, '13'],
  [{ owner: 'payments', policy: log4j }, ''],
  [{ policyOwner: 'No owner' }, '13'],
])('the rows that fail by %j', (filter, wanted) => {
  expect(
    rows
      .filter((row) => failsSo(row, { ...all, ...filter }))
      .map(({ row }) => row)
      .join(''),
  ).toBe(wanted)
})

const unchecked = outcome({
  notApplicable: [
    { uri: '/policies/VerificationSummary/passed', severity: 'high' },
    { uri: '/policies/A/minor', severity: 'low' },
  ],
})

test('a package without proof that weighs can be released, and is never like a pass', () => {
  const [row] = rowsOf([unchecked])
  expect(row).toMatchObject({ verdict: 'releasable-unchecked', next: { policy: 'passed' } })
  expect(boardSentence(rowsOf([unchecked, outcome({})]))).toEqual({
    text: 'All 2 packages can be released, but in 1 a high-severity policy was not checked.',
    more: '',
    verdict: 'releasable-unchecked',
  })
})

test('what the board requires and nothing checked keeps a package from being released', () => {
  const required = rowsOf([unchecked], ['high'])
  expect(required[0]?.verdict).toBe('not-releasable')
  expect(boardSentence(required).text).toBe("The package can't be released: it fails passed.")
  expect(failureGroups(boardFailures(required), 'policy')).toMatchObject([
    { title: 'passed', lines: [{ cause: 'Required, but not checked: its evidence is missing' }] },
  ])
  expect(rowsOf([unchecked], ['minor'])[0]?.verdict).toBe('not-releasable')
  const satisfied = ['/policies/A/another']
  const another = rowsOf([{ ...unchecked, satisfied }], ['another'])
  expect(another[0]?.verdict).toBe('releasable-unchecked')
  const absent = rowsOf([{ ...unchecked, satisfied }], ['renamed'])
  expect(absent[0]?.verdict).toBe('not-releasable')
  const [failure] = boardFailures(absent)
  expect(failure?.causes).toEqual(['Required, but not in the response'])
  expect(failure && canBeWaived(failure)).toBe(false)
})

test('where a board requires proof, a run that does not say what was checked decides nothing', () => {
  const old = outcome({ notApplicable: undefined })
  const counts = { satisfied: 1, unsatisfied: 0, 'not-applicable': 1, unknown: 0 }
  expect(rowsOf([{ ...old, counts }], ['high'])[0]?.verdict).toBe('undecided')
  expect(rowsOf([{ ...old, counts }])[0]?.verdict).toBe('releasable')
})
