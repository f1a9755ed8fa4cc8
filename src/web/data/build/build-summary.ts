import { queryOptions } from '@tanstack/react-query'
import { attributesModel, toolsWithAttributes } from '../../../protocol/attributes.ts'
import { buildPath } from '../../../protocol/build-data-paths.ts'
import { BuildSummary } from '../../../protocol/build-summary.ts'
import type { Request } from '../core/request.ts'

/**
 * A build with the attributes of its tool, from the build data API. Many servers do not offer it, or
 * not to everybody: its failure only means that less is known. A build does not change.
 */
export function buildSummaryQuery(request: Request, buildId: string) {
  const path = `/upstream/build-data${buildPath(buildId, toolsWithAttributes.map(attributesModel))}`
  return queryOptions({
    queryKey: ['build-summary', buildId],
    queryFn: ({ signal }) => request(path, BuildSummary, { signal }),
    staleTime: Infinity,
    retry: false,
  })
}
