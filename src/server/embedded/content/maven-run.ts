import type { BuildPlan } from './build-plan.ts'
import { failingGoal, type Goal, goalsFor } from './maven-goals.ts'
import { between, chance, type Random } from './seeded-random.ts'

/** A project of a Maven build. */
export interface MavenModule {
  readonly id: bigint
  readonly artifactId: string
}

/** A goal that ran. */
export interface RanGoal {
  readonly module: MavenModule
  readonly goal: Goal
  /** Its outputs came from the build cache. */
  readonly cached: boolean
  readonly failed: boolean
  /** Epoch ms, whole. */
  readonly begin: number
  readonly end: number
}

/**
 * The goals of a build that ran between `from` and `to` (epoch ms), one after the other, module by
 * module, the first module being the parent of all. A failure is the last, and where the build
 * failed without a goal to blame none ran: its projects could not be read.
 */
export function runGoals(
  plan: BuildPlan,
  modules: readonly MavenModule[],
  from: number,
  to: number,
  random: Random,
): RanGoal[] {
  const planned = modules.flatMap((module, index) => {
    const touched = index === 0 || module.artifactId === plan.commit.module
    return goalsFor(plan.requested, index === 0).map((goal) => {
      const cached = !touched && goal.cacheable && plan.cache === 'warm' && chance(random, 0.7)
      return { module, goal, cached, cost: cached ? 0.3 : goal.cost * between(random, 0.5, 1.5) }
    })
  })
  const failing = failingGoal(plan, planned)
  if (plan.failure !== null && failing === -1) return []
  const ran = failing === -1 ? planned : planned.slice(0, failing + 1)
  const scale = (to - from) / ran.reduce((sum, { cost }) => sum + cost, 0)
  let at = from
  return ran.map(({ cost, ...goal }, index) => {
    const begin = Math.round(at)
    at += cost * scale
    // What fails was not taken from the cache.
    const failed = index === failing
    return { ...goal, cached: goal.cached && !failed, failed, begin, end: Math.round(at) }
  })
}
