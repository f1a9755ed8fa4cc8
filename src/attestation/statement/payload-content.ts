import {
  type Finding,
  mistake,
  placeInWords,
  placeOfByte,
  placesOfText,
  warning,
} from '../decode/finding.ts'
import {
  countOf,
  type JsonTree,
  keyEndOf,
  keyOf,
  keyStartOf,
  kindOf,
  nextOf,
  sourceOf,
  stringOf,
} from '../decode/json-tree.ts'
import { countText } from '../../protocol/count.ts'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import type { Source } from '../decode/source.ts'
import { decodeUtf8 } from '../decode/utf8.ts'
import { inQuotes } from '../decode/visible-text.ts'
import { readStatement, type Statement } from './statement.ts'

/** What the bytes of a payload are. Only `json` can hold a statement; hex is always possible. */
export type PayloadContent =
  | { readonly kind: 'json'; readonly tree: JsonTree }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes' }
  | { readonly kind: 'empty' }

export interface ContentReading {
  readonly content: PayloadContent
  readonly statement: Statement | undefined
  readonly findings: readonly Finding[]
}

/**
 * Reads payload bytes as far as they go: UTF-8, then JSON, then a statement. Whatever stops it is a
 * finding with its place in the payload; the envelope's signatures may hold all the same.
 */
export function readContent(bytes: Uint8Array): ContentReading {
  if (bytes.length === 0) {
    const message = 'The payload is empty.'
    const findings = [mistake('payload-empty', message, placeOfByte('payload', bytes, 0))]
    return { content: { kind: 'empty' }, statement: undefined, findings }
  }
  const decoded = decodeUtf8(bytes)
  if (!decoded.ok) {
    const message = `The payload isn't text: byte ${decoded.offset} isn't valid UTF-8. It's shown as hexadecimal.`
    const findings = [
      mistake('payload-not-utf8', message, placeOfByte('payload', bytes, decoded.offset)),
    ]
    return { content: { kind: 'bytes' }, statement: undefined, findings }
  }
  const place = placesOfText('payload', decoded.text)
  const markMessage = 'Skipped a byte order mark at the start of the payload.'
  const mark = decoded.hadMark ? [warning('payload-byte-order-mark', markMessage, place(0))] : []
  // As many characters as bytes: it is ASCII, and the bytes are what `asciiOf` would make.
  const isAscii = decoded.text.length === bytes.length
  const parsed = parseJsonTree(decoded.text, isAscii ? bytes : undefined)
  if (!parsed.ok) {
    const at = place(parsed.offset)
    const message = `The payload is text, but not JSON (${placeInWords(at)}: ${parsed.problem}). It's shown as is.`
    const findings = [...mark, warning('payload-not-json', message, at)]
    return { content: { kind: 'text', text: decoded.text }, statement: undefined, findings }
  }
  const reading = readTree({ tree: parsed.tree, place })
  return { ...reading, findings: [...mark, ...reading.findings] }
}

/** The same for a payload that is already a tree of its own. */
export function readTree(source: Source): ContentReading {
  const { statement, findings } = readStatement(source)
  const content: PayloadContent = { kind: 'json', tree: source.tree }
  const odd = [
    ...duplicateFindings(source),
    ...specialKeyFindings(source),
    ...depthFindings(source),
  ]
  return { content, statement, findings: [...findings, ...odd] }
}

const mostReported = 10

function duplicateFindings({ tree, place }: Source): Finding[] {
  return duplicateKeys(tree, mostReported).map(({ first, second }) => {
    const key = inQuotes(keyOf(tree, second) ?? '', 60)
    const message = `Duplicate key ${key} in one object: first ${shown(tree, first)}, then ${shown(tree, second)}. The last one is shown; other programs may use the first.`
    return warning('payload-duplicate-key', message, place(keyStartOf(tree, second)))
  })
}

function shown(tree: JsonTree, node: number): string {
  const kind = kindOf(tree, node)
  if (kind === 'object' || kind === 'array') return `an ${kind} of ${countOf(tree, node)}`
  const source = sourceOf(tree, node)
  // 7 and "7" stay apart.
  if (kind !== 'string' && source.length <= 60) return source
  return inQuotes(stringOf(tree, node) ?? source, 60)
}

function specialKeyFindings({ tree, place }: Source): Finding[] {
  for (let node = 0; node < tree.size; node++) {
    const start = keyStartOf(tree, node)
    const length = keyEndOf(tree, node) - start - 2
    // By length first: a large payload has many keys, and hardly one of these.
    if (length !== 9 && length !== 11) continue
    // Then by their first letters: p, c and _.
    const first = tree.text.charCodeAt(start + 1)
    if (first !== 112 && first !== 99 && first !== 95) continue
    const key = tree.text.slice(start + 1, start + 1 + length)
    if (!specialKeys.includes(key)) continue
    const message = `There is a key named "${key}", which can confuse some programs. Sightline treats it like any other key.`
    return [warning('payload-special-key', message, place(start))]
  }
  return []
}

const specialKeys = ['__proto__', 'constructor', 'prototype']

const deepNesting = 256

function depthFindings({ tree, place }: Source): Finding[] {
  if (tree.depth <= deepNesting) return []
  const message = `The payload is nested ${countText(tree.depth)} levels deep, which many programs reject.`
  return [warning('payload-very-deep', message, place(0))]
}

/** A member whose key an earlier member of the same object has. */
export interface DuplicateKey {
  readonly first: number
  readonly second: number
}

/** The members whose (decoded) key occurred before in their object, in document order, at most `limit`. Linear. */
export function duplicateKeys(tree: JsonTree, limit = 100): DuplicateKey[] {
  const found: DuplicateKey[] = []
  for (let node = 0; node < tree.size && found.length < limit; node++) {
    const count = countOf(tree, node)
    if (count < 2 || kindOf(tree, node) !== 'object') continue
    const seen = count <= fewKeys ? withinFew(tree, node, count) : withinMany(tree, node, count)
    found.push(...seen.slice(0, limit - found.length))
  }
  return found
}

/** Up to so many keys, comparing each with each is quicker than a table. */
const fewKeys = 12
const backslash = 92

function withinFew(tree: JsonTree, object: number, count: number): DuplicateKey[] {
  const found: DuplicateKey[] = []
  let child = object + 1
  for (let done = 0; done < count; done++) {
    const hash = hashOfKey(tree, child)
    hashes[done] = hash
    nodes[done] = child
    for (let before = done - 1; before >= 0; before--) {
      const earlier = nodes[before] ?? 0
      if (hashes[before] !== hash || keyOf(tree, earlier) !== keyOf(tree, child)) continue
      found.push({ first: earlier, second: child })
      break
    }
    child = nextOf(tree, child)
  }
  return found
}

/** Scratch, so that half a million small objects cost no allocation each. */
const hashes = new Int32Array(fewKeys)
const nodes = new Int32Array(fewKeys)

function withinMany(tree: JsonTree, object: number, count: number): DuplicateKey[] {
  const found: DuplicateKey[] = []
  const latest = new Map<string, number>()
  let child = object + 1
  for (let done = 0; done < count; done++) {
    const key = keyOf(tree, child) ?? ''
    const earlier = latest.get(key)
    if (earlier !== undefined) found.push({ first: earlier, second: child })
    latest.set(key, child)
    child = nextOf(tree, child)
  }
  return found
}

function hashOfKey(tree: JsonTree, node: number): number {
  const { text } = tree
  const end = keyEndOf(tree, node) - 1
  let hash = 0
  for (let at = keyStartOf(tree, node) + 1; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) return hashOf(keyOf(tree, node) ?? '')
    hash = (Math.imul(hash, 31) + code) | 0
  }
  return hash
}

function hashOf(key: string): number {
  let hash = 0
  for (let at = 0; at < key.length; at++) hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0
  return hash
}
