import type { UpstreamResponse } from './upstream-client.ts'

/**
 * The whole body of an answer, for the few that must be read to be understood. Past `maxBytes` the
 * body is given up and a RangeError thrown; a fault on the way throws what the body throws.
 */
export async function readBounded(answer: UpstreamResponse, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let held = 0
  for await (const chunk of answer.body) {
    held += chunk.length
    if (held > maxBytes) {
      answer.cancel()
      throw new RangeError(`the body exceeds ${maxBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
