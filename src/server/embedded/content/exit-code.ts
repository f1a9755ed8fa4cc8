import type { BuildPlan } from './build-plan.ts'

/** The code with which the tool's process ends: Bazel tells failed tests from a failed build. */
export function exitCodeOf({ project, failure }: BuildPlan): number {
  if (failure === null) return 0
  return project.tool === 'bazel' && failure.cause === 'test' ? 3 : 1
}
