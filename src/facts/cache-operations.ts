import type { CachePlace } from './execution.ts'
import { flagAt, idAt, readEventData } from './event.ts'
import { ownText } from './column.ts'

/** What the build cache did for one execution. */
export interface CacheOperations {
  loadedFrom: CachePlace
  storedTo: CachePlace
}

/** Follows what the build cache does, by the events of its operations. */
export interface CacheFollower {
  /**
   * Takes the text of an event, whose data begin at `dataAt` (-1 where that is not known). Whether
   * it is one of `cacheEventTypes`; throws as `readEventData` where its text cannot be read.
   */
  readonly take: (type: string, text: string, dataAt: number) => boolean
  /** What was done for an execution until now; it is forgotten. */
  readonly claim: (executionId: string) => CacheOperations | undefined
}

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
export const cacheEventTypes: readonly string[] = [...kinds.keys()]

/**
 * Outputs that are unpacked came from the local cache, unless a load from the remote one was a hit
 * before; outputs that are packed go to the local one, and to the remote one if they are stored
 * there. An operation that failed did neither. Operations name their execution when they start and
 * come before its finish (recorded streams; the field is `task`, also for goals).
 */
export function createCacheFollower(): CacheFollower {
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
    take: (type, text, dataAt) => {
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
    claim: (executionId) => {
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
