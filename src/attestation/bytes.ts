/** The parts in one array of its own. */
export function joinBytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** A big-endian number without the zeros it begins with; zero itself becomes empty. */
export function withoutLeadingZeros(number: Uint8Array): Uint8Array {
  let at = 0
  while (at < number.length && number[at] === 0) at += 1
  return number.subarray(at)
}

/** Whether two arrays hold the same bytes. Nothing here is secret, so it may stop early. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
