import {
  type ContentReading,
  type PayloadContent,
  readContent,
  readTree,
} from '../statement/payload-content.ts'
import { looksLikeStatement, type Statement } from '../statement/statement.ts'
import type { Envelope } from './envelope.ts'
import {
  type Finding,
  mistake,
  note,
  type Place,
  placeInWords,
  placesOfText,
  warning,
  within,
} from './finding.ts'
import {
  anyProperty,
  childrenOf,
  countOf,
  type JsonTree,
  kindOf,
  nextOf,
  noNode,
  property,
  sourceOf,
} from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'
import { readBundle, readPep740 } from './read-bundle.ts'
import { type EnvelopeReading, readEnvelope } from './read-envelope.ts'
import { placeOf, type Source } from './source.ts'
import { describeJson } from './wrong-json.ts'

/** One attestation as far as it could be read. Plain data; nothing in it has been verified. */
export interface DecodedItem {
  /** What it was: an envelope in one of its layouts, or what one holds, on its own. */
  readonly layout: Candidate['layout'] | 'payload'
  /** Undefined where a statement or payload stood alone: then nothing can be verified. */
  readonly envelope: Envelope | undefined
  /** Undefined where the payload is no statement; `content` then says what it is. */
  readonly statement: Statement | undefined
  /** The exact bytes of the payload, those that were signed over where there is an envelope. */
  readonly payload: Uint8Array
  readonly content: PayloadContent
  /** Mistakes at the payload or a signature, warnings and notes, in the order of the text. */
  readonly findings: readonly Finding[]
  /** Where it begins in the input. */
  readonly at: Place
  /** Its JSON as it stands there, once that was unpacked. */
  readonly text: string
}

export interface Reading {
  readonly items: readonly DecodedItem[]
  readonly mistakes: readonly Finding[]
}

/** The attestations of a JSON document: itself, the members of an array, or what lies within. */
export function decodeTree(source: Source): Reading {
  const { tree } = source
  const whole = candidateAt(tree, 0)
  if (whole) return decodeCandidate(source, whole)
  if (kindOf(tree, 0) === 'array' && hasCandidate(source)) return decodeArray(source)
  const inside = candidatesInside(tree, mostItems)
  if (inside.length === 0)
    return { items: [], mistakes: [describeJson(source, firstObject(source), 0)] }
  const readings = inside.map((candidate) => decodeCandidate(source, candidate))
  const found = note(
    'found-inside',
    `This document isn't an envelope, but contains ${inside.length === 1 ? 'one' : `${inside.length}`}. The rest of the document isn't shown or verified.`,
    placeOf(source, inside[0]?.node ?? 0),
  )
  return withFindings(joined(readings), found)
}

export function joined(readings: readonly Reading[]): Reading {
  return {
    items: readings.flatMap(({ items }) => items),
    mistakes: readings.flatMap(({ mistakes }) => mistakes),
  }
}

/** The reading with one more finding at each of its items. */
export function withFindings({ items, mistakes }: Reading, finding: Finding): Reading {
  const found = items.map((item) => ({ ...item, findings: [finding, ...item.findings] }))
  return { items: found, mistakes }
}

const mostItems = 10_000

function hasCandidate({ tree }: Source): boolean {
  for (const child of childrenOf(tree, 0)) if (candidateAt(tree, child)) return true
  return false
}

/** Of an array of things that are none, the first one is described. */
function firstObject({ tree }: Source): number {
  return kindOf(tree, 0) === 'array' && kindOf(tree, 1) === 'object' ? 1 : 0
}

function decodeArray(source: Source): Reading {
  const { tree } = source
  const readings: Reading[] = []
  for (const child of childrenOf(tree, 0)) {
    if (readings.length === mostItems) {
      const message = `Only the first ${mostItems} of ${countOf(tree, 0)} members are read.`
      readings.push({
        items: [],
        mistakes: [mistake('too-many-items', message, placeOf(source, child))],
      })
      break
    }
    const candidate = candidateAt(tree, child)
    const number = readings.length + 1
    readings.push(
      candidate
        ? numbered(decodeCandidate(source, candidate), number)
        : numbered({ items: [], mistakes: [describeJson(source, child)] }, number),
    )
  }
  return joined(readings)
}

function numbered(reading: Reading, number: number): Reading {
  const where = `member ${number} of the array`
  return { ...reading, mistakes: reading.mistakes.map((found) => within(where, 'bad-item', found)) }
}

function decodeCandidate(source: Source, { node, layout }: Candidate): Reading {
  if (layout === 'statement') return { items: [bareStatement(source, node)], mistakes: [] }
  const read = readLayout(source, node, layout)
  if (!read.ok) return { items: [], mistakes: read.mistakes }
  const isObject = read.payloadNode !== noNode
  const object = isObject ? readObject(source, read.payloadNode) : undefined
  const content = object ?? readContent(read.envelope.payload)
  const item: DecodedItem = {
    layout,
    envelope: read.envelope,
    statement: content.statement,
    payload: object ? object.bytes : read.envelope.payload,
    content: content.content,
    findings: [...read.findings, ...content.findings],
    at: placeOf(source, node),
    text: sourceOf(source.tree, node),
  }
  return { items: [item], mistakes: [] }
}

function readLayout(
  source: Source,
  node: number,
  layout: 'envelope' | 'bundle' | 'pep740',
): EnvelopeReading {
  if (layout === 'bundle') return readBundle(source, node)
  return layout === 'pep740' ? readPep740(source, node) : readEnvelope(source, node)
}

function bareStatement(source: Source, node: number): DecodedItem {
  const { bytes, content, statement, findings } = readObject(source, node)
  const at = placeOf(source, node)
  const message =
    "This is a statement without an envelope. It isn't signed, so nothing proves who wrote it."
  return {
    layout: 'statement',
    envelope: undefined,
    statement,
    payload: bytes,
    content,
    findings: [warning('no-signature-possible', message, at), ...findings],
    at,
    text: sourceOf(source.tree, node),
  }
}

/** An object of the input as if it were a payload: its bytes are its text as it stands there. */
function readObject(
  { tree }: Source,
  node: number,
): ContentReading & { readonly bytes: Uint8Array } {
  const text = sourceOf(tree, node)
  const bytes = new TextEncoder().encode(text)
  const parsed = parseJsonTree(text)
  if (!parsed.ok) return { ...readContent(bytes), bytes }
  return { ...readTree({ tree: parsed.tree, place: placesOfText('payload', text) }), bytes }
}

/** What keeps a text from being JSON, with the place in its sentence. */
export function jsonMistake(
  problem: string,
  at: Place,
  isCut: boolean,
  isTrailing: boolean,
): Finding {
  const code = isCut ? 'cut' : isTrailing ? 'trailing-text' : 'not-json'
  return mistake(code, `Not valid JSON. At ${placeInWords(at)}: ${lowerFirst(problem)}.`, at)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** Something in a JSON document that can be read as an attestation. */
interface Candidate {
  readonly node: number
  readonly layout: 'envelope' | 'bundle' | 'pep740' | 'statement'
}

/** What the object at a node is by its fields, or undefined. */
function candidateAt(tree: JsonTree, node: number): Candidate | undefined {
  if (kindOf(tree, node) !== 'object') return undefined
  const inner = anyProperty(tree, node, 'dsseEnvelope', 'dsse_envelope')
  // Protobuf's JSON may write null for what is not there.
  if (inner !== noNode && kindOf(tree, inner) !== 'null') return { node, layout: 'bundle' }
  if (isEnvelope(tree, node)) return { node, layout: 'envelope' }
  const pep740 = property(tree, node, 'envelope')
  const isPep740 = anyProperty(tree, pep740, 'statement') !== noNode && !isEnvelope(tree, pep740)
  if (isPep740) return { node, layout: 'pep740' }
  return looksLikeStatement(tree, node) ? { node, layout: 'statement' } : undefined
}

/** The envelopes anywhere inside a document that is none itself, in order, at most `limit`. Linear. */
function candidatesInside(tree: JsonTree, limit: number): Candidate[] {
  const found: Candidate[] = []
  for (let node = 0; node < tree.size && found.length < limit;) {
    const candidate = candidateAt(tree, node)
    const isFound = candidate !== undefined && candidate.layout !== 'statement'
    if (isFound) found.push(candidate)
    node = isFound ? nextOf(tree, node) : node + 1
  }
  return found
}

/** Two of the three fields are enough to mean one: the third is then missing, and that is reported. */
function isEnvelope(tree: JsonTree, node: number): boolean {
  const payload = property(tree, node, 'payload')
  const payloadType = anyProperty(tree, node, 'payloadType', 'payload_type')
  const signatures = property(tree, node, 'signatures')
  // The log keeps what it was given without its payload, each signature with its key (Rekor, intoto).
  const isLogged = property(tree, signatures + 1, 'publicKey') !== noNode
  if (payloadType !== noNode) return payload !== noNode || (signatures !== noNode && !isLogged)
  if (payload === noNode || signatures === noNode) return false
  // A JWS in JSON has these two as well, its signatures each with a header.
  return anyProperty(tree, signatures + 1, 'protected', 'header') === noNode
}
