import { createColumn } from './column.ts'

export interface LoggedEvent {
  /** Its place among all events that came, from 0. */
  readonly index: number
  /** The number that the server gave it, where that is a number. */
  readonly sequence: number | null
  readonly type: string
  /** Its JSON as it was sent, every digit of it. */
  readonly text: string
}

/** How many events of a type came, and how many of them are kept. */
export interface TypeCount {
  readonly type: string
  readonly count: number
  readonly kept: number
}

/** The raw events of a build, kept as bytes up to a bound. */
export interface EventLog {
  readonly append: (type: string, text: string, id: string) => void
  /** How many came, how many of these are kept (the first ones), and in how many bytes. */
  readonly total: () => number
  readonly kept: () => number
  readonly bytes: () => number
  /** By type, the most frequent first. */
  readonly counts: () => readonly TypeCount[]
  /** Of the kept events of these types (undefined: of all), those from place `from` on. */
  readonly slice: (
    types: readonly string[] | undefined,
    from: number,
    count: number,
  ) => readonly LoggedEvent[]
  /** The place of the one with this number (`eventNumber`) among those; -1 where it isn't kept. */
  readonly find: (types: readonly string[] | undefined, number: number) => number
}

/** The number that people know an event by: the server's, else its place, from 1. */
export function eventNumber({ sequence, index }: Pick<LoggedEvent, 'sequence' | 'index'>): number {
  return sequence ?? index + 1
}

const blockBytes = 1024 * 1024
const blockShare = 2 ** 32

/**
 * An empty log. Texts are kept as UTF-8 in large blocks outside of the garbage collector's reach,
 * with a type and a place each. Once the blocks would exceed `maxBytes`, events are counted only.
 */
export function createEventLog(maxBytes: number): EventLog {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const blocks: Uint8Array[] = []
  const types: string[] = []
  const typeIds = new Map<string, number>()
  const counts: { count: number; kept: number }[] = []
  const typeOf = createColumn()
  /** The block and the place within it, in one number. */
  const placeOf = createColumn()
  const lengthOf = createColumn()
  const sequenceOf = createColumn()
  let used = 0
  let bytes = 0
  let held = 0
  let total = 0
  let isFull = false
  let filtered: {
    readonly key: string
    readonly kept: number
    readonly places: Uint32Array
  } | null = null

  function typeId(type: string): number {
    const known = typeIds.get(type)
    if (known !== undefined) return known
    typeIds.set(type, types.length)
    counts.push({ count: 0, kept: 0 })
    return types.push(type) - 1
  }

  function store(text: string): boolean {
    const block = blocks.at(-1)
    const room = block?.subarray(used)
    const written = room === undefined ? undefined : encoder.encodeInto(text, room)
    if (written?.read === text.length) {
      placeOf.push((blocks.length - 1) * blockShare + used)
      lengthOf.push(written.written)
      used += written.written
      bytes += written.written
      return true
    }
    // A UTF-16 unit is three bytes of UTF-8 at most.
    const length = Math.max(blockBytes, text.length * 3)
    if (held + length > maxBytes) return false
    held += length
    blocks.push(new Uint8Array(length))
    used = 0
    return store(text)
  }

  function places(wanted: readonly string[]): Uint32Array {
    const key = wanted.join(',')
    if (filtered?.key === key && filtered.kept === typeOf.length()) return filtered.places
    const ids = new Set(wanted.map((type) => typeIds.get(type)))
    const found = new Uint32Array(wanted.reduce((sum, type) => sum + keptOf(type), 0))
    let next = 0
    for (let index = 0; index < typeOf.length(); index++) {
      if (ids.has(typeOf.at(index))) found[next++] = index
    }
    filtered = { key, kept: typeOf.length(), places: found }
    return found
  }

  function keptOf(type: string): number {
    return counts[typeIds.get(type) ?? -1]?.kept ?? 0
  }

  function sequenceAt(index: number): number | null {
    const sequence = sequenceOf.at(index)
    return Number.isNaN(sequence) ? null : sequence
  }

  function at(index: number): LoggedEvent {
    const start = placeOf.at(index) % blockShare
    const block = blocks[Math.floor(placeOf.at(index) / blockShare)] ?? new Uint8Array()
    return {
      index,
      sequence: sequenceAt(index),
      type: types[typeOf.at(index)] ?? '',
      text: decoder.decode(block.subarray(start, start + lengthOf.at(index))),
    }
  }

  return {
    append: (type, text, id) => {
      const known = typeId(type)
      const counted = counts[known]
      total += 1
      if (counted !== undefined) counted.count += 1
      if (isFull || !store(text)) {
        isFull = true
        return
      }
      typeOf.push(known)
      sequenceOf.push(id === '' ? NaN : Number(id))
      if (counted !== undefined) counted.kept += 1
    },
    total: () => total,
    kept: () => typeOf.length(),
    bytes: () => bytes,
    counts: () =>
      types
        .map((type, index) => ({ type, count: counts[index]?.count ?? 0, kept: keptOf(type) }))
        .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1)),
    slice: (wanted, from, count) => {
      const among = wanted === undefined ? undefined : places(wanted)
      const end = Math.min(from + count, among?.length ?? typeOf.length())
      return Array.from({ length: Math.max(0, end - from) }, (_, offset) =>
        at(among === undefined ? from + offset : (among[from + offset] ?? 0)),
      )
    },
    find: (wanted, number) => {
      const among = wanted === undefined ? undefined : places(wanted)
      const length = among?.length ?? typeOf.length()
      for (let place = 0; place < length; place++) {
        const index = among?.[place] ?? place
        if (eventNumber({ sequence: sequenceAt(index), index }) === number) return place
      }
      return -1
    },
  }
}

/**
 * JSON with a line for each value, as JSON.stringify would lay it out, but made from the text: each
 * number keeps all its digits, and each text its escapes. What is not JSON comes out somehow.
 */
export function prettyJson(text: string): string {
  let pretty = ''
  let depth = 0
  for (const token of text.match(tokens) ?? []) {
    if (token === '{' || token === '[') {
      depth += 1
      pretty += `${token}${lineStart(depth)}`
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1)
      pretty += `${lineStart(depth)}${token}`
    } else if (token === ',') pretty += `${token}${lineStart(depth)}`
    else if (token === ':') pretty += ': '
    else pretty += token
  }
  return pretty.replace(/([{[])\s+([}\]])/g, '$1$2')
}

/** Strings as a whole, the marks of the structure, and whatever stands between them. */
const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g

function lineStart(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, deepestIndent))}`
}

/** Deeper lines are not moved further: the blanks before them would fill the memory. */
const deepestIndent = 100
