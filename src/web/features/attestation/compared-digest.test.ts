import { expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { matchSubjects, readDigest, type SubjectMatch } from './compared-digest.ts'

const a = 'a'.repeat(64)
const b = 'b'.repeat(64)

function match(
  subject: unknown,
  algorithm: string,
  value: string,
  predicate: unknown = {},
): SubjectMatch {
  const decoded = decode(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject,
      predicateType: 'x:y',
      predicate,
    }),
  )
  if (!decoded.ok || decoded.statement === undefined || decoded.content.kind !== 'json')
    throw new Error('no statement')
  return matchSubjects(decoded.content.tree, decoded.statement, {
    what: 'it',
    digests: [{ algorithm, value }],
  })
}

test('every subject with the digest is found, by digest alone', () => {
  const subjects = [
    { name: 'one', digest: { sha256: a } },
    { name: 'two', digest: { sha256: b, gitCommit: 'c'.repeat(40) } },
    { name: 'three', digest: { sha256: a } },
  ]
  expect(match(subjects, 'sha256', a.toUpperCase())).toEqual({
    kind: 'equal',
    algorithm: 'sha256',
    value: a,
    subjects: [0, 2],
  })
  expect(match(subjects, 'gitCommit', 'c'.repeat(40))).toMatchObject({
    kind: 'equal',
    subjects: [1],
  })
})

test('the digest elsewhere in the statement, or under another name, is no match', () => {
  const subjects = [{ name: a, digest: { sha256: b }, annotations: { digest: { sha256: a } } }]
  expect(match(subjects, 'sha256', a, { subject: [{ digest: { sha256: a } }] })).toEqual({
    kind: 'different',
  })
  expect(match([{ digest: { sha3_256: a } }], 'sha256', a)).toEqual({ kind: 'incomparable' })
})

test('md5 proves nothing, and where no algorithm is in common nothing can be said', () => {
  expect(match([{ digest: { md5: 'd'.repeat(32) } }], 'md5', 'd'.repeat(32)).kind).toBe(
    'incomparable',
  )
  expect(match([{ digest: { gitCommit: 'c'.repeat(40) } }], 'sha256', a).kind).toBe('incomparable')
})

test.each([
  [a, { algorithm: 'sha256', value: a }],
  [` SHA256:${a.toUpperCase()} `, { algorithm: 'sha256', value: a }],
  [`sha512-${'e'.repeat(128)}`, { algorithm: 'sha512', value: 'e'.repeat(128) }],
  ['sha256:abc', undefined],
  ['md5:' + 'd'.repeat(32), undefined],
  ['', undefined],
])('the typed digest %s is read', (text, digest) => {
  expect(readDigest(text)).toEqual(digest)
})
