import { decodeBase64, toBase64 } from '../decode/base64.ts'
import { decodeUtf16, decodeUtf8 } from '../decode/utf8.ts'
import { joinBytes } from '../decode/bytes.ts'
import { schemesFor } from '../signatures/schemes.ts'
import { curveNames, curves, describeAlgorithm } from './key-algorithm.ts'
import {
  allFound,
  aPrivateKey,
  found,
  type FoundKey,
  type FoundKeys,
  hasPrivateKey,
  type KeyMistake,
  keysInText,
  notAKey,
} from './keys-in-text.ts'
import { type KeyNumbers, type PublicKey, publicKeyOf } from './public-key.ts'
import type { KeyOrigin, TrustedKey } from './trusted-key.ts'

export interface ReadKeysOptions {
  /** Where the keys come from; `device` unless said otherwise. */
  readonly origin?: KeyOrigin
  /** The name of a key that brings none; "key" unless said otherwise. */
  readonly name?: string
}

export interface ReadKeys {
  readonly keys: readonly TrustedKey[]
  readonly mistakes: readonly KeyMistake[]
}

/**
 * The public keys in what was pasted or dropped: PEM public keys or certificates (CRLF, and any text around
 * them), SSH public keys, a JSON Web Key or a set of them, the `{name: {pem | pemBase64, keyIds?}}` map of
 * policy files as JSON, or the base64 of one of these; or the same as the bytes of a file, DER among
 * them, or as a value that is already parsed. Every key has a name of its own; the same key twice is there once. A private key is
 * refused: it is in no key, and no mistake repeats anything of it. Never throws.
 */
export function readKeys(input: unknown, options: ReadKeysOptions = {}): ReadKeys {
  const value = input instanceof Uint8Array ? textOf(input) : input
  const { keys, mistakes } = typeof value === 'string' ? fromText(value) : keysInJson(value)
  return { keys: withNames(withoutRepeats(keys), options), mistakes }
}

/** UTF-16 with a mark is text, too, as PowerShell writes it; what is no text is read as its base64 would be. */
function textOf(bytes: Uint8Array): string {
  const utf16 = decodeUtf16(bytes)
  if (utf16 !== undefined) return utf16
  const decoded = decodeUtf8(bytes)
  return decoded.ok ? decoded.text : toBase64(bytes)
}

function fromText(input: string): FoundKeys {
  // A byte order mark is a blank, too.
  const text = input.trim()
  if (!/^[[{"]/.test(text)) return keysInText(text)
  try {
    return keysInJson(JSON.parse(text))
  } catch {
    // A text may begin with a bracket. What JSON.parse has to say would quote it.
    const inText = keysInText(text)
    if (inText.keys.length > 0 || hasPrivateKey(inText.mistakes)) return inText
    if (/"(?:d|k|priv)"\s*:/.test(text)) return aPrivateKey('', secretJwk)
    return notAKey('', "This starts like JSON but isn't valid JSON. It may be incomplete.")
  }
}

function withoutRepeats(keys: readonly FoundKey[]): FoundKey[] {
  const bySpki = new Map<string, FoundKey>()
  for (const found of keys) {
    const id = found.key.spki.join()
    if (!bySpki.has(id)) bySpki.set(id, found)
  }
  return [...bySpki.values()]
}

function withNames(
  keys: readonly FoundKey[],
  { origin = 'device', name: fallback = 'key' }: ReadKeysOptions,
): TrustedKey[] {
  const used = new Map<string, number>()
  return keys.map(({ key, name, certificate, jwsAlgorithm, keyIds }) => {
    const base = name ?? fallback
    const count = (used.get(base) ?? 0) + 1
    used.set(base, count)
    return {
      name: count === 1 ? base : `${base} (${count})`,
      origin,
      algorithm: key.algorithm,
      spki: key.spki,
      ...(certificate === undefined ? {} : { certificate }),
      ...(jwsAlgorithm === undefined ? {} : { jwsAlgorithm }),
      ...(keyIds === undefined ? {} : { keyIds }),
    }
  })
}

/**
 * The keys of a parsed JSON or YAML value: a JSON Web Key or a set of them, the map of the policy
 * files (`{name: {pem | pemBase64}}`, alone or under `keys` or `spec`;
 * docs/attestations.md#keys-in-files), a map of names to texts, or a list of any of these.
 */
function keysInJson(value: unknown, where = '', depth = 0): FoundKeys {
  if (typeof value === 'string') return keysInText(value, where)
  // Deep enough for every form above, and no nesting can overflow anything.
  if (typeof value !== 'object' || value === null || depth > 4) return notAKey(where, noKeyHere)
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    if (items.length === 0) return notAKey(where, noKeyHere)
    return allFound(
      items.map((item, at) => keysInJson(item, where || `number ${at + 1} of the list`, depth + 1)),
    )
  }
  const members = new Map<string, unknown>(Object.entries(value))
  if (members.has('kty')) return ofJwk(Object.fromEntries(members), where)
  for (const name of ['pem', 'pemBase64']) {
    const text = members.get(name)
    if (typeof text === 'string') return withKeyIds(keysInText(text, where), members.get('keyIds'))
  }
  for (const name of ['keys', 'spec']) {
    if (members.has(name)) return keysInJson(members.get(name), where, depth + 1)
  }
  if (members.size === 0) return notAKey(where, noKeyHere)
  return allFound(
    [...members].map(([name, member]) => named(name, keysInJson(member, placeOf(name), depth + 1))),
  )
}

function withKeyIds({ keys, mistakes }: FoundKeys, listed: unknown): FoundKeys {
  const all: readonly unknown[] = Array.isArray(listed) ? listed : []
  const keyIds = all.filter((id) => typeof id === 'string')
  return keyIds.length === 0
    ? { keys, mistakes }
    : { keys: keys.map((key) => ({ ...key, keyIds })), mistakes }
}

const noKeyHere =
  'No key found. Expected a JSON Web Key, a set of them, or a map of names to {"pem": …} or {"pemBase64": …}.'

function ofJwk(jwk: Readonly<Record<string, unknown>>, where: string): FoundKeys {
  if (isSecretJwk(jwk)) return aPrivateKey(where, secretJwk)
  const result = readJwk(jwk)
  if (!result.ok) return notAKey(where, result.problem)
  return found({ key: result.key, name: result.kid, jwsAlgorithm: result.alg })
}

/** A name in a map is the name of its key; where it holds several, they keep what they have. */
function named(name: string, { keys, mistakes }: FoundKeys): FoundKeys {
  const [only] = keys
  return keys.length === 1 && only ? { keys: [{ ...only, name }], mistakes } : { keys, mistakes }
}

function placeOf(name: string): string {
  return `the key "${name.replaceAll(/[^ -~]/g, '?').slice(0, 80)}"`
}

type JwkResult =
  | {
      readonly ok: true
      readonly key: PublicKey
      readonly kid: string | undefined
      readonly alg: string | undefined
    }
  | { readonly ok: false; readonly problem: string }

/** The public key of a JSON Web Key (RFC 7517, 8037) that is for signatures. */
function readJwk(jwk: Readonly<Record<string, unknown>>): JwkResult {
  const { kty, crv, use, key_ops: operations } = jwk
  // RFC 7517, 4.2 and 4.3.
  const isOther = use !== undefined && use !== 'sig'
  if (isOther || (Array.isArray(operations) && !operations.includes('verify'))) {
    const problem =
      'The JSON Web Key isn\'t for checking signatures, as its "use" or "key_ops" says.'
    return { ok: false, problem }
  }
  const kid = typeof jwk.kid === 'string' ? jwk.kid : undefined
  const alg = typeof jwk.alg === 'string' ? jwk.alg : undefined
  const key = publicKeyOf(numbersOfJwk(jwk))
  if (key && (key.algorithm.type === 'unsupported' || schemesFor(key.algorithm, alg).length > 0))
    return { ok: true, key, kid, alg }
  if (key) {
    const kind = describeAlgorithm(key.algorithm)
    return {
      ok: false,
      problem: `The "alg" of the JSON Web Key isn't a signature algorithm of ${kind}.`,
    }
  }
  const name = typeof crv === 'string' && crv !== '' ? crv : kty
  const problem =
    typeof name === 'string' && unsupported.has(name)
      ? `Browsers can't verify with a JSON Web Key of type ${name}.`
      : 'The JSON Web Key is incomplete or of an unknown type.'
  return { ok: false, problem }
}

/** Whether a JSON Web Key holds what must stay secret (RFC 7518, 6.2.2, 6.3.2, 6.4). */
function isSecretJwk(jwk: Readonly<Record<string, unknown>>): boolean {
  return 'd' in jwk || 'k' in jwk || 'priv' in jwk || jwk.kty === 'oct'
}

const secretJwk =
  "This JSON Web Key contains a private or secret key, so it wasn't stored. Remove it from where it is, " +
  'and use the public key instead.'
const unsupported = new Set(['secp256k1', 'Ed448', 'X25519', 'X448', 'AKP'])

function numbersOfJwk(jwk: Readonly<Record<string, unknown>>): KeyNumbers | undefined {
  const number = (name: string): Uint8Array | undefined => {
    const text = jwk[name]
    const bytes = typeof text === 'string' ? decodeBase64(text) : undefined
    return bytes?.ok ? bytes.bytes : undefined
  }
  const [x, y, n, e] = [number('x'), number('y'), number('n'), number('e')]
  if (jwk.kty === 'RSA') return n && e && { type: 'RSA', modulus: n, exponent: e }
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return x && { type: 'Ed25519', point: x }
  const curve = curveNames.find((name) => jwk.kty === 'EC' && jwk.crv === name)
  const isOfSize = (number: Uint8Array) => curve && number.length === curves[curve].size
  if (!curve || !x || !y || !isOfSize(x) || !isOfSize(y)) return undefined
  return { type: 'EC', curve, point: joinBytes(Uint8Array.of(4), x, y) }
}
