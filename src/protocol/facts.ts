import * as z from 'zod/mini'
import { BuildId, EpochMs } from './build-message.ts'

/** Why a build failed: the innermost exception with a message, and where. Texts are cut at 1,000 characters. */
export const BuildFailure = z.looseObject({
  message: z.string(),
  /** The class of the exception, as the build tool names it. */
  exception: z.optional(z.string()),
  /** The path of the task, or the goal with its project. */
  task: z.optional(z.string()),
  /** One of the tests that failed; message and exception are then its own, where events give them. */
  test: z.optional(
    z.looseObject({
      className: z.optional(z.string()),
      name: z.string(),
      /** How many others failed in the same task. */
      others: z.int(),
    }),
  ),
})
export type BuildFailure = z.infer<typeof BuildFailure>

/** A custom value of a build. Names may repeat; a value that is not there is the empty string. */
const NamedValue = z.object({ name: z.string(), value: z.string() })

const FactsTest = z.object({ task: z.string(), name: z.string() })

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
  user: z.optional(z.nullable(z.string())),
  hostname: z.optional(z.nullable(z.string())),
  project: z.optional(z.nullable(z.string())),
  requested: z.optional(z.array(z.string())),
  tags: z.optional(z.array(z.string())),
  values: z.optional(z.array(NamedValue)),
  outcome: z.optional(z.nullable(z.enum(['succeeded', 'failed']))),
  durationMs: z.optional(z.nullable(z.number().check(z.nonnegative()))),
  startTime: z.optional(z.nullable(EpochMs)),
  hasVerificationFailure: z.optional(z.nullable(z.boolean())),
  hasNonVerificationFailure: z.optional(z.nullable(z.boolean())),
  /**
   * How its tests ended, where its events were read: those that failed, those that failed and passed (20 of each at most), and
   * the tasks of which all that ran passed in the end.
   */
  tests: z.optional(
    z.object({
      failed: z.array(FactsTest),
      flaky: z.array(FactsTest),
      passedTasks: z.array(z.string()),
    }),
  ),
  /** Why a failed build failed, its message cut at 300 characters; null where it is known to be said nowhere. */
  failure: z.optional(z.nullable(BuildFailure)),
  /** What else it failed of, as it is stored with a build: it goes to no browser. */
  otherFailures: z.optional(z.array(BuildFailure)),
  /** Tool-specific fields by their full name, such as `gradle.buildOptions.daemonEnabled`; some have several values. */
  fields: z.optional(
    z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
    ),
  ),
})
export type Facts = z.infer<typeof Facts>

/** The custom value that says which branch was built, as the common plug-ins name it; undefined where it is blank. */
export function branchOf({ values }: Pick<Facts, 'values'>): string | undefined {
  const branch = values?.find(({ name }) => name.toLowerCase() === 'git branch')?.value.trim()
  return branch === '' ? undefined : branch
}
