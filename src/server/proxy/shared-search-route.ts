import type { Context } from 'hono'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { ProxyEnv } from './proxy-env.ts'
import type { SharedSearches } from './shared-search.ts'

/**
 * `GET /live/search?query=…`: the newest builds of a query, from the one poll that all screens share.
 * Throws a ProblemError 400 unless there is exactly one `query`, and what `SharedSearches` throws.
 */
export function sharedSearchRoute(
  searches: SharedSearches,
): (c: Context<ProxyEnv>) => Promise<Response> {
  return async (c) => {
    const [query, ...more] = c.req.queries('query') ?? []
    if (query === undefined || more.length > 0) throw oneQuery()
    return c.json(await searches.ask(query))
  }
}

function oneQuery(): ProblemError {
  return new ProblemError(
    problem(400, 'no-query', 'No query', 'Say once what to search for: ?query=… .'),
  )
}
