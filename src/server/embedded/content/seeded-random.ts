/** A source of numbers in [0, 1), such as Math.random; the helpers below turn them into choices. */
export type Random = () => number

/**
 * A repeatable source: the same key gives the same numbers, different keys unrelated ones. The
 * generator is sfc32 (PractRand), seeded by a hash of the key.
 */
export function createSeededRandom(...key: readonly (string | number)[]): Random {
  let [a, b, c] = hash(key.join('\u0000'))
  let counter = 1
  const next: Random = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return (sum >>> 0) / 4294967296
  }
  for (let round = 0; round < 12; round++) next()
  return next
}

/** A number in [low, high). */
export function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low)
}

/** A whole number from `low` to `high`, both included. */
export function whole(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1))
}

/** True with the given probability. */
export function chance(random: Random, probability: number): boolean {
  return random() < probability
}

/** One of the items, all equally likely. Throws a RangeError when there is none. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}

/** One of the items, as likely as its weight. Throws a RangeError when there is none. */
export function pickWeighted<Item extends { readonly weight: number }>(
  random: Random,
  items: readonly Item[],
): Item {
  let left = random() * items.reduce((sum, { weight }) => sum + weight, 0)
  for (const item of items) {
    left -= item.weight
    if (left < 0) return item
  }
  return pick(random, items)
}

/** A positive number around `median`; about two thirds lie within a factor of e^sigma. */
export function logNormal(random: Random, median: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(sigma * normal)
}

/** The gap to the next of events that happen independently, `mean` apart on average. */
export function exponential(random: Random, mean: number): number {
  return mean * Math.abs(Math.log(1 - random()))
}

/** How many of such events fall into a span in which `mean` are expected (Knuth's method). */
export function poisson(random: Random, mean: number): number {
  const limit = Math.exp(-mean)
  let product = random()
  let count = 0
  for (; product > limit; count++) product *= random()
  return count
}

/** Three words from two 32-bit multiply-and-xor hashes (FNV-1a with murmur3's finish). */
function hash(text: string): [number, number, number] {
  let one = 0x811c9dc5
  let two = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 0x01000193)
    two = Math.imul(two ^ code, 0x85ebca6b)
  }
  return [finish(one), finish(two), finish(one ^ (two >>> 1))]
}

function finish(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return twice ^ (twice >>> 16)
}

/**
 * A build id (docs/services.md#export-build-ids): 13 characters, 65 bits, so that chance makes no
 * two alike.
 */
export function createBuildId(random: Random): string {
  return characters(random, base32, 13)
}

/** How a build tool names one invocation, a workspace or a user: 26 characters, 130 bits. */
export function createScopeId(random: Random): string {
  return characters(random, base32, 26)
}

/** A Git commit id. */
export function createCommitId(random: Random): string {
  return characters(random, hexadecimal, 40)
}

/** The key of an entry of a build cache. */
export function createCacheKey(random: Random): string {
  return characters(random, hexadecimal, 32)
}

/**
 * The id of something within a build's events: a signed 64-bit integer, always beyond 2^53, so that
 * whoever reads it as a JavaScript number loses digits as with a real server.
 */
export function createEventId(random: Random): bigint {
  const high = 0x400000 + Math.floor(random() * (0x80000000 - 0x400000))
  const low = Math.floor(random() * 0x100000000)
  const magnitude = (BigInt(high) << 32n) | BigInt(low)
  return low % 2 === 0 ? magnitude : -magnitude
}

const base32 = Array.from('abcdefghijklmnopqrstuvwxyz234567')
const hexadecimal = Array.from('0123456789abcdef')

function characters(random: Random, alphabet: readonly string[], length: number): string {
  let text = ''
  while (text.length < length) text += pick(random, alphabet)
  return text
}
