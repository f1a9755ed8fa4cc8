import { partAt, scalarOf, told, type Fact, type Part } from '../facts.ts'
import { kindOf } from '../json-tree.ts'

/** The document of a predicate: older cosign versions put it into a field named `Data`. */
export function unwrapped(predicate: Part): Part {
  const data = partAt(predicate, 'Data')
  return kindOf(data.tree, data.node) === 'object' ? data : predicate
}

/** A row for a document that stands in `Data` as one string, which nothing can be read from. */
export function wrappedText(predicate: Part): Fact[] {
  const data = scalarOf(partAt(predicate, 'Data'))
  return data === undefined
    ? []
    : [told('Document as text', data, 'The document is wrapped into a string and shown as it is.')]
}
