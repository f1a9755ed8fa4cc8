import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { UpstreamResponse } from '../upstream-client.ts'

/**
 * The bytes of an answer, unzipped where they are gzip. What is read is never more than a chunk
 * ahead, so that a small body that unzips to a huge one cannot fill the memory. Throws a
 * ProblemError for an encoding that was not asked for, and whatever the body itself throws.
 */
export function plainBody(response: UpstreamResponse): AsyncIterable<Uint8Array> {
  const encoding = response.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response.body
  if (encoding === 'gzip' || encoding === 'x-gzip') return gunzip(response.body)
  response.cancel()
  throw new ProblemError(
    problem(
      502,
      'upstream-encoding',
      'Upstream answered in an unknown encoding',
      'The build server compressed its answer in a way that was not asked for.',
    ),
  )
}

/** The whole of an answer as text. Throws a ProblemError when it exceeds `maxBytes`. */
export async function readText(response: UpstreamResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of plainBody(response)) {
    length += chunk.length
    if (length > maxBytes) {
      response.cancel()
      throw new ProblemError(
        problem(
          502,
          'upstream-too-long',
          'Upstream answered too much',
          `The build server's answer exceeds ${Math.round(maxBytes / 1024 / 1024)} MB.`,
        ),
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function* gunzip(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(body)
  const plain = createGunzip()
  source.on('error', (error) => plain.destroy(error))
  source.pipe(plain)
  try {
    for await (const chunk of plain) yield chunk
  } finally {
    source.destroy()
    plain.destroy()
  }
}
