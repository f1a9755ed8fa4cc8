import { cacheEventTypes, createCacheFollower } from './cache-operations.ts'
import { ownText } from './column.ts'
import { type EventData, idAt, isRecord, numberAt, readEventData, textAt } from './event.ts'
import { type ExecutionHappening, happeningEventTypes, readHappening } from './execution-event.ts'
import { createExecutionTable, type ExecutionTable } from './execution-table.ts'
import { cacheUse, type CacheUse, type ExecutionOutcome, readOutcome } from './execution.ts'

/** What an event tells of a goal of Maven. */
export type GoalHappening =
  | {
      readonly kind: 'started'
      readonly named: {
        readonly id: string
        readonly name: string
        readonly className: string | null
      }
    }
  | {
      readonly kind: 'finished'
      readonly id: string
      readonly ending: {
        readonly outcome: ExecutionOutcome
        readonly rawOutcome: string | null
        readonly originMs: number | null
        readonly failureId: string | null
      }
      readonly caching: {
        readonly outcome: ExecutionOutcome
        readonly cacheable: null
        readonly category: string | null
        readonly reason: string | null
      }
    }

/** Reads the events of Maven's goals, which name their project by an id. */
export interface GoalReader {
  readonly read: (type: string, data: EventData) => GoalHappening | undefined
}

/** The events that `createGoalReader` reads. */
const goalEventTypes: readonly string[] = [
  'MvnProjectStructure',
  'MvnGoalExecutionStarted',
  'MvnGoalExecutionFinished',
]

/** A reader that learns the names of the projects as it reads. */
function createGoalReader(): GoalReader {
  const projects = new Map<string, string>()

  function started(data: EventData): GoalHappening | undefined {
    const [id, goal] = [idAt(data, 'id'), textAt(data, 'name')]
    if (id === null || goal === null) return undefined
    const project = projects.get(idAt(data, 'projectId') ?? '')
    const execution = textAt(data, 'executionId')
    const words = [project, goal, execution === null ? undefined : `(${execution})`]
    const name = words.filter((word) => word !== undefined).join(' ')
    return { kind: 'started', named: { id, name, className: textAt(data, 'mojoClassName') } }
  }

  function finished(data: EventData): GoalHappening | undefined {
    const id = idAt(data, 'id')
    if (id === null) return undefined
    const rawOutcome = textAt(data, 'outcome')
    const outcome = readOutcome(rawOutcome ?? '')
    return {
      kind: 'finished',
      id,
      ending: {
        outcome,
        rawOutcome,
        originMs: numberAt(data, 'originExecutionTime'),
        failureId: idAt(data, 'failureId'),
      },
      caching: {
        outcome,
        cacheable: null,
        category: textAt(data, 'cachingDisabledReasonCategory'),
        reason: textAt(data, 'nonCacheableReason'),
      },
    }
  }

  return {
    read: (type, data) => {
      if (type === 'MvnGoalExecutionStarted') return started(data)
      if (type === 'MvnGoalExecutionFinished') return finished(data)
      for (const [id, name] of projectNames(data)) projects.set(id, name)
      return undefined
    },
  }
}

function projectNames({ projects }: EventData): [string, string][] {
  const list: unknown[] = Array.isArray(projects) ? projects : []
  return list.filter(isRecord).flatMap((project): [string, string][] => {
    const id = idAt(project, 'id')
    const name = textAt(project, 'name') ?? textAt(project, 'artifactId')
    return id === null || name === null ? [] : [[id, name]]
  })
}

/** What a build executed, by its events so far. */
export interface Executions extends Omit<ExecutionTable, 'start' | 'finish'> {
  /**
   * Takes the text of an event, whose data begin at `dataAt` (-1 where that is not known); events
   * of other types tell nothing. Throws as `readEventData` where the text cannot be read.
   */
  readonly take: (type: string, timestamp: number, text: string, dataAt: number) => void
}

/** The events that tell of executions, and that the build is over: what to ask for. */
export const executionEventTypes: readonly string[] = [
  'BuildFinished',
  'MvnBuildFinished',
  ...happeningEventTypes,
  ...goalEventTypes,
  ...cacheEventTypes,
]

/**
 * Follows tasks, goals and tests from their starts to their finishes
 * (docs/services.md#export-event-types). Suites of tests are no executions. A task whose start was
 * not seen is there without a duration, as its finish says which it is.
 */
export function createExecutions(): Executions {
  const { start, finish, ...table } = createExecutionTable()
  const running = new Map<string, number>()
  const tasks = new Map<string, number>()
  const cache = createCacheFollower()
  const goals = createGoalReader()

  function begin(...[kind, at, named]: Parameters<typeof start>): number {
    const id = ownText(named.id)
    const place = start(kind, at, { ...named, id, name: ownText(named.name) })
    running.set(id, place)
    if (kind === 'task') tasks.set(id, place)
    return place
  }

  function happened(at: number, told: ExecutionHappening): void {
    switch (told.kind) {
      case 'task-started': {
        // Tasks of an included build have the paths of that build: those of several may be the same.
        const { id, path, buildPath, className } = told
        const name = buildPath === null || buildPath === ':' ? path : buildPath + path
        begin('task', at, { id, name, className, task: null })
        break
      }
      case 'task-finished': {
        const { id, path } = told
        if (running.has(id)) end(id, at, taskEnding(told))
        else if (path !== null && !tasks.has(id)) {
          begin('task', at, { id, name: path, className: null, task: null })
          end(id, null, taskEnding(told))
        }
        break
      }
      case 'test-started': {
        const { id, name, className, task } = told
        if (told.isSuite) break
        begin('test', at, { id, name, className, task: tasks.get(task ?? '') ?? null })
        break
      }
      case 'test-finished': {
        const { id, failed, skipped, failureId } = told
        const outcome = failed ? 'failed' : skipped ? 'skipped' : 'succeeded'
        end(id, at, { outcome, rawOutcome: null, cache: unknown, originMs: null, failureId })
      }
    }
  }

  function taskEnding(told: ExecutionHappening & { readonly kind: 'task-finished' }) {
    const outcome = readOutcome(told.outcome ?? '')
    return {
      outcome,
      rawOutcome: told.outcome,
      cache: cacheUse({ ...told, outcome, ...cache.claim(told.id) }),
      originMs: told.originMs,
      failureId: null,
    }
  }

  function end(id: string, at: number | null, ending: Parameters<typeof finish>[2]): void {
    const place = running.get(id)
    if (place === undefined) return
    running.delete(id)
    const { failureId } = ending
    finish(place, at, failureId === null ? ending : { ...ending, failureId: ownText(failureId) })
  }

  return {
    ...table,
    take: (type, at, text, dataAt) => {
      const told = readHappening(type, text, dataAt)
      if (told !== undefined) {
        happened(at, told)
        return
      }
      if (cache.take(type, text, dataAt) || !goalEventTypes.includes(type)) return
      const goal = goals.read(type, readEventData(text))
      if (goal?.kind === 'started') begin('goal', at, { ...goal.named, task: null })
      if (goal?.kind === 'finished') {
        const operations = cache.claim(goal.id)
        end(goal.id, at, { ...goal.ending, cache: cacheUse({ ...goal.caching, ...operations }) })
      }
    },
  }
}

const unknown: CacheUse = { kind: 'unknown' }
