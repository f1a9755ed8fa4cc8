import { jsonKinds, noNode, type JsonTree } from './json-tree.ts'
import { asciiOf } from './ascii.ts'
import { createNodeTable } from './node-table.ts'
import { isPlainRange } from './plain-range.ts'

export type JsonParse =
  | {
      readonly ok: true
      readonly tree: JsonTree
      /** The text in `asciiOf`, for whoever reads on in it. */
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

/**
 * Parses JSON (RFC 8259, as strict as JSON.parse) into a flat tree in one pass without recursion, so
 * no depth of nesting can exhaust the stack. Never throws.
 */
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
      if (codes[at] !== quote) return wrong(at, 'A key in double quotes belongs here')
      keyStart = at
      at = endOfString(text, codes, at)
      if (at < 0) return badString(text, keyStart, ~at)
      keyEnd = at
      at = skipBlanks(codes, at)
      if (at >= to) return cut(to)
      if (codes[at] !== colon) return wrong(at, 'A colon belongs after the key')
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
      if (kind === noNode) return wrong(at, 'A value belongs here')
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
        return wrong(at, `A comma or ${isObject ? '"}"' : '"]"'} belongs here`)
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
  const problem = 'The text ends before its JSON does: it was cut'
  return { ok: false, offset, problem, isCut: true, isTrailing: false }
}

function trailing(offset: number): JsonParse {
  const problem = 'There is more text after the end of the JSON'
  return { ok: false, offset, problem, isCut: false, isTrailing: true }
}

function badString(text: string, start: number, at: number): JsonParse {
  if (at >= text.length) return cut(text.length)
  if (text[at] !== '\\') {
    return wrong(at, 'A control character (a line break, perhaps) stands within quotes')
  }
  const isCut = text.length - at < 6 && !text.includes('"', start + 1)
  return isCut ? cut(text.length) : wrong(at, 'This escape within quotes is not one of JSON')
}

function badScalar(text: string, start: number, at: number): JsonParse {
  if (at >= text.length) return cut(text.length)
  const word = /^[-\w.+]{1,20}/.exec(text.slice(start, start + 20))?.[0] ?? ''
  return wrong(at, `"${word}" is no value of JSON`)
}
