import type { ErrorHandler } from 'hono'
import type { Logger } from 'pino'
import { ProblemError } from '../../protocol/problem.ts'
import { problemResponse, unexpectedProblem } from './problem-response.ts'
import type { ProxyEnv } from './proxy-env.ts'

/**
 * The one place where errors become answers. A ProblemError is answered as it says; anything else was
 * not foreseen: it is logged once, without credentials, and answered in general words.
 */
export function errorCatcher(options: {
  readonly logger: Logger
  readonly redact: (text: string) => string
}): ErrorHandler<ProxyEnv> {
  const { logger, redact } = options
  return (error, c) => {
    if (error instanceof ProblemError) return problemResponse(error)
    // Who has left gets no answer, and what that broke is no fault.
    if (!c.req.raw.signal.aborted) {
      logger.error(
        { route: c.get('route'), error: redact(error.stack ?? error.message) },
        'unexpected error',
      )
    }
    return problemResponse(new ProblemError(unexpectedProblem))
  }
}
