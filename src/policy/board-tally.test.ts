import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { createBoardTally, plainSentence } from './board-tally.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { scanVerdict, verdictOfRun } from './verdict.ts'

const statuses = [
  'satisfied',
  'unsatisfied',
  'not-applicable',
  'unknown',
] as const satisfies readonly PolicyStatus[]

test('it agrees with the groups and the verdict of the scan page', () => {
  const result = fc.record({
    policyUri: fc.constantFrom('/policies/A/one', '/policies/B/two', 'https://x/policies/A/one'),
    status: fc.constantFrom(...statuses),
    remediation: fc.constantFrom('', 'Do this.', 'Do that.'),
  })
  fc.assert(
    fc.property(fc.array(result, { maxLength: 30 }), fc.nat(2), (fields, unreadable) => {
      const results = fields.map((one) =>
        policyResult({
          ...one,
          labels: { 'x/severity': one.policyUri.endsWith('one') ? 'high' : 'low' },
        }),
      )
      const tally = createBoardTally(0)
      for (const one of results) tally.add(one)
      tally.addUnreadable(unreadable)
      const outcome = tally.outcome('e1')
      const groups = groupByPolicy(results)
      expect(verdictOfRun({ ...outcome, reasons: tally.reasons() })).toEqual(
        scanVerdict(groups, { unreadable, complete: true }),
      )
      expect(outcome).toMatchObject({ results: results.length, unreadable, evaluation: 'e1' })
      const failing = groups.filter(({ status }) => status === 'unsatisfied')
      expect(
        outcome.failing
          .filter(({ status }) => status === 'unsatisfied')
          .map(({ remedy }) => remedy)
          .sort(),
      ).toEqual(failing.map(({ remediation }) => remediation).sort())
    }),
  )
})

test('it keeps why each policy fails, whose it is, and what was not checked', () => {
  const tally = createBoardTally(0)
  const failing = { status: 'unsatisfied', labels: { 'x/owner': 'security' } } as const
  tally.add(policyResult({ details: { message: 'of a pass' } }))
  for (const message of ['one', 'two', 'one', 'three', 'four', 'five']) {
    tally.add(policyResult({ ...failing, details: { message } }))
  }
  tally.add(
    policyResult({
      policyUri: '/policies/VerificationSummary/passed',
      status: 'not-applicable',
      labels: { 'x/severity': 'high' },
    }),
  )
  expect(tally.reasons()).toEqual({
    failing: [
      {
        uri: '/policies/BuildTool/supported',
        status: 'unsatisfied',
        remedy: '',
        causes: ['one', 'two', 'three', 'four'],
        owner: 'security',
      },
    ],
    notApplicable: [{ uri: '/policies/VerificationSummary/passed', severity: 'high' }],
    dates: [],
    satisfied: [],
  })
})

test('it knows the severity and the owner of a policy, whichever of its results names them', () => {
  const tally = createBoardTally(0)
  for (const labels of [{ 'x/owner': 'security' }, { 'x/severity': 'high' }])
    tally.add(policyResult({ status: 'not-applicable', labels }))
  expect(tally.reasons().notApplicable.map(({ severity }) => severity)).toEqual(['high'])
  tally.add(policyResult({ status: 'unsatisfied', labels: { 'x/owner': 'shop' } }))
  expect(tally.reasons().failing.map(({ owner }) => owner)).toEqual(['security'])
})

test('of the policies that are satisfied it keeps the first 200, as any server writes them', () => {
  const tally = createBoardTally(0)
  for (let index = 0; index < 300; index++) {
    tally.add(policyResult({ policyUri: `https://g.example/policies/A/p${index}` }))
  }
  const { satisfied, counts } = tally.outcome(null)
  expect([satisfied?.length, satisfied?.[0], counts.satisfied]).toEqual([
    200,
    '/policies/A/p0',
    300,
  ])
})

test('it keeps the earliest time after the run until which what satisfies a policy is valid', () => {
  const begunAt = Date.UTC(2026, 10, 22)
  const tally = createBoardTally(begunAt)
  for (const notAfter of ['2026-11-21', '2027-03-01', '2026-12-01 00:00']) {
    tally.add(policyResult({ details: { certificate: { notAfter } } }))
  }
  const labels = { 'x/effective-on': '2027-01-01' }
  tally.add(policyResult({ policyUri: '/policies/A/later', status: 'not-applicable', labels }))
  const uri = '/policies/BuildTool/supported'
  const effect = { uri: '/policies/A/later', is: 'takes-effect', name: 'x/effective-on' } as const
  expect(tally.reasons().dates).toEqual([
    { uri, is: 'validity-ends', name: 'notAfter', at: Date.UTC(2026, 11, 1) },
    { ...effect, at: Date.UTC(2027, 0, 1) },
  ])
  tally.add(policyResult({ status: 'unsatisfied' }))
  expect(tally.reasons().dates).toEqual([{ ...effect, at: Date.UTC(2027, 0, 1) }])
})

test('of very many failing policies the first 50 are explained, ten thousand named, and all counted', () => {
  const tally = createBoardTally(0)
  for (let index = 0; index < 12_000; index++) {
    tally.add(policyResult({ policyUri: `/policies/A/p${index}`, status: 'unsatisfied' }))
  }
  const { failing, counts } = tally.outcome(null)
  expect([failing.length, counts.unsatisfied]).toEqual([10_000, 12_000])
  expect(tally.reasons().failing).toHaveLength(50)
  expect(failing.filter(({ causes }) => causes !== undefined)).toHaveLength(50)
  expect(new Set(failing.map(({ uri }) => uri)).size).toBe(10_000)
})

test.each([
  ['Publish an SBOM. Then evaluate again.', 'Publish an SBOM.'],
  ['Use **Gradle 9.2** or later. See below.', 'Use Gradle 9.2 or later.'],
  ['## Fix\n\n1. Run `./gradlew sbom`.\n2. Publish.', 'Run ./gradlew sbom.'],
  ['```\nrm -rf /\n```\nAsk [the owners](https://a.example).', 'Ask the owners.'],
  ['', ''],
  ['---\n\n', ''],
  ['a\u202Eb\u0000c', 'a b c'],
  ['no full stop', 'no full stop'],
])('%j is shown as %j', (markdown, sentence) => {
  expect(plainSentence(markdown)).toBe(sentence)
})

test('a sentence is cut between characters', () => {
  expect(plainSentence(`${'x'.repeat(198)}🚀 and more`)).toBe(`${'x'.repeat(198)}…`)
})

test('what is long is cut, and takes no longer for being hostile', () => {
  expect(plainSentence('x'.repeat(1_000_000))).toHaveLength(200)
  expect(plainSentence('['.repeat(100_000))).toHaveLength(200)
  expect(plainSentence('**'.repeat(100_000)).length).toBeLessThanOrEqual(200)
})
