import { keyOf, kindOf, stringOf, type JsonTree } from './json-tree.ts'

/**
 * The texts within a document that may hold an attestation themselves: JSON in quotes, or base64 of
 * JSON, as annotations, secrets and log entries carry it. In their order, the first hundred; what is
 * called a payload is left out, as it belongs to a signature of another kind.
 */
export function stringsInside(tree: JsonTree): string[] {
  const found: string[] = []
  for (let node = 0; node < tree.size && found.length < mostStrings; node++) {
    const length = (tree.ends[node] ?? 0) - (tree.starts[node] ?? 0)
    if (length < shortest || kindOf(tree, node) !== 'string') continue
    if (keyOf(tree, node)?.toLowerCase() === 'payload') continue
    const text = stringOf(tree, node) ?? ''
    if (/^\s*[{[]/.test(text) || base64OfJson.test(text)) found.push(text)
  }
  return found
}

const mostStrings = 100

/** The least characters of a statement, in base64 or not. */
const shortest = 60

/** How base64 begins of `{"`, or of a brace with a blank or a line break behind it. */
export const base64OfJson = /^(?:eyJ|ey[AI]|ewo|ew0)/
