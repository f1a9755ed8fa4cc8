import type { Context } from 'hono'
import type { ProblemError } from '../../protocol/problem.ts'
import { problemError } from '../../protocol/problem.ts'

/** The largest request body that is taken, bytes. */
const maxRequestBytes = 1024 * 1024

/**
 * The whole body of a request; empty where there is none. It is held so that nothing is sent on
 * before it is known to be complete and small enough. Throws a ProblemError 413 past
 * 1 MiB: by its length header at once, else as soon as it is passed.
 */
export async function readRequestBody(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxRequestBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let held = 0
  const reader = request.body.getReader()
  for (;;) {
    const next = await reader.read()
    if (next.done) return Buffer.concat(chunks)
    held += next.value.length
    // The rest is left unread, not cancelled: that would take the connection and the answer with it.
    if (held > maxRequestBytes) throw tooLarge()
    chunks.push(next.value)
  }
}

/** The same of a request that must send JSON. Throws a ProblemError 415 where it doesn't say so. */
export async function readJsonBody({ req }: Context): Promise<Uint8Array> {
  if (/^application\/json(?:;|$)/i.test(req.header('content-type') ?? '')) {
    return readRequestBody(req.raw)
  }
  throw problemError(
    415,
    'unsupported-body',
    'Unsupported media type',
    'The body must be application/json.',
  )
}

function tooLarge(): ProblemError {
  return problemError(
    413,
    'body-too-large',
    'Content too large',
    `The request body is larger than ${maxRequestBytes / 1024} KiB.`,
  )
}
