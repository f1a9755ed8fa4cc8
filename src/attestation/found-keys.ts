import type { PublicKey } from './public-key.ts'

/** A public key as it was found, before anybody gave it an origin. */
export interface FoundKey {
  readonly key: PublicKey
  /** The name that stood beside it: a name in a map, a `kid`, the comment of an SSH key. */
  readonly name?: string | undefined
  /** The certificate it is from: base64 DER. */
  readonly certificate?: string | undefined
  readonly jwsAlgorithm?: string | undefined
}

/** Something that was to be a key and is none. */
export interface KeyMistake {
  /** Where it stands, such as "line 3" or `the key "release"`; "" where it is everything. */
  readonly where: string
  /** What is wrong and what to do, in plain words; it repeats nothing of a private key. */
  readonly message: string
}

export interface FoundKeys {
  readonly keys: readonly FoundKey[]
  readonly mistakes: readonly KeyMistake[]
}

/** All that was found in several places. */
export function allFound(parts: readonly FoundKeys[]): FoundKeys {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    mistakes: parts.flatMap(({ mistakes }) => mistakes),
  }
}

/** One key and no mistake. */
export function found(key: FoundKey): FoundKeys {
  return { keys: [key], mistakes: [] }
}

/** One mistake and no key. */
export function notAKey(where: string, message: string): FoundKeys {
  return { keys: [], mistakes: [{ where, message }] }
}

/** What is said of a private key, wherever it was found. */
export const privateKeyMessage =
  'This is a private key. It was not kept. Whoever can read it can sign in your name: keep it where ' +
  'it is safe, and give the public key alone (openssl pkey -pubout, or ssh-keygen -y).'
