import { expect, test } from 'vitest'
import { type Explanation, explain } from '../../../attestation/explain.ts'
import { decodedStatement } from '../../../attestation/signing.test-support.ts'
import { type Origin, originsOf, saysFailure, saysSentence, subjectName } from './says.ts'

const digest = 'a'.repeat(64)

function read(predicateType: string, predicate: unknown, subject: readonly unknown[]) {
  const { statement, content } = decodedStatement(subject, { predicateType, predicate })
  if (statement === undefined || content.kind !== 'json') throw new Error('no statement')
  return { tree: content.tree, statement }
}

function says(
  predicateType: string,
  predicate: unknown,
  subject: readonly unknown[] = [{ name: 'app.jar', digest: { sha256: digest } }],
  isTrusted = true,
): string {
  const { tree, statement } = read(predicateType, predicate, subject)
  return saysSentence(explain(tree, statement), subjectName(tree, statement), isTrusted)
}

const ours = 'https://gradle.com/attestation/'
const tested = 'https://in-toto.io/attestation/test-result/v0.1'
const scanned = 'https://in-toto.io/attestation/vulns/v0.2'
const slsa = 'https://slsa.dev/provenance/v1'

test('a long name is cut between characters, so that no mark stands for half of one', () => {
  const subject = [{ name: `${'x'.repeat(119)}🚀`, digest: { sha256: digest } }]
  expect(says(`${ours}build-tool/v1`, {}, subject)).toBe(`${'x'.repeat(119)}… was built.`)
})

test.each([
  [
    'https://slsa.dev/verification_summary/v1',
    { Result: 'PASSED', Verifier: 'https://v.example' },
    'No result is given for the verification of app.jar.',
  ],
  [`${ours}resolved-dependencies/v1`, { purls: [], Dependencies: ['a', 'b'] }, 'about app.jar.'],
  [
    'https://model_signing/signature/v1.0',
    { resources: [], serialization: { ignore_paths: ['a', 'b', 'c'] } },
    'about app.jar.',
  ],
  [slsa, { Builder: 'https://trusted.example' }, 'app.jar was built.'],
])('of %s nothing is said that stands in another field', (type, predicate, said) => {
  expect(says(type, predicate)).toContain(said)
})

test.each([
  [
    `${ours}build-tool/v1`,
    { toolType: 'gradle', toolVersion: '9.2.0', buildId: 'k3j7x2m4q7a4c' },
    'app.jar was built by Gradle 9.2.0 in build k3j7x2m4q7a4c.',
  ],
  [`${ours}build-tool/v1`, {}, 'app.jar was built.'],
  [
    `${ours}resolved-dependencies/v1`,
    { purls: ['pkg:npm/a@1', 'pkg:npm/b@2', 'pkg:npm/c@3', 'pkg:npm/d@4'] },
    'The build of app.jar resolved 4 dependencies: pkg:npm/a@1, pkg:npm/b@2, pkg:npm/c@3 and more.',
  ],
  [
    `${ours}java-toolchains/v1`,
    { toolchains: [{ vendor: 'Eclipse Temurin', versions: ['21.0.4'] }] },
    'app.jar was built with 1 Java toolchain: Eclipse Temurin 21.0.4.',
  ],
  [
    slsa,
    {
      buildDefinition: {
        externalParameters: {
          workflow: { repository: 'https://git.example/a', ref: 'refs/tags/v1' },
        },
      },
      runDetails: { builder: { id: 'https://ci.example/b' } },
    },
    'app.jar was built by https://ci.example/b from https://git.example/a at refs/tags/v1.',
  ],
  [
    'https://slsa.dev/verification_summary/v1',
    { verifier: { id: 'https://v.example' }, verificationResult: 'FAILED' },
    "app.jar didn't pass verification by https://v.example.",
  ],
  [
    'https://slsa.dev/verification_summary/v1',
    { verifier: { id: 'https://v.example' } },
    'No result is given for the verification of app.jar by https://v.example.',
  ],
  [tested, { result: 'PASSED', passedTests: ['a'] }, 'app.jar passed its tests.'],
  [tested, { result: 'WARNED' }, 'app.jar passed its tests, with warnings.'],
  [tested, { result: 'FAILED' }, 'app.jar failed its tests.'],
  [
    tested,
    { result: 'FAILED', passedTests: ['a'], failedTests: ['b', 'c'] },
    'app.jar failed 2 tests: b, c.',
  ],
  [tested, { result: 'ODD' }, 'A test result about app.jar.'],
  [tested, { result: 'PASSED', failedTests: ['a', 'b'] }, 'app.jar failed 2 tests: a, b.'],
  [tested, { result: 'failed' }, 'app.jar failed its tests.'],
  [
    'https://slsa.dev/verification_summary/v1',
    { verificationResult: 'PASSED', verification_result: 'FAILED' },
    "app.jar didn't pass verification.",
  ],
  [
    `${ours}java-toolchains/v1`,
    { toolchains: [{ vendor: 'V', versions: ['17', 21, null, '8'] }] },
    'app.jar was built with 1 Java toolchain: V 17, 21, null, 8.',
  ],
  [
    'https://cosign.sigstore.dev/attestation/vuln/v1',
    { scanner: { result: { matches: [{ vulnerability: { id: 'CVE-1' } }] } } },
    'A scan of app.jar found 1 vulnerability: CVE-1.',
  ],
  [
    scanned,
    { scanner: { result: { matches: [] } } },
    'A scan of app.jar found no vulnerabilities.',
  ],
  [scanned, { scanner: { result: { other: [] } } }, 'A vulnerability scan about app.jar.'],
  [
    scanned,
    {
      scanner: {
        result: {
          Results: [
            { Target: 'a', Vulnerabilities: [{ VulnerabilityID: 'CVE-1' }] },
            { Vulnerabilities: [{ VulnerabilityID: 'CVE-2' }, { VulnerabilityID: 'CVE-3' }] },
            { Target: 'c', Secrets: [{}] },
          ],
        },
      },
    },
    'A scan of app.jar found 3 vulnerabilities.',
  ],
  [
    scanned,
    { scanner: { result: { Results: [{ Target: 'a', Secrets: [{}] }] } } },
    'A vulnerability scan about app.jar.',
  ],
  [
    scanned,
    { scanner: { result: [{ id: 'CVE-1', severity: [] }, { id: 'CVE-2' }] } },
    'A scan of app.jar found 2 vulnerabilities: CVE-1, CVE-2.',
  ],
  [scanned, { scanner: { result: [] } }, 'A scan of app.jar found no vulnerabilities.'],
  [scanned, { scanner: {} }, 'A vulnerability scan about app.jar.'],
  [
    scanned,
    { scanner: { result: { matches: [], ignoredMatches: [{ vulnerability: { id: 'CVE-1' } }] } } },
    'A scan of app.jar found no vulnerabilities, not counting 1 ignored.',
  ],
  [
    'https://slsa.dev/verification_summary/v1',
    { verificationResult: 'PASSED', verifiedLevels: ['SLSA_BUILD_LEVEL_1', 'FAILED'] },
    "app.jar didn't pass verification.",
  ],
  [
    'https://slsa.dev/provenance/v0.2',
    {
      builder: { id: 'https://tekton.dev/chains/v2' },
      invocation: { configSource: { uri: 'git+https://github.com/tektoncd/catalog.git' } },
      materials: [{ uri: 'git+https://github.com/acme/app.git' }],
    },
    'app.jar was built by https://tekton.dev/chains/v2.',
  ],
  [
    'https://slsa.dev/provenance/v0.2',
    {
      invocation: { configSource: { uri: 'git+https://github.com/acme/app@refs/heads/main' } },
      materials: [{ uri: 'oci://image' }, { uri: 'git+https://github.com/acme/app.git' }],
    },
    'app.jar was built from git+https://github.com/acme/app@refs/heads/main.',
  ],
  [
    'https://slsa.dev/provenance/v0.2',
    {
      builder: { id: 'https://tekton.dev/chains/v2' },
      invocation: { configSource: { uri: 'git+ssh://git@github.com/tektoncd/catalog.git' } },
      materials: [{ uri: 'git+ssh://git@github.com/acme/app.git' }],
    },
    'app.jar was built by https://tekton.dev/chains/v2.',
  ],
  [
    'https://slsa.dev/provenance/v0.2',
    {
      invocation: { configSource: { uri: 'git+ssh://git@github.com/acme/app@refs/heads/main' } },
      materials: [{ uri: 'git+ssh://git@github.com/acme/app.git' }],
    },
    'app.jar was built from git+ssh://git@github.com/acme/app@refs/heads/main.',
  ],
  ['https://openvex.dev/ns/v0.2.0', {}, 'An OpenVEX document about app.jar.'],
  ['https://in-toto.io/attestation/release/v0.1', {}, 'Release data about app.jar.'],
])('%s %j is said as a sentence about its subject', (type, predicate, sentence) => {
  expect(says(type, predicate)).toBe(sentence)
})

test.each([
  [[{ name: 'chalk-5.6.0.tgz', digest: {} }], 'chalk-5.6.0.tgz'],
  [[{ name: 'pkg:npm/%40acme/chalk@5.6.0', digest: {} }], 'chalk 5.6.0'],
  [[{ name: `pkg:oci/checkout@${digest}?tag=2.4.0`, digest: {} }], 'checkout 2.4.0'],
  [[{ name: 'a', digest: {} }, { name: 'b' }, { name: 'c' }], 'a (and 2 more subjects)'],
  [[{ digest: { sha256: digest } }], 'sha256:aaaa…aaaa'],
  [[], 'something unnamed'],
])('the subject %j is called %s', (subject, name) => {
  expect(says(slsa, {}, subject, false)).toBe(`It claims that ${name} was built.`)
})

test('of many subjects the one that is compared is named', () => {
  const { tree, statement } = read(slsa, {}, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
  expect(subjectName(tree, statement, 1)).toBe('b (and 2 more subjects)')
})

test('what nobody trusted has signed is said to be a claim', () => {
  expect(says(slsa, {}, undefined, false)).toBe('It claims that app.jar was built.')
})

test('a kind without a sentence is said by its kind and subject, without names of fields', () => {
  const predicate = { note: `a\u202Eb`, list: [1, 2] }
  expect(says('https://example.com/other/v1', predicate)).toBe(
    'An attestation of an unknown type about app.jar.',
  )
  expect(says('https://cosign.sigstore.dev/attestation/v1', predicate)).toBe(
    'A cosign custom predicate about app.jar.',
  )
  const long = says(slsa, {}, [{ name: `a\u202Eb\n${'x'.repeat(5000)}`, digest: {} }])
  expect(long).toContain('a‹U+202E›b xx')
  expect(long.length).toBeLessThan(400)
})

test.each([
  ['https://in-toto.io/attestation/scai/v0.3', 'SCAI attributes about app.jar.'],
  ['https://in-toto.io/attestation/link/v0.3', 'An in-toto link about app.jar.'],
  ['https://syft.dev/bom', 'A Syft bill of materials about app.jar.'],
  ['https://docs.oasis-open.org/openeox/core/v1.0', 'An OpenEoX about app.jar.'],
])('%s alone is "%s"', (type, sentence) => {
  expect(says(type, {})).toBe(sentence)
})

test.each([
  [tested, { result: 'FAILED' }, true],
  [tested, { result: 'WARNED' }, false],
  [tested, {}, false],
  ['https://slsa.dev/verification_summary/v1', { verificationResult: 'FAILED' }, true],
  ['https://slsa.dev/verification_summary/v1', {}, true],
  ['https://slsa.dev/verification_summary/v1', { verificationResult: 'PASSED' }, false],
  [
    'https://slsa.dev/verification_summary/v1',
    { verificationResult: 'PASSED', verification_result: 'FAILED' },
    true,
  ],
  [
    'https://slsa.dev/verification_summary/v1',
    { verificationResult: 'PASSED', verification_result: 'PASSED' },
    false,
  ],
  [scanned, { result: 'FAILED' }, false],
  [tested, { result: 'PASSED', failedTests: ['a'] }, true],
  [tested, { result: 'WARNED' }, false],
  [tested, { result: 'ERROR' }, true],
  [tested, { result: 'Passed' }, true],
  [
    'https://slsa.dev/verification_summary/v1',
    { verificationResult: 'PASSED', verifiedLevels: ['FAILED'] },
    true,
  ],
  [tested, { result: 'PASSED', failedTests: [] }, false],
  [`${ours}policyscan/v1`, { entries: [{ status: 'UNSATISFIED' }] }, true],
  [`${ours}policyscan/v1`, { entries: [{ status: 'satisfied' }] }, false],
  ['https://in-toto.io/attestation/svr/v0.1', { result: 'FAILED' }, true],
  ['https://in-toto.io/attestation/svr/v0.1', { properties: [] }, false],
  ['https://in-toto.io/attestation/link/v0.3', { byproducts: { 'return-value': 1 } }, true],
  ['https://in-toto.io/attestation/link/v0.3', { byproducts: { 'return-value': 0 } }, false],
])('%s %j says that its subject failed: %j', (type, predicate, isFailure) => {
  expect(saysFailure(explained(type, predicate))).toBe(isFailure)
})

function explained(predicateType: string, predicate: unknown): Explanation {
  const { tree, statement } = read(predicateType, predicate, [])
  return explain(tree, statement)
}

function origins(predicateType: string, predicate: unknown): readonly Origin[] {
  return originsOf(explained(predicateType, predicate))
}

test('what is a link in its field is not linked again', () => {
  const predicate = { buildScanUri: 'https://builds.example/s/k3j7x2m4q7a4c', purls: [] }
  expect(origins('https://gradle.com/attestation/resolved-dependencies/v1', predicate)).toEqual([])
  expect(origins(tested, { url: 'https://ci.example/1' })).toEqual([])
})

test('a source that is named for git leads to its repository', () => {
  const configSource = { uri: 'git+https://github.com/acme/app@refs/heads/main' }
  expect(origins('https://slsa.dev/provenance/v0.2', { invocation: { configSource } })).toEqual([
    { text: 'Configuration', address: 'https://github.com/acme/app' },
  ])
})

test('provenance leads to its commit, and never to a script', () => {
  const commit = 'c'.repeat(40)
  const predicate = {
    buildDefinition: {
      externalParameters: { workflow: { repository: 'https://github.com/acme/app' } },
      resolvedDependencies: [
        { uri: 'git+https://github.com/acme/app@refs/heads/main', digest: { gitCommit: commit } },
        { uri: 'git+javascript:alert(1)', digest: { gitCommit: commit } },
      ],
    },
    runDetails: { metadata: { invocationId: 'https://github.com/acme/app/actions/runs/1' } },
  }
  expect(origins('https://slsa.dev/provenance/v1', predicate)).toEqual([
    { text: 'Commit cccccccccccc', address: `https://github.com/acme/app/commit/${commit}` },
  ])
})
