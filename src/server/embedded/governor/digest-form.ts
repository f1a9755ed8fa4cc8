/** How many hexadecimal digits a digest has, by its algorithm. */
const lengths: ReadonlyMap<string, number> = new Map([
  ['sha1', 40],
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
])

/**
 * Whether a text has the form `{digestType}:{digest}` (docs/services.md#package-address), in any
 * case.
 */
export function isDigest(text: string): boolean {
  const [, type = '', hex = ''] = /^([a-z0-9]+):([0-9a-f]+)$/i.exec(text) ?? []
  return hex !== '' && lengths.get(type.toLowerCase()) === hex.length
}
