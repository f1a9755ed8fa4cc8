import { expect, test } from 'vitest'
import { readPublishAddress, writePublishAddress } from './publish-address.ts'

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
