import { expect, test } from 'vitest'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { EvaluationRecord } from '../../../protocol/evaluation.ts'
import { caveatsOf, reportOf } from './export-menu.tsx'
import { isTold, viewOfRecord } from './last-recorded.ts'
import { otherArtifactText, runBefore, verdictOfRecord } from './recorded-run.ts'

const policyUri = '/policies/PackageUrl/log4j'
const endedAt = Date.UTC(2026, 10, 20)

function record(fields: Partial<EvaluationRecord> = {}): EvaluationRecord {
  return EvaluationRecord.parse({
    id: 'r1',
    startedAt: endedAt - 500,
    endedAt,
    by: 'alice',
    packagePath: '/packages/oci/checkout/2.4.0',
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example.com/shop',
    scan: 'release',
    ended: 'complete',
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
    results: 2,
    unreadable: 0,
    failing: [policyUri],
    waived: [],
    answer: [
      { policyUri: '/policies/BuildTool/supported', status: 'satisfied' },
      { policyUri, status: 'UNSATISFIED' },
    ],
    leftOut: 0,
    ...fields,
  })
}

test('a record is read like an answer', () => {
  const view = viewOfRecord(record())
  expect(view.state.is).toBe('done')
  expect(view.groups.map(({ name, status }) => [name, status])).toEqual([
    ['supported', 'satisfied'],
    ['log4j', 'unsatisfied'],
  ])
})

test.each([
  ['broken', /^Incomplete response after 2 results: The connection broke before/],
  ['cancelled', /^Canceled after 2 results/],
] as const)('a run that is %s says so', (ended, words) => {
  expect(caveatsOf(viewOfRecord(record({ ended })))).toEqual([expect.stringMatching(words)])
})

test('a run in which the service reported a failure says which, and counts it once', () => {
  const failure = { title: 'Internal Server Error', status: 500, detail: 'The store is away' }
  const answer = [...record().answer, failure]
  const view = viewOfRecord(record({ ended: 'broken', unreadable: 1, answer }))
  expect(caveatsOf(view)).toEqual([
    'Incomplete response after 2 results: The store is away. The missing results may include failures.',
  ])
})

test('what a newer run says against it is said in what is taken along', () => {
  const run = record({ verdict: 'releasable', failing: [] })
  const { scan, sha256, repositoryUrl } = run
  const question = {
    address: { type: 'oci', name: 'checkout', version: '2.4.0' },
    ...{ scan, sha256, repositoryUrl },
  }
  const overruling = 'Not releasable: a newer, incomplete run fails sbom.'
  const view = { ...viewOfRecord(run), record: undefined }
  const report = reportOf(question, view, {
    verdict: verdictOfRecord(run, view, []).said,
    ...{ beside: undefined, by: undefined, decision: undefined, overruling },
  })
  expect(report?.caveats).toEqual([overruling])
})

function verdict(fields: Partial<EvaluationRecord>, waiver: Parameters<typeof reportWaiver>[0]) {
  const run = record(fields)
  return verdictOfRecord(run, viewOfRecord(run), [reportWaiver(waiver)])
}

test('what was waived then is shown as it was, also when the waiver is over now', () => {
  const over = { endedAt: endedAt + 1000, endedBy: 'bob' }
  const { said, verdict: beside, waived } = verdict({ waived: [policyUri] }, over)
  expect([said.verdict, beside, waived.size]).toEqual([
    'not-releasable',
    'releasable-with-waivers',
    1,
  ])
})

test('a waiver of later changes nothing about a run of before', () => {
  expect(verdict({}, { createdAt: endedAt + 1 }).verdict).toBe('not-releasable')
  expect(verdict({}, {}).waived.size).toBe(0)
})

test('of a long run the recorded verdict and counts are shown, and that results are missing', () => {
  const counts = { satisfied: 900, unsatisfied: 1, 'not-applicable': 0, unknown: 0 }
  const long = record({ counts, results: 3000, leftOut: 2998 })
  expect(verdictOfRecord(long, viewOfRecord(long), []).said.counts.satisfied).toBe(900)
  expect(viewOfRecord(long).notStored).toMatch(/^2 of 3,000 results are stored/)
  expect(viewOfRecord(record()).notStored).toBeUndefined()
  expect(isTold(long, viewOfRecord(long))).toBe(false)
})

test('of a run of more policies than may pass it is said that the rest was not counted', () => {
  const counts = { satisfied: 100_001, unsatisfied: 0, 'not-applicable': 0, unknown: 0 }
  const fields = {
    verdict: 'undecided',
    failing: [],
    results: 100_001,
    unreadable: 19_999,
  } as const
  const view = viewOfRecord(record({ ...fields, failing: [], counts, leftOut: 119_998 }))
  expect(caveatsOf(view)).toEqual([
    'There are more than 100,000 policies, and so many never count as passed. 2 of 120,000 results are stored, as the rest takes too much space. The list and exports have only those.',
  ])
  const just = { ...counts, satisfied: 100_000 }
  const odd = viewOfRecord(record({ ...fields, failing: [], counts: just, unreadable: 1 }))
  expect(caveatsOf(odd)).toEqual([
    expect.stringMatching(/^1 part of the response couldn't be read/),
  ])
})

test('of a long run that lacks no policy, everything can be made, and what failed stays failed', () => {
  const answer = [
    { policyUri: '/policies/BuildTool/supported', status: 'satisfied' },
    { policyUri, status: 'satisfied' },
  ]
  const long = record({ results: 3000, leftOut: 2998, answer })
  const view = viewOfRecord(long)
  expect(view.groups.map(({ status }) => status)).toEqual(['satisfied', 'unsatisfied'])
  expect(isTold(long, view)).toBe(true)
  const waiver = reportWaiver({ policyUri, scan: 'release', createdAt: 0, expiresAt: endedAt + 1 })
  const waived = { ...long, waived: [policyUri] }
  expect(verdictOfRecord(waived, view, [waiver]).verdict).toBe('releasable-with-waivers')
  const many = { ...waived, counts: { ...long.counts, unsatisfied: 2 } }
  expect(verdictOfRecord(many, view, [waiver]).verdict).toBe('not-releasable')
})

const two = 'registry.example.com/two'

test('the run before is the last whole one of the same artifact', () => {
  const run = record({ id: '9' })
  const older = [
    run,
    record({ id: '8', repositoryUrl: two }),
    record({ id: '7', sha256: 'cd' }),
    record({ id: '6', ended: 'broken' }),
    record({ id: '5', unreadable: 1 }),
    record({ id: '4' }),
    record({ id: '3' }),
  ]
  expect(runBefore(run, older)?.id).toBe('4')
  expect(runBefore(run, older.slice(0, 5))).toBeUndefined()
})

test.each([
  [{}, ''],
  [{ packagePath: '/packages/oci/checkout/2.3.0', sha256: 'cd' }, '2.3.0, '],
  [{ sha256: 'cd'.repeat(32) }, 'cdcdcdcd, '],
  [{ repositoryUrl: two }, 'registry.example.com/two, '],
  [{ scan: 'security' }, 'scan security, '],
  [{ packagePath: '/packages/oci/basket/2.4.0', sha256: 'cd' }, 'pkg:oci/basket@2.4.0, '],
])('the text of a run names what differs in its artifact or scan: %j', (change, text) => {
  expect(otherArtifactText(record(change), record())).toBe(text)
})
