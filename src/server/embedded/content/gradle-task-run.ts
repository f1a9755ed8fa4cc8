import type { BuildPlan } from './build-plan.ts'
import { gradleOptionsOf } from './gradle-options.ts'
import { outcomesOf, type TaskOutcome } from './gradle-task-outcome.ts'
import { type Task, tasksFor } from './gradle-tasks.ts'
import { between, type Random } from './seeded-random.ts'
import { scheduleWork } from './work-schedule.ts'

/** A task that ran. */
export interface RanTask {
  readonly task: Task
  readonly outcome: TaskOutcome
  /** Epoch ms, whole. */
  readonly begin: number
  readonly end: number
}

/**
 * The tasks of a build that ran between `from` and `to` (epoch ms), in order of their begin, on as
 * many workers as the build had. After a failure nothing new begins, unless the build goes on.
 */
export function runTasks(plan: BuildPlan, from: number, to: number, random: Random): RanTask[] {
  const options = gradleOptionsOf(plan)
  const tasks = tasksFor(plan.project, plan.requested, options.excluded)
  const outcomes = outcomesOf(plan, tasks, random)
  const ending = tasks.flatMap((task, index) => {
    const outcome = outcomes[index]
    return outcome === undefined ? [] : [{ task, outcome }]
  })
  const work = ending.map(({ task, outcome }) => ({
    dependsOn: task.dependsOn,
    cost: costOf(task, outcome, random),
    failed: outcome === 'failed',
  }))
  const slots = scheduleWork(
    work,
    options.parallel ? options.maxWorkers : 1,
    options.continueOnFailure,
  )
  const scale = (to - from) / Math.max(...slots.map(({ end }) => end))
  return slots.flatMap(({ index, begin, end }) => {
    const one = ending[index]
    if (one === undefined) return []
    return [
      { ...one, begin: Math.round(from + begin * scale), end: Math.round(from + end * scale) },
    ]
  })
}

function costOf(task: Task, outcome: TaskOutcome, random: Random): number {
  switch (outcome) {
    case 'success':
    case 'failed':
      return task.cost * between(random, 0.5, 1.5)
    case 'from_cache':
      return between(random, 0.3, 1.2)
    case 'up_to_date':
      return between(random, 0.05, 0.4)
    case 'no_source':
    case 'skipped':
      return 0.01
  }
}
