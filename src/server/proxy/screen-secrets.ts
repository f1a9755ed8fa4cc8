import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

/** Without letters and digits that look alike: read from a wall, and typed by hand. */
const codeLetters = 'ABCDEFGHJKMNPQRTVWXY2346789'
const codeLength = 8

/** A code for people, such as `K7RM-4XTN`: one of 280 thousand million. */
export function makeCode(): string {
  const letters = Array.from(
    { length: codeLength },
    () => codeLetters[randomInt(codeLetters.length)],
  )
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** What was typed, as `makeCode` writes it without its hyphen. */
export function plainCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/** A secret for programs, of 256 random bits: letters, digits, `-` and `_`. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept in place of a secret; a random one needs no salt. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether two hashes are the same, in a time that does not tell how far they agree. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
