import { expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { explain } from '../../../attestation/explain.ts'
import { originsOf, type Origin } from './origins.ts'

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
