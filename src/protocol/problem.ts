import * as z from 'zod/mini'

/** The media type of RFC 9457, which also serves for RFC 7807. */
export const problemJson = 'application/problem+json'

/**
 * A problem detail (RFC 9457). Real servers leave `type` out or use URNs; members beyond the
 * standard ones are kept, because some carry what was stored before the failure.
 */
export const ProblemDetail = z.looseObject({
  type: z._default(z.string(), 'about:blank'),
  title: z.string(),
  status: z.int().check(z.minimum(100), z.maximum(599)),
  detail: z.nullish(z.string()),
  instance: z.nullish(z.string()),
})
export type ProblemDetail = z.infer<typeof ProblemDetail>

/**
 * A fault of the world as one plain sentence: what is thrown by everything that crosses a network
 * and caught once per side. `detail` is meant for the person who reads it and holds no secret.
 */
export class ProblemError extends Error {
  readonly problem: ProblemDetail
  /** How long to wait before trying again, in ms, if the other side said so (Retry-After). */
  readonly retryAfterMs: number | undefined

  constructor(problem: ProblemDetail, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(
      problem.detail ?? problem.title,
      options.cause === undefined ? {} : { cause: options.cause },
    )
    this.name = 'ProblemError'
    this.problem = problem
    this.retryAfterMs = options.retryAfterMs
  }

  /** The message as a sentence to be followed by others: servers leave out the full stop. */
  get sentence(): string {
    const text = this.message.trim()
    return /[.!?…]$/.test(text) ? text : `${text}.`
  }

  get status(): number {
    return this.problem.status
  }
}

/** A problem of this project's own making: `code` becomes the URN by which programs tell it apart. */
export function problem(
  status: number,
  code: string,
  title: string,
  detail: string,
  more: Record<string, unknown> = {},
): ProblemDetail {
  return { ...more, type: `urn:sightline:problem:${code}`, title, status, detail }
}

/** A problem of this project's own making, to throw; see `problem`. */
export function problemError(...parts: Parameters<typeof problem>): ProblemError {
  return new ProblemError(problem(...parts))
}

/** Whether a media type announces a problem detail; parameters such as a charset may follow. */
export function isProblemType(contentType: string | null): boolean {
  return contentType?.toLowerCase().startsWith(problemJson) ?? false
}

/** Whether trying the same again may help: the other side is busy, not ready, or out of reach. */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}
