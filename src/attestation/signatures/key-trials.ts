import {
  type EcdsaForm,
  ecdsaSignatures,
  isEd25519Signature,
  type Scheme,
  schemesFor,
} from './schemes.ts'
import { describeAlgorithm, type Hash } from '../keys/key-algorithm.ts'
import { describeKey, sentenceOf, type TrustedKey } from '../keys/trusted-key.ts'
import { unusualRsa } from './unusual-rsa.ts'

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
