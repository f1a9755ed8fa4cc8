/** A JSON value whose integers may be of 64 bits; members that are undefined are left out. */
export type ExactJson =
  | null
  | boolean
  | number
  | string
  | bigint
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson | undefined }

/**
 * The JSON text of a value, with every bigint as its exact digits, which JSON.stringify cannot
 * write. The counterpart of protocol/exact-json.ts.
 */
export function exactJsonText(value: ExactJson): string {
  const pieces: string[] = []
  write(value, pieces)
  // Joined, not added up: a text of many parts that were added keeps all of them in memory.
  return pieces.join('')
}

function write(value: ExactJson, pieces: string[]): void {
  if (typeof value === 'bigint') pieces.push(value.toString())
  else if (typeof value !== 'object' || value === null) pieces.push(JSON.stringify(value))
  else if (isList(value)) writeList(value, pieces)
  else writeMembers(value, pieces)
}

function writeList(list: readonly ExactJson[], pieces: string[]): void {
  let before = '['
  for (const item of list) {
    pieces.push(before)
    write(item, pieces)
    before = ','
  }
  pieces.push(list.length === 0 ? '[]' : ']')
}

function writeMembers(
  members: { readonly [key: string]: ExactJson | undefined },
  pieces: string[],
): void {
  let before = '{'
  for (const [key, member] of Object.entries(members)) {
    if (member === undefined) continue
    pieces.push(before, JSON.stringify(key), ':')
    write(member, pieces)
    before = ','
  }
  pieces.push(before === '{' ? '{}' : '}')
}

// Array.isArray does not narrow readonly arrays out of a union.
function isList(value: object): value is readonly ExactJson[] {
  return Array.isArray(value)
}
