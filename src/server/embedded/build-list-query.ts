import { z } from 'zod'
import {
  attributesModel,
  type ToolWithAttributes,
  toolsWithAttributes,
} from '../../protocol/attributes.ts'
import { flag, text, wholeNumber } from './query-parameters.ts'

const modelNames = new Map<string, ToolWithAttributes>(
  toolsWithAttributes.map((tool) => [attributesModel(tool), tool]),
)

const models = z
  .array(
    z.string().refine((name) => modelNames.has(name), {
      error: `This server has the models ${[...modelNames.keys()].join(', ')}`,
    }),
  )
  .transform((names) => toolsWithAttributes.filter((tool) => names.includes(attributesModel(tool))))

/** Which models are asked for with a build. */
const modelParameters = {
  models: models.default([]),
  allModels: flag.default(false),
  skipUnavailableModels: flag.default(false),
}

/** Which models are asked for, once read. */
export interface AskedModels {
  readonly models: readonly ToolWithAttributes[]
  readonly allModels: boolean
  readonly skipUnavailableModels: boolean
}

/**
 * The parameters of `GET /api/builds` that the oldest servers know (docs/services.md#build-list).
 */
export const PlainBuildList = z.object({
  since: wholeNumber(0).optional(),
  maxBuilds: wholeNumber(0, 1000).default(100),
})

/** All parameters of `GET /api/builds` (docs/services.md#build-list-parameters). */
export const BuildList = PlainBuildList.extend({
  ...modelParameters,
  sinceBuild: text.optional(),
  fromInstant: wholeNumber(0).optional(),
  fromBuild: text.optional(),
  reverse: flag.default(false),
  maxWaitSecs: wholeNumber(1, 20).default(3),
  query: text.optional(),
})
export type BuildList = z.infer<typeof BuildList>

/** The parameters of `GET /api/builds/{id}`. */
export const OneBuild = z.object({
  ...modelParameters,
  availabilityWaitTimeoutSecs: wholeNumber(0, 60).default(0),
})
