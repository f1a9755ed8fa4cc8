import { expect, test } from 'vitest'
import { decodedStatement } from '../../../attestation/signing.test-support.ts'
import { algorithmsFor, compareSubjects, readDigest, subjectLine } from './compared-digest.ts'

const a = 'a'.repeat(64)

test.each([
  [a, { algorithm: 'sha256', value: a }],
  [` SHA256:${a.toUpperCase()} `, { algorithm: 'sha256', value: a }],
  [`sha512-${'e'.repeat(128)}`, { algorithm: 'sha512', value: 'e'.repeat(128) }],
  ['sha256:abc', undefined],
  ['md5:' + 'd'.repeat(32), { algorithm: 'md5', value: 'd'.repeat(32) }],
  ['d'.repeat(32), undefined],
  ['gitcommit:' + 'd'.repeat(40), { algorithm: 'gitCommit', value: 'd'.repeat(40) }],
  [`SHA3-256:${a}`, { algorithm: 'sha3_256', value: a }],
  [`foo:${a}`, undefined],
  [`SHA-256:${a}`, { algorithm: 'sha256', value: a }],
  ['', undefined],
])('the typed digest %s is read', (text, digest) => {
  expect(readDigest(text)).toEqual(digest)
})

function algorithms(...digests: readonly Record<string, string>[]) {
  return algorithmsFor(decodedStatement(digests.map((digest) => ({ digest }))))
}

test('a file is hashed as the subjects are, and no further', () => {
  expect(algorithms({ sha256: 'a' })).toEqual(['sha256'])
  expect(algorithms({ sha512: 'a' }, { sha1: 'b', sha384: 'c' })).toEqual([
    'sha512',
    'sha384',
    'sha1',
  ])
  expect(algorithms({ md5: 'a', gitBlob: 'b', sm3: 'c' })).toEqual(['gitBlob', 'md5'])
  expect(algorithms({ gitCommit: 'a' })).toEqual(['sha256'])
  expect(algorithms()).toEqual(['sha256'])
  const many = Array.from({ length: 1_500 }, () => ({ sha256: 'a' }))
  expect(algorithms(...many, { sha512: 'b' })).toEqual(['sha256', 'sha512'])
})

test.each([
  [[{ name: 'a' }], 'its subject has no digest, so nothing can match.'],
  [
    [{ name: 'a', digest: {} }, { digest: 1 }],
    'its subjects have no digest, so nothing can match.',
  ],
  [
    [{ name: 'a' }, { digest: { sha256: a } }],
    'nothing to compare with. Drop a file, or enter a digest.',
  ],
])(
  'the page offers to compare a file only where a subject has a digest: %j',
  (subject, sentence) => {
    expect(subjectLine(decodedStatement(subject), []).sentence).toBe(sentence)
  },
)

/** The line where the subject is compared with `what`, whose sha256 is `a`. */
function lineOf(subject: unknown, what: string) {
  const decoded = decodedStatement(subject)
  const digests = [{ algorithm: 'sha256', value: a }]
  return subjectLine(decoded, compareSubjects(decoded, [{ what, digests }]))
}

test('a subject that has no digest in common keeps the others from deciding', () => {
  const other = [{ digest: { sha256: 'b'.repeat(64) } }, { digest: { sha512: 'e'.repeat(128) } }]
  expect(lineOf(other, 'your digest')).toEqual({
    tone: 'waiting',
    word: 'not compared',
    sentence:
      'may be your digest or not: not every subject has a sha256, and those that have one have another.',
  })
})

test.each([
  [
    'A'.repeat(64),
    "its sha256 is uppercase, which in-toto doesn't allow. Written as it should be, it would match.",
  ],
  [
    `sha256:${a}`,
    'its sha256 begins with "sha256:", which in-toto doesn\'t allow. Written as it should be, it would match.',
  ],
  [
    ` ${a}`,
    "its sha256 has spaces around it, which in-toto doesn't allow. Written as it should be, it would match.",
  ],
  ['B'.repeat(64), "its sha256 is uppercase, which in-toto doesn't allow."],
  ['abc', "its sha256 has 3 digits instead of 64, which in-toto doesn't allow."],
])('of a subject with the sha256 "%s" it is said why it can\'t be compared', (sha256, why) => {
  expect(lineOf([{ digest: { sha256 } }], 'this package')).toEqual({
    tone: 'waiting',
    word: 'not compared',
    sentence: `can't be compared with this package: ${why}`,
  })
})
