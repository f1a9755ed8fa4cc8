import { asciiOf } from './bytes.ts'
import { jsonKinds, type JsonTree, noNode } from './json-tree.ts'

export type JsonParse =
  | {
      readonly ok: true
      readonly tree: JsonTree
      /** The text in `asciiOf`, for further reading. */
      readonly codes: Uint8Array
    }
  | {
      readonly ok: false
      /** UTF-16 units from the beginning of the text. */
      readonly offset: number
      /** A sentence without its place. */
      readonly problem: string
      /** The text ended before the value did. */
      readonly isCut: boolean
      /** A whole value ends where the trouble begins: more text follows it. */
      readonly isTrailing: boolean
    }

/** Parses JSON (RFC 8259, as strict as JSON.parse) in one pass, without recursion at any depth. Never throws. */
export function parseJsonTree(text: string, codes: Uint8Array = asciiOf(text)): JsonParse {
  const to = codes.length
  const table = createNodeTable(Math.max(16, to >> 5))
  let at = skipBlanks(codes, 0)
  let open = noNode
  let isObject = false
  for (;;) {
    // A value begins here, with its key before it where an object is open.
    let keyStart = noNode
    let keyEnd = noNode
    if (isObject) {
      if (at >= to) return cut(to)
      if (codes[at] !== quote) return wrong(at, 'Expected a key in double quotes')
      keyStart = at
      at = endOfString(text, codes, at)
      if (at < 0) return badString(text, keyStart, ~at)
      keyEnd = at
      at = skipBlanks(codes, at)
      if (at >= to) return cut(to)
      if (codes[at] !== colon) return wrong(at, 'Expected a colon after the key')
      at = skipBlanks(codes, at + 1)
    }
    if (at >= to) return cut(to)
    const start = at
    const code = codes[at] ?? 0
    if (code === curly || code === square) {
      const node = table.add(code === curly ? object : array, start, keyStart, keyEnd, open)
      at = skipBlanks(codes, at + 1)
      open = node
      isObject = code === curly
      if (at >= to) return cut(to)
      if (codes[at] !== closing(code)) continue
    } else {
      const kind = kindAt(code)
      if (kind === noNode) return wrong(at, 'Expected a value')
      at = endOfScalar(text, codes, at, kind)
      if (at < 0) {
        return kind === string ? badString(text, start, ~at) : badScalar(text, start, ~at)
      }
      const node = table.add(kind, start, keyStart, keyEnd, open)
      table.close(node, at)
      at = skipBlanks(codes, at)
    }
    // After a value: close what ends here, then go on behind a comma.
    for (;;) {
      if (open === noNode) {
        if (at < to) return trailing(at)
        return { ok: true, tree: table.tree(text), codes }
      }
      if (at >= to) return cut(to)
      const next = codes[at]
      if (next === comma) {
        at = skipBlanks(codes, at + 1)
        break
      }
      if (next !== closing(isObject ? curly : square)) {
        return wrong(at, `Expected a comma or ${isObject ? '"}"' : '"]"'}`)
      }
      at += 1
      table.close(open, at)
      open = table.parents[open] ?? noNode
      isObject = table.kinds[open] === object
      at = skipBlanks(codes, at)
    }
  }
}

const quote = 34
const comma = 44
const colon = 58
const curly = 123
const square = 91
const backslash = 92
const object = jsonKinds.indexOf('object')
const array = jsonKinds.indexOf('array')
const string = jsonKinds.indexOf('string')
const number = jsonKinds.indexOf('number')

/** In ASCII both closing brackets stand two after their opening ones. */
function closing(opening: number): number {
  return opening + 2
}

function skipBlanks(codes: Uint8Array, from: number): number {
  let at = from
  for (; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code > 32 || (code !== 32 && code !== 10 && code !== 13 && code !== 9)) break
  }
  return at
}

function kindAt(code: number): number {
  if (code === quote) return string
  if (code === 45 || (code >= 48 && code <= 57)) return number
  if (code === 116) return jsonKinds.indexOf('true')
  if (code === 102) return jsonKinds.indexOf('false')
  if (code === 110) return jsonKinds.indexOf('null')
  return noNode
}

/** The end of a scalar, or the complement (~) of the offset where it goes wrong. */
function endOfScalar(text: string, codes: Uint8Array, at: number, kind: number): number {
  if (kind === string) return endOfString(text, codes, at)
  if (kind === number) return endOfNumber(codes, at)
  const word = jsonKinds[kind] ?? ''
  for (let read = 0; read < word.length; read++) {
    if (codes[at + read] !== word.charCodeAt(read)) return ~(at + read)
  }
  return at + word.length
}

function endOfString(text: string, codes: Uint8Array, opening: number): number {
  let at = opening + 1
  const far = Math.min(codes.length, opening + longString)
  while (at < far && stops[codes[at] ?? 0] === 0) at += 1
  return at < far && codes[at] === quote ? at + 1 : endOfOddString(text, codes, at)
}

/** Of a long string, or one that has escapes or is broken. */
function endOfOddString(text: string, codes: Uint8Array, from: number): number {
  let at = from
  const closing = text.indexOf('"', at)
  if (closing !== -1 && isPlainRange(codes, at, closing)) return closing + 1
  for (;;) {
    while (at < codes.length && stops[codes[at] ?? 0] === 0) at += 1
    if (at >= codes.length) return ~codes.length
    if (codes[at] === quote) return at + 1
    const length = codes[at] === backslash ? escapeLength(codes, at) : 0
    if (length === 0) return ~at
    at += length
  }
}

/** 1 where a string does not simply go on: at quotes, escapes and control characters. */
const stops = new Uint8Array(256)
stops.fill(1, 0, 32)
stops[quote] = 1
stops[backslash] = 1

const longString = 256

function escapeLength(codes: Uint8Array, at: number): number {
  const next = String.fromCharCode(codes[at + 1] ?? 0)
  if (next !== 'u') return '"\\/bfnrt'.includes(next) ? 2 : 0
  const digits = String.fromCharCode(...codes.subarray(at + 2, at + 6))
  return /^[0-9a-fA-F]{4}$/.test(digits) ? 6 : 0
}

function endOfNumber(codes: Uint8Array, from: number): number {
  const whole = codes[from] === 45 ? from + 1 : from
  let at = skipDigits(codes, whole)
  if (at === whole) return ~at
  if (at - whole > 1 && codes[whole] === 48) return ~(whole + 1)
  if (codes[at] === 46) {
    const fraction = at + 1
    at = skipDigits(codes, fraction)
    if (at === fraction) return ~at
  }
  if (codes[at] === 101 || codes[at] === 69) {
    const sign = codes[at + 1]
    const exponent = sign === 43 || sign === 45 ? at + 2 : at + 1
    at = skipDigits(codes, exponent)
    if (at === exponent) return ~at
  }
  return at
}

function skipDigits(codes: Uint8Array, from: number): number {
  let at = from
  for (; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code < 48 || code > 57) break
  }
  return at
}

function wrong(offset: number, problem: string): JsonParse {
  return { ok: false, offset, problem, isCut: false, isTrailing: false }
}

function cut(offset: number): JsonParse {
  const problem = 'The JSON is incomplete'
  return { ok: false, offset, problem, isCut: true, isTrailing: false }
}

function trailing(offset: number): JsonParse {
  const problem = 'There is more text after the end of the JSON'
  return { ok: false, offset, problem, isCut: false, isTrailing: true }
}

function badString(text: string, start: number, at: number): JsonParse {
  if (at >= text.length) return cut(text.length)
  if (text[at] !== '\\') {
    return wrong(at, 'There is a control character (perhaps a line break) inside quotes')
  }
  const isCut = text.length - at < 6 && !text.includes('"', start + 1)
  return isCut ? cut(text.length) : wrong(at, "This escape sequence isn't valid in JSON")
}

function badScalar(text: string, start: number, at: number): JsonParse {
  if (at >= text.length) return cut(text.length)
  const word = /^[-\w.+]{1,20}/.exec(text.slice(start, start + 20))?.[0] ?? ''
  return wrong(at, `"${word}" isn't a JSON value`)
}

/** The growing columns of a tree while it is read. */
interface NodeTable {
  /** Valid until the next `add`. */
  readonly kinds: Uint8Array
  readonly parents: Int32Array
  /** Appends a node below `parent` (-1: the root) and says its number. */
  add(kind: number, start: number, keyStart: number, keyEnd: number, parent: number): number
  /** Everything added since belongs to the node; its text ends before `end`. */
  close(node: number, end: number): void
  tree(text: string): JsonTree
}

/** An empty table with room for `capacity` nodes; it doubles when it is full. */
function createNodeTable(capacity: number): NodeTable {
  let room = capacity
  let size = 0
  let level = 0
  let depth = 0
  let kinds = new Uint8Array(room)
  let starts = new Int32Array(room)
  let ends = new Int32Array(room)
  let keyStarts = new Int32Array(room)
  let keyEnds = new Int32Array(room)
  let parents = new Int32Array(room)
  let nexts = new Int32Array(room)
  let counts = new Int32Array(room)

  function grow(): void {
    room *= 2
    kinds = larger(kinds, new Uint8Array(room))
    starts = larger(starts, new Int32Array(room))
    ends = larger(ends, new Int32Array(room))
    keyStarts = larger(keyStarts, new Int32Array(room))
    keyEnds = larger(keyEnds, new Int32Array(room))
    parents = larger(parents, new Int32Array(room))
    nexts = larger(nexts, new Int32Array(room))
    counts = larger(counts, new Int32Array(room))
  }

  return {
    get kinds() {
      return kinds
    },
    get parents() {
      return parents
    },
    add(kind, start, keyStart, keyEnd, parent) {
      if (size === room) grow()
      const node = size
      size += 1
      kinds[node] = kind
      starts[node] = start
      keyStarts[node] = keyStart
      keyEnds[node] = keyEnd
      parents[node] = parent
      if (parent >= 0) counts[parent] = (counts[parent] ?? 0) + 1
      if (level > depth) depth = level
      level += 1
      return node
    },
    close(node, end) {
      ends[node] = end
      nexts[node] = size
      level -= 1
    },
    tree: (text) => ({
      text,
      size,
      kinds: used(kinds, size),
      starts: used(starts, size),
      ends: used(ends, size),
      keyStarts: used(keyStarts, size),
      keyEnds: used(keyEnds, size),
      parents: used(parents, size),
      nexts: used(nexts, size),
      counts: used(counts, size),
      depth,
    }),
  }
}

function larger<Column extends Uint8Array | Int32Array>(from: Column, to: Column): Column {
  to.set(from)
  return to
}

/** A column without the room it did not need; copied where that would keep much memory for little. */
function used<Column extends Uint8Array | Int32Array>(column: Column, size: number): Column {
  return (size * 2 < column.length ? column.slice(0, size) : column.subarray(0, size)) as Column
}

/**
 * Whether a range of ASCII bytes has neither control characters nor backslashes: what a long string of
 * JSON must be to need no further look. Four bytes at a time, which a payload of megabytes is worth.
 */
export function isPlainRange(codes: Uint8Array, from: number, to: number): boolean {
  const firstWord = Math.ceil((codes.byteOffset + from) / 4)
  const lastWord = Math.floor((codes.byteOffset + to) / 4)
  if (lastWord <= firstWord) return isPlain(codes, from, to)
  const words = new Int32Array(codes.buffer, 0, lastWord)
  let found = 0
  for (let at = firstWord; at < lastWord; at++) {
    const word = words[at] ?? 0
    // The high bit of a byte is set by a borrow: from below 32, or from the difference to a backslash.
    const other = word ^ backslashes
    found |= (word - blanks) | (other - ones)
  }
  if ((found & highBits) !== 0) return false
  const start = firstWord * 4 - codes.byteOffset
  const end = lastWord * 4 - codes.byteOffset
  return isPlain(codes, from, start) && isPlain(codes, end, to)
}

const blanks = 0x20202020
const ones = 0x01010101
const backslashes = 0x5c5c5c5c
const highBits = 0x80808080

function isPlain(codes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = codes[at] ?? 0
    if (code < 32 || code === backslash) return false
  }
  return true
}
