/**
 * The body of a request, whose length need not be known before (RFC 9112 section 6.3): sent in
 * chunks, streamed, or not at all, which is an empty one. Throws what `tooLarge` makes as soon as
 * more than `maxBytes` have come.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get('Content-Length') ?? 0) > maxBytes) throw tooLarge()
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of request.body ?? []) {
    length += part.byteLength
    if (length > maxBytes) throw tooLarge()
    parts.push(part)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}
