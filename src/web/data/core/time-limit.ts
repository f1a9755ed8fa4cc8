import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'

/**
 * Runs `work` with a signal that aborts when `outer` does, or after `ms`; then with a ProblemError
 * of status 504 as its reason, which fetch throws. Leaves no timer and no listener behind.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const abort = (): void => {
    own.abort(outer?.reason)
  }
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort)
  const cancel = clock.after(ms, () => {
    own.abort(tooSlow(ms))
  })
  try {
    return await work(own.signal)
  } finally {
    cancel()
    outer?.removeEventListener('abort', abort)
  }
}

function tooSlow(ms: number): ProblemError {
  const sentence = `The proxy did not answer within ${Math.round(ms / 1000)} s.`
  return new ProblemError(problem(504, 'no-answer', 'No answer', sentence))
}
