import { duplicateKeys } from './duplicate-keys.ts'
import { mistake, warning, type Finding } from './finding.ts'
import { countOf, keyOf, kindOf, sourceOf, type JsonTree } from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'
import { placeInWords, placeOfByte, placesOfText } from './place.ts'
import type { Source } from './source.ts'
import { readStatement, type Statement } from './statement.ts'
import { decodeUtf8 } from './utf8.ts'
import { inQuotes } from './visible-text.ts'

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
    const message = 'The payload is empty: it states nothing.'
    const findings = [mistake('payload-empty', message, placeOfByte('payload', bytes, 0))]
    return { content: { kind: 'empty' }, statement: undefined, findings }
  }
  const decoded = decodeUtf8(bytes)
  if (!decoded.ok) {
    const message = `The payload is no text: its byte ${decoded.offset} is not valid UTF-8. It can only be shown as hexadecimal.`
    const findings = [
      mistake('payload-not-utf8', message, placeOfByte('payload', bytes, decoded.offset)),
    ]
    return { content: { kind: 'bytes' }, statement: undefined, findings }
  }
  const place = placesOfText('payload', decoded.text)
  const mark = decoded.hadMark
    ? [
        warning(
          'payload-byte-order-mark',
          'The payload begins with a byte order mark, which was skipped.',
          place(0),
        ),
      ]
    : []
  // As many characters as bytes: it is ASCII, and the bytes are what `asciiOf` would make.
  const isAscii = decoded.text.length === bytes.length
  const parsed = parseJsonTree(decoded.text, isAscii ? bytes : undefined)
  if (!parsed.ok) {
    const at = place(parsed.offset)
    const message = `The payload is text, but not JSON (${placeInWords(at)}: ${parsed.problem}). It is shown as it is.`
    const findings = [...mark, warning('payload-not-json', message, at)]
    return { content: { kind: 'text', text: decoded.text }, statement: undefined, findings }
  }
  return withFindings(readTree({ tree: parsed.tree, place }), mark)
}

/** The same for a payload that is already a tree of its own. */
export function readTree(source: Source): ContentReading {
  const { statement, findings } = readStatement(source)
  const content: PayloadContent = { kind: 'json', tree: source.tree }
  return { content, statement, findings: [...findings, ...oddities(source)] }
}

function withFindings(reading: ContentReading, before: readonly Finding[]): ContentReading {
  return before.length === 0 ? reading : { ...reading, findings: [...before, ...reading.findings] }
}

function oddities(source: Source): Finding[] {
  return [...duplicateFindings(source), ...specialKeyFindings(source), ...depthFindings(source)]
}

const mostTold = 10

function duplicateFindings({ tree, place }: Source): Finding[] {
  return duplicateKeys(tree, mostTold).map(({ first, second }) => {
    const key = inQuotes(keyOf(tree, second) ?? '', 60)
    const message = `The key ${key} stands twice in one object: first ${shown(tree, first)}, then ${shown(tree, second)}. The last one is shown; other programs may take the first.`
    return warning('payload-duplicate-key', message, place(tree.keyStarts[second] ?? 0))
  })
}

function shown(tree: JsonTree, node: number): string {
  const kind = kindOf(tree, node)
  if (kind === 'object' || kind === 'array') return `an ${kind} of ${countOf(tree, node)}`
  return inQuotes(sourceOf(tree, node), 60)
}

function specialKeyFindings({ tree, place }: Source): Finding[] {
  for (let node = 0; node < tree.size; node++) {
    const start = tree.keyStarts[node] ?? 0
    const length = (tree.keyEnds[node] ?? 0) - start - 2
    // By length first: a large payload has many keys, and hardly one of these.
    if (length !== 9 && length !== 11) continue
    // Then by their first letters: p, c and _.
    const first = tree.text.charCodeAt(start + 1)
    if (first !== 112 && first !== 99 && first !== 95) continue
    const key = tree.text.slice(start + 1, start + 1 + length)
    if (!specialKeys.includes(key)) continue
    const message = `There is a key named "${key}", which trips careless programs. Here it is a key like any other.`
    return [warning('payload-special-key', message, place(start))]
  }
  return []
}

const specialKeys = ['__proto__', 'constructor', 'prototype']

const deepNesting = 256

function depthFindings({ tree, place }: Source): Finding[] {
  if (tree.depth <= deepNesting) return []
  const message = `The payload is nested ${tree.depth} levels deep; many programs refuse that.`
  return [warning('payload-very-deep', message, place(0))]
}
