import { z } from 'zod'
import { Models } from './attributes.ts'
import { BuildId } from './build-id.ts'
import { type BuildMessage, EpochMs } from './build-message.ts'

/**
 * An element of the build list (docs/services.md#build-summary); `models` only where they were
 * asked for.
 */
export const BuildSummary = z.looseObject({
  id: BuildId,
  availableAt: EpochMs,
  buildToolType: z.string().min(1),
  buildToolVersion: z.string(),
  buildAgentVersion: z.string(),
  models: Models.optional(),
})
export type BuildSummary = z.infer<typeof BuildSummary>

/** The same build as the export stream would announce it: one shape for both sources. */
export function toBuildMessage(summary: BuildSummary): BuildMessage {
  return {
    buildId: summary.id,
    timestamp: summary.availableAt,
    toolType: summary.buildToolType,
    toolVersion: summary.buildToolVersion,
    agentVersion: summary.buildAgentVersion,
  }
}

/** And back: what the build list says of a build that the export stream announced. */
export function toBuildSummary(build: BuildMessage): BuildSummary {
  return {
    id: build.buildId,
    availableAt: build.timestamp,
    buildToolType: build.toolType,
    buildToolVersion: build.toolVersion,
    buildAgentVersion: build.agentVersion,
  }
}
