import { publishPath } from '../../../protocol/package-address.ts'
import type { PublishQuestion } from './publish-run.ts'
import type { StreamedRequest } from '../core/request.ts'

/** Asks for a publication; resolves when the answer begins. */
export type AskToPublish = (question: PublishQuestion, signal: AbortSignal) => Promise<Response>

/**
 * Publications through the proxy, each result to be sent as soon as it is ready. Never sent twice by
 * itself. Throws a ProblemError with the status that was answered.
 */
export function createAskToPublish(request: StreamedRequest): AskToPublish {
  return (question, signal) =>
    request(`/upstream/governor${publishPath(question.address)}`, publishBody(question), signal)
}

/**
 * The body of a publish request (docs/services.md#publish); `buildScan` only where something is
 * selected.
 */
export function publishBody({ sha256, repositoryUrl, builds, queries }: PublishQuestion): object {
  const isSelecting = builds.length + queries.length > 0
  return {
    sha256,
    repositoryUrl,
    ...(isSelecting ? { buildScan: { ids: builds, queries } } : {}),
  }
}
