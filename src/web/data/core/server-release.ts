import { queryOptions } from '@tanstack/react-query'
import { z } from 'zod'
import { versionPath } from '../../../protocol/build-data-paths.ts'
import type { Request } from './request.ts'

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
