import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'

// What of node:crypto the proxy and the embedded services use, in the static demo.

type Input = string | Uint8Array

interface Digest {
  readonly update: (input: Input) => Digest
  readonly digest: (encoding?: BufferEncoding) => Buffer | string
}

/** SHA-256, the only one that is used. */
export function createHash(_algorithm: 'sha256'): Digest {
  return digestOf(sha256.create())
}

/** HMAC-SHA-256. */
export function createHmac(_algorithm: 'sha256', key: Input): Digest {
  return digestOf(hmac.create(sha256, bytesOf(key)))
}

function digestOf(hash: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }): Digest {
  const digest: Digest = {
    update: (input) => {
      hash.update(bytesOf(input))
      return digest
    },
    digest: (encoding) => {
      const bytes = Buffer.from(hash.digest())
      return encoding === undefined ? bytes : bytes.toString(encoding)
    },
  }
  return digest
}

function bytesOf(input: Input): Uint8Array {
  return typeof input === 'string' ? new TextEncoder().encode(input) : input
}

export function randomBytes(size: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(size)))
}

export function randomUUID(): string {
  return crypto.randomUUID()
}

/** From `min` up to but without `max`. */
export function randomInt(min: number, max: number): number {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1))
  return min + Math.floor((value / 2 ** 32) * (max - min))
}

export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Sessions are not stored and bundles not signed: nothing is encrypted, and no key is read. */
function neverNeeded(): never {
  throw new Error('the demo has no stored sessions and no signing key')
}
export const createCipheriv = neverNeeded
export const createDecipheriv = neverNeeded
export const hkdfSync = neverNeeded
export const createPrivateKey = neverNeeded
export const createPublicKey = neverNeeded
export const sign = neverNeeded
