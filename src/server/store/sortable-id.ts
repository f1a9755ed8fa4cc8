import { randomBytes } from 'node:crypto'

/** Crockford's base 32, in which texts sort as their numbers do. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const timeDigits = 10

/**
 * An id that sorts by its time (epoch ms, below 2^50) as a text, and that nobody can guess: 80 random
 * bits follow the time. Lower-case letters and digits, 26 of them.
 */
export function sortableId(time: number): string {
  const random = Array.from(randomBytes(16), (byte) => digits[byte % digits.length] ?? '')
  return earliestId(time) + random.join('')
}

/** What sorts before every id of a time (epoch ms) or later, and behind every earlier one. */
export function earliestId(time: number): string {
  let text = ''
  for (let rest = Math.max(0, Math.floor(time)), at = 0; at < timeDigits; at += 1) {
    text = (digits[rest % digits.length] ?? '') + text
    rest = Math.floor(rest / digits.length)
  }
  return text
}
