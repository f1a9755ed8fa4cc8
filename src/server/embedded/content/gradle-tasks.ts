import { z } from 'zod'
import type { BuildPlan } from './build-plan.ts'
import type { BuildValues } from './build-values.ts'
import company from './company.json' with { type: 'json' }
import type { Cause, Project } from './company.ts'
import { between, chance, type Random } from './seeded-random.ts'

const kinds = [
  ...(['clean', 'compile', 'resources', 'lifecycle', 'jar', 'test'] as const),
  ...(['lint', 'sign', 'publish'] as const),
]
type TaskKind = (typeof kinds)[number]

/** How a task ends, as TaskFinished spells it. */
type TaskOutcome = 'success' | 'failed' | 'up_to_date' | 'from_cache' | 'no_source' | 'skipped'

/** A task that ran. */
export interface RanTask {
  readonly path: string
  readonly className: string
  readonly kind: TaskKind
  readonly outcome: TaskOutcome
  /** Epoch ms, whole. */
  readonly begin: number
  readonly end: number
}

/** Kind, class, cost and the tasks of the same module that come before it. */
type TaskRow = z.infer<typeof TaskRow>
const TaskRow = z
  .tuple([z.enum(kinds), z.string(), z.coerce.number(), z.string()])
  .transform(([kind, className, cost, needs]) => ({ kind, className, cost, needs }))

const otherTask = TaskRow.parse(['lifecycle', 'org.gradle.api.DefaultTask', '0.02', ''])
const tasksOfJava = new Map(
  Object.entries(company.gradleTasks).map(([name, row]) => [
    name,
    TaskRow.parse(row.replace('{lint}', 'checkstyleMain').split(' | ')),
  ]),
)
const tasksOfKotlin = new Map(
  Array.from(tasksOfJava, ([name, row]) => {
    const className = 'org.jetbrains.kotlin.gradle.tasks.KotlinCompile'
    const needs = row.needs.replace('checkstyleMain', 'detekt')
    return [name, { ...row, needs, ...(row.kind === 'compile' && { className }) }]
  }),
)

function rowOf(name: string, language: Project['language']): TaskRow {
  return (language === 'kotlin' ? tasksOfKotlin : tasksOfJava).get(name) ?? otherTask
}

/** Whether the outputs of a task can be kept in a build cache. */
export function isCacheable(kind: TaskKind): boolean {
  return kind === 'compile' || kind === 'test' || kind === 'lint'
}

interface Task {
  readonly module: string
  readonly name: string
  readonly row: TaskRow
}

/**
 * The tasks of each module that Gradle runs for what is requested (`check`, `:module:test`), each
 * after those it depends on; of a module that others are built on at least the jar.
 */
function tasksOf({ project, requested }: BuildPlan, excluded: readonly string[]): Task[][] {
  const wanted = new Map<string, Set<string>>()
  const need = (module: string, name: string): void => {
    const names = wanted.get(module) ?? new Set()
    wanted.set(module, names)
    if (names.has(name) || excluded.includes(name)) return
    const { needs } = rowOf(name, project.language)
    for (const first of needs.split(' ').filter(Boolean)) need(module, first)
    const below = moduleBelow(project, module)
    if (name.startsWith('compile') && below !== undefined) need(below, 'jar')
    names.add(name)
  }
  for (const request of requested) {
    const [, only, name = request] = /^:(.+):([^:]+)$/.exec(request) ?? []
    for (const module of project.modules)
      if (only === undefined || only === module) need(module, name)
  }
  return project.modules.map((module) =>
    Array.from(wanted.get(module) ?? [], (name) => ({
      module,
      name,
      row: rowOf(name, project.language),
    })),
  )
}

/** Modules form a tree: each stands on one that comes before it. */
function moduleBelow({ modules }: Project, module: string): string | undefined {
  const index = modules.indexOf(module)
  return index > 0 ? modules[Math.floor((index - 1) / 2)] : undefined
}

function standsOn(project: Project, module: string | undefined, other: string): boolean {
  if (module === undefined) return false
  return module === other || standsOn(project, moduleBelow(project, module), other)
}

/**
 * The tasks of a build that ran between `from` and `to` (epoch ms), on as many workers as the build
 * had, each taking a module at a time. After a failure nothing new begins, or, where the build goes
 * on, nothing in the module that failed and those on top of it.
 */
export function runTasks(
  plan: BuildPlan,
  options: BuildValues,
  from: number,
  to: number,
  random: Random,
): RanTask[] {
  const { failure, project } = plan
  if (failure?.cause === 'configuration') return []
  const modules = tasksOf(plan, options.excluded)
  const failing = failingTask(plan, modules.flat())
  const workers = new Array<number>(options.parallel ? options.maxWorkers : 1).fill(0)
  const ends = new Map<string, number>()
  const slots = modules.flatMap((tasks) => {
    const below = moduleBelow(project, tasks[0]?.module ?? '')
    const worker = workers.indexOf(Math.min(...workers))
    let at = Math.max(workers[worker] ?? 0, ends.get(below ?? '') ?? 0)
    const outcomes: TaskOutcome[] = []
    const ran = tasks.map((task) => {
      const outcome = task === failing ? 'failed' : outcomeOf(plan, task, outcomes, random)
      outcomes.push(outcome)
      const begin = at
      at += workOf(task, outcome, random)
      if (task.name === 'jar') ends.set(task.module, at)
      return { task, outcome, begin, end: at }
    })
    workers[worker] = at
    return ran
  })
  const failedAt = slots.find(({ task }) => task === failing)?.end ?? Infinity
  const begun = slots.filter(({ task, begin }) => {
    const goesOn = options.nightly && !standsOn(project, task.module, failing?.module ?? '')
    return begin < failedAt || goesOn
  })
  const scale = (to - from) / Math.max(...begun.map(({ end }) => end))
  return begun.map(({ task: { module, name, row }, outcome, begin, end }) => {
    const { kind, className } = row
    const language = project.language === 'kotlin' ? 'Kotlin' : 'Java'
    return {
      path: `:${module}:${/^compile(?:Test)?$/.test(name) ? `${name}${language}` : name}`,
      className,
      kind,
      outcome,
      begin: Math.round(from + begin * scale),
      end: Math.round(from + end * scale),
    }
  })
}

/** Which task fails: one that can, in the module at fault if it is built at all. */
function failingTask({ failure }: BuildPlan, tasks: readonly Task[]): Task | undefined {
  if (failure === null) return undefined
  const able = tasks.filter(({ row }) => row.kind === failingKind[failure.cause])
  return able.find(({ module }) => module === failure.module) ?? able[0]
}

const failingKind: Readonly<Record<Cause, TaskKind | undefined>> = {
  compile: 'compile',
  lint: 'lint',
  test: 'test',
  dependency: 'compile',
  configuration: undefined,
}

/** What the commit touches is done anew; the rest comes from the cache or is up to date. */
function outcomeOf(
  { project, commit, job, cache }: BuildPlan,
  { module, name, row: { kind } }: Task,
  before: readonly TaskOutcome[],
  random: Random,
): TaskOutcome {
  const local = job.occasion === 'local'
  const touched = standsOn(project, module, commit.module)
  if (kind === 'lifecycle') return before.includes('success') ? 'success' : 'up_to_date'
  if (kind === 'clean') return local ? 'success' : 'up_to_date'
  if (kind === 'sign') return job.occasion === 'release' ? 'success' : 'skipped'
  if (name === 'processTestResources') return 'no_source'
  if (kind === 'resources') return local && !touched ? 'up_to_date' : 'success'
  if (touched || cache === 'cold') return 'success'
  if (local && chance(random, 0.85)) return 'up_to_date'
  const saved = isCacheable(kind) && cache === 'warm'
  return saved && chance(random, 0.5 + project.cached / 2) ? 'from_cache' : 'success'
}

function workOf({ row: { cost } }: Task, outcome: TaskOutcome, random: Random): number {
  if (outcome === 'success' || outcome === 'failed') return cost * between(random, 0.5, 1.5)
  if (outcome === 'from_cache') return between(random, 0.3, 1.2)
  return outcome === 'up_to_date' ? between(random, 0.05, 0.4) : 0.01
}
