import { z } from 'zod'

/**
 * What the events that tell facts carry, by event type (docs/services.md#export-event-types).
 * Maven's events are named like Gradle's with `Mvn` before.
 */
export const eventData = {
  BuildRequestedTasks: z.looseObject({ requested: z.array(z.string()) }),
  MvnBuildRequestedGoals: z.looseObject({ goals: z.array(z.string()) }),
  BuildAgent: z.looseObject({
    username: z.string().nullish(),
    localHostname: z.string().nullish(),
    publicHostname: z.string().nullish(),
    ipAddresses: z.array(z.string()).nullish(),
  }),
  ProjectStructure: z.looseObject({
    rootProjectName: z.string(),
    projects: z.array(z.looseObject({ buildPath: z.string().optional() })),
  }),
  MvnProjectStructure: z.looseObject({
    projects: z.array(z.looseObject({ name: z.string().nullish(), artifactId: z.string() })).min(1),
  }),
  UserTag: z.looseObject({ tag: z.string() }),
  UserNamedValue: z.looseObject({ key: z.string(), value: z.string().nullish() }),
  /** Failed if there is a failure: its id since version 1.1, the failure itself before. */
  BuildFinished: z.looseObject({
    failureId: z.unknown().optional(),
    failure: z.unknown().optional(),
  }),
  MvnBuildFinished: z.looseObject({ failed: z.boolean() }),
  Hardware: z.looseObject({ numProcessors: z.number() }),
  Os: z.looseObject({
    name: z.string(),
    version: z.string().nullish(),
    arch: z.string().nullish(),
  }),
  Jvm: z.looseObject({
    vmVendor: z.string(),
    vmName: z.string(),
    vmVersion: z.string(),
    vmInfo: z.string().nullish(),
    runtimeName: z.string(),
    runtimeVersion: z.string(),
  }),
  Encoding: z.looseObject({ defaultCharset: z.string() }),
  BuildModes: z.record(z.string(), z.unknown()),
}
