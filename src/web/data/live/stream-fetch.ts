import { problem, ProblemError } from '../../../protocol/problem.ts'
import { guardLines } from './line-guard.ts'
import { problemOfResponse } from '../core/problem-of-response.ts'

/** What the guarded fetch is made with. */
export interface StreamFetch {
  readonly fetch: typeof fetch
  readonly maxLineBytes: number
  /** Rewrites whole lines. */
  readonly rewrite: (lines: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
  /** Epoch ms. */
  readonly now: () => number
  /** The answer is an event stream. */
  readonly onOpen: () => void
  /** Bytes came. */
  readonly onBytes: () => void
}

/**
 * A fetch that lets through nothing but an event stream, in whole lines of bounded length. Any
 * other answer is let go of and thrown as a ProblemError with its status; 204, the end of a
 * complete stream, is one of them. Redirects are not followed, as they would carry the token away.
 */
export function streamFetch(options: StreamFetch): typeof fetch {
  return async (input, init) => {
    const response = await options.fetch(input, {
      ...init,
      redirect: 'error',
      cache: 'no-store',
      credentials: 'same-origin',
    })
    if (response.status !== 200) throw await problemOfResponse(response, options.now())
    const type = response.headers.get('content-type') ?? 'nothing that it names'
    if (response.body === null || !/^text\/event-stream *(;|$)/i.test(type)) {
      await response.body?.cancel()
      throw noStream(type)
    }
    options.onOpen()
    return new Response(response.body.pipeThrough(guardLines(options)), {
      headers: { 'content-type': type },
    })
  }
}

function noStream(type: string): ProblemError {
  const sentence = `The proxy, or something before it, answered with ${type} instead of the stream.`
  return new ProblemError(problem(502, 'no-stream', 'Not an event stream', sentence))
}
