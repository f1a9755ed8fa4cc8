import { policyScanPath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion } from './policy-scan.ts'
import type { StreamedRequest } from '../core/request.ts'

/** Asks for an evaluation; resolves when the answer begins. */
export type AskForScan = (question: PolicyScanQuestion, signal: AbortSignal) => Promise<Response>

/**
 * Evaluations through the proxy, each result to be sent as soon as it is ready. Throws a ProblemError
 * with the status that was answered.
 */
export function createAskForScan(request: StreamedRequest): AskForScan {
  return ({ address, scan, sha256, repositoryUrl }, signal) =>
    request(`/upstream/governor${policyScanPath(address, scan)}`, { sha256, repositoryUrl }, signal)
}
