import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { parseExactJson } from './exact-json.ts'
import { readPolicyAnswer } from './policy-result.ts'
import { realData } from '../real-data.test-support.ts'

const recorded = realData('policy/evaluate-results.json')

const result = {
  labels: { severity: 'high' },
  status: 'unsatisfied',
  policyUri: '/policies/BuildTool/supported',
  policyDescription: 'A supported tool.',
  policyRemediation: 'Upgrade.',
  attestationUri: '/packages/oci/a/1/sha256:1/attestations/af:e/1',
  sourcedFromUri: 'https://builds.example.com/s/k3j7q2m5x7a4c',
  details: { buildTool: 'gradle 4' },
}

test('a result is read as the specification has it', () => {
  expect(readPolicyAnswer([result])).toEqual({
    unreadable: 0,
    results: [
      {
        policyUri: '/policies/BuildTool/supported',
        status: 'unsatisfied',
        statusText: 'unsatisfied',
        labels: { severity: 'high' },
        description: 'A supported tool.',
        remediation: 'Upgrade.',
        attestationUri: '/packages/oci/a/1/sha256:1/attestations/af:e/1',
        sourcedFromUri: 'https://builds.example.com/s/k3j7q2m5x7a4c',
        details: { buildTool: 'gradle 4' },
      },
    ],
  })
})

test('a line of NDJSON is one result', () => {
  expect(readPolicyAnswer(result)).toEqual(readPolicyAnswer([result]))
})

test.each([
  ['satisfied', 'satisfied'],
  ['UNSATISFIED', 'unsatisfied'],
  ['Not_Applicable', 'not-applicable'],
  ['not applicable', 'not-applicable'],
  ['deferred', 'unknown'],
  ['satisfied?', 'unknown'],
])('the status "%s" is %s', (written, status) => {
  const [read] = readPolicyAnswer({ ...result, status: written }).results
  expect(read).toMatchObject({ status, statusText: written })
})

test('what older servers leave out is empty, and their place in the store is kept', () => {
  const old = {
    policyUri: '/policies/A/b',
    status: 'Satisfied',
    attestationStoreUri: 'https://s/1',
  }
  expect(readPolicyAnswer([old]).results[0]).toMatchObject({
    labels: {},
    description: '',
    remediation: '',
    attestationUri: 'https://s/1',
    sourcedFromUri: null,
    details: {},
  })
})

test('the oldest servers hold results by attestation, with the texts among the details', () => {
  const answer = {
    request: {},
    results: [
      {
        storeUri: 'https://store/1',
        evaluations: [
          {
            policyUri: '/policies/A/b',
            status: 'UNSATISFIED',
            details: { description: 'What it checks', remediation: 'Next steps' },
          },
          'not a result',
        ],
      },
    ],
  }
  const read = readPolicyAnswer(answer)
  expect(read.unreadable).toBe(1)
  expect(read.results).toMatchObject([
    { description: 'What it checks', remediation: 'Next steps', attestationUri: 'https://store/1' },
  ])
})

test('a result that has results of its own is a result', () => {
  const odd = { ...result, status: 'unsatisfied', results: [] }
  expect(readPolicyAnswer(odd)).toMatchObject({
    unreadable: 0,
    results: [{ status: 'unsatisfied' }],
  })
})

test.each([
  ['errors beside the results', { errors: [{ detail: 'x' }] }, {}],
  ['a further page', { nextPage: '/2' }, {}],
  ['an error instead of evaluations', {}, { error: 'could not be read' }],
])('%s in the oldest form is unreadable', (_, beside, entry) => {
  const results = [
    { storeUri: 'x', evaluations: [result] },
    { storeUri: 'y', evaluations: [], ...entry },
  ]
  expect(readPolicyAnswer({ results, ...beside })).toMatchObject({ unreadable: 1, results: [{}] })
  const nothing = { request: {}, errors: [], truncated: false, nextPage: null }
  expect(readPolicyAnswer({ results: results.slice(0, 1), ...nothing }).unreadable).toBe(0)
})

test('of no results in the oldest form, what the form does not have may be the reason', () => {
  const request = { sha256: 'ab' }
  const store = { storeUri: 'x', storeType: 's3', attestation: { envelope: {} }, evaluations: [] }
  for (const results of [[], [store]]) {
    expect(readPolicyAnswer({ request, results })).toEqual({ results: [], unreadable: 0 })
  }
  const note = 'The store is read-only.'
  expect(readPolicyAnswer({ request, results: [], note }).unreadable).toBe(1)
  expect(readPolicyAnswer({ request, results: [{ ...store, note }] }).unreadable).toBe(1)
})

test.each([
  ['a list', ['CVE-2021-44228', { fixedIn: '2.17.1' }]],
  ['a text', 'Known since March.'],
  ['a number', 3],
  ['an object within an object', { found: { at: ['a', 'b'] } }],
])(
  'a result whose details are %s is kept, with its policy, its remedy and the details',
  (_, odd) => {
    const { results, unreadable } = readPolicyAnswer([{ ...result, details: odd }])
    expect(unreadable).toBe(0)
    expect(results).toEqual([
      expect.objectContaining({
        policyUri: '/policies/BuildTool/supported',
        status: 'unsatisfied',
        remediation: 'Upgrade.',
        details: odd,
      }),
    ])
  },
)

test('one odd field of a result costs that field, never the result', () => {
  const odd = {
    ...result,
    labels: ['critical'],
    policyDescription: { text: 'A supported tool.' },
    policyRemediation: ['Upgrade.', 'Then build again.'],
    attestationUri: 7,
    sourcedFromUri: { href: 'x' },
  }
  expect(readPolicyAnswer([odd])).toEqual({
    unreadable: 0,
    results: [
      {
        policyUri: '/policies/BuildTool/supported',
        status: 'unsatisfied',
        statusText: 'unsatisfied',
        labels: { labels: '["critical"]' },
        description: '{"text":"A supported tool."}',
        remediation: '["Upgrade.","Then build again."]',
        attestationUri: null,
        sourcedFromUri: null,
        details: { buildTool: 'gradle 4' },
      },
    ],
  })
})

test('a label that is no text is kept as JSON', () => {
  const labelled = { ...result, labels: { level: 3, owners: ['a'] } }
  expect(readPolicyAnswer(labelled).results[0]?.labels).toEqual({ level: '3', owners: '["a"]' })
})

test.each([null, undefined, ''])(
  'a status of %j is unknown, said to be none, and the rest of the result is kept',
  (status) => {
    const { results, unreadable } = readPolicyAnswer([{ ...result, status }])
    const [plain] = readPolicyAnswer(result).results
    expect(results).toEqual([{ ...plain, status: 'unknown', statusText: 'no status' }])
    expect(unreadable).toBe(0)
  },
)

test.each([null, 1, 'text', {}, { status: 'satisfied' }, { policyUri: '', status: 'satisfied' }])(
  '%j is no result, and is counted',
  (value) => {
    expect(readPolicyAnswer([value, result])).toMatchObject({ unreadable: 1, results: [{}] })
  },
)

test('the short way of reading a result and the schema agree on everything', () => {
  const name = fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'description', 'remediation', 'a/b'),
    fc.string(),
  )
  const value = fc.oneof(fc.constantFrom('', null, 3, 'text', true), fc.jsonValue())
  const told = fc.oneof({ weight: 4, arbitrary: fc.string() }, { weight: 1, arbitrary: value })
  const record = fc.oneof(
    { weight: 3, arbitrary: fc.dictionary(name, fc.string()) },
    { weight: 2, arbitrary: fc.dictionary(name, value) },
    { weight: 1, arbitrary: value },
  )
  const written = fc.record(
    {
      policyUri: told,
      status: fc.oneof(fc.constantFrom('satisfied', 'UNSATISFIED', 'Not Applicable', ''), told),
      labels: record,
      policyDescription: told,
      policyRemediation: told,
      attestationUri: told,
      sourcedFromUri: told,
      details: record,
      other: value,
    },
    { noNullPrototype: true },
  )
  const shortened = fc
    .tuple(written, fc.subarray(Object.keys(result), { minLength: 6 }))
    .map(([whole, kept]) =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => kept.includes(key))),
    )
  fc.assert(
    fc.property(fc.oneof(written, shortened), (one) => {
      // As JSON.parse gives it, names such as __proto__ included.
      const parsed: unknown = JSON.parse(JSON.stringify(one))
      // With this name among them, which says nothing, the schema is asked.
      const slow: unknown = JSON.parse(JSON.stringify({ ...one, attestationStoreUri: null }))
      expect(readPolicyAnswer(parsed)).toEqual(readPolicyAnswer(slow))
    }),
    { numRuns: runs(2000) },
  )
})

describe.skipIf(!existsSync(recorded))('the recorded answers', () => {
  test('are all read; a value never seen before is unknown and kept exactly', () => {
    const { results, unreadable } = readPolicyAnswer(parseExactJson(readFileSync(recorded, 'utf8')))
    expect(unreadable).toBe(0)
    expect(results.map(({ status }) => status)).toEqual([
      'satisfied',
      'unsatisfied',
      'unsatisfied',
      'not-applicable',
      'satisfied',
      'satisfied',
      'unknown',
    ])
    expect(results[6]?.details).toMatchObject({ big: '9007199254740993' })
  })
})
