/** A JSON object whose last member is a long list; its elements are such objects, or JSON texts. */
export interface JsonDocument {
  /** The members before the list. */
  readonly head: object
  readonly list: string
  /** Asked for one by one, as all of them at once would take a page's whole attention. */
  readonly items: Iterable<JsonDocument | string>
}

/** The indented text of a document as `JSON.stringify(…, null, 2)` writes it, in pieces. */
export function* documentPieces(
  { head, list, items }: JsonDocument,
  indent = '',
): Generator<string, void, undefined> {
  const inner = `${indent}    `
  const members = JSON.stringify(head, null, 2).slice(0, -1).trimEnd()
  const comma = members === '{' ? '' : ','
  yield `${indented(members, indent)}${comma}\n${indent}  ${JSON.stringify(list)}: [`
  let isFirst = true
  for (const item of items) {
    yield `${isFirst ? '' : ','}\n${inner}`
    isFirst = false
    if (typeof item === 'string') yield indented(item, inner)
    else yield* documentPieces(item, inner)
  }
  yield `${isFirst ? '' : `\n${indent}  `}]\n${indent}}`
}

/** A line break in JSON is never within a text. */
function indented(json: string, indent: string): string {
  return json.replaceAll('\n', `\n${indent}`)
}
