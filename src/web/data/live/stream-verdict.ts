import { isRetryable, type ProblemError } from '../../../protocol/problem.ts'
import type { StreamHappening } from './stream-happening.ts'

/** What is to be done after an attempt has ended. */
export type StreamVerdict =
  | { readonly kind: 'retry'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** The session was refused: get a new one and try again at once. */
  | { readonly kind: 'renew' }
  /** The three ends, as they are told. */
  | { readonly kind: 'end'; readonly happening: StreamHappening }

/**
 * Judges how an attempt ended: `fault` is undefined where the other side simply ended the stream,
 * which the live feed does to each connection after a while. `renewed` tells that the session was
 * renewed just before the attempt. Statuses that trying again cannot change are final.
 */
export function judge(fault: ProblemError | undefined, renewed: boolean): StreamVerdict {
  if (fault === undefined) {
    return { kind: 'retry', reason: 'The proxy ended the connection.', retryAfterMs: undefined }
  }
  const reason = fault.message
  if (fault.status === 204) return { kind: 'end', happening: { type: 'complete' } }
  if (fault.status === 401) {
    const none = fault.problem.type === 'urn:sightline:problem:signed-out'
    return renewed || none
      ? { kind: 'end', happening: { type: 'signed-out', reason } }
      : { kind: 'renew' }
  }
  return isRetryable(fault.status)
    ? { kind: 'retry', reason, retryAfterMs: fault.retryAfterMs }
    : { kind: 'end', happening: { type: 'refused', reason } }
}
