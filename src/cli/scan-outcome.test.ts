import { expect, test } from 'vitest'
import { policyResult } from '../policy/policy-result.test-support.ts'
import type { PolicyResult } from '../protocol/policy-result.ts'
import { ProblemError } from '../protocol/problem.ts'
import { type Evaluated, refusalSentence, scanOutcomes } from './scan-outcome.ts'
import type { Subject } from './subject.ts'

const subject: Subject = {
  address: { type: 'oci', name: 'ui', version: '1' },
  ...{ purl: 'pkg:oci/ui@1', scan: 'release', sha256: 'ab'.repeat(32), repositoryUrl: 'r' },
}
const rules = {
  ...{ acceptWaivers: false, allowEmpty: false, requireApplicable: [] },
  target: { who: 'the policy service', credential: undefined, isServer: true },
}

function answered(results: readonly PolicyResult[], change: Partial<Subject> = {}): Evaluated {
  const evaluation = {
    ...{ is: 'answered' as const, at: 5, results, unreadable: 0 },
    ...{ broken: undefined, record: undefined },
  }
  return {
    subject: { ...subject, ...change },
    evaluation,
    waivers: { waivers: [], at: undefined },
  }
}

test('a policy that is required by name may be in any scan of the package, and in no other package', () => {
  const one = answered([policyResult({ policyUri: '/policies/T/one' })])
  const two = answered([policyResult({ policyUri: '/policies/T/two' })], { scan: 'audit' })
  const address = { ...subject.address, name: 'api' }
  const other = answered([policyResult({ policyUri: '/policies/T/two' })], { address })
  const absent =
    'Not releasable: 1 required policy was not checked. Otherwise releasable: 1 of 1 policy satisfied. Required, but not in the response: Two.'
  const judged = (...requireApplicable: string[]) =>
    scanOutcomes([one, two], { ...rules, requireApplicable }).map(({ outcome }) => [
      outcome.exit,
      outcome.sentence,
    ])
  expect(judged('one', 'T/two')).toEqual([
    [0, 'Releasable: 1 of 1 policy satisfied.'],
    [0, 'Releasable: 1 of 1 policy satisfied.'],
  ])
  expect(judged('one', 'Two')).toEqual([
    [1, absent],
    [1, absent],
  ])
  const nothing = answered([
    policyResult({ policyUri: '/policies/T/one', status: 'not-applicable' }),
  ])
  const [onlyOne] = scanOutcomes([nothing], { ...rules, requireApplicable: ['one'] })
  expect(onlyOne?.outcome.sentence).toMatch(
    /^Not releasable: 1 required policy was not checked\. The scan's only policy doesn't apply to this package\. Publish attestations first/,
  )
  const alone = scanOutcomes([one, other], { ...rules, requireApplicable: ['one', 'two'] })
  expect(alone.map(({ outcome }) => outcome.exit)).toEqual([1, 1])
})

test('waivers count by the clock of the server that keeps them', () => {
  const failing = answered([policyResult({ status: 'unsatisfied', policyUri: '/policies/T/one' })])
  const waiver = {
    ...{ id: 'w', packagePath: '/packages/oci/ui/1', sha256: subject.sha256, scan: 'release' },
    ...{ policyUri: '/policies/T/one', reason: 'r', person: 'p', by: 'p', createdAt: 0 },
    ...{ expiresAt: 10, endedAt: null, endedBy: null },
  }
  const exits = [undefined, 9, 10].map((at) => {
    const waived = { ...failing, waivers: { waivers: [waiver], at } }
    return scanOutcomes([waived], { ...rules, acceptWaivers: true })[0]?.outcome.exit
  })
  expect(exits).toEqual([0, 0, 1])
})

test.each([
  ['about:blank', 'the policy service'],
  ['urn:sightline:problem:bad-request', 'the Sightline server at https://s.example.com'],
])('of a problem of type %s it is said who rejected the request', (type, who) => {
  const fault = new ProblemError({
    type,
    title: 'Bad Request',
    status: 400,
    detail: 'Bad criteria.',
  })
  const server = 'the Sightline server at https://s.example.com'
  const target = { who: server, credential: undefined, isServer: true }
  expect(refusalSentence(fault, 'release', target)).toBe(
    `Inconclusive: ${who} rejected the request: Bad criteria.`,
  )
})
