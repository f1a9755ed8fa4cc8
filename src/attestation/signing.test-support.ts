import { webcrypto } from 'node:crypto'
import { decode } from './decode.ts'
import type { DecodedItem } from './decode/decode-tree.ts'
import type { Envelope, EnvelopeSignature } from './decode/envelope.ts'
import { pae } from './signatures/pae.ts'
import { readKeys } from './keys/read-keys.ts'
import { toBase64 } from './decode/base64.ts'
import { pemOf, type TrustedKey } from './keys/trusted-key.ts'

const { subtle } = webcrypto

export const inTotoType = 'application/vnd.in-toto+json'

/** What a value, or the text of one, is decoded to. Throws where that is no attestation. */
export function decodedItem(value: unknown): DecodedItem {
  const decoded = decode(typeof value === 'string' ? value : JSON.stringify(value))
  if (!decoded.ok) throw new Error(decoded.mistakes[0]?.message)
  return decoded
}

/** A bare statement, decoded. */
export function decodedStatement(subject: unknown, more: object = {}): DecodedItem {
  const _type = 'https://in-toto.io/Statement/v1'
  return decodedItem({ _type, subject, predicateType: 'a:b', ...more })
}

/** A key pair of the test's own. */
export interface Signer {
  readonly key: TrustedKey
  readonly pem: string
  /** The signature as WebCrypto makes it; ECDSA as r||s. */
  readonly sign: (message: Uint8Array, options?: SignOptions) => Promise<Uint8Array>
}

interface SignOptions {
  readonly hash?: string
  readonly saltLength?: number
}

export type SignerKind = 'P-256' | 'P-384' | 'P-521' | 'Ed25519' | 'RSA-PSS' | 'RSASSA-PKCS1-v1_5'

/** Generates a key pair; `name` is what its trusted key is called. RSA has 2048 bits. */
export async function createSigner(kind: SignerKind, name: string = kind): Promise<Signer> {
  const isRsa = kind.startsWith('RSA')
  const generate = async (hash: string): Promise<webcrypto.CryptoKeyPair> => {
    if (kind === 'Ed25519') {
      const pair = await subtle.generateKey({ name: kind }, true, ['sign', 'verify'])
      if (!('privateKey' in pair)) throw new Error('no key pair')
      return pair
    }
    if (!isRsa) {
      return subtle.generateKey({ name: 'ECDSA', namedCurve: kind }, true, ['sign', 'verify'])
    }
    const publicExponent = Uint8Array.of(1, 0, 1)
    const parameters = { name: kind, modulusLength: 2048, publicExponent, hash }
    return subtle.generateKey(parameters, true, ['sign', 'verify'])
  }
  const first = await generate('SHA-256')
  const spki = new Uint8Array(await subtle.exportKey('spki', first.publicKey))
  const key = keyOf(pemOf({ spki }), name)

  /** WebCrypto ties an RSA key to one hash: the same numbers under another. */
  const privateKeyFor = async (hash: string): Promise<webcrypto.CryptoKey> => {
    if (!isRsa || hash === 'SHA-256') return first.privateKey
    const pkcs8 = await subtle.exportKey('pkcs8', first.privateKey)
    return subtle.importKey('pkcs8', pkcs8, { name: kind, hash }, false, ['sign'])
  }

  return {
    key,
    pem: pemOf(key),
    sign: async (message, { hash = 'SHA-256', saltLength = 32 } = {}) => {
      const name = kind.startsWith('P-') ? 'ECDSA' : kind
      const privateKey = await privateKeyFor(hash)
      return new Uint8Array(await subtle.sign({ name, hash, saltLength }, privateKey, message))
    },
  }
}

/** The one key of a text, from the configuration. */
export function keyOf(text: string, name: string): TrustedKey {
  const [key] = readKeys(text, { name, origin: 'configuration' }).keys
  if (!key) throw new Error(`no key in ${text}`)
  return key
}

/** An envelope around a text, with signatures added one after another. */
export function envelopeOf(
  text: string,
  signatures: readonly Partial<EnvelopeSignature>[] = [],
  more: Partial<Envelope> = {},
): Envelope {
  const payload = new TextEncoder().encode(text)
  return {
    source: 'envelope',
    payloadType: inTotoType,
    payload,
    signatures: signatures.map((signature, index) => ({
      index,
      keyid: undefined,
      sig: undefined,
      sigText: signature.sig ? toBase64(signature.sig) : '',
      mistake: undefined,
      certificate: undefined,
      intermediates: [],
      extensionKind: undefined,
      extraFields: [],
      ...signature,
    })),
    certificates: [],
    mediaType: undefined,
    publicKeyHint: undefined,
    publicKey: undefined,
    logEntries: [],
    timestamps: [],
    unverifiable: undefined,
    extraFields: [],
    ...more,
  }
}

/** What DSSE signs for a text. */
export function paeOf(text: string, type = inTotoType): Uint8Array<ArrayBuffer> {
  return pae(type, new TextEncoder().encode(text))
}
