import { expect, test } from 'vitest'
import { readPublishAddress } from './publish-address.ts'
import { needsZone, readDraft, withReference } from './read-draft.ts'

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

test('every mistake is told at once, each at its part', () => {
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
    mistakes: { sha256: 'The digest is missing: 64 hexadecimal digits.' },
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
