import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { versionPath } from '../../../protocol/build-data.ts'
import { configPath, ProxyConfig } from '../../../protocol/proxy-config.ts'
import { UpstreamReport, upstreamReportPath } from '../../../protocol/upstream-report.ts'
import type { Request } from './request.ts'

/** How the proxy is set up; it does not change while the proxy runs. */
export function configQuery(request: Request) {
  return queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => request(configPath, ProxyConfig, { signal }),
    staleTime: Infinity,
  })
}

/** What the proxy noticed about the servers behind it; asked anew while somebody looks at it. */
export function upstreamReportQuery(request: Request) {
  return queryOptions({
    queryKey: ['upstream-report'],
    queryFn: ({ signal }) => request(upstreamReportPath, UpstreamReport, { signal }),
    refetchInterval: 10_000,
  })
}

const Version = z.looseObject({ string: z.string() })

/**
 * The release of the build server, such as "2026.2"; the oldest servers have none
 * (docs/services.md#one-build).
 */
export function serverReleaseQuery(request: Request) {
  return queryOptions({
    queryKey: ['server-release'],
    queryFn: async ({ signal }) =>
      (await request(`/upstream/build-data${versionPath}`, Version, { signal })).string,
    staleTime: Infinity,
    retry: false,
  })
}
