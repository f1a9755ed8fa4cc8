import { cacheEventTypes, createCacheFollower } from './cache-operations.ts'
import { ownText } from './column.ts'
import { type EventData, idAt, isRecord, numberAt, readEventData, textAt } from './event.ts'
import {
  type ExecutionEvent,
  taskAndTestEventTypes,
  readExecutionEvent,
} from './execution-event.ts'
import { createExecutionTable, type ExecutionTable } from './execution-table.ts'
import { cacheUse, type CacheUse, readOutcome } from './execution.ts'

/** Maven's goals name their project by an id, which the structure of the projects explains. */
const goalEventTypes: readonly string[] = [
  'MvnProjectStructure',
  'MvnGoalExecutionStarted',
  'MvnGoalExecutionFinished',
]

/** What a build executed, by its events so far. */
export interface Executions extends Omit<ExecutionTable, 'start' | 'finish'> {
  /**
   * Takes the text of an event, whose data begin at `dataAt` (-1 where that is not known); events
   * of other types are ignored. Throws as `readEventData` where the text cannot be read.
   */
  readonly take: (type: string, timestamp: number, text: string, dataAt: number) => void
}

/** The events about executions and the end of the build: what to request. */
export const executionEventTypes: readonly string[] = [
  'BuildFinished',
  'MvnBuildFinished',
  ...taskAndTestEventTypes,
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
  const projects = new Map<string, string>()

  function begin(...[kind, at, named]: Parameters<typeof start>): number {
    const id = ownText(named.id)
    const place = start(kind, at, { ...named, id, name: ownText(named.name) })
    running.set(id, place)
    if (kind === 'task') tasks.set(id, place)
    return place
  }

  function executionEvent(at: number, event: ExecutionEvent): void {
    switch (event.kind) {
      case 'task-started': {
        // Tasks of an included build have the paths of that build: those of several may be the same.
        const { id, path, buildPath, className } = event
        const name = buildPath === null || buildPath === ':' ? path : buildPath + path
        begin('task', at, { id, name, className, task: null })
        break
      }
      case 'task-finished': {
        const { id, path } = event
        if (running.has(id)) end(id, at, taskEnding(event))
        else if (path !== null && !tasks.has(id)) {
          begin('task', at, { id, name: path, className: null, task: null })
          end(id, null, taskEnding(event))
        }
        break
      }
      case 'test-started': {
        const { id, name, className, task } = event
        if (event.isSuite) break
        begin('test', at, { id, name, className, task: tasks.get(task ?? '') ?? null })
        break
      }
      case 'test-finished': {
        const { id, failed, skipped, failureId } = event
        const outcome = failed ? 'failed' : skipped ? 'skipped' : 'succeeded'
        end(id, at, { outcome, rawOutcome: null, cache: unknown, originMs: null, failureId })
      }
    }
  }

  function taskEnding(event: ExecutionEvent & { readonly kind: 'task-finished' }) {
    const outcome = readOutcome(event.outcome ?? '')
    return {
      outcome,
      rawOutcome: event.outcome,
      cache: cacheUse({ ...event, outcome, ...cache.claim(event.id) }),
      originMs: event.originMs,
      failureId: null,
    }
  }

  function goalEvent(type: string, at: number, data: EventData): void {
    if (type === 'MvnGoalExecutionStarted') goalStarted(at, data)
    else if (type === 'MvnGoalExecutionFinished') goalFinished(at, data)
    else for (const [id, name] of projectNames(data)) projects.set(id, name)
  }

  function goalStarted(at: number, data: EventData): void {
    const [id, goal] = [idAt(data, 'id'), textAt(data, 'name')]
    if (id === null || goal === null) return
    const project = projects.get(idAt(data, 'projectId') ?? '')
    const execution = textAt(data, 'executionId')
    const words = [project, goal, execution === null ? undefined : `(${execution})`]
    const name = words.filter((word) => word !== undefined).join(' ')
    begin('goal', at, { id, name, className: textAt(data, 'mojoClassName'), task: null })
  }

  function goalFinished(at: number, data: EventData): void {
    const id = idAt(data, 'id')
    if (id === null) return
    const rawOutcome = textAt(data, 'outcome')
    const outcome = readOutcome(rawOutcome ?? '')
    const category = textAt(data, 'cachingDisabledReasonCategory')
    const reason = textAt(data, 'nonCacheableReason')
    const caching = { outcome, cacheable: null, category, reason, ...cache.claim(id) }
    const originMs = numberAt(data, 'originExecutionTime')
    const failureId = idAt(data, 'failureId')
    end(id, at, { outcome, rawOutcome, cache: cacheUse(caching), originMs, failureId })
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
      const event = readExecutionEvent(type, text, dataAt)
      if (event !== undefined) {
        executionEvent(at, event)
        return
      }
      if (cache.take(type, text, dataAt) || !goalEventTypes.includes(type)) return
      goalEvent(type, at, readEventData(text))
    },
  }
}

const unknown: CacheUse = { kind: 'unknown' }

function projectNames({ projects }: EventData): [string, string][] {
  const list: unknown[] = Array.isArray(projects) ? projects : []
  return list.filter(isRecord).flatMap((project): [string, string][] => {
    const id = idAt(project, 'id')
    const name = textAt(project, 'name') ?? textAt(project, 'artifactId')
    return id === null || name === null ? [] : [[id, name]]
  })
}
