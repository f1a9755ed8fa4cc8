import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { versionPath } from '../../../protocol/build-data.ts'
import { configPath, ProxyConfig } from '../../../protocol/proxy-config.ts'
import type { Request } from './request.ts'

/** How the proxy is set up; it does not change while the proxy runs. */
export function configQuery(request: Request) {
  return queryOptions({
    queryKey: ['config'],
    queryFn: ({ signal }) => request(configPath, ProxyConfig, { signal }),
    staleTime: Infinity,
  })
}

const Version = z.looseObject({ string: z.string() })

/** The release of the build server, such as "2026.2"; the oldest have none (docs/services.md#one-build). */
export function serverReleaseQuery(request: Request) {
  return queryOptions({
    queryKey: ['server-release'],
    queryFn: async ({ signal }) =>
      (await request(`/upstream/build-data${versionPath}`, Version, { signal })).string,
    staleTime: Infinity,
    retry: false,
  })
}
