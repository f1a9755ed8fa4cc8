import type { BuildPlan } from './build-plan.ts'

/** The switches of a Gradle build, which attributes and events name differently. */
export interface GradleOptions {
  readonly buildCache: boolean
  readonly configurationCache: boolean
  readonly continueOnFailure: boolean
  readonly daemon: boolean
  readonly fileSystemWatching: boolean
  readonly isolatedProjects: boolean
  readonly maxWorkers: number
  readonly offline: boolean
  readonly parallel: boolean
  readonly refreshDependencies: boolean
  readonly excluded: readonly string[]
}

/** The switches that follow from who builds what and where. */
export function gradleOptionsOf(plan: BuildPlan): GradleOptions {
  const { project, job, machine } = plan
  const local = job.occasion === 'local'
  return {
    buildCache: plan.cache !== 'off',
    configurationCache: project.language === 'kotlin' && job.occasion !== 'release',
    continueOnFailure: job.occasion === 'nightly',
    daemon: local || project.ci === 'Jenkins',
    fileSystemWatching: local,
    isolatedProjects: project.name === 'platform' && local,
    maxWorkers: Math.max(2, machine.cores - (local ? 2 : 0)),
    offline: plan.offline,
    parallel: project.language === 'kotlin' || job.occasion === 'nightly',
    refreshDependencies: job.occasion === 'nightly' && project.cached === 0,
    excluded: local && plan.requested.includes('check') ? ['spotlessCheck'] : [],
  }
}
