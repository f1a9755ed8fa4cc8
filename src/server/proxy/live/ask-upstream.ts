import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { retryAfterMs } from '../../../protocol/retry-after.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream-client.ts'

/**
 * Asks the upstream for something that ends, gzipped where it can. Gives undefined for a 204, and
 * throws a ProblemError with the status that the server answered for everything but a 200.
 */
export async function askUpstream(
  client: UpstreamClient,
  clock: Clock,
  request: { readonly path: string; readonly accept: string; readonly signal: AbortSignal },
): Promise<UpstreamResponse | undefined> {
  const { path, accept, signal } = request
  const response = await client.request({
    path,
    headers: { accept, 'accept-encoding': 'gzip' },
    signal,
    // The build list may wait 20 s for builds to arrive.
    headersTimeoutMs: 30_000,
  })
  const { status } = response
  if (status === 200) return response
  const wait = retryAfterMs(response.header('retry-after'), clock.now())
  response.cancel()
  if (status === 204) return undefined
  throw new ProblemError(
    problem(
      status >= 400 ? status : 502,
      'upstream-answer',
      'Unexpected answer of the upstream',
      `The build server answered ${status}.`,
    ),
    wait === undefined ? {} : { retryAfterMs: wait },
  )
}
