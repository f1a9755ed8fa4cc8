import { attributesOf } from './attributes-of.ts'
import type { BuildPlan } from './build-plan.ts'
import { gradleEvents } from './gradle-events.ts'
import { mavenEvents } from './maven-events.ts'
import { plainToolEvents } from './plain-tool-events.ts'
import type { RecordedBuild } from './recorded-build.ts'
import type { Random } from './seeded-random.ts'

/** How much the events of a build tell: `light` is enough for its facts and costs little. */
export type EventLoad = 'full' | 'light'

/** Tells a decided build as the embedded services store it; message, attributes and events agree. */
export function recordBuild(plan: BuildPlan, load: EventLoad, random: Random): RecordedBuild {
  return {
    message: {
      buildId: plan.buildId,
      timestamp: plan.receivedAt,
      toolType: plan.project.tool,
      toolVersion: plan.toolVersion,
      agentVersion: plan.agentVersion,
    },
    attributes: attributesOf(plan),
    events: eventsOf(plan, load === 'light', random),
  }
}

function eventsOf(plan: BuildPlan, light: boolean, random: Random): string[] {
  const { tool } = plan.project
  switch (tool) {
    case 'gradle':
      return gradleEvents(plan, light, random)
    case 'maven':
      return mavenEvents(plan, light, random)
    case 'bazel':
    case 'sbt':
    case 'npm':
    case 'python':
      return plainToolEvents(tool, plan)
  }
}
