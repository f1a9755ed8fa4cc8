import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { Query } from '../../../search/tree.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { startRange, withoutStart } from './query-time.ts'

/**
 * The same search on the build server's own page (docs/services.md#build-page-links), undefined
 * where there is no such server. That page has its own window of time, and its search knows no
 * buildStartTime.
 */
export function serverSearchLink(
  server: ProxyConfig['upstreams']['buildData'] | undefined,
  query: Query,
  at: { readonly now: number; readonly timeZone: string },
): string | undefined {
  if (server?.kind !== 'server' || server.origin === null) return undefined
  const { from = 1, to = at.now } = startRange(query, at)
  const text = toApiQuery(parse(withoutStart(query)), { timeZone: at.timeZone }).trim()
  const search = new URLSearchParams({
    ...(text === '' ? {} : { 'search.query': text }),
    'search.startTimeMin': String(Math.max(1, Math.floor(from))),
    'search.startTimeMax': String(Math.floor(to)),
    'search.timeZoneId': at.timeZone,
  })
  return `${server.origin}/scans?${search.toString().replaceAll('+', '%20')}`
}
