/** One entry of a digest set. */
export interface Digest {
  readonly algorithm: string
  readonly value: string
  /** Why it can match nothing, as a part of a sentence; undefined where it can. */
  readonly problem: string | undefined
}

/**
 * Judges a digest by the names and forms of the in-toto DigestSet (docs/attestations.md#subjects):
 * lower-case hex of the algorithm's length.
 */
export function judgeDigest(algorithm: string, value: string): Digest {
  return { algorithm, value, problem: problemOf(algorithm, value) }
}

/**
 * Whether an equal digest proves little: two different files can be made that have the same MD5 or
 * SHA-1, which is what Git's names of 40 digits are too, and so it is with what a few digits are left of.
 */
export function isWeakDigest(algorithm: string, value: string): boolean {
  if (algorithm.startsWith('git')) return value.length === 40
  if (algorithm.startsWith('shake')) return value.length < 64
  return algorithm === 'sha1' || algorithm === 'md5'
}

/** The name of an algorithm as the DigestSet has it, however somebody typed it; undefined if unknown. */
export function algorithmNamed(typed: string): string | undefined {
  return namesByTyped.get(typed.toLowerCase().replaceAll('-', '_'))
}

/** Lengths in hex digits; none where any will do. */
const lengths: ReadonlyMap<string, readonly number[]> = new Map([
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
  ['blake2b', [128, 64]],
  ['blake2s', [64]],
  ['ripemd160', [40]],
  ['sm3', [64]],
  ['gost', [64]],
  ['gitCommit', [40, 64]],
  ['gitTree', [40, 64]],
  ['gitBlob', [40, 64]],
  ['gitTag', [40, 64]],
])
const namesByTyped: ReadonlyMap<string, string> = new Map(
  [...lengths.keys()].map((name) => [name.toLowerCase(), name]),
)

function problemOf(algorithm: string, value: string): string | undefined {
  // The versions of the specification have three names and hex; go.sum, from where it is, base64.
  if (['dirHash', 'dirHash1', 'goModuleH1'].includes(algorithm)) {
    const isHash = /^(?:[0-9a-f]{64}|(?:h1:)?[A-Za-z0-9+/]{43}=)$/.test(value)
    return isHash ? undefined : 'is no hash of a directory'
  }
  const expected = lengths.get(algorithm)
  if (expected === undefined) {
    const isCase = lengths.has(algorithm.toLowerCase())
    return isCase ? 'has its algorithm in the wrong case' : 'has an unknown algorithm'
  }
  if (!/^[0-9a-f]+$/.test(value)) {
    return /^[0-9a-f]+$/i.test(value) ? 'is in upper case' : 'is not hexadecimal'
  }
  if (expected.length === 0 || expected.includes(value.length)) return undefined
  return `has ${value.length} digits instead of ${expected.join(' or ')}`
}
