import { decodeDocuments } from './decode-documents.ts'
import { decodeLines } from './decode-lines.ts'
import {
  decodeTree,
  joined,
  jsonMistake,
  withFindings,
  type DecodedItem,
  type Reading,
} from './decode-tree.ts'
import { unwrap, unwrapLayout, unwrapLines } from './decode-wrapped.ts'
import { mistake, note, type Finding } from './finding.ts'
import { inputText } from './input-text.ts'
import type { JsonTree } from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'
import { placesOfText } from './place.ts'
import { stringsInside } from './strings-inside.ts'
import { describeText } from './wrong-paste.ts'

/**
 * What was found in a text. The first item's parts stand on the outcome itself, so that one
 * attestation is read without caring for lists; `items` has them all, the first among them.
 */
export type Decoded = DecodedSuccess | DecodedFailure

export interface DecodedSuccess extends DecodedItem {
  readonly ok: true
  /** In the order of the text, at least one. */
  readonly items: readonly DecodedItem[]
  /** What else stood there and could not be read: bad lines, bad members of an array. */
  readonly mistakes: readonly Finding[]
}

export interface DecodedFailure {
  readonly ok: false
  /** At least one, each a sentence with its place where it has one. */
  readonly mistakes: readonly Finding[]
}

/**
 * Decodes whatever someone pastes or drops: a DSSE envelope, a Sigstore bundle (0.1 to 0.3), a PEP 740
 * object, an array, JSON Lines, a document that has envelopes inside, the base64 of a payload or of any
 * of these, any of them as a JSON string or in a fence of Markdown, or a bare statement. Never throws and verifies nothing. `ok` means that an envelope or a
 * statement was found; an envelope whose payload is no statement is still ok, without `statement`.
 */
export function decode(input: string | Uint8Array): Decoded {
  const read = inputText(input)
  if (!read.ok) return read
  const reading = decodeText(read.text)
  const [first, ...others] = reading.items
  if (first === undefined) return { ok: false, mistakes: [...reading.mistakes, ...read.findings] }
  const item = { ...first, findings: [...read.findings, ...first.findings] }
  return { ...item, ok: true, items: [item, ...others], mistakes: reading.mistakes }
}

function decodeText(text: string, depth = 0): Reading {
  const begin = text.search(/\S/)
  if (begin === -1) return failure(mistake('empty', 'There is nothing here to decode.'))
  const first = text.charAt(begin)
  if (first !== '{' && first !== '[') return decodeOther(text, begin, depth)
  const place = placesOfText('input', text)
  const parsed = parseJsonTree(text)
  if (parsed.ok) {
    const whole = decodeTree({ tree: parsed.tree, place, codes: parsed.codes })
    const reading = isNone(whole) ? (decodeInside(parsed.tree, depth) ?? whole) : whole
    return begin === 0 ? reading : withFindings(reading, blanksNote(begin))
  }
  const lines = decodeLines(text, place) ?? decodeDocuments(text, place)
  if (lines) return lines
  const { problem, offset, isCut, isTrailing } = parsed
  return failure(describeText(text) ?? jsonMistake(problem, place(offset), isCut, isTrailing))
}

const deepestWrapping = 2

/** Whether a document is no envelope at all; a broken one is refused, and nothing of it is shown. */
function isNone({ items, mistakes }: Reading): boolean {
  const isOther = mistakes.every(({ code }) => code === 'no-envelope' || code === 'wrong-paste')
  return items.length === 0 && isOther
}

/** What lies in the texts of a document that is none itself; undefined where nothing does. */
function decodeInside(tree: JsonTree, depth: number): Reading | undefined {
  if (depth >= deepestWrapping) return undefined
  const readings = stringsInside(tree).map((text) => decodeText(text, depth + 1))
  const items = readings.flatMap((reading) => reading.items)
  const message =
    'This document is no envelope, but a text inside it is; the rest of the document is not shown and not vouched for. Places are counted within that text.'
  const found = note('found-inside', message)
  return items.length === 0 ? undefined : withFindings({ items, mistakes: [] }, found)
}

function decodeOther(text: string, begin: number, depth: number): Reading {
  const known = describeText(text)
  if (known?.code === 'private-key') return failure(known)
  const laidOut = depth < deepestWrapping ? unwrapLayout(text) : undefined
  if (laidOut?.kind === 'text') return unwrapped(decodeText(laidOut.text, depth + 1), laidOut.by)
  const place = placesOfText('input', text)
  const lines = text.includes('{') ? decodeLines(text, place) : undefined
  if (lines) return lines
  if (known) return failure(known)
  const texts = depth < deepestWrapping ? unwrapLines(text) : undefined
  if (texts) {
    return unwrapped(joined(texts.map((one) => decodeText(one, depth + 1))), 'base64')
  }
  const inner = depth < deepestWrapping ? unwrap(text) : undefined
  if (inner?.kind === 'nothing') return failure(inner.mistake)
  if (inner?.kind === 'text') return unwrapped(decodeText(inner.text, depth + 1), inner.by)
  const message =
    'This is neither JSON nor base64. Paste a DSSE envelope, a Sigstore bundle or JSON Lines of them.'
  return failure(mistake('not-json', message, place(begin)))
}

/** What was found in a wrapping: a lone statement in base64 was the payload of an envelope. */
function unwrapped(reading: Reading, by: 'base64' | 'layout'): Reading {
  if (by === 'layout') {
    const message =
      'This was JSON within a text; what the text holds is shown. Places are counted within it.'
    return withFindings(reading, note('wrapped-in-text', message))
  }
  const items = reading.items.map((item) =>
    item.layout === 'statement' ? { ...item, layout: 'payload' as const } : item,
  )
  const message = 'This was base64; what it decodes to is shown.'
  return withFindings({ ...reading, items }, note('wrapped-in-base64', message))
}

function blanksNote(count: number): Finding {
  const message = `There are ${count} blanks or line breaks before the first bracket; places count them.`
  return note('leading-blanks', message)
}

function failure(found: Finding): Reading {
  return { items: [], mistakes: [found] }
}
