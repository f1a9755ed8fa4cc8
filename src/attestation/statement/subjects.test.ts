import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { placesOfText } from '../decode/finding.ts'
import { countOf, kindOf, property } from '../decode/json-tree.ts'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import { runs } from '../../property-runs.test-support.ts'
import {
  algorithmNamed,
  checkSubjects,
  digestsAt,
  isWeakDigest,
  judgeDigest,
  subjectAt,
  subjectNodes,
} from './subjects.ts'

function treeOf(text: string) {
  const parsed = parseJsonTree(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.tree
}

function subject(value: unknown) {
  return subjectAt(treeOf(JSON.stringify(value)), 0)
}
const sha256 = 'a'.repeat(64)

test.each([
  ['a good digest', { digest: { sha256 } }, undefined],
  ['a good one beside an unknown one', { digest: { foo: 'x', sha256 } }, undefined],
  ['a Git commit', { digest: { gitCommit: 'b'.repeat(40) } }, undefined],
  ['no digest', { name: 'a' }, /no digest/],
  ['an empty digest', { digest: {} }, /no digest/],
  ['a digest that is text', { digest: sha256 }, /isn't an object,/],
  ['a digest that is an empty list', { digest: [] }, /isn't an object,/],
  ['a digest that is a number', { digest: { sha256: 7 } }, /isn't text/],
  ['an algorithm in the wrong case', { digest: { SHA256: sha256 } }, /wrong case/],
  ['an unknown algorithm', { digest: { crc32: 'abcdef01' } }, /unknown algorithm/],
  ['a digest in upper case', { digest: { sha256: sha256.toUpperCase() } }, /uppercase/],
  ['a digest that is too short', { digest: { sha256: 'abc123' } }, /has 6 digits instead of 64/],
  ['a digest that is no hex', { digest: { sha512: 'xyz' } }, /isn't hexadecimal/],
  ['a digest that begins with no hex', { digest: { sha256: `x${sha256}` } }, /isn't hexadecimal/],
  ['a digest that ends with no hex', { digest: { sha256: `${sha256}x` } }, /isn't hexadecimal/],
  ['no digits at all', { digest: { shake256: '' } }, /isn't hexadecimal/],
  ['md5', { digest: { md5: 'a'.repeat(32) } }, undefined],
  ['md5 of the wrong length', { digest: { md5: 'a'.repeat(31) } }, /has 31 digits instead of 32/],
  ['one of two lengths', { digest: { gitTag: 'ab' } }, /has 2 digits instead of 40 or 64/],
  ['the hash of a directory in hex', { digest: { dirHash1: sha256 } }, undefined],
  ['the same by its older name', { digest: { goModuleH1: sha256 } }, undefined],
  ['the same in base64', { digest: { dirHash: `h1:${'A'.repeat(43)}=` } }, undefined],
  [
    'the same without its version',
    { digest: { dirHash2: 'x', dirHash: `${'A'.repeat(43)}=` } },
    undefined,
  ],
  ['a directory hash that is none', { digest: { dirHash: 'abc' } }, /isn't a directory hash/],
  ['one with more before it', { digest: { dirHash: `a${sha256}` } }, /isn't a directory hash/],
  ['one with more behind it', { digest: { dirHash: `${sha256}a` } }, /isn't a directory hash/],
  ['one in base64 that goes on', { digest: { dirHash: `${'A'.repeat(43)}==` } }, /directory hash/],
  ['the first of two that are odd', { digest: { crc32: 'a', sha256: 7 } }, /unknown algorithm/],
  ['nothing at all', 'app', /isn't an object,/],
])('%s', (_name, value, problem) => {
  if (problem === undefined) expect(subject(value).problem).toBeUndefined()
  else expect(subject(value).problem).toMatch(problem)
})

/** The DigestSet of in-toto: how many hex digits each algorithm may have; any where none is said. */
const digestSet: readonly (readonly [string, readonly number[]])[] = [
  ['md5', [32]],
  ['sha1', [40]],
  ['sha224', [56]],
  ['sha256', [64]],
  ['sha384', [96]],
  ['sha512', [128]],
  ['sha512_224', [56]],
  ['sha512_256', [64]],
  ['sha3_224', [56]],
  ['sha3_256', [64]],
  ['sha3_384', [96]],
  ['sha3_512', [128]],
  ['shake128', []],
  ['shake256', []],
  ['blake2b', [64, 128]],
  ['blake2s', [64]],
  ['ripemd160', [40]],
  ['sm3', [64]],
  ['gost', [64]],
  ['gitCommit', [40, 64]],
  ['gitTree', [40, 64]],
  ['gitBlob', [40, 64]],
  ['gitTag', [40, 64]],
]

test.each(digestSet)('%s has hex digits of its lengths alone', (algorithm, lengths) => {
  const isGood = (length: number) =>
    judgeDigest(algorithm, '0f'.repeat(64).slice(0, length)).problem === undefined
  const good = Array.from({ length: 128 }, (_, at) => at + 1).filter(isGood)
  expect(good).toEqual(
    lengths.length === 0 ? Array.from({ length: 128 }, (_, at) => at + 1) : lengths,
  )
})

test.each([
  ['sha1', 40, true],
  ['md5', 32, true],
  ['sha256', 64, false],
  ['sha256', 40, false],
  ['gitCommit', 40, true],
  ['gitCommit', 64, false],
  ['shake128', 32, true],
  ['shake256', 63, true],
  ['shake256', 64, false],
])('an equal digest by %s of %i digits proves little: %s', (algorithm, length, isWeak) => {
  expect(isWeakDigest(algorithm, 'a'.repeat(length))).toBe(isWeak)
})

test('an algorithm is known however it is spelled', () => {
  expect(
    ['SHA-256', 'sha512-256', 'SHA512_256', 'GitCommit', 'sha3_256', 'SHA-3', 'x'].map(
      algorithmNamed,
    ),
  ).toEqual(['sha256', 'sha512_256', 'sha512_256', 'gitCommit', 'sha3_256', undefined, undefined])
  for (const [name] of digestSet) {
    for (const typed of [name, name.toUpperCase(), name.replaceAll('_', '-')]) {
      expect(algorithmNamed(typed)).toBe(name)
    }
  }
})

test('a subject has its name, its address and its digests as they are written', () => {
  const digest = { sha256, 'sha\n1': 7, md5: ['x'.repeat(300)] }
  const { name, uri, digests } = subject({ name: 'app', uri: 'pkg:x/app', digest })
  expect([name, uri]).toEqual(['app', 'pkg:x/app'])
  expect(digests).toEqual([
    { algorithm: 'sha256', value: sha256, problem: undefined },
    { algorithm: 'sha\n1', value: '7', problem: "isn't text" },
    { algorithm: 'md5', value: `["${'x'.repeat(198)}`, problem: "isn't text" },
  ])
  expect(subject({ name: 1, digest: [sha256] })).toMatchObject({ name: undefined, digests: [] })
})

test('digests are those of an object, and none of anything else', () => {
  const tree = treeOf(JSON.stringify({ list: [sha256], text: sha256, one: { md5: 'a' } }))
  expect(digestsAt(tree, property(tree, 0, 'list'))).toEqual([])
  expect(digestsAt(tree, property(tree, 0, 'text'))).toEqual([])
  expect(digestsAt(tree, property(tree, 0, 'one'))).toHaveLength(1)
})

/** What is said of a list of subjects, with what stands where it is said. */
function saidOf(subjects: unknown, version?: 'v1' | 'v0.1' | 'other') {
  return saidOfText(JSON.stringify({ _type: '', subject: subjects }), version)
}

function saidOfText(text: string, version: 'v1' | 'v0.1' | 'other' = 'v1') {
  const tree = treeOf(text)
  const list = property(tree, 0, 'subject')
  const subjectCount = kindOf(tree, list) === 'array' ? countOf(tree, list) : 0
  const source = { tree, place: placesOfText('payload', text) }
  const nodes = subjectNodes(tree, { version, subject: list, subjectCount })
  expect(nodes).toHaveLength(subjectCount)
  return checkSubjects(source, { version, subject: list, subjectCount }).map(
    ({ level, code, message, at }) => {
      expect(level).toBe('warning')
      return `${code}: ${message} ${text.slice(at?.offset).slice(0, 12)}`
    },
  )
}
const named = (name: string) => ({ name, digest: { sha256 } })

describe('what is said of the subjects of a statement', () => {
  test('is nothing where each has a good digest', () => {
    expect(saidOf([{ digest: { sha256 } }, { digest: { gitCommit: 'b'.repeat(40) } }])).toEqual([])
    expect(saidOf([named('a'), named('b')], 'v0.1')).toEqual([])
    const both = { digest: { md5: 'a'.repeat(32), sha1: 'b'.repeat(40) } }
    expect(saidOf([both])).toEqual([])
  })

  test('is that there are none', () => {
    const isMissing = 'subject-missing: The statement is about nothing:'
    expect(saidOf(undefined)).toEqual([`${isMissing} it has no subjects. {"_type":""}`])
    expect(saidOf([])).toEqual([`${isMissing} its list of subjects is empty. []}`])
    expect(saidOfText(' {"_type":""}')).toEqual([`${isMissing} it has no subjects. {"_type":""}`])
    expect(saidOf({ a: named('a') })).toEqual([
      `${isMissing} its subject isn't a list, and is not read. {"a":{"name"`,
    ])
  })

  test.each([
    ['subject-malformed', "isn't an object", 'app'],
    ['subject-malformed', "isn't an object", [{ digest: { sha256 } }]],
    ['digest-missing', 'has no digest', { name: 'a' }],
    ['digest-missing', 'has no digest', { digest: [sha256] }],
    ['digest-unusual', "has a digest (sha256) that isn't text", { digest: { sha256: 7 } }],
    [
      'digest-unusual',
      `has a digest (${'x'.repeat(40)}) that has an unknown algorithm`,
      { digest: { sha256, ['x'.repeat(41)]: '' } },
    ],
    [
      'digest-unusual',
      'has only an MD5 digest, which proves little',
      { digest: { md5: 'a'.repeat(32) } },
    ],
  ])('is %s: the only one %s', (code, problem, only) => {
    for (const version of ['v1', 'other'] as const) {
      const begin = JSON.stringify(only)
      expect(saidOf([only], version)).toEqual([
        `${code}: The subject ${problem}. ${`${begin}]}`.slice(0, 12)}`,
      ])
      expect(saidOf([named('a'), only], version)).toEqual([
        `${code}: One of 2 subjects ${problem}. ${`${begin}]}`.slice(0, 12)}`,
      ])
    }
  })

  test('is said once of each kind, with how many and where the first is', () => {
    expect(saidOf([named('a'), 'first', { name: 1 }, 'next', 7])).toEqual([
      'subject-malformed: 3 of 5 subjects are unusual: the first isn\'t an object. "first",{"na',
      'digest-missing: One of 5 subjects has no digest. {"name":1},"',
    ])
  })

  test('is in version 0.1 also that a name is missing or repeated', () => {
    expect(saidOf([{ digest: { sha256 } }], 'v0.1')).toEqual([
      'subject-malformed: The subject has no name. {"digest":{"',
    ])
    expect(saidOf([named('')], 'v0.1')).toEqual([
      'subject-malformed: The subject has no name. {"name":"","',
    ])
    expect(saidOf([named('a'), named('b'), named('a')], 'v0.1')).toEqual([
      'subject-repeated: One of 3 subjects has the same name as another. {"name":"a",',
    ])
    expect(saidOf([named('_'), named('_')], 'v0.1')).toEqual([])
    for (const version of ['v1', 'other'] as const) {
      expect(saidOf([named(''), named('a'), named('a')], version)).toEqual([])
    }
  })

  // Where names don't count, one good SHA-256 is recognized without decoding it.
  test('is of a SHA-256 the same in every version, whichever digit is wrong', () => {
    const saidOfBoth = (digest: string) => {
      const text = `{"_type":"","subject":[{"name":"a","digest":${digest}}]}`
      expect(saidOfText(text, 'v1'), digest).toEqual(saidOfText(text, 'v0.1'))
      return saidOfText(text, 'v1')
    }
    for (const at of [0, 1, 31, 62, 63]) {
      const digits = '0123456789abcdef'.repeat(4).split('')
      for (const good of ['0', '9', 'a', 'f']) {
        expect(saidOfBoth(`{"sha256":"${digits.with(at, good).join('')}"}`)).toEqual([])
      }
      for (const odd of ['/', ':', '`', 'g', 'A', 'F', '\\\\', '']) {
        expect(saidOfBoth(`{"sha256":"${digits.with(at, odd).join('')}"}`)).toHaveLength(1)
      }
    }
    // As long as the quoted digits, and none.
    expect(saidOfBoth(`{"sha256":${'1'.repeat(66)}}`)).toHaveLength(1)
    expect(saidOfBoth(`{"sha256":["${'1'.repeat(62)}"]}`)).toHaveLength(1)
    expect(saidOfBoth(`{"sha256":"${'1'.repeat(64)}","crc32":"1"}`)).toHaveLength(1)
  })

  test('is of a digest the same in every version', () => {
    const digit = fc.constantFrom('0', '9', 'a', 'f', 'A', '/', ':', '`', 'g', '"', '\\', 'é')
    const value = fc
      .tuple(fc.constantFrom(63, 64, 64, 64, 65), fc.nat(65), fc.option(digit))
      .map(([length, at, odd]) =>
        odd === null
          ? '9'.repeat(length)
          : `${'a'.repeat(length).slice(0, at)}${odd}${'0'.repeat(length).slice(at + 1)}`,
      )
    const digest = fc.dictionary(
      fc.constantFrom('sha256', 'SHA256', 'sha512', 'sha1'),
      fc.oneof(value, fc.constantFrom(7, null, ['0'.repeat(62)])),
      { maxKeys: 2 },
    )
    const plain = value.map((sha256) => ({ sha256 }))
    const subjects = fc.array(fc.oneof(plain, digest, fc.constant(sha256)), {
      minLength: 1,
      maxLength: 3,
    })
    fc.assert(
      fc.property(subjects, (digests) => {
        const all = digests.map((digest, at) => ({ name: String(at), digest }))
        expect(saidOf(all)).toEqual(saidOf(all, 'v0.1'))
      }),
      { numRuns: runs(2000) },
    )
  })
})
