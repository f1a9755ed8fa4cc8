import { ownText } from './column.ts'
import { type EventData, flagAt, idAt, isRecord, numberAt, readEventData, textAt } from './event.ts'
import {
  type ExecutionEvent,
  readExecutionEvent,
  taskAndTestEventTypes,
} from './execution-event.ts'
import { createExecutionTable, type ExecutionTable } from './execution-table.ts'
import { type CachePlace, type CacheUse, cacheUse, readOutcome } from './execution.ts'

const operations = ['RemoteLoad', 'RemoteStore', 'Pack', 'Unpack'] as const

/** By the type of event, what begins or ends; Maven's types have `Mvn` before. */
const kinds = new Map<string, { readonly operation: Operation; readonly begins: boolean }>()
for (const operation of operations) {
  for (const tool of ['', 'Mvn']) {
    kinds.set(`${tool}BuildCache${operation}Started`, { operation, begins: true })
    kinds.set(`${tool}BuildCache${operation}Finished`, { operation, begins: false })
  }
}

type Operation = (typeof operations)[number]

/** The events that `createCacheFollower` reads. */
const cacheEventTypes: readonly string[] = [...kinds.keys()]

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

interface CacheOperations {
  loadedFrom: CachePlace
  storedTo: CachePlace
}

/**
 * Follows what the build cache does, by the events of its operations. Outputs that are unpacked came
 * from the local cache, unless a load from the remote one was a hit before; outputs that are packed go
 * to the local one, and to the remote one if they are stored there. An operation that failed did
 * neither. Operations name their execution when they start and come before its finish (recorded
 * streams; the field is `task`, also for goals).
 */
function createCacheFollower() {
  const running = new Map<string, string>()
  const done = new Map<string, CacheOperations>()

  function finish(id: string, operation: Operation, succeeded: boolean): void {
    const execution = running.get(id)
    if (execution === undefined) return
    running.delete(id)
    if (!succeeded) return
    const known = done.get(execution) ?? { loadedFrom: null, storedTo: null }
    done.set(execution, known)
    if (operation === 'RemoteLoad') known.loadedFrom = 'remote'
    if (operation === 'Unpack') known.loadedFrom ??= 'local'
    if (operation === 'RemoteStore') known.storedTo = 'remote'
    if (operation === 'Pack') known.storedTo ??= 'local'
  }

  return {
    /**
     * Takes the text of an event, whose data begin at `dataAt` (-1 where that is not known). Whether
     * it is one of `cacheEventTypes`; throws as `readEventData` where its text cannot be read.
     */
    take: (type: string, text: string, dataAt: number) => {
      const kind = kinds.get(type)
      if (kind?.begins === true) {
        const { id, execution } = readStart(text, dataAt)
        if (id !== null && execution !== null) running.set(ownText(id), ownText(execution))
      } else if (kind !== undefined) {
        const { id, succeeded } = readFinish(text, dataAt)
        if (id !== null) finish(id, kind.operation, succeeded)
      }
      return kind !== undefined
    },
    /** What was done for an execution until now; it is forgotten. */
    claim: (executionId: string) => {
      const known = done.get(executionId)
      done.delete(executionId)
      return known
    },
  }
}

/** As servers write them; see execution-event.ts. */
const startAsWritten = /\{"task":(-?\d+),"id":(-?\d+)[,}]/y
const finishAsWritten =
  /\{"id":(-?\d+),(?:"hit":(true|false),)?(?:"archive\w+":(?:\d+|null),)*"failureId":(null|-?\d+)[,}]/y

function readStart(text: string, dataAt: number): { id: string | null; execution: string | null } {
  startAsWritten.lastIndex = Math.max(0, dataAt)
  const [, task, written] = startAsWritten.exec(text) ?? []
  if (dataAt !== -1 && written !== undefined && task !== undefined) {
    return { id: written, execution: task }
  }
  const data = readEventData(text)
  const execution = idAt(data, 'task') ?? idAt(data, 'work') ?? idAt(data, 'goal')
  return { id: idAt(data, 'id'), execution }
}

function readFinish(text: string, dataAt: number): { id: string | null; succeeded: boolean } {
  finishAsWritten.lastIndex = Math.max(0, dataAt)
  const [, written, hit, failureId] = finishAsWritten.exec(text) ?? []
  if (dataAt !== -1 && written !== undefined) {
    return { id: written, succeeded: failureId === 'null' && hit !== 'false' }
  }
  const data = readEventData(text)
  const failed = (data.failureId ?? data.failure ?? null) !== null
  return { id: idAt(data, 'id'), succeeded: !failed && flagAt(data, 'hit') !== false }
}
