import { expect, test } from 'vitest'
import { decodedItem, decodedStatement } from '../signing.test-support.ts'
import { matchSubjects, type NamedDigest, type SubjectMatch } from './match-subjects.ts'

const a = 'a'.repeat(64)
const b = 'b'.repeat(64)

function match(
  subject: unknown,
  algorithm: string,
  value: string,
  predicate: unknown = {},
): SubjectMatch {
  return matchAll(subject, [{ algorithm, value }], predicate)
}

function matchAll(
  subject: unknown,
  digests: readonly NamedDigest[],
  predicate: unknown = {},
): SubjectMatch {
  const decoded = decodedStatement(subject, { predicate })
  return matchSubjects(decoded, digests)
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
  expect(match(subjects, 'sha256', b)).toMatchObject({ kind: 'equal', subjects: [1] })
})

test('the digest elsewhere in the statement, or under another name, is no match', () => {
  const subjects = [{ name: a, digest: { sha256: b }, annotations: { digest: { sha256: a } } }]
  expect(match(subjects, 'sha256', a, { subject: [{ digest: { sha256: a } }] })).toEqual({
    kind: 'different',
    missing: { algorithm: 'sha256', value: a },
    equal: undefined,
  })
  expect(match([{ digest: { sha3_256: a } }], 'sha256', a)).toEqual({
    kind: 'incomparable',
    isPartial: false,
  })
})

test('where no algorithm is in common, or no length of it, nothing can be said', () => {
  expect(match([{ digest: { gitCommit: 'c'.repeat(40) } }], 'sha256', a).kind).toBe('incomparable')
  expect(match([{ digest: { gitBlob: a } }], 'gitBlob', 'c'.repeat(40)).kind).toBe('incomparable')
  expect(match([{ digest: { sha256: 'abc' } }], 'sha256', a).kind).toBe('incomparable')
})

const sha1 = 'c'.repeat(40)
const md5 = 'd'.repeat(32)
const file = [
  { algorithm: 'sha256', value: a },
  { algorithm: 'gitBlob', value: a },
  { algorithm: 'gitBlob', value: sha1 },
  { algorithm: 'sha1', value: sha1 },
  { algorithm: 'md5', value: md5 },
]
const otherMd5 = 'e'.repeat(32)

test.each([
  ['a strong digest', [{ sha256: a }], { kind: 'equal', algorithm: 'sha256' }],
  ['a strong one behind weak ones', [{ md5, sha1, sha256: a }], { kind: 'equal', value: a }],
  ['SHA-1 alone', [{ sha1 }], { kind: 'weak', algorithm: 'sha1', subjects: [0] }],
  ['MD5 alone', [{ md5 }], { kind: 'weak', algorithm: 'md5' }],
  ['both of them', [{ sha1, md5 }], { kind: 'weak', subjects: [0] }],
  ['a short name of Git', [{ gitBlob: sha1 }], { kind: 'weak', algorithm: 'gitBlob' }],
  ['a long name of Git', [{ gitBlob: a }], { kind: 'equal', algorithm: 'gitBlob' }],
  ['MD5 beside what is not made here', [{ md5, sm3: b }], { kind: 'weak' }],
  [
    'MD5, and another SHA-256',
    [{ md5, sha256: b }],
    { kind: 'different', missing: file[0], equal: 'md5' },
  ],
  [
    'SHA-256, and another MD5',
    [{ sha256: a, md5: otherMd5 }],
    { kind: 'different', missing: file[4], equal: 'sha256' },
  ],
  ['another MD5 alone', [{ md5: otherMd5 }], { kind: 'different', missing: file[4] }],
  [
    'weak ones, and strong ones of another subject',
    [{ sha1 }, { sha256: a }, { sha256: b }],
    { kind: 'equal', algorithm: 'sha256', subjects: [1] },
  ],
  [
    'a contradiction behind a plain difference',
    [{ sha256: b }, { md5, sha256: b }],
    { kind: 'different', equal: 'md5' },
  ],
])('%s of a subject, against all digests of a file', (_name, digests, expected) => {
  expect(
    matchAll(
      digests.map((digest) => ({ digest })),
      file,
    ),
  ).toMatchObject(expected)
})

test('of a digest that stands twice with two values, neither is believed', () => {
  const text = `{"_type":"https://in-toto.io/Statement/v1","predicateType":"x:y","subject":[{"digest":{"sha256":"${a}","sha256":"${b}"}}]}`
  const decoded = decodedItem(text)
  expect(matchSubjects(decoded, file).kind).toBe('different')
})

test.each([
  ['application/vnd.in-toto+json', 'https://in-toto.io/Statement/v0.1', undefined],
  ['application/vnd.in-toto.provenance+json', 'https://in-toto.io/Statement/v1', undefined],
  [
    'application/vnd.acme.config+json',
    'https://in-toto.io/Statement/v1',
    'The payload type "application/vnd.acme.config+json" isn\'t that of an in-toto statement.',
  ],
  [
    'application/vnd.in-toto+json',
    'https://example.com/NotAStatement/v9',
    'The "_type" "https://example.com/NotAStatement/v9" isn\'t that of an in-toto statement.',
  ],
  ['application/vnd.in-toto+json', undefined, 'The statement has no "_type".'],
  ['application/vnd.in-toto+json', null, 'The statement has no "_type".'],
])(
  'a payload of type %s and "_type" %s is read for subjects or not',
  (payloadType, _type, reason) => {
    const text = JSON.stringify({
      _type,
      predicateType: 'x:y',
      subject: [{ digest: { sha256: a } }],
    })
    const payload = Buffer.from(text).toString('base64')
    const decoded = decodedItem({ payloadType, payload, signatures: [] })
    expect(matchSubjects(decoded, [{ algorithm: 'sha256', value: a }])).toMatchObject(
      reason === undefined ? { kind: 'equal' } : { kind: 'not-a-statement', reason },
    )
  },
)

test('where some subjects are others and some have no digest in common, nothing can be said', () => {
  const open = { digest: { sha512: 'e'.repeat(128) } }
  const partial = { kind: 'incomparable', isPartial: true }
  const other = { digest: { sha256: b } }
  expect(match([other, open], 'sha256', a)).toEqual(partial)
  expect(match([open, other], 'sha256', a)).toEqual(partial)
  expect(match([open, other, { digest: { sha256: a } }], 'sha256', a).kind).toBe('equal')
  expect(match([other, open, other], 'sha512', 'e'.repeat(128)).kind).toBe('equal')
  // What can match nothing, or never is a file, leaves nothing open.
  const commit = { digest: { gitCommit: 'c'.repeat(40) } }
  for (const closed of [commit, {}, { digest: { sha512: 'e' } }, { digest: { sha256: 'A' } }]) {
    expect(match([other, closed], 'sha256', a).kind).toBe('different')
  }
  expect(match([other, { digest: { sha256: b, sha512: 'e'.repeat(128) } }], 'sha256', a).kind).toBe(
    'different',
  )
})
