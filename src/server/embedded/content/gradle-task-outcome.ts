import type { BuildPlan } from './build-plan.ts'
import type { Cause } from './jobs.ts'
import { modulesBelow, type Task, type TaskKind } from './gradle-tasks.ts'
import { chance, type Random } from './seeded-random.ts'

/** How a task ends, as TaskFinished spells it. */
export type TaskOutcome =
  'success' | 'failed' | 'up_to_date' | 'from_cache' | 'no_source' | 'skipped'

/**
 * The outcomes of all tasks, by position: what the commit touches is done anew, the rest comes from
 * the build cache or is up to date, and one task fails where the build fails.
 */
export function outcomesOf(plan: BuildPlan, tasks: readonly Task[], random: Random): TaskOutcome[] {
  const failing = failingTask(plan, tasks)
  const untouched = untouchedModules(plan)
  const outcomes: TaskOutcome[] = []
  for (const [position, task] of tasks.entries()) {
    outcomes.push(
      position === failing
        ? 'failed'
        : outcomeOf(plan, task, untouched.has(task.module), outcomes, random),
    )
  }
  return outcomes
}

/** Whether the outputs of a task can be kept in a build cache. */
export function isCacheable(kind: TaskKind): boolean {
  return kind === 'compile' || kind === 'test' || kind === 'lint'
}

function outcomeOf(
  plan: BuildPlan,
  task: Task,
  untouched: boolean,
  before: readonly TaskOutcome[],
  random: Random,
): TaskOutcome {
  const local = plan.job.occasion === 'local'
  switch (task.kind) {
    case 'lifecycle':
      return task.dependsOn.every((dependency) => before[dependency] !== 'success')
        ? 'up_to_date'
        : 'success'
    case 'clean':
      return local ? 'success' : 'up_to_date'
    case 'resources':
      if (task.path.endsWith('processTestResources')) return 'no_source'
      return local && untouched ? 'up_to_date' : 'success'
    case 'sign':
      return plan.job.occasion === 'release' ? 'success' : 'skipped'
    case 'compile':
    case 'test':
    case 'lint':
    case 'jar':
    case 'format':
    case 'publish': {
      if (!untouched || plan.cache === 'cold') return 'success'
      if (local && chance(random, 0.85)) return 'up_to_date'
      const saved = isCacheable(task.kind) && plan.cache === 'warm'
      return saved && chance(random, 0.5 + plan.project.cached / 2) ? 'from_cache' : 'success'
    }
  }
}

/** A module is touched if the commit changes it or one that it stands on. */
function untouchedModules({ project, commit }: BuildPlan): Set<string> {
  return new Set(
    project.modules.filter((module) => !modulesBelow(project, module).has(commit.module)),
  )
}

/** Which task fails, by position: one that can, in the module at fault if it is built at all. */
function failingTask({ failure }: BuildPlan, tasks: readonly Task[]): number {
  if (failure === null) return -1
  const kind = failingKind[failure.cause]
  const there = tasks.findIndex((task) => task.kind === kind && task.module === failure.module)
  return there === -1 ? tasks.findIndex((task) => task.kind === kind) : there
}

const failingKind: Readonly<Record<Cause, TaskKind | undefined>> = {
  compile: 'compile',
  lint: 'lint',
  test: 'test',
  dependency: 'compile',
  configuration: undefined,
}
