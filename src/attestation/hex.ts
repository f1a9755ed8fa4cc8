/** The bytes as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text
}

/** The bytes of a hex text in either case, or undefined where it is not whole bytes of hex. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 2 === 1 || !/^[0-9a-f]*$/i.test(text)) return undefined
  const bytes = new Uint8Array(text.length / 2)
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16)
  }
  return bytes
}
