import { decodeTree, joined, type Reading } from './decode-tree.ts'
import { type Finding, mistake, type PlaceOf } from './finding.ts'
import { kindOf } from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'

/**
 * Reads a text as JSON Lines: each line on its own, blank ones and CRLF allowed, bad ones reported and
 * left out (the in-toto bundle specification: consumers MUST ignore what they do not know). Undefined
 * where the text is no JSON Lines at all: no line holds an attestation, and not each is an object.
 */
export function decodeLines(text: string, place: PlaceOf): Reading | undefined {
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
    const mistakes = reading.mistakes.map((found) => inLine(found, number))
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

function inLine(found: Finding, number: number): Finding {
  const code = found.code === 'problem-answer' ? 'problem-answer' : 'bad-line'
  return mistake(code, `Can't read line ${number}: ${found.message}`, found.at)
}

/**
 * Reads several JSON documents of many lines, one after another, as programs print them that lay out
 * each answer: every one begins with a bracket at the beginning of a line. Undefined where that is not
 * what the text is, or nothing in it is an attestation.
 */
export function decodeDocuments(text: string, place: PlaceOf): Reading | undefined {
  const starts = startsOf(text)
  const readings: Reading[] = []
  for (const [index, from] of starts.entries()) {
    const parsed = parseJsonTree(text.slice(from, starts[index + 1]))
    if (!parsed.ok) return undefined
    const reading = decodeTree({ tree: parsed.tree, place: (offset) => place(from + offset) })
    const number = index + 1
    const mistakes = reading.mistakes.map(({ message, at }) =>
      mistake('bad-item', `Can't read document ${number}: ${message}`, at),
    )
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
