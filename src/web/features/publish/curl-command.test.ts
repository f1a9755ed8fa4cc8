import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlCommand } from './curl-command.ts'

const question = {
  address: { type: 'npm', namespace: '@acme', name: "it's", version: '1.0 beta' },
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.acme.example/shop',
  builds: ['aaaaaaaaaaaa1'],
  queries: [`tag:"it's $(touch x) \`y\`" and user:ada`],
}

test('a shell reads the request as it was meant, whatever the query holds', () => {
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlCommand(question)}`
  const told = execFileSync('sh', ['-c', script], {
    env: { GOVERNOR_URL: 'https://governor.example.com', GOVERNOR_TOKEN: 'canary' },
    encoding: 'utf8',
  })
  expect(told).toContain(
    "https://governor.example.com/packages/npm/@acme/it's/1.0%20beta/attestations",
  )
  const body: unknown = JSON.parse(told.slice(told.indexOf('{')))
  expect(body).toEqual({
    sha256: question.sha256,
    repositoryUrl: question.repositoryUrl,
    buildScan: { ids: question.builds, queries: question.queries },
  })
})

test('without a selection nothing is selected', () => {
  expect(curlCommand({ ...question, builds: [], queries: [] })).not.toContain('buildScan')
})
