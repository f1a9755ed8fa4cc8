import { bytesOfHex, hexOf, withoutLeadingZeros } from '../decode/bytes.ts'
import {
  derChildren,
  type DerElement,
  derElement,
  derInteger,
  derSequence,
  derTag,
  derUnsigned,
} from '../decode/der.ts'
import {
  type Curve,
  curveOfOid,
  curves,
  type KeyAlgorithm,
  keyOid,
  unsupportedName,
} from './key-algorithm.ts'

/** A public key by its numbers, as every way of writing one has them. */
export type KeyNumbers =
  | { readonly type: 'EC'; readonly curve: Curve; readonly point: Uint8Array }
  | { readonly type: 'Ed25519'; readonly point: Uint8Array }
  /** Both big-endian, without leading zeros. */
  | { readonly type: 'RSA'; readonly modulus: Uint8Array; readonly exponent: Uint8Array }

export interface PublicKey {
  readonly algorithm: KeyAlgorithm
  /** DER of its SubjectPublicKeyInfo, in a form that browsers import. */
  readonly spki: Uint8Array<ArrayBuffer>
}

/**
 * The public key of a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7), or undefined where the bytes are
 * none. A key of a kind that no browser verifies with is a key too: its algorithm says so.
 */
export function readSpki(bytes: Uint8Array): PublicKey | undefined {
  const [identifier, key, ...more] = derSequence(bytes) ?? []
  if (identifier?.tag !== derTag.sequence || !key || more.length > 0) return undefined
  const [oid, parameters] = derChildren(bytes, identifier) ?? []
  const bits = bitsOf(bytes, key)
  if (oid?.tag !== derTag.oid || !bits) return undefined
  const oidContent = contentOf(bytes, oid)
  const unsupported = (name: Uint8Array): PublicKey => ({
    algorithm: { type: 'unsupported', name: unsupportedName(name) },
    spki: bytes.slice(),
  })
  switch (hexOf(oidContent)) {
    case keyOid.ec: {
      if (parameters?.tag !== derTag.oid) {
        return {
          algorithm: { type: 'unsupported', name: 'EC without a named curve' },
          spki: bytes.slice(),
        }
      }
      const curve = curveOfOid(contentOf(bytes, parameters))
      if (curve === undefined) return unsupported(contentOf(bytes, parameters))
      return asWritten(publicKeyOf({ type: 'EC', curve, point: bits }), bytes)
    }
    case keyOid.ed25519:
      return asWritten(publicKeyOf({ type: 'Ed25519', point: bits }), bytes)
    case keyOid.rsa:
      return asWritten(publicKeyOf(rsaNumbers(bits)), bytes)
    case keyOid.rsaPss:
      return pssKey(bytes, bits, parameters)
    default:
      return unsupported(oidContent)
  }
}

/** The modulus and exponent of a PKCS#1 RSAPublicKey (RFC 8017, A.1.1), or undefined. */
export function rsaNumbers(bytes: Uint8Array): KeyNumbers | undefined {
  const [n, e, ...more] = derSequence(bytes) ?? []
  const modulus = n && derUnsigned(bytes, n)
  const exponent = e && derUnsigned(bytes, e)
  if (!modulus || !exponent || more.length > 0) return undefined
  return { type: 'RSA', modulus, exponent }
}

/**
 * The public key of given numbers, or undefined where they are no key: a point of the wrong length or
 * off its curve, an RSA modulus of fewer than 512 bits, or an exponent that is even or 1, with which anyone
 * can sign. RSA past 8192 bits is unsupported: one verification with it
 * could hold everything up.
 */
export function publicKeyOf(
  numbers: KeyNumbers | undefined,
  { pssOnly = false, pss }: { pssOnly?: boolean; pss?: PssRestriction } = {},
): PublicKey | undefined {
  switch (numbers?.type) {
    case undefined:
      return undefined
    case 'EC':
      return ecKey(numbers.curve, numbers.point)
    case 'Ed25519': {
      if (numbers.point.length !== 32 || !isOnEdwards(numbers.point)) return undefined
      const spki = spkiOf(derElement(derTag.sequence, oidElement(keyOid.ed25519)), numbers.point)
      return { algorithm: { type: 'Ed25519' }, spki }
    }
    case 'RSA': {
      const modulus = withoutLeadingZeros(numbers.modulus)
      const bits = 8 * modulus.length - Math.clz32(modulus[0] ?? 0) + 24
      if (bits < 512 || !isOddBeyondOne(withoutLeadingZeros(numbers.exponent))) return undefined
      const key = derElement(derTag.sequence, derInteger(modulus), derInteger(numbers.exponent))
      const identifier = derElement(derTag.sequence, oidElement(keyOid.rsa), Uint8Array.of(5, 0))
      const algorithm: KeyAlgorithm =
        bits > 8192
          ? { type: 'unsupported', name: `RSA with ${bits} bits (maximum 8192)` }
          : { type: 'RSA', bits, pssOnly, ...(pss === undefined ? {} : { pss }) }
      return { algorithm, spki: spkiOf(identifier, key) }
    }
  }
}

function isOddBeyondOne(exponent: Uint8Array): boolean {
  const last = exponent.at(-1) ?? 0
  return last % 2 === 1 && (exponent.length > 1 || last > 1)
}

/** What the key's BIT STRING holds, over which a subject key identifier is made (RFC 5280, 4.2.1.2). */
export function keyBitsOf({ spki }: Pick<PublicKey, 'spki'>): Uint8Array {
  const key = derSequence(spki)?.[1]
  return (key && bitsOf(spki, key)) ?? new Uint8Array()
}

/** The numbers of a key that `publicKeyOf` made, or undefined for an unsupported one. */
export function numbersOf(publicKey: PublicKey): KeyNumbers | undefined {
  const { algorithm } = publicKey
  const bits = keyBitsOf(publicKey)
  switch (algorithm.type) {
    case 'unsupported':
      return undefined
    case 'EC':
      return { type: 'EC', curve: algorithm.curve, point: bits }
    case 'Ed25519':
      return { type: 'Ed25519', point: bits }
    case 'RSA':
      return rsaNumbers(bits)
  }
}

/**
 * What a key has in common with itself however it is written: the point of a curve also in its short
 * form (SEC 1, 2.3.3), the numbers of an RSA key whatever it is meant for. Of an unsupported one the bytes.
 */
export function keyIdentity(key: PublicKey): string {
  const numbers = numbersOf(key)
  switch (numbers?.type) {
    case undefined:
      return hexOf(key.spki)
    case 'EC': {
      const { curve, point } = numbers
      const x = hexOf(point.subarray(1, 1 + curves[curve].size))
      const sign = point[0] === 4 ? (point.at(-1) ?? 0) & 1 : (point[0] ?? 0) & 1
      return `${curve} ${x} ${sign}`
    }
    case 'Ed25519':
      return `Ed25519 ${hexOf(numbers.point)}`
    case 'RSA': {
      const [modulus, exponent] = [numbers.modulus, numbers.exponent].map(withoutLeadingZeros)
      return `RSA ${hexOf(modulus ?? new Uint8Array())} ${hexOf(exponent ?? new Uint8Array())}`
    }
  }
}

/** Fingerprints are over the bytes as they were written, so these are kept. */
function asWritten(key: PublicKey | undefined, bytes: Uint8Array): PublicKey | undefined {
  return key && { ...key, spki: bytes.slice() }
}

type PssRestriction = NonNullable<Extract<KeyAlgorithm, { type: 'RSA' }>['pss']>

/**
 * A key marked for PSS alone. Parameters in it are obeyed (RFC 4055, 3.1); a hash that browsers don't
 * have for PSS, or another for the mask than for the message, makes it unsupported.
 */
function pssKey(
  bytes: Uint8Array,
  bits: Uint8Array,
  parameters: DerElement | undefined,
): PublicKey | undefined {
  // WebCrypto wants rsaEncryption also for such a key.
  const key = publicKeyOf(rsaNumbers(bits), { pssOnly: true })
  if (key?.algorithm.type !== 'RSA' || parameters?.tag !== derTag.sequence) return key
  const fields = derChildren(bytes, parameters) ?? []
  const field = (tag: number): DerElement | undefined => {
    const wrapper = fields.find((one) => one.tag === tag)
    return wrapper && derChildren(bytes, wrapper)?.[0]
  }
  const nameOf = (identifier: DerElement | undefined): string => {
    const [oid] = (identifier && derChildren(bytes, identifier)) ?? []
    return oid === undefined
      ? 'SHA-1'
      : (pssHashes.get(hexOf(contentOf(bytes, oid))) ?? 'another hash')
  }
  const mask = field(0xa1)
  const [hash, maskHash] = [nameOf(field(0xa0)), nameOf(mask && derChildren(bytes, mask)?.[1])]
  const salt = field(0xa2)
  const length = salt === undefined ? Uint8Array.of(20) : derUnsigned(bytes, salt)
  const leastSalt =
    length === undefined || length.length > 2 ? Infinity : Number(`0x${hexOf(length)}`)
  const longest = Math.ceil((key.algorithm.bits - 1) / 8) - 2
  const isUsual = field(0xa3) === undefined && leastSalt <= longest
  if (
    (hash === 'SHA-256' || hash === 'SHA-384' || hash === 'SHA-512') &&
    hash === maskHash &&
    isUsual
  ) {
    return publicKeyOf(rsaNumbers(bits), { pssOnly: true, pss: { hash, leastSalt } })
  }
  const name = `RSA-PSS with ${hash} and ${maskHash} for its mask`
  return { algorithm: { type: 'unsupported', name }, spki: bytes.slice() }
}

const pssHashes: ReadonlyMap<string, string> = new Map([
  ['2b0e03021a', 'SHA-1'],
  ['608648016503040204', 'SHA-224'],
  ['608648016503040201', 'SHA-256'],
  ['608648016503040202', 'SHA-384'],
  ['608648016503040203', 'SHA-512'],
])

function ecKey(curve: Curve, point: Uint8Array): PublicKey | undefined {
  const { size, oid } = curves[curve]
  const isCompressed = point.length === size + 1 && (point[0] === 2 || point[0] === 3)
  const isWhole = point.length === 2 * size + 1 && point[0] === 4
  if (!(isCompressed || isWhole) || !isOnCurve(curve, point)) return undefined
  const identifier = derElement(derTag.sequence, oidElement(keyOid.ec), oidElement(oid))
  return { algorithm: { type: 'EC', curve }, spki: spkiOf(identifier, point) }
}

function spkiOf(identifier: Uint8Array, key: Uint8Array): Uint8Array<ArrayBuffer> {
  return derElement(
    derTag.sequence,
    identifier,
    derElement(derTag.bitString, Uint8Array.of(0), key),
  )
}

function oidElement(hex: string): Uint8Array {
  return derElement(derTag.oid, bytesOfHex(hex) ?? new Uint8Array())
}

function contentOf(bytes: Uint8Array, element: DerElement): Uint8Array {
  return bytes.subarray(element.contentFrom, element.to)
}

/** The bytes of a BIT STRING without unused bits. */
function bitsOf(bytes: Uint8Array, element: DerElement): Uint8Array | undefined {
  if (element.tag !== derTag.bitString || bytes[element.contentFrom] !== 0) return undefined
  return bytes.subarray(element.contentFrom + 1, element.to)
}

/**
 * The public key of an X.509 certificate (RFC 5280, 4.1), or undefined where the bytes are no
 * certificate. Nothing else of the certificate is looked at: who it names is read in `identity.ts`.
 */
export function certificateKey(bytes: Uint8Array): PublicKey | undefined {
  const [body, , signature] = derSequence(bytes) ?? []
  if (body?.tag !== derTag.sequence || signature?.tag !== derTag.bitString) return undefined
  const fields = derChildren(bytes, body) ?? []
  const hasVersion = fields[0]?.tag === explicitVersion
  // After the version: serial number, algorithm, issuer, validity, subject, and then the key.
  const key = fields[hasVersion ? 6 : 5]
  return key && readSpki(bytes.subarray(key.from, key.to))
}

const explicitVersion = 0xa0

/**
 * Whether a point as X9.62 writes it, compressed or not, is on its curve. Keys that aren't are refused
 * when they are read: what an engine makes of them is its own affair (SEC 1, 3.2.2.1).
 */
function isOnCurve(curve: Curve, point: Uint8Array): boolean {
  const { prime, b, size } = curves[curve]
  const x = bigOf(point.subarray(1, 1 + size))
  if (x >= prime) return false
  const right = (((x * x) % prime) * x + (prime - 3n) * x + b) % prime
  if (point[0] !== 4) return isSquare(right, prime)
  const y = bigOf(point.subarray(1 + size))
  return y < prime && (y * y) % prime === right
}

/**
 * Whether 32 bytes are the y of a point of Ed25519 (RFC 8032, 5.1.3), and not of one whose multiples are
 * eight at most: to such a key there is a signature of everything that anyone can make.
 */
function isOnEdwards(point: Uint8Array): boolean {
  const bytes = point.toReversed()
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  const y = bigOf(bytes)
  if (y >= edwardsPrime) return false
  const square = (y * y) % edwardsPrime
  // x² = (y² - 1) / (d y² + 1): a square as a whole if their product is one.
  const [above, below] = [square + edwardsPrime - 1n, edwardsD * square + 1n]
  // Of the orders 4, 1 and 2, and 8: the double of the last has y² + x² = 0.
  const small = square * above * (above + square * below)
  return small % edwardsPrime !== 0n && isSquare((above * below) % edwardsPrime, edwardsPrime)
}

const edwardsPrime = (1n << 255n) - 19n
const edwardsD = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

function bigOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${hexOf(bytes)}`)
}

/** Euler's criterion, for a number below the prime. */
function isSquare(value: bigint, prime: bigint): boolean {
  let [result, base] = [1n, value]
  for (let rest = (prime - 1n) / 2n; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * base) % prime
    base = (base * base) % prime
  }
  return result === 1n || value === 0n
}
