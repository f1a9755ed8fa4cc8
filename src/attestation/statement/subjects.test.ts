import { expect, test } from 'vitest'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import { algorithmNamed, isWeakDigest, subjectAt } from './subjects.ts'

function subject(value: unknown) {
  const parsed = parseJsonTree(JSON.stringify(value))
  if (!parsed.ok) throw new Error(parsed.problem)
  return subjectAt(parsed.tree, 0)
}
const sha256 = 'a'.repeat(64)

test.each([
  ['a good digest', { digest: { sha256 } }, undefined],
  ['a good one beside an unknown one', { digest: { foo: 'x', sha256 } }, undefined],
  ['a Git commit', { digest: { gitCommit: 'b'.repeat(40) } }, undefined],
  ['no digest', { name: 'a' }, /no digest/],
  ['an empty digest', { digest: {} }, /no digest/],
  ['a digest that is text', { digest: sha256 }, /isn't an object,/],
  ['a digest that is a number', { digest: { sha256: 7 } }, /isn't text/],
  ['an algorithm in the wrong case', { digest: { SHA256: sha256 } }, /wrong case/],
  ['a digest in upper case', { digest: { sha256: sha256.toUpperCase() } }, /uppercase/],
  ['a digest that is too short', { digest: { sha256: 'abc123' } }, /has 6 digits instead of 64/],
  ['a digest that is no hex', { digest: { sha512: 'xyz' } }, /isn't hexadecimal/],
  ['md5', { digest: { md5: 'a'.repeat(32) } }, undefined],
  ['md5 of the wrong length', { digest: { md5: 'a'.repeat(31) } }, /has 31 digits instead of 32/],
  ['the hash of a directory in hex', { digest: { dirHash1: sha256 } }, undefined],
  ['the same by its older name', { digest: { goModuleH1: sha256 } }, undefined],
  ['the same in base64', { digest: { dirHash: `h1:${'A'.repeat(43)}=` } }, undefined],
  ['a directory hash that is none', { digest: { dirHash: 'abc' } }, /isn't a directory hash/],
  ['BLAKE2b of 256 bits', { digest: { blake2b: sha256 } }, undefined],
  ['nothing at all', 'app', /isn't an object,/],
])('%s', (_name, value, problem) => {
  if (problem === undefined) expect(subject(value).problem).toBeUndefined()
  else expect(subject(value).problem).toMatch(problem)
})

test.each([
  ['sha1', 40, true],
  ['md5', 32, true],
  ['sha256', 64, false],
  ['gitCommit', 40, true],
  ['gitCommit', 64, false],
  ['shake256', 63, true],
  ['shake256', 64, false],
])('an equal digest by %s of %i digits proves little: %s', (algorithm, length, isWeak) => {
  expect(isWeakDigest(algorithm, 'a'.repeat(length))).toBe(isWeak)
})

test('an algorithm is known however it is spelled', () => {
  expect(['SHA-256', 'sha512-256', 'GitCommit', 'sha3_256'].map(algorithmNamed)).toEqual([
    undefined,
    'sha512_256',
    'gitCommit',
    'sha3_256',
  ])
})
