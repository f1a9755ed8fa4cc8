import { decodeBase64 } from './decode/base64.ts'
import {
  type DecodedItem,
  decodeTree,
  joined,
  jsonMistake,
  type Reading,
  withFindings,
} from './decode/decode-tree.ts'
import {
  type Finding,
  mistake,
  note,
  type PlaceOf,
  placeOfByte,
  placesOfText,
  warning,
  within,
} from './decode/finding.ts'
import { base64OfJson, type JsonTree, kindOf, stringOf, stringsInside } from './decode/json-tree.ts'
import { parseJsonTree } from './decode/parse-json-tree.ts'
import { byteOrderMark, decodeUtf16, decodeUtf8 } from './decode/utf8.ts'
import { describeBytes, describeText } from './decode/wrong-paste.ts'

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
  if (begin === -1) return failure(mistake('empty', 'Nothing to decode.'))
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
  const repaired = depth < deepestWrapping ? decodeRepaired(text, parsed.offset, depth) : undefined
  if (repaired) return repaired
  const { problem, offset, isCut, isTrailing } = parsed
  return failure(describeText(text) ?? jsonMistake(problem, place(offset), isCut, isTrailing))
}

const deepestWrapping = 2

/**
 * What stands in JSON that a mail program or a word processor changed on the way: lines that were
 * wrapped inside a string, quotes that were made curly. Undefined where undoing that finds nothing.
 */
function decodeRepaired(text: string, offset: number, depth: number): Reading | undefined {
  const wrong = text.charAt(offset)
  const isWrapped = wrong === '\n' || wrong === '\r'
  if (!isWrapped && !curly.test(wrong)) return undefined
  const plain = text.replace(curlyQuotes, '"')
  const reading = decodeText(isWrapped ? text.replace(/\r?\n|\r/g, '') : plain, depth + 1)
  if (reading.items.length === 0) return undefined
  const message = isWrapped
    ? 'Strings in this JSON contained line breaks, as mail programs add them. They were removed.'
    : 'This JSON had curly quotes, as word processors write them. They were replaced.'
  return withFindings(reading, note('repaired', message))
}

const curly = /[\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb]/
const curlyQuotes = new RegExp(curly, 'g')

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
    "This document isn't an envelope, but a text inside it is. The rest of the document isn't shown or verified. Positions refer to that text."
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
    "This isn't JSON or base64. Paste a DSSE envelope, a Sigstore bundle, or JSON Lines of them."
  return failure(mistake('not-json', message, place(begin)))
}

/** What was found in a wrapping: a lone statement in base64 was the payload of an envelope. */
function unwrapped(reading: Reading, by: 'base64' | 'layout'): Reading {
  if (by === 'layout') {
    const message =
      'This was JSON inside a string. The decoded string is shown; positions refer to it.'
    return withFindings(reading, note('wrapped-in-text', message))
  }
  const items = reading.items.map((item) =>
    item.layout === 'statement' ? { ...item, layout: 'payload' as const } : item,
  )
  const message = 'This was base64. The decoded text is shown.'
  return withFindings({ ...reading, items }, note('wrapped-in-base64', message))
}

function blanksNote(count: number): Finding {
  const message = `There are ${count} spaces or line breaks before the first bracket, counted in positions.`
  return note('leading-blanks', message)
}

function failure(found: Finding): Reading {
  return { items: [], mistakes: [found] }
}

/** What a text that is wrapped into something holds. */
type Unwrapped =
  | { readonly kind: 'text'; readonly text: string; readonly by: 'base64' | 'layout' }
  | { readonly kind: 'nothing'; readonly mistake: Finding }

/** The JSON within a JSON string, as `jq` prints it, or within the fence of Markdown; undefined where it is neither. */
function unwrapLayout(text: string): Unwrapped | undefined {
  const bare = text.trim()
  const inner = bare.startsWith('"') ? ofString(bare) : ofFence(bare)
  const isJson = inner !== undefined && /^\s*[{[]/.test(inner)
  return isJson ? { kind: 'text', text: inner, by: 'layout' } : undefined
}

function ofString(text: string): string | undefined {
  const parsed = parseJsonTree(text)
  return parsed.ok ? stringOf(parsed.tree, 0) : undefined
}

function ofFence(text: string): string | undefined {
  const fence = ['```', '~~~'].find((mark) => text.startsWith(mark) && text.endsWith(mark))
  const from = text.indexOf('\n')
  return fence === undefined || from === -1 ? undefined : text.slice(from + 1, -fence.length)
}

/**
 * Decodes a text that is base64 of JSON (a payload copied on its own, an envelope from a header or a
 * secret). Base64 of something else is said to be that; undefined where it is no base64 at all.
 */
function unwrap(text: string): Unwrapped | undefined {
  const bare = text.trim().replace(/^"([^"]*)"$/, '$1')
  const decoded = bare.length >= shortest ? decodeBase64(bare) : undefined
  if (decoded?.ok !== true) return undefined
  const inner = decodeUtf8(decoded.bytes)
  if (inner.ok && /^\s*[{[]/.test(inner.text))
    return { kind: 'text', text: inner.text, by: 'base64' }
  const known = inner.ok ? describeText(inner.text) : describeBytes(decoded.bytes)
  if (known?.code === 'private-key') return { kind: 'nothing', mistake: known }
  // Words of prose are base64 too, by their letters: say so only where that is likely.
  if (known === undefined && (/\s/.test(bare) || !inner.ok)) return undefined
  const says = known?.message ?? 'It decodes to other text.'
  const message = `This is base64, but not of an attestation. ${says}`
  return { kind: 'nothing', mistake: mistake('wrong-paste', message) }
}

/** The texts of lines that are each base64 of JSON, as `jq -r .payload` prints several; undefined for anything else. */
function unwrapLines(text: string): readonly string[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || !lines.every((line) => base64OfJson.test(line.trim()))) return undefined
  const texts = lines.map((line) => unwrap(line))
  return texts.every((inner) => inner?.kind === 'text')
    ? texts.map(({ text: one }) => one)
    : undefined
}

const shortest = 12

type InputText =
  | { readonly ok: true; readonly text: string; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly mistakes: readonly Finding[] }

/**
 * The text of what was pasted or dropped, without a byte order mark (which is reported); offsets count
 * from behind it. UTF-16 with a mark is read too. What is no text is refused with its first wrong byte.
 */
function inputText(input: string | Uint8Array): InputText {
  if (typeof input === 'string') {
    const hasMark = input.startsWith(byteOrderMark)
    return hasMark ? marked(input.slice(1), 'UTF-8') : { ok: true, text: input, findings: [] }
  }
  const utf16 = decodeUtf16(input)
  if (utf16 !== undefined) return marked(utf16, 'UTF-16')
  const decoded = decodeUtf8(input)
  if (decoded.ok) {
    return decoded.hadMark
      ? marked(decoded.text, 'UTF-8')
      : { ok: true, text: decoded.text, findings: [] }
  }
  const known = describeBytes(input)
  if (known) return { ok: false, mistakes: [known] }
  const at = placeOfByte('input', input, decoded.offset)
  const message = `This isn't text: byte ${decoded.offset} isn't valid UTF-8. An attestation is JSON in UTF-8.`
  return { ok: false, mistakes: [mistake('not-utf8', message, at)] }
}

function marked(text: string, encoding: string): InputText {
  const message = `Skipped a byte order mark (${encoding}) at the start.`
  return {
    ok: true,
    text,
    findings: [warning('byte-order-mark', message, placesOfText('input', '')(0))],
  }
}

/**
 * Reads a text as JSON Lines: each line on its own, blank ones and CRLF allowed, bad ones reported and
 * left out (the in-toto bundle specification: consumers MUST ignore what they do not know). Undefined
 * where the text is no JSON Lines at all: no line holds an attestation, and not each is an object.
 */
function decodeLines(text: string, place: PlaceOf): Reading | undefined {
  const readings: LineReading[] = []
  let number = 0
  for (let from = 0; from < text.length;) {
    const lineEnd = text.indexOf('\n', from)
    const to = lineEnd === -1 ? text.length : lineEnd
    number += 1
    if (!isBlank(text, from, to)) readings.push(decodeLine(text, from, to, number, place))
    from = to + 1
    // Many lines of what is no JSON on its own: one document over many lines, and broken.
    if (readings.length === mostBad && readings.every(({ items }) => items.length === 0)) break
  }
  const { items, mistakes } = joined(readings)
  if (readings.length < 2) return undefined
  if (items.length > 0) return { items, mistakes }
  // Lines that are refused one and all are still lines: what is wrong with each is what to say.
  return readings.every(({ isObject }) => isObject)
    ? { items, mistakes: mistakes.slice(0, mostTold) }
    : undefined
}

const mostBad = 1_000
const mostTold = 10

interface LineReading extends Reading {
  readonly isObject: boolean
}

function isBlank(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!' \t\r'.includes(text.charAt(at))) return false
  return true
}

function decodeLine(
  text: string,
  from: number,
  to: number,
  number: number,
  place: PlaceOf,
): LineReading {
  const parsed = parseJsonTree(text.slice(from, to))
  if (parsed.ok) {
    const reading = decodeTree({ tree: parsed.tree, place: (offset) => place(from + offset) })
    const mistakes = reading.mistakes.map((found) => within(`line ${number}`, 'bad-line', found))
    return { ...reading, mistakes, isObject: kindOf(parsed.tree, 0) === 'object' }
  }
  const isEnd = parsed.isCut && !text.includes('\n', from)
  const at = place(from + parsed.offset)
  const message = isEnd
    ? `The last line (${number}) is incomplete: the stream ended early, and its attestation is lost.`
    : `Skipped line ${number}, which isn't valid JSON (column ${at.column}: ${parsed.problem}).`
  const found = mistake(isEnd ? 'cut' : 'bad-line', message, at)
  return { items: [], mistakes: [found], isObject: false }
}

/**
 * Reads several JSON documents of many lines, one after another, as programs print them that lay out
 * each answer: every one begins with a bracket at the beginning of a line. Undefined where that is not
 * what the text is, or nothing in it is an attestation.
 */
function decodeDocuments(text: string, place: PlaceOf): Reading | undefined {
  const starts = startsOf(text)
  const readings: Reading[] = []
  for (const [index, from] of starts.entries()) {
    const parsed = parseJsonTree(text.slice(from, starts[index + 1]))
    if (!parsed.ok) return undefined
    const reading = decodeTree({ tree: parsed.tree, place: (offset) => place(from + offset) })
    const where = `document ${index + 1}`
    const mistakes = reading.mistakes.map((found) => within(where, 'bad-item', found))
    readings.push({ ...reading, mistakes })
  }
  const reading = joined(readings)
  return readings.length > 1 && reading.items.length > 0 ? reading : undefined
}

function startsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    const next = text.charAt(at + 1)
    if ((next === '{' || next === '[') && text.slice(starts.at(-1), at).trim() !== '') {
      starts.push(at + 1)
    }
  }
  return starts
}
