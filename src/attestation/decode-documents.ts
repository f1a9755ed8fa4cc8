import { decodeTree, joined, type Reading } from './decode-tree.ts'
import { mistake } from './finding.ts'
import { parseJsonTree } from './parse-json-tree.ts'
import type { PlaceOf } from './place.ts'

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
      mistake('bad-item', `Document ${number} could not be read: ${message}`, at),
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
