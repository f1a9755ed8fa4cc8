import type { ToolWithAttributes } from '../../../protocol/attributes.ts'
import { inOrderOfTime, timedEvent } from './build-event-text.ts'
import type { BuildPlan } from './build-plan.ts'
import {
  buildAgentEvent,
  customDataEvents,
  jvmEvents,
  machineEvents,
  type Prefix,
} from './environment-events.ts'
import { exitCodeOf } from './exit-code.ts'

/** The tools whose events no public recording shows. */
export type PlainTool = Exclude<ToolWithAttributes, 'gradle' | 'maven'>

/**
 * A small set of events for Bazel, sbt, npm and Python builds, as JSON texts in order of time. The
 * real names and shapes are not public: these are made up after Maven's (`NpmBuildStarted` after
 * `MvnBuildStarted`), so that readers have something to show and to skip.
 */
export function plainToolEvents(tool: PlainTool, plan: BuildPlan): string[] {
  const prefix = prefixes[tool]
  const { startTime: at, project, failure } = plan
  const end = at + plan.duration
  return inOrderOfTime([
    timedEvent(at, `${prefix}BuildStarted`, 0, {}),
    ...(tool === 'sbt' ? jvmEvents(prefix, plan) : machineEvents(prefix, plan)),
    buildAgentEvent(prefix, plan, at),
    timedEvent(at, `${prefix}BuildRequested`, 0, {
      command: tool === 'bazel' ? plan.job.command : undefined,
      requested: plan.requested,
    }),
    timedEvent(at, `${prefix}ProjectStructure`, 0, {
      projectName: project.name,
      toolVersion: plan.toolVersion,
      projects: project.modules.map((name) => ({ name })),
    }),
    ...customDataEvents(prefix, plan, at),
    timedEvent(end, `${prefix}BuildFinished`, 0, {
      failed: failure !== null,
      exitCode: exitCodeOf(plan),
      message: failure === null ? null : messageOf(plan),
    }),
  ])
}

const prefixes = {
  bazel: 'Bazel',
  sbt: 'Sbt',
  npm: 'Npm',
  python: 'Python',
} as const satisfies Record<PlainTool, Prefix>

function messageOf({ failure }: BuildPlan): string {
  if (failure === null) return ''
  const { test, line, module } = failure
  switch (failure.cause) {
    case 'test':
      return `${test.className} > ${test.name} failed: expected ${line}, received ${line + 1}`
    case 'compile':
      return `${module}: 1 error on line ${line}`
    case 'lint':
      return `${module}: ${1 + (line % 9)} problems`
    case 'dependency':
      return 'https://artifacts.acme.example answered 503 Service Unavailable'
    case 'configuration':
      return `${module}: the configuration could not be read, line ${line}`
  }
}
