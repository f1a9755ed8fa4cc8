import { expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { explain } from '../../../attestation/explain.ts'
import { type Origin, originsOf, saysSentence } from './says.ts'

function says(predicateType: string, predicate: unknown): string {
  const decoded = decode(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: 'a'.repeat(64) } }],
      predicateType,
      predicate,
    }),
  )
  if (!decoded.ok || decoded.statement === undefined || decoded.content.kind !== 'json')
    throw new Error('no statement')
  return saysSentence(explain(decoded.content.tree, decoded.statement))
}

const ours = 'https://gradle.com/attestation/'

test.each([
  [
    `${ours}build-tool/v1`,
    { toolType: 'gradle', toolVersion: '9.2.0', buildId: 'k3j7x2m4q7a4c' },
    'Claims: built by Gradle 9.2.0 in build k3j7x2m4q7a4c.',
  ],
  [`${ours}build-tool/v1`, {}, 'Claims: built by an unnamed artifact.'],
  [
    `${ours}resolved-dependencies/v1`,
    { purls: ['pkg:npm/a@1', 'pkg:npm/b@2', 'pkg:npm/c@3', 'pkg:npm/d@4'] },
    'Claims: its build resolved 4 dependencies: pkg:npm/a@1, pkg:npm/b@2, pkg:npm/c@3, …',
  ],
  [
    `${ours}java-toolchains/v1`,
    { toolchains: [{ vendor: 'Eclipse Temurin', versions: ['21.0.4'] }] },
    'Claims: built with 1 Java toolchain: Eclipse Temurin 21.0.4.',
  ],
  [
    'https://slsa.dev/provenance/v1',
    {
      buildDefinition: {
        externalParameters: {
          workflow: { repository: 'https://git.example/a', ref: 'refs/tags/v1' },
        },
      },
      runDetails: { builder: { id: 'https://ci.example/b' } },
    },
    'Claims: built by https://ci.example/b from https://git.example/a at refs/tags/v1.',
  ],
])('%s %j is said as a sentence', (type, predicate, sentence) => {
  expect(says(type, predicate)).toBe(sentence)
})

test('what an unknown predicate holds is shown without hidden characters or endless text', () => {
  const sentence = says('https://example.com/other/v1', {
    note: `a\u202Eb\n${'x'.repeat(5000)}`,
    list: [1, 2],
  })
  expect(sentence).toContain('note a‹U+202E›b xx')
  expect(sentence).toContain('list (2)')
  expect(sentence.length).toBeLessThan(400)
})

function origins(predicateType: string, predicate: unknown): readonly Origin[] {
  const decoded = decode(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [],
      predicateType,
      predicate,
    }),
  )
  if (!decoded.ok || decoded.statement === undefined || decoded.content.kind !== 'json')
    throw new Error('no statement')
  return originsOf(explain(decoded.content.tree, decoded.statement))
}

test('a build scan of this server leads to the page of its build', () => {
  const predicate = { buildScanUri: 'https://builds.example/s/k3j7x2m4q7a4c', purls: [] }
  expect(origins('https://gradle.com/attestation/resolved-dependencies/v1', predicate)).toEqual([
    { text: 'Build k3j7x2m4q7a4c', to: '/builds/k3j7x2m4q7a4c' },
  ])
})

test('provenance leads to its source, run and commit, and never to a script', () => {
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
    { text: 'Source', address: 'https://github.com/acme/app' },
    { text: 'Run', address: 'https://github.com/acme/app/actions/runs/1' },
    { text: 'Commit cccccccccccc', address: `https://github.com/acme/app/commit/${commit}` },
  ])
})
