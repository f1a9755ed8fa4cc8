import { SharedSearch, sharedSearchAddress } from '../../../protocol/shared-search.ts'
import type { Request } from '../core/request.ts'

/**
 * Asks the proxy for the newest builds of a query, which it asks the server for once for all screens.
 * Throws a ProblemError.
 */
export function createAskShared(
  request: Request,
): (query: string, signal: AbortSignal) => Promise<SharedSearch> {
  return (query, signal) => request(sharedSearchAddress(query), SharedSearch, { signal })
}
