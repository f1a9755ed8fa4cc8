import {
  type FoundKey,
  type FoundKeys,
  type KeyMistake,
  notAKey,
  privateKeyMessage,
} from './found-keys.ts'
import { keysInJson } from './keys-in-json.ts'
import { keysInText } from './keys-in-text.ts'
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
 * The public keys in what somebody gave: PEM public keys or certificates (CRLF, and any text around
 * them), SSH public keys, a JSON Web Key or a set of them, the `{name: {pem | pemBase64}}` map of
 * policy files as JSON, or the base64 of one of these; or the same as a value that is already
 * parsed. Every key has a name of its own; the same key twice is there once. A private key is
 * refused: it is in no key, and no mistake repeats anything of it. Never throws.
 */
export function readKeys(input: unknown, options: ReadKeysOptions = {}): ReadKeys {
  const { keys, mistakes } = typeof input === 'string' ? fromText(input) : keysInJson(input)
  return { keys: withNames(withoutRepeats(keys), options), mistakes }
}

function fromText(input: string): FoundKeys {
  const text = input.replace(/^\uFEFF/, '').trim()
  if (!/^[[{"]/.test(text)) return keysInText(text)
  try {
    return keysInJson(JSON.parse(text))
  } catch {
    // A text may begin with a bracket. What JSON.parse has to say would quote it.
    const inText = keysInText(text)
    const isPrivate = inText.mistakes.some(({ message }) => message === privateKeyMessage)
    if (inText.keys.length > 0 || isPrivate) return inText
    return notAKey('', 'This begins like JSON, but cannot be read as JSON: it is cut or misspelt.')
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
  return keys.map(({ key, name, certificate, jwsAlgorithm }) => {
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
    }
  })
}
