import { z } from 'zod'
import { BuildId, EpochMs } from './build-message.ts'

/** A custom value of a build. Names may repeat; a value that is not there is the empty string. */
const NamedValue = z.object({ name: z.string(), value: z.string() })

/**
 * What is known of one build, whatever its tool and wherever the knowledge came from. An absent key
 * means "not known here", `null` means "known to have no value" (docs/design.md#facts). Times are
 * epoch ms, durations ms.
 */
export const Facts = z.object({
  buildId: BuildId,
  receivedAt: EpochMs,
  buildTool: z.string(),
  buildToolVersion: z.string(),
  agentVersion: z.string(),
  user: z.string().nullable().optional(),
  hostname: z.string().nullable().optional(),
  project: z.string().nullable().optional(),
  requested: z.array(z.string()).optional(),
  tags: z.array(z.string()).optional(),
  values: z.array(NamedValue).optional(),
  outcome: z.enum(['succeeded', 'failed']).nullable().optional(),
  durationMs: z.number().nonnegative().nullable().optional(),
  startTime: EpochMs.nullable().optional(),
  hasVerificationFailure: z.boolean().nullable().optional(),
  hasNonVerificationFailure: z.boolean().nullable().optional(),
  /** Tool-specific fields by their full name, such as `gradle.buildOptions.daemonEnabled`. */
  fields: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
})
export type Facts = z.infer<typeof Facts>
