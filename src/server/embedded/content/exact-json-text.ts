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
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map(exactJsonText).join(',')}]`
  const members: string[] = []
  // Not Object.entries: making a build spends about half of its time in this function.
  for (const key in value) {
    const member = value[key]
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${exactJsonText(member)}`)
  }
  // Joined, not added up: a text of many parts that were added keeps all of them in memory.
  return `{${members.join(',')}}`
}

// Array.isArray does not narrow readonly arrays out of a union.
function isList(value: object): value is readonly ExactJson[] {
  return Array.isArray(value)
}
