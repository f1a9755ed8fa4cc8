import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { Query } from '../../../search/tree.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { seenValues } from '../../ui/query-editor/query-assistance.ts'
import { useTicker } from '../../ui/time.tsx'
import { ColumnMenu } from './column-menu.tsx'
import type { ShownColumn } from '../../domain/build-table/build-columns.tsx'
import { ExportMenu } from './export-menu.tsx'
import { startRange, withoutStart } from './query-time.ts'
import type { SearchPage } from './use-search-page.ts'
import { useServices } from '../../data/core/services.ts'

/** The most custom values that are offered as columns, and in how many builds they are looked for. */
const mostValueNames = 12
const mostBuilds = 500

/** What can be done with all that was found: columns, files, the same search on the server's page. */
export function ResultTools({
  page,
  builds,
  columns,
  isComplete,
  onColumns,
  onResetColumns,
}: {
  page: SearchPage
  builds: readonly Facts[]
  columns: readonly ShownColumn[]
  isComplete: boolean
  onColumns: (columns: readonly ShownColumn[]) => void
  onResetColumns: () => void
}): ReactElement {
  const serverLink = useServerLink(page)
  const valueNames = useMemo(
    () =>
      seenValues(builds.slice(0, mostBuilds), 'value')
        .slice(0, mostValueNames)
        .map(({ value }) => value),
    [builds],
  )
  return (
    <Group gap={4}>
      {serverLink !== undefined && (
        <Anchor href={serverLink} target="_blank" rel="noreferrer">
          On the build server<span aria-hidden="true"> ↗</span>
        </Anchor>
      )}
      <ColumnMenu {...{ columns, valueNames }} onChange={onColumns} onReset={onResetColumns} />
      <ExportMenu {...{ page, builds, columns, isComplete }} />
    </Group>
  )
}

function useServerLink({ query, timeZone }: SearchPage): string | undefined {
  const { data } = useQuery(configQuery(useServices().request))
  const ticker = useTicker()
  const server = data?.upstreams.buildData
  return useMemo(
    () => serverSearchLink(server, query, { now: ticker.now(), timeZone }),
    [server, query, timeZone, ticker],
  )
}

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
