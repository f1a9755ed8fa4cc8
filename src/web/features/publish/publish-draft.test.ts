import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  addedText,
  buildIdMistake,
  curlCommand,
  needsZone,
  readBuildIds,
  readDraft,
  readPublishAddress,
  withBuildIds,
  writePublishAddress,
} from './publish-draft.ts'
import { withReference } from '../../domain/package/package-fields.tsx'

test('what is read is written again', () => {
  const text =
    'builds=aaaaaaaaaaaa1%2Caaaaaaaaaaaa2&query=project%3Acheckout&query=tag%3A%22a%2Cb%22&zone=Europe%2FBerlin&package=pkg%3Aoci%2Fa%401&sha256=ab&repository=r.example%2Fshop'
  const draft = readPublishAddress({ search: `?${text}`, hash: '' })
  expect(draft).toEqual({
    builds: ['aaaaaaaaaaaa1', 'aaaaaaaaaaaa2'],
    queries: ['project:checkout', 'tag:"a,b"'],
    zone: 'Europe/Berlin',
    reference: 'pkg:oci/a@1',
    sha256: 'ab',
    repositoryUrl: 'r.example/shop',
  })
  expect(writePublishAddress(draft)).toEqual({ search: `?${text}`, hash: '' })
})

test.each([
  { repositoryUrl: 'https://user:canary@r.example/shop' },
  { repositoryUrl: 'user:canary@r.example/shop' },
  { reference: 'https://user:canary@r.example/packages/oci/a/1' },
  { reference: 'pkg:oci/a@1?repository_url=https%3A%2F%2Fuser%3Acanary%40r.example' },
  { builds: ['aaaaaaaaaaaa1', 'https://user:canary@builds.example/s/x'] },
])('no password gets into the address: %j', (part) => {
  const draft = { ...readPublishAddress({ search: '', hash: '' }), ...part }
  const { search, hash } = writePublishAddress(draft)
  expect(decodeURIComponent(search + hash)).not.toContain('canary')
})

test('a digest behind @ is no password', () => {
  const reference = 'r.example/shop/app:1.2@sha256:ab'
  const draft = { ...readPublishAddress({ search: '', hash: '' }), reference }
  expect(readPublishAddress(writePublishAddress(draft)).reference).toBe(reference)
})

test('an id comes once, a wrong one stays to be marked, and a zone that is none is not taken', () => {
  const search = '?builds=nope,aaaaaaaaaaaa1,,nope&builds=aaaaaaaaaaaa1&zone=x/y'
  const { builds, zone } = readPublishAddress({ search, hash: '' })
  expect([builds, zone]).toEqual([['nope', 'aaaaaaaaaaaa1'], undefined])
})

test('nothing chosen is an empty address', () => {
  const draft = readPublishAddress({ search: '', hash: '' })
  expect(writePublishAddress({ ...draft, queries: ['', ' '] })).toEqual({ search: '', hash: '' })
})

test('a thousand builds make no address that a server refuses, and all are read again', () => {
  const builds = Array.from({ length: 1000 }, (_, index) => `a${String(index).padStart(12, '0')}`)
  const draft = {
    ...readPublishAddress({ search: '?package=pkg%3Aoci%2Fa%401', hash: '' }),
    builds: [...builds, 'wrong&builds=#%'],
  }
  const address = writePublishAddress(draft)
  expect(address.search).toBe('?package=pkg%3Aoci%2Fa%401')
  expect(readPublishAddress(address)).toEqual(draft)
  const few = writePublishAddress({ ...draft, builds: builds.slice(0, 100) })
  expect(few.hash).toBe('')
})

const hex = 'ab'.repeat(32)
const empty = readPublishAddress({ search: '', hash: '' })
const whole = {
  ...empty,
  builds: ['aaaaaaaaaaaa1'],
  queries: ['project:checkout', ' ', 'buildStartTime>2026-07-01T10:00'],
  reference: 'pkg:oci/checkout@2.4.0',
  sha256: `SHA256:${hex.toUpperCase()}`,
  repositoryUrl: 'registry.acme.example/shop',
}

test('what can be read is sent as the service wants it', () => {
  expect(readDraft(whole, 'Europe/Berlin')).toEqual({
    ok: true,
    question: {
      address: { type: 'oci', name: 'checkout', version: '2.4.0' },
      sha256: hex,
      repositoryUrl: 'registry.acme.example/shop',
      builds: ['aaaaaaaaaaaa1'],
      queries: ['project:checkout', expect.stringMatching(/2026-07-01T10:00\+02:00/)],
    },
  })
  expect([needsZone(whole.queries), needsZone(['project:a'])]).toEqual([true, false])
})

test('every error is reported at once, each at its part', () => {
  const read = readDraft({ ...empty, builds: ['x'], queries: ['projct:a'] }, 'UTC')
  expect(read.ok ? [] : Object.keys(read.mistakes)).toEqual([
    'builds',
    'queries',
    'reference',
    'sha256',
    'repositoryUrl',
  ])
})

test('a package without a digest is not sent', () => {
  const read = readDraft({ ...whole, sha256: '' }, 'UTC')
  expect(read).toEqual({
    ok: false,
    mistakes: { sha256: 'Enter the digest: 64 hexadecimal digits.' },
  })
})

test('an image fills in its digest and registry, and takes them along when it goes', () => {
  const named = withReference(empty, `registry.acme.example/shop/app:1@sha256:${hex}`)
  expect(named).toMatchObject({ sha256: hex, repositoryUrl: 'registry.acme.example/shop' })
  expect(
    withReference({ ...named, repositoryUrl: 'mirror.example' }, 'com.acme:a:1'),
  ).toMatchObject({
    sha256: '',
    repositoryUrl: 'mirror.example',
  })
})

const question = {
  address: { type: 'npm', namespace: '@acme', name: "it's", version: '1.0 beta' },
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.acme.example/shop',
  builds: ['aaaaaaaaaaaa1'],
  queries: [`tag:"it's $(touch x) \`y\`" and user:ada`],
}

test('a shell reads the request as it was meant, whatever the query holds', () => {
  const script = `curl() { printf '%s\\n' "$@"; }\n${curlCommand(question)}`
  const fields = execFileSync('sh', ['-c', script], {
    env: { GOVERNOR_URL: 'https://governor.example.com', GOVERNOR_TOKEN: 'canary' },
    encoding: 'utf8',
  })
  expect(fields).toContain(
    "https://governor.example.com/packages/npm/@acme/it's/1.0%20beta/attestations",
  )
  const body: unknown = JSON.parse(fields.slice(fields.indexOf('{')))
  expect(body).toEqual({
    sha256: question.sha256,
    repositoryUrl: question.repositoryUrl,
    buildScan: { ids: question.builds, queries: question.queries },
  })
})

test('without a selection nothing is selected', () => {
  expect(curlCommand({ ...question, builds: [], queries: [] })).not.toContain('buildScan')
})

test('ids are read from lines, commas and addresses of builds, each once', () => {
  const text =
    'aaaaaaaaaaaa1, aaaaaaaaaaaa2\r\nhttps://builds.example.com/s/aaaaaaaaaaaa3#failure\n/builds/aaaaaaaaaaaa4?tab=tests aaaaaaaaaaaa1'
  expect(readBuildIds(text)).toEqual([
    'aaaaaaaaaaaa1',
    'aaaaaaaaaaaa2',
    'aaaaaaaaaaaa3',
    'aaaaaaaaaaaa4',
  ])
  expect(readBuildIds(' ,\n')).toEqual([])
})

test.each([
  ['aaaaaaaaaaaa1', undefined],
  ['AAAAAAAAAAAA1', undefined],
  ['aaaaaaaaaaaa!', 'A build id has letters and digits only.'],
  ['abc', 'A build id has 13 letters and digits; this one has 3 characters.'],
])('%s is marked with its reason', (id, mistake) => {
  expect(readBuildIds(id)).toEqual([id])
  expect(buildIdMistake(id)).toBe(mistake)
})

test('what is pasted comes behind what was chosen, and nothing twice', () => {
  const chosen = ['aaaaaaaaaaaa1']
  expect(withBuildIds(chosen, 'aaaaaaaaaaaa2 aaaaaaaaaaaa1')).toEqual([
    'aaaaaaaaaaaa1',
    'aaaaaaaaaaaa2',
  ])
  expect(withBuildIds(chosen, ' \n')).toBe(chosen)
})

test.each([
  ['aaaaaaaaaaaa2', '1 build added.'],
  ['aaaaaaaaaaaa2 aaaaaaaaaaaa3 nonsense', "2 builds added, 1 entry isn't a build id."],
  [
    'aaaaaaaaaaaa2 aaaaaaaaaaaa2 aaaaaaaaaaaa1 x y',
    "1 build added, 2 entries aren't build ids, 2 duplicates skipped.",
  ],
  ['aaaaaaaaaaaa1', '0 builds added, 1 duplicate skipped.'],
  [' ,\n', ''],
])('pasting %s is summed up in a sentence', (text, said) => {
  expect(addedText(['aaaaaaaaaaaa1'], text)).toBe(said)
})
