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
  /** Whether an EC key made the signature with SHA-1, which is too weak to count. */
  readonly isBySha1: (
    key: TrustedKey,
    message: Uint8Array<ArrayBuffer>,
    signature: Uint8Array,
  ) => Promise<boolean>
  /** The hash of a message, made once however many signatures need it. */
  readonly digest: (hash: Hash, message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
  /** Gives another limit, in place of what is left of the one before. */
  readonly refill: (limit: number) => void
}

interface TrialOptions {
  readonly subtle: SubtleCrypto
  /**
   * How many calls of `subtle.verify` at most; every MB of message counts as one more. A look at an RSA signature
   * counts as two, and more past 2048 bits: it is arithmetic, whatever the message.
   */
  readonly limit: number
  readonly signal: AbortSignal | undefined
}

export function createKeyTrials({ subtle, limit, signal }: TrialOptions): KeyTrials {
  const imported = new Map<TrustedKey, Map<string, Promise<CryptoKey | undefined>>>()
  let left = limit
  let recovered = 0

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
    left -= 1 + Math.floor(message.length / 1_000_000)
    const cryptoKey = await importKey(key, scheme)
    if (!cryptoKey) return { result: 'unsupported', reason: refusedKey(key) }
    try {
      const isValid = await subtle.verify(verifyParameters(scheme), cryptoKey, signature, message)
      return isValid ? { result: 'verified', scheme } : { result: 'mismatch' }
    } catch {
      return { result: 'unsupported', reason: refusedKey(key) }
    }
  }

  const isBySha1: KeyTrials['isBySha1'] = async (key, message, signature) => {
    const { algorithm } = key
    if (algorithm.type !== 'EC') return false
    const { curve } = algorithm
    // An EC key is imported alike for each hash.
    const cryptoKey = await importKey(key, { name: 'ECDSA', curve, hash: 'SHA-256' })
    for (const { rs } of ecdsaSignatures(signature, curve)) {
      signal?.throwIfAborted()
      if (cryptoKey === undefined || left <= 0) return false
      left -= 1 + Math.floor(message.length / 1_000_000)
      const parameters = { name: 'ECDSA', hash: 'SHA-1' }
      // An engine without SHA-1 has no hint to give.
      const isValid = subtle.verify(parameters, cryptoKey, rs, message).catch(() => false)
      if (await isValid) return true
    }
    return false
  }

  const tryKey: KeyTrials['tryKey'] = async (key, message, signature) => {
    if (key.algorithm.type === 'unsupported') {
      return { result: 'unsupported', reason: refusedKey(key) }
    }
    const shown = await shownForm(key, message, signature)
    if (shown === 'not-tried') return { result: shown }
    let outcome: Trial | undefined
    for (const { scheme, form, bytes } of readings(key, signature)) {
      if (shown !== 'any' && (shown === 'none' || !isOfForm(scheme, shown))) continue
      const trial = await tryScheme(key, scheme, message, bytes)
      if (trial.result === 'verified') return form ? { ...trial, form } : trial
      if (trial.result === 'not-tried') return trial
      if (outcome?.result !== 'unsupported') outcome = trial
    }
    if (outcome !== undefined) return outcome
    const unusual = typeof shown === 'object' && isUnbound(key) ? shown.unusual : undefined
    if (unusual === undefined) return { result: 'mismatch' }
    const reason = `${sentenceOf(describeKey(key))} made it with ${unusual}, which isn't supported here.`
    return { result: 'unsupported', reason, maker: key }
  }

  /**
   * How an RSA signature was made, as its padding shows (`none` where that fits no message, or not this one): what it
   * is not need not be tried, so that a large message is hashed once and not for each key. `any` where it shows nothing.
   */
  const shownForm = async (
    key: TrustedKey,
    message: Uint8Array<ArrayBuffer>,
    signature: Uint8Array,
  ): Promise<RsaForm | 'any' | 'none' | 'not-tried'> => {
    const { algorithm } = key
    if (algorithm.type !== 'RSA') return 'any'
    if (signature.length !== Math.ceil(algorithm.bits / 8)) return 'none'
    signal?.throwIfAborted()
    if (left <= 0) return 'not-tried'
    left -= 1 + Math.floor((algorithm.bits / 2_048) ** 2)
    // Arithmetic alone would let nothing else run, such as a server's other requests and what aborts the signal.
    recovered += 1
    if (recovered % 32 === 0) await subtle.digest('SHA-256', new Uint8Array())
    return rsaForm(subtle, key, signature, (hash) => digest(hash, message))
  }

  const digests = new Map<Uint8Array, Map<AnyHash, Promise<Uint8Array>>>()
  const digest = (hash: AnyHash, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
    const ofMessage = digests.get(message) ?? new Map<AnyHash, Promise<Uint8Array>>()
    digests.set(message, ofMessage)
    const made = ofMessage.get(hash) ?? digestOf(subtle, hash, message)
    ofMessage.set(hash, made)
    return made
  }

  const refill = (effort: number): void => {
    left = effort
  }

  return { tryKey, tryScheme, isBySha1, digest, refill }
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

interface RsaForm {
  readonly name: Scheme['name']
  readonly hash: string
  /** Of PSS: the hash of its mask, and the bytes of its salt. */
  readonly mask?: AnyHash
  readonly saltLength?: number
  /** In words where no scheme is so: "RSA-PSS with SHA-256, SHA-1 for its mask and a salt of 20 bytes". */
  readonly unusual: string | undefined
}

function isOfForm(scheme: Scheme, { name, hash, mask, saltLength }: RsaForm): boolean {
  if (scheme.name !== name || !('hash' in scheme) || scheme.hash !== hash) return false
  return scheme.name !== 'RSA-PSS' || (mask === hash && scheme.saltLength === saltLength)
}

/** Only a key that says nothing of how it signs may have done so in another way than those tried. */
function isUnbound({ algorithm, jwsAlgorithm }: TrustedKey): boolean {
  return algorithm.type === 'RSA' && algorithm.pss === undefined && jwsAlgorithm === undefined
}

/**
 * How an RSA key made a signature of the message with these digests: the padding is recovered with the public key
 * (RFC 8017, 9.1.2 and 9.2) and has to fit the message where a digest can be made, so that nothing that was changed is
 * said to be made in an unusual way. Whether it is valid is for WebCrypto to say.
 */
async function rsaForm(
  subtle: SubtleCrypto,
  key: TrustedKey,
  signature: Uint8Array,
  digest: (hash: AnyHash) => Promise<Uint8Array>,
): Promise<RsaForm | 'any' | 'none'> {
  const numbers = rsaNumbers(keyBitsOf(key))
  if (numbers?.type !== 'RSA') return 'any'
  const modulus = integerOf(numbers.modulus)
  const exponent = integerOf(numbers.exponent)
  const value = integerOf(signature)
  if (exponent > mostExponent) return 'any'
  if (value >= modulus) return 'none'
  const bits = modulus.toString(2).length
  const encoded = bytesOf(power(value, exponent, modulus), Math.ceil(bits / 8))
  return (
    (await pkcs1(encoded, digest)) ??
    (await pss(subtle, encoded.subarray(bits % 8 === 1 ? 1 : 0), bits - 1, digest)) ??
    'none'
  )
}

async function pss(
  subtle: SubtleCrypto,
  encoded: Uint8Array,
  bits: number,
  digest: (hash: AnyHash) => Promise<Uint8Array>,
): Promise<RsaForm | undefined> {
  if (encoded.at(-1) !== 0xbc) return undefined
  for (const hash of hashes) {
    const own = await digest(hash)
    const end = encoded.length - own.length - 1
    if (end <= 0) continue
    const proof = encoded.slice(end, -1)
    for (const mask of hashes) {
      const block = await unmasked(subtle, encoded.subarray(0, end), proof, mask)
      block[0] = (block[0] ?? 0) & (0xff >> (8 * encoded.length - bits))
      const begin = block.findIndex((byte) => byte !== 0)
      if (begin === -1 || block[begin] !== 1) continue
      const salt = block.subarray(begin + 1)
      const made = await digestOf(subtle, hash, joinBytes(new Uint8Array(8), own, salt))
      if (!sameBytes(made, proof)) continue
      const ofMask = mask === hash ? '' : `, ${mask} for its mask`
      const unusual = `RSA-PSS with ${hash}${ofMask} and a salt of ${salt.length} bytes`
      return { name: 'RSA-PSS', hash, mask, saltLength: salt.length, unusual }
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
  ['608648016503040201', 'SHA-256'],
  ['608648016503040202', 'SHA-384'],
  ['608648016503040203', 'SHA-512'],
  ['608648016503040204', 'SHA-224'],
  ['608648016503040205', 'SHA-512/224'],
  ['608648016503040206', 'SHA-512/256'],
  ['608648016503040207', 'SHA3-224'],
  ['608648016503040208', 'SHA3-256'],
  ['608648016503040209', 'SHA3-384'],
  ['60864801650304020a', 'SHA3-512'],
])

async function pkcs1(
  encoded: Uint8Array,
  digest: (hash: AnyHash) => Promise<Uint8Array>,
): Promise<RsaForm | undefined> {
  const end = encoded.indexOf(0, 2)
  const padding = encoded.subarray(2, end)
  const isPadded = encoded[0] === 0 && encoded[1] === 1 && padding.length >= 8
  if (!isPadded || padding.some((byte) => byte !== 0xff)) return undefined
  const info = encoded.slice(end + 1)
  const whole = readDer(info, 0)
  const [algorithm, value] = (whole && derChildren(info, whole)) ?? []
  const [id] = (algorithm && derChildren(info, algorithm)) ?? []
  if (id?.tag !== derTag.oid || value === undefined) return undefined
  const oid = info.slice(id.contentFrom, id.to)
  const hash = hashOids.get(hexOf(oid)) ?? `the hash ${dottedOid(oid)}`
  if (hash === 'SHA-1') {
    const own = await digest(hash)
    if (!sameBytes(own, info.slice(value.contentFrom, value.to))) return undefined
  }
  // One of those that are supported is no surprise: then the message is another one.
  const isUsual = hash === 'SHA-256' || hash === 'SHA-384' || hash === 'SHA-512'
  const unusual = isUsual ? undefined : `RSA PKCS#1 v1.5 with ${hash}`
  return { name: 'RSASSA-PKCS1-v1_5', hash, unusual }
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
