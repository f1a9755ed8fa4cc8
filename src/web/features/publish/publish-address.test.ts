import { expect, test } from 'vitest'
import { readPublishAddress, writePublishAddress } from './publish-address.ts'

test('what is read is written again', () => {
  const text =
    'builds=aaaaaaaaaaaa1%2Caaaaaaaaaaaa2&query=project%3Acheckout&query=tag%3A%22a%2Cb%22&zone=Europe%2FBerlin&package=pkg%3Aoci%2Fa%401&sha256=ab&repository=r.example%2Fshop'
  const draft = readPublishAddress(new URLSearchParams(text))
  expect(draft).toEqual({
    builds: ['aaaaaaaaaaaa1', 'aaaaaaaaaaaa2'],
    queries: ['project:checkout', 'tag:"a,b"'],
    zone: 'Europe/Berlin',
    reference: 'pkg:oci/a@1',
    sha256: 'ab',
    repositoryUrl: 'r.example/shop',
  })
  expect(writePublishAddress(draft).toString()).toBe(text)
})

test('an id comes once, a wrong one stays to be marked, and a zone that is none is not taken', () => {
  const search = new URLSearchParams(
    'builds=nope,aaaaaaaaaaaa1,,nope&builds=aaaaaaaaaaaa1&zone=x/y',
  )
  const { builds, zone } = readPublishAddress(search)
  expect([builds, zone]).toEqual([['nope', 'aaaaaaaaaaaa1'], undefined])
})

test('nothing chosen is an empty address', () => {
  const draft = readPublishAddress(new URLSearchParams())
  expect(writePublishAddress({ ...draft, queries: ['', ' '] }).toString()).toBe('')
})
