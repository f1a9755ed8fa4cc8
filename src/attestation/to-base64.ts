/** The bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // In pieces: a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return btoa(binary)
}

/** The same in the URL-safe alphabet, without padding (RFC 4648, 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return withoutPadding(toBase64(bytes)).replaceAll('+', '-').replaceAll('/', '_')
}

/** A base64 text without the "=" it ends with. */
export function withoutPadding(base64: string): string {
  return base64.replace(/={1,2}$/, '')
}
