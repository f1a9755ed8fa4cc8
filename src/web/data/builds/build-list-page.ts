import { z } from 'zod'
import { attributesModel, type ToolWithAttributes } from '../../../protocol/attributes.ts'
import { type BuildListQuery, buildListPath } from '../../../protocol/build-data-paths.ts'
import { BuildSummary } from '../../../protocol/build-summary.ts'
import type { Request } from '../core/request.ts'

/** One answer of the build list, in the order of the server. */
export interface ListAnswer {
  readonly builds: readonly BuildSummary[]
  /** Elements that were no builds, and were skipped. */
  readonly malformed: number
}

/** What is asked of the list: see `BuildListQuery`, with tools in place of the names of models. */
export interface ListQuestion extends Omit<BuildListQuery, 'models'> {
  /** The tools whose attributes are asked for with each build. */
  readonly tools?: readonly ToolWithAttributes[]
}

/**
 * Asks the build server for one page of its list, through the proxy. Throws a ProblemError with the
 * status that was answered, or of 502 where the answer is no list.
 */
export async function fetchListPage(
  request: Request,
  { tools = [], ...question }: ListQuestion,
  signal: AbortSignal,
): Promise<ListAnswer> {
  const models = tools.map(attributesModel)
  const path = `/upstream/build-data${buildListPath({ ...question, models })}`
  const items = await request(path, z.array(z.unknown()), { signal })
  const builds = items.flatMap((item) => BuildSummary.safeParse(item).data ?? [])
  return { builds, malformed: items.length - builds.length }
}
