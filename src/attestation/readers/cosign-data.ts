import { partAt, scalarOf, told, type Fact, type Part } from '../facts.ts'
import { kindOf } from '../json-tree.ts'
import { parseJsonTree } from '../parse-json-tree.ts'

/** The document of a predicate, and what is to be said of where it was. */
interface Unwrapped {
  readonly document: Part
  readonly rows: readonly Fact[]
}

/**
 * The document of a predicate: older cosign versions put it into a field named `Data`, as an object
 * or as one string. A string that holds no JSON, or too much of it to be read at once, is a row.
 */
export function unwrapped(predicate: Part): Unwrapped {
  const data = partAt(predicate, 'Data')
  if (kindOf(data.tree, data.node) === 'object') return { document: data, rows: [] }
  const text = scalarOf(data)
  if (text === undefined) return { document: predicate, rows: [] }
  const parsed = text.length > mostRead ? undefined : parseJsonTree(text)
  if (parsed?.ok === true && kindOf(parsed.tree, 0) === 'object') {
    return { document: { tree: parsed.tree, node: 0 }, rows: [] }
  }
  const remark = 'The document is wrapped into a string and shown as it is.'
  return { document: predicate, rows: [told('Document as text', text, remark)] }
}

/** In characters; read while the page is shown. */
const mostRead = 5_000_000
