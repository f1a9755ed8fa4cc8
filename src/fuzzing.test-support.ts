import { describe, test } from 'vitest'

/** What a parser is tried with, and what it must do with all of it. */
export interface FuzzedParser {
  readonly name: string
  /** Valid inputs, which are changed. */
  readonly seeds: readonly (string | Uint8Array)[]
  /** Pieces of its language, to be put in anywhere. */
  readonly words: readonly string[]
  /** How long what is repeated or nested may be at most, where a library costs more than its bytes. */
  readonly longest?: number
  /**
   * Reads bytes and throws for anything that the parser doesn't promise, so whatever it throws is a
   * fault. A parser that may refuse by throwing is called through `refusing`.
   */
  readonly read: (bytes: Uint8Array<ArrayBuffer>) => unknown
}

/** A function whose documented refusals count as answers; all else that it throws is thrown on. */
export function refusing<Answer>(
  parser: () => Answer,
  isRefusal: (error: unknown) => boolean,
): Answer | undefined {
  try {
    return parser()
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** As text: UTF-8, and a lone surrogate, which no encoder makes, where the bytes are none. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\ufffd', '\ud83d')
}

/** Throws unless two values are written alike as JSON: for what must not depend on how bytes are cut. */
export function requireEqual(one: unknown, other: unknown, what: string): void {
  const [first, second] = [JSON.stringify(one), JSON.stringify(other)]
  if (first !== second) throw new Error(`${what}: ${first} is not ${second}`)
}

/**
 * The bytes in pieces that depend on nothing but their number: some hundreds at most. A byte order mark
 * at their start is whole: Node 24 takes a second one away as well where the first is cut.
 */
export function pieces(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const all: Uint8Array<ArrayBuffer>[] = []
  const scale = Math.ceil(bytes.length / 2000)
  for (let at = 0; at < bytes.length;) {
    const least = at === 0 && bytes[0] === 0xef ? 3 : 1
    const end = at + least + ((at * 7) % 13) * scale
    all.push(bytes.subarray(at, end))
    at = end
  }
  return all
}

/** A stream of these bytes, in these parts. */
export function streamOf(
  parts: readonly Uint8Array<ArrayBuffer>[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

/** What JSON is made of. */
export const jsonWords = '{ } [ ] "a": , " \\u0000 \\ud800 1.5e3 null "id":"1"'.split(' ')

/** Numbers below `end`, always the same for a seed (mulberry32). */
function createRandom(seed: number): (end: number) => number {
  let state = seed >>> 0
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}

/** No end of mutants of the seeds, a few changes in each, and now and then bytes of no meaning. */
function* mutants(
  { seeds, words }: Pick<FuzzedParser, 'seeds' | 'words'>,
  random: (end: number) => number,
): Generator<Uint8Array<ArrayBuffer>, never, undefined> {
  const known = seeds.map(bytesOf)
  const dictionary = [...words, ...everywhere].map(bytesOf)
  const pick = <Value>(values: readonly Value[], instead: Value): Value =>
    values[random(values.length)] ?? instead
  for (;;) {
    let bytes = random(50) === 0 ? noise(random) : pick(known, empty)
    for (let changes = random(5); changes > 0; changes--) {
      bytes = changed(bytes, { random, word: pick(dictionary, empty), other: pick(known, empty) })
    }
    yield bytes.slice(0, longest)
  }
}

/** What, repeated or nested, makes careless parsers slow or exhausts their stack. */
function* repeats(
  { seeds, words }: Pick<FuzzedParser, 'seeds' | 'words'>,
  length: number,
): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const word of [...words, ...everywhere, ...seeds].map(bytesOf)) {
    if (word.length > 0) yield times(word, length)
  }
  for (const [open, inner, close] of nestings) {
    const depth = Math.floor(length / (open.length + close.length))
    yield bytesOf(open.repeat(depth) + inner + close.repeat(depth))
    yield joined([bytesOf(seeds[0] ?? ''), bytesOf(open.repeat(depth))])
  }
}

const longest = 8192
const empty = new Uint8Array()

/** Marks and numbers that matter to nearly all formats, names that matter to the language itself. */
const everywhere: readonly (string | Uint8Array)[] = [
  ...['__proto__', '"__proto__":{"polluted":1},', 'constructor', 'prototype', 'toString', 'hasOwn'],
  ...['\0', '\n', '\r\n', '\t', ' ', '\u00a0', '\u2028', '\ufeff', '\u202e', '🚀', 'é', 'İ'],
  ...['%', '%00', '%ff', '%2f', '&', '=', ';', ',', ':', '/', '\\', '"', "'", '`', '#', '<', '{}'],
  ...['-1', '0', '1e999', '9007199254740993', '18446744073709551616', 'NaN', 'null', 'true', '[]'],
  ...[[0x80], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]].map(
    (bytes) => Uint8Array.from(bytes),
  ),
]

const nestings = [
  ['[', '', ']'],
  ['{"a":', '1', '}'],
  ['[{"a":', '[]', '}]'],
  ['(', 'a', ')'],
  ['not (', 'a', ')'],
  ['- ', 'a', ''],
  ['{a: ', '1', '}'],
] as const

interface Change {
  readonly random: (end: number) => number
  readonly word: Uint8Array<ArrayBuffer>
  readonly other: Uint8Array<ArrayBuffer>
}

/** One change: a bit, a byte, a cut, a repeat, a word, or a piece of another seed. */
function changed(
  bytes: Uint8Array<ArrayBuffer>,
  { random, word, other }: Change,
): Uint8Array<ArrayBuffer> {
  const at = random(bytes.length + 1)
  const to = Math.min(bytes.length, at + random(random(4) === 0 ? 200 : 8))
  const [head, part, tail] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)]
  switch (random(9)) {
    case 0: {
      const copy = bytes.slice()
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
      return copy
    }
    case 1:
      return joined([head, Uint8Array.of(random(256)), tail])
    case 2:
      return joined([head, tail])
    case 3:
      return head
    case 4:
      return joined([head, ...Array.from({ length: 1 + random(40) }, () => part), tail])
    case 5:
      return joined([head, word, part, tail])
    case 6:
      return joined([head, word, tail])
    case 7: {
      const from = random(other.length)
      return joined([head, other.subarray(from, from + random(other.length)), tail])
    }
    default:
      return joined([tail, part, head])
  }
}

function noise(random: (end: number) => number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: random(400) }, () => random(256))
}

function times(word: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.alloc(Math.ceil(length / word.length) * word.length, word))
}

function bytesOf(value: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts))
}

/** How long each parser is tried with mutants, s; without it only some, always the same. */
const seconds = Number(process.env.FUZZ_SECONDS ?? 0)
const seed = Number(process.env.FUZZ_SEED ?? (seconds > 0 ? Date.now() % 1_000_000 : 1))
const fewMutants = 150
/** How long what is repeated or nested is, bytes. */
const length = Number(process.env.FUZZ_BYTES ?? (seconds > 0 ? 1_000_000 : 16_000))

/**
 * The tests of parsers (docs/proof.md): each is given mutants of its seeds, for FUZZ_SECONDS or a few
 * of them, and what is repeated or nested until 1 MB is full (16 kB without FUZZ_SECONDS). It must
 * throw nothing, leave the prototypes of the language as they are, and come to an end, which for 1 MB
 * only those do whose cost grows with the bytes alone. FUZZ_SEED repeats a run.
 */
export function fuzz(parsers: readonly FuzzedParser[]): void {
  describe.each(parsers.map((parser) => [parser.name, parser] as const))('%s', (name, parser) => {
    test(
      'reads or refuses what was changed anywhere',
      { timeout: seconds * 2000 + 120_000 },
      async () => {
        const random = createRandom(seed)
        const end = performance.now() + seconds * 1000
        let count = 0
        let size = 0
        for (const bytes of mutants(parser, random)) {
          await requireSound(parser, bytes)
          count += 1
          size += bytes.length
          if (seconds > 0 ? performance.now() >= end : count >= fewMutants) break
        }
        say(`${name}: ${count} mutants, ${Math.round(size / 1000)} kB, seed ${seed}`)
      },
    )

    test('comes to the end of what is repeated or nested', { timeout: 600_000 }, async () => {
      let slowest = { ms: 0, begin: '' }
      for (const bytes of repeats(parser, Math.min(length, parser.longest ?? length))) {
        const began = performance.now()
        await requireSound(parser, bytes)
        const ms = performance.now() - began
        if (ms > slowest.ms) slowest = { ms, begin: JSON.stringify(textOf(bytes.subarray(0, 30))) }
      }
      say(`${name}: ${length} bytes took at most ${Math.round(slowest.ms)} ms (${slowest.begin})`)
    })
  })
}

function say(line: string): void {
  if (seconds > 0) process.stdout.write(`${line}\n`)
}

async function requireSound(parser: FuzzedParser, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  try {
    const answer = parser.read(bytes)
    if (answer instanceof Promise) await answer
    requireOwnPrototypes()
  } catch (error) {
    const shown = Buffer.from(bytes.subarray(0, 3000)).toString('base64')
    throw new Error(`${parser.name}, ${bytes.length} bytes, in base64: ${shown}`, { cause: error })
  }
}

const prototypes = [Object.prototype, Array.prototype, Map.prototype, Function.prototype]
const ownKeys = prototypes.map((prototype) => Reflect.ownKeys(prototype).length)

function requireOwnPrototypes(): void {
  const isPolluted = prototypes.some((one, at) => Reflect.ownKeys(one).length !== ownKeys[at])
  if (isPolluted) throw new Error('a prototype of the language was changed')
}
