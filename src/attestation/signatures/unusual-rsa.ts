import { hexOf, joinBytes, sameBytes } from '../decode/bytes.ts'
import { derChildren, derTag, dottedOid, readDer } from '../decode/der.ts'
import { keyBitsOf, rsaNumbers } from '../keys/public-key.ts'
import type { TrustedKey } from '../keys/trusted-key.ts'

const hashes = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'] as const
type AnyHash = (typeof hashes)[number]

/** More squarings than for any exponent in use. */
const mostExponent = 1n << 32n

/**
 * How a plain RSA key made a signature of this message with parameters that `schemesFor` doesn't list: "RSA-PSS with SHA-256,
 * SHA-1 for its mask and a salt of 20 bytes". Undefined where it did not, as far as can be seen: the padding is recovered with
 * the public key (RFC 8017, 9.1.2 and 9.2) and has to fit the message, so that nothing that was changed gets this answer. Only a
 * digest that WebCrypto can't make is believed.
 */
export async function unusualRsa(
  subtle: SubtleCrypto,
  key: TrustedKey,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array,
): Promise<string | undefined> {
  const numbers = rsaNumbers(keyBitsOf(key))
  if (numbers?.type !== 'RSA') return undefined
  const modulus = integerOf(numbers.modulus)
  const exponent = integerOf(numbers.exponent)
  const value = integerOf(signature)
  if (exponent > mostExponent || value >= modulus) return undefined
  const bits = modulus.toString(2).length
  const encoded = bytesOf(power(value, exponent, modulus), Math.ceil(bits / 8))
  return (
    (await pkcs1(subtle, encoded, message)) ??
    (await pss(subtle, encoded.subarray(bits % 8 === 1 ? 1 : 0), bits - 1, message))
  )
}

async function pss(
  subtle: SubtleCrypto,
  encoded: Uint8Array,
  bits: number,
  message: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  if (encoded.at(-1) !== 0xbc) return undefined
  for (const hash of hashes) {
    const digest = await digestOf(subtle, hash, message)
    const end = encoded.length - digest.length - 1
    if (end <= 0) continue
    const proof = encoded.slice(end, -1)
    for (const mask of hashes) {
      const block = await unmasked(subtle, encoded.subarray(0, end), proof, mask)
      block[0] = (block[0] ?? 0) & (0xff >> (8 * encoded.length - bits))
      const begin = block.findIndex((byte) => byte !== 0)
      if (begin === -1 || block[begin] !== 1) continue
      const salt = block.subarray(begin + 1)
      const made = await digestOf(subtle, hash, joinBytes(new Uint8Array(8), digest, salt))
      if (!sameBytes(made, proof)) continue
      const ofMask = mask === hash ? '' : `, ${mask} for its mask`
      return `RSA-PSS with ${hash}${ofMask} and a salt of ${salt.length} bytes`
    }
  }
  return undefined
}

/** Takes the mask off that is made of the hash behind it (RFC 8017, B.2.1). */
async function unmasked(
  subtle: SubtleCrypto,
  masked: Uint8Array,
  seed: Uint8Array,
  hash: AnyHash,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for (let length = 0, count = 0; length < masked.length; count++) {
    const part = await digestOf(subtle, hash, joinBytes(seed, Uint8Array.of(0, 0, 0, count)))
    parts.push(part)
    length += part.length
  }
  const mask = joinBytes(...parts)
  return masked.map((byte, index) => byte ^ (mask[index] ?? 0))
}

/** The content of the object identifiers of hashes in hex (RFC 8017, B.1; NIST's hashAlgs). */
const hashOids: ReadonlyMap<string, string> = new Map([
  ['2b0e03021a', 'SHA-1'],
  ['2a864886f70d0205', 'MD5'],
  ['608648016503040204', 'SHA-224'],
  ['608648016503040205', 'SHA-512/224'],
  ['608648016503040206', 'SHA-512/256'],
  ['608648016503040207', 'SHA3-224'],
  ['608648016503040208', 'SHA3-256'],
  ['608648016503040209', 'SHA3-384'],
  ['60864801650304020a', 'SHA3-512'],
])

async function pkcs1(
  subtle: SubtleCrypto,
  encoded: Uint8Array,
  message: Uint8Array<ArrayBuffer>,
): Promise<string | undefined> {
  const end = encoded.indexOf(0, 2)
  const padding = encoded.subarray(2, end)
  const isPadded = encoded[0] === 0 && encoded[1] === 1 && padding.length >= 8
  if (!isPadded || padding.some((byte) => byte !== 0xff)) return undefined
  const info = encoded.slice(end + 1)
  const whole = readDer(info, 0)
  const [algorithm, digest] = (whole && derChildren(info, whole)) ?? []
  const [id] = (algorithm && derChildren(info, algorithm)) ?? []
  if (id?.tag !== derTag.oid || digest === undefined) return undefined
  const oid = info.slice(id.contentFrom, id.to)
  const name = hashOids.get(hexOf(oid))
  if (name === 'SHA-1') {
    const own = await digestOf(subtle, name, message)
    if (!sameBytes(own, info.slice(digest.contentFrom, digest.to))) return undefined
  }
  // Those that are tried are no surprise: then the message is another one.
  if (/^60864801650304020[123]$/.test(hexOf(oid))) return undefined
  return `RSA PKCS#1 v1.5 with ${name ?? `the hash ${dottedOid(oid)}`}`
}

async function digestOf(
  subtle: SubtleCrypto,
  hash: AnyHash,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  return new Uint8Array(await subtle.digest(hash, bytes))
}

function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${hexOf(bytes)}`)
}

function bytesOf(value: bigint, length: number): Uint8Array {
  const hex = value.toString(16).padStart(2 * length, '0')
  return Uint8Array.from({ length }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  )
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}
