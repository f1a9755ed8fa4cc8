import { hexOf, joinBytes, sameBytes } from '../decode/bytes.ts'
import { derChildren, derTag, dottedOid, readDer } from '../decode/der.ts'
import { describeAlgorithm, type Hash } from '../keys/key-algorithm.ts'
import { keyBitsOf, rsaNumbers } from '../keys/public-key.ts'
import { describeKey, sentenceOf, type TrustedKey } from '../keys/trusted-key.ts'
import {
  type EcdsaForm,
  ecdsaSignatures,
  isEd25519Signature,
  type Scheme,
  schemesFor,
} from './schemes.ts'

/** What came of trying one key on one signature. */
export type Trial =
  | { readonly result: 'verified'; readonly scheme: Scheme; readonly form?: EcdsaForm }
  | { readonly result: 'mismatch' }
  /** `maker` is the key that certainly made it, in a form that isn't supported. */
  | { readonly result: 'unsupported'; readonly reason: string; readonly maker?: TrustedKey }
  /** There was no effort left for it. */
  | { readonly result: 'not-tried' }

/** Tries keys on signatures within a limit, importing each key once. */
export interface KeyTrials {
  /** The key with every scheme it is good for. Throws the signal's reason once it is aborted. */
  readonly tryKey: (
    key: TrustedKey,
    message: Uint8Array<ArrayBuffer>,
    signature: Uint8Array,
  ) => Promise<Trial>
  /** The key with one scheme, the signature as WebCrypto takes it. */
  readonly tryScheme: (
    key: TrustedKey,
    scheme: Scheme,
    message: Uint8Array<ArrayBuffer>,
    signature: Uint8Array<ArrayBuffer>,
  ) => Promise<Trial>
  /** The hash of a message, made once however many signatures need it. */
  readonly digest: (hash: Hash, message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
}

interface TrialOptions {
  readonly subtle: SubtleCrypto
  /** How many calls of `subtle.verify` at most; every 100 kB of message count as one more. */
  readonly limit: number
  readonly signal: AbortSignal | undefined
}

export function createKeyTrials({ subtle, limit, signal }: TrialOptions): KeyTrials {
  const imported = new Map<TrustedKey, Map<string, Promise<CryptoKey | undefined>>>()
  let left = limit

  const importKey = (key: TrustedKey, scheme: Scheme): Promise<CryptoKey | undefined> => {
    const ofKey = imported.get(key) ?? new Map<string, Promise<CryptoKey | undefined>>()
    imported.set(key, ofKey)
    const id = `${scheme.name} ${'hash' in scheme ? scheme.hash : ''}`
    const known = ofKey.get(id)
    if (known) return known
    const promise = subtle
      .importKey('spki', key.spki, importParameters(scheme), false, ['verify'])
      // The engine does not know the algorithm, or the numbers are no key.
      .catch(() => undefined)
    ofKey.set(id, promise)
    return promise
  }

  const tryScheme: KeyTrials['tryScheme'] = async (key, scheme, message, signature) => {
    signal?.throwIfAborted()
    if (left <= 0) return { result: 'not-tried' }
    left -= 1 + Math.floor(message.length / 100_000)
    const cryptoKey = await importKey(key, scheme)
    if (!cryptoKey) return { result: 'unsupported', reason: refusedKey(key) }
    try {
      const isValid = await subtle.verify(verifyParameters(scheme), cryptoKey, signature, message)
      return isValid ? { result: 'verified', scheme } : { result: 'mismatch' }
    } catch {
      return { result: 'unsupported', reason: refusedKey(key) }
    }
  }

  const tryKey: KeyTrials['tryKey'] = async (key, message, signature) => {
    if (key.algorithm.type === 'unsupported') {
      return { result: 'unsupported', reason: refusedKey(key) }
    }
    let outcome: Trial = { result: 'mismatch' }
    for (const { scheme, form, bytes } of readings(key, signature)) {
      const trial = await tryScheme(key, scheme, message, bytes)
      if (trial.result === 'verified') return form ? { ...trial, form } : trial
      if (trial.result === 'not-tried') return trial
      if (trial.result === 'unsupported') outcome = trial
    }
    const unusual = outcome.result === 'mismatch' && (await unusualForm(key, message, signature))
    if (!unusual) return outcome
    const reason = `${sentenceOf(describeKey(key))} made it with ${unusual}, which isn't supported here.`
    return { result: 'unsupported', reason, maker: key }
  }

  /** Only a key that says nothing of how it signs may have done so in another way than those tried. */
  const unusualForm = async (
    key: TrustedKey,
    message: Uint8Array<ArrayBuffer>,
    signature: Uint8Array,
  ): Promise<string | undefined> => {
    const { algorithm, jwsAlgorithm } = key
    if (algorithm.type !== 'RSA' || algorithm.pss !== undefined || jwsAlgorithm !== undefined)
      return undefined
    if (signature.length !== Math.ceil(algorithm.bits / 8) || left <= 0) return undefined
    left -= 1 + Math.floor(message.length / 100_000)
    return unusualRsa(subtle, key, message, signature)
  }

  const digests = new Map<Uint8Array, Map<Hash, Promise<Uint8Array>>>()
  const digest: KeyTrials['digest'] = (hash, message) => {
    const ofMessage = digests.get(message) ?? new Map<Hash, Promise<Uint8Array>>()
    digests.set(message, ofMessage)
    const made =
      ofMessage.get(hash) ?? subtle.digest(hash, message).then((buffer) => new Uint8Array(buffer))
    ofMessage.set(hash, made)
    return made
  }

  return { tryKey, tryScheme, digest }
}

interface Reading {
  readonly scheme: Scheme
  readonly form?: EcdsaForm
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Every way in which the bytes can be a signature by the key; none where they cannot. */
function readings(key: TrustedKey, signature: Uint8Array): Reading[] {
  const { algorithm, jwsAlgorithm } = key
  const schemes = schemesFor(algorithm, jwsAlgorithm)
  switch (algorithm.type) {
    case 'EC':
      return ecdsaSignatures(signature, algorithm.curve).flatMap(({ form, rs }) =>
        schemes.map((scheme) => ({ scheme, form, bytes: rs })),
      )
    case 'Ed25519':
      if (!isEd25519Signature(signature)) return []
      break
    case 'RSA':
      // RFC 8017, 8.1.2: as long as the modulus, neither cut nor padded.
      if (signature.length !== Math.ceil(algorithm.bits / 8)) return []
      break
    case 'unsupported':
      return []
  }
  const bytes = new Uint8Array(signature)
  return schemes.map((scheme) => ({ scheme, bytes }))
}

function importParameters(scheme: Scheme): EcKeyImportParams | RsaHashedImportParams | Algorithm {
  switch (scheme.name) {
    case 'ECDSA':
      return { name: scheme.name, namedCurve: scheme.curve }
    case 'Ed25519':
      return { name: scheme.name }
    case 'RSASSA-PKCS1-v1_5':
    case 'RSA-PSS':
      return { name: scheme.name, hash: scheme.hash }
  }
}

function verifyParameters(scheme: Scheme): EcdsaParams | RsaPssParams | Algorithm {
  switch (scheme.name) {
    case 'ECDSA':
      return { name: scheme.name, hash: scheme.hash }
    case 'RSA-PSS':
      return { name: scheme.name, saltLength: scheme.saltLength }
    case 'Ed25519':
    case 'RSASSA-PKCS1-v1_5':
      return { name: scheme.name }
  }
}

function refusedKey({ name, algorithm }: TrustedKey): string {
  const kind = describeAlgorithm(algorithm)
  return algorithm.type === 'unsupported'
    ? `The key "${name}" (${kind}) can't be used to verify signatures in a browser.`
    : `This browser rejects the key "${name}" (${kind}): it doesn't support that kind, or the key is damaged.`
}

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
async function unusualRsa(
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
