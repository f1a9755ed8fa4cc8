import {
  attributesKey,
  type Models,
  type ToolWithAttributes,
  toolsWithAttributes,
} from '../../protocol/attributes.ts'
import { type BuildSummary, toBuildSummary } from '../../protocol/build-summary.ts'
import { attributesOf } from '../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../store/build-rows.ts'
import type { Database } from '../store/database.ts'
import { modelNotApplicable, notFound, stillBeingStored } from './api-problem.ts'
import type { AskedModels } from './build-list-query.ts'

/**
 * Builds as the build data API answers them, with a model or the problem of having none for each
 * model that was asked for (docs/services.md#build-models).
 */
export async function summaries(
  database: Database,
  builds: readonly StoredBuild[],
  asked: AskedModels,
): Promise<BuildSummary[]> {
  const tools = asked.allModels ? toolsWithAttributes : asked.models
  if (tools.length === 0) return builds.map((build) => toBuildSummary(messageOf(build)))
  const positions = builds.map((build) => build.position)
  const attributes = await attributesOf(database, positions)
  return builds.map((build) => ({
    ...toBuildSummary(messageOf(build)),
    models: modelsOf(build, attributes.get(build.position), tools, asked.skipUnavailableModels),
  }))
}

function modelsOf(
  build: StoredBuild,
  attributes: string | undefined,
  tools: readonly ToolWithAttributes[],
  skipUnavailable: boolean,
): Models {
  const { buildId, toolType, readable } = build
  const answers: Models = {}
  for (const tool of tools) {
    if (tool !== toolType) {
      answers[attributesKey(tool)] = {
        problem: modelNotApplicable(buildId, toolType, tool).problem,
      }
    } else if (readable && attributes !== undefined) {
      answers[attributesKey(tool)] = { model: { id: buildId, ...object(attributes) } }
    } else if (!skipUnavailable) {
      const { problem } = readable ? notFound(eventsAlone) : stillBeingStored(buildId)
      answers[attributesKey(tool)] = { problem }
    }
  }
  return answers
}

const eventsAlone = 'The attributes of this build are not known: only its events were recorded.'

function object(json: string): object {
  const value: unknown = JSON.parse(json)
  return typeof value === 'object' && value !== null ? value : {}
}
