import type { ProblemError } from '../../protocol/problem.ts'

/** A failure as whoever looks deeper wants it: what is folded away as the technical detail. */
export function problemDetail({ status, problem, message }: ProblemError): string {
  return `${status} ${problem.title} (${problem.type})\n${message}`
}

/** How long to wait before asking once more: "7 s", or "a minute" where nothing was said of it. */
export function waitText({ retryAfterMs }: ProblemError): string {
  return retryAfterMs === undefined ? 'a minute' : `${Math.ceil(retryAfterMs / 1000)} s`
}
