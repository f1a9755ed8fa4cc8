/** An object identifier in dots, from its DER content (X.690, 8.19). Long ones are cut. */
export function dottedOid(content: Uint8Array): string {
  const [first = 0, ...rest] = subidentifiers(content.subarray(0, 64))
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - 40 * root, ...rest].join('.')
}

function subidentifiers(content: Uint8Array): number[] {
  const found: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    found.push(value)
    value = 0
  }
  return found
}
