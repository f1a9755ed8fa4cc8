import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { isRetryable, problem, ProblemError } from '../../../protocol/problem.ts'

export interface AttemptWait {
  readonly problem: ProblemError
  /** When the next attempt is made, epoch ms. */
  readonly until: number
  /** Attempts in a row that failed, this one included. */
  readonly failures: number
}

export interface AttemptOptions {
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** Ends it: no attempt is made after the abort. */
  readonly signal: AbortSignal
  /** Attempts in a row before it is given up: without end. */
  readonly most?: number
  /** Whether another attempt may help: `isRetryable` of the status. */
  readonly mayRetry?: (fault: ProblemError) => boolean
  readonly onWait?: (wait: AttemptWait) => void
}

export interface Attempt {
  /** It brought something: failures before it no longer count. */
  readonly progressed: () => void
  /** The other side asks for so long a wait before the next one, ms (`retry:` of an event stream). */
  readonly retryAfter: (ms: number) => void
}

/**
 * Attempts `work` until it succeeds, with jittered back-off (protocol/back-off.ts) that is never
 * shorter than Retry-After. Throws the ProblemError of the last attempt where another one would not
 * help, and the reason of the abort where `signal` aborted.
 */
export async function attempts<T>(
  work: (attempt: Attempt) => Promise<T>,
  options: AttemptOptions,
): Promise<T> {
  const { clock, random, signal, most = Infinity, onWait } = options
  const mayRetry = options.mayRetry ?? (({ status }) => isRetryable(status))
  let failures = 0
  let retryMs: number | undefined
  const attempt: Attempt = {
    progressed: () => {
      failures = 0
    },
    retryAfter: (ms) => {
      retryMs = ms
    },
  }
  for (;;) {
    try {
      return await work(attempt)
    } catch (error) {
      signal.throwIfAborted()
      const fault = asProblem(error)
      failures += 1
      if (failures >= most || !mayRetry(fault)) throw fault
      const ms = backOffMs({ failures, retryMs, retryAfterMs: fault.retryAfterMs, random })
      onWait?.({ problem: fault, until: clock.now() + ms, failures })
      await wait(clock, ms, signal)
      signal.throwIfAborted()
    }
  }
}

/**
 * Whether a request is sent again by itself after so many failures in a row: twice where that may help.
 * What a server refuses Sightline's user (401, 403: the proxy passes it on as a 502) is shown at once.
 */
export function shouldRetry(failures: number, error: Error): boolean {
  if (failures >= 2 || !(error instanceof ProblemError)) return false
  const { upstreamStatus } = error.problem
  return isRetryable(error.status) && upstreamStatus !== 401 && upstreamStatus !== 403
}

/** Whether a server is too busy or not ready; the browser's own 503s aren't among them, as nothing was sent. */
export function isBusy({ status, problem: { type } }: ProblemError): boolean {
  return status === 429 || (status === 503 && !/:(?:offline|unreachable)$/.test(type))
}

/** An error as a problem; one that is none is a fault of this page. */
export function asProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const sentence = 'Sightline failed to read the response.'
  return new ProblemError(problem(500, 'unexpected', 'Unexpected failure', sentence), {
    cause: error,
  })
}
