import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import {
  attributesKey,
  attributesModel,
  type Models,
  type ToolWithAttributes,
  toolsWithAttributes,
} from '../../../protocol/attributes.ts'
import { buildPath } from '../../../protocol/build-data-paths.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { BuildSummary } from '../../../protocol/build-summary.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { fetchBuildList } from './build-list.ts'
import { fetchJson } from './fetch-json.ts'

/**
 * What the attributes say of one build.
 * - `later`: the server is still processing them, or does not list the build yet
 * - `none`: it has none for this build, or answers something else
 */
export type AttributeAnswer = Facts | 'later' | 'none'

/** Whether there are attributes for builds of a tool at all. */
export function hasAttributes(build: BuildMessage): boolean {
  return toolOf(build) !== undefined
}

/**
 * Asks for the attributes of builds that follow one another, in one request where the build before
 * them is known. Throws a ProblemError with the status that the server answered.
 */
export async function attributeFacts(
  client: UpstreamClient,
  clock: Clock,
  builds: readonly BuildMessage[],
  previous: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AttributeAnswer>> {
  const models = [...new Set(builds.flatMap((build) => toolOf(build) ?? []))].map(attributesModel)
  const [only] = builds
  const isOne = builds.length === 1 || previous === undefined
  const items = !isOne
    ? await fetchBuildList(
        client,
        clock,
        // All are there already: the server needs not wait for more.
        { fromBuild: previous, maxBuilds: builds.length, maxWaitSecs: 1, models },
        signal,
      )
    : only === undefined
      ? []
      : [await fetchJson(client, clock, buildPath(only.buildId, models), signal)]
  const summaries = new Map(
    items.flatMap((item) => {
      const summary = BuildSummary.safeParse(item)
      return summary.success ? [[summary.data.id, summary.data.models]] : []
    }),
  )
  return new Map(
    builds.map((build) => [
      build.buildId,
      summaries.has(build.buildId) || isOne
        ? answerOf(build, summaries.get(build.buildId))
        : 'later',
    ]),
  )
}

function answerOf(build: BuildMessage, models: Models | undefined): AttributeAnswer {
  const tool = toolOf(build)
  const own = tool === undefined ? undefined : models?.[attributesKey(tool)]
  if (models === undefined || own === undefined) return 'none'
  if (own.model !== undefined) return factsFromAttributes(build, models)
  return own.problem?.status === 503 ? 'later' : 'none'
}

function toolOf({ toolType }: BuildMessage): ToolWithAttributes | undefined {
  return toolsWithAttributes.find((tool) => tool === toolType)
}
