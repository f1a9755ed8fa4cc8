import { createColumn, ownText } from './column.ts'
import {
  type CacheUse,
  type Execution,
  type ExecutionKind,
  type ExecutionOutcome,
  executionOutcomes,
} from './execution.ts'

/** What identifies an execution; `task` is the place of the task that a test belongs to. */
export interface Named {
  readonly id: string
  readonly name: string
  readonly className: string | null
  readonly task: number | null
}

export type Ending = Pick<Execution, 'outcome' | 'rawOutcome' | 'cache' | 'originMs' | 'failureId'>

/** How many executions ended how, by kind. */
export type ExecutionCounts = Readonly<
  Record<ExecutionKind, Readonly<Partial<Record<ExecutionOutcome, number>>>>
>

/** Executions in the order of their starts, by place from 0. */
export interface ExecutionList {
  readonly length: () => number
  /** The execution at a place; each call makes it anew. Throws a RangeError beyond the end. */
  readonly at: (place: number) => Execution
  /** Single values, for those who look at all of them. */
  readonly idAt: (place: number) => string
  readonly kindAt: (place: number) => ExecutionKind
  readonly outcomeAt: (place: number) => ExecutionOutcome
  readonly cacheAt: (place: number) => CacheUse
  readonly startAt: (place: number) => number
  /** Epoch ms; the start where there is no end. */
  readonly endAt: (place: number) => number
  readonly laneAt: (place: number) => number
  readonly pathAt: (place: number) => string
  readonly classNameAt: (place: number) => string | null
}

/** A list that grows, and whose executions finish. */
export interface ExecutionTable extends ExecutionList {
  readonly start: (kind: ExecutionKind, at: number, named: Named) => number
  /** `at` is null where its start is not known, and with it how long it took. */
  readonly finish: (place: number, at: number | null, ending: Ending) => void
  readonly counts: () => ExecutionCounts
  /** How many tasks or goals there were at once, and how many tests. */
  readonly lanes: () => { readonly work: number; readonly tests: number }
}

/** All executions of a list, one after the other. */
export function* allExecutions(list: ExecutionList): Generator<Execution, void, undefined> {
  for (let place = 0; place < list.length(); place++) yield list.at(place)
}

const kinds = ['task', 'goal', 'test'] as const
const unfinished = executionOutcomes.indexOf('unfinished')

/**
 * An empty table. Each value of hundreds of thousands of executions stands in a typed array, and
 * texts that repeat are kept once: as objects they would cost more to keep than to read.
 */
export function createExecutionTable(): ExecutionTable {
  const ids: string[] = []
  const names: string[] = []
  const failureIds = new Map<number, string>()
  const texts = createSharing<string>()
  const uses = createSharing<CacheUse>()
  const nothing = texts.place('', itself)
  const unknown = uses.place('unknown', () => ({ kind: 'unknown' }))
  const kind = createColumn()
  const outcome = createColumn()
  const lane = createColumn()
  const className = createColumn()
  const rawOutcome = createColumn()
  const cache = createColumn()
  const task = createColumn()
  const started = createColumn()
  const duration = createColumn()
  const origin = createColumn()
  const counts = kinds.map(() => executionOutcomes.map(() => 0))
  const work = createLanes()
  const lanes = { task: work, goal: work, test: createLanes() }

  function count(ofKind: number, ofOutcome: number, by: number): void {
    const row = counts[ofKind]
    if (row !== undefined) row[ofOutcome] = (row[ofOutcome] ?? 0) + by
  }

  function shared(text: string | null): number {
    return text === null ? nothing : texts.place(text, itself)
  }

  function sharedUse(use: CacheUse): number {
    const words = use.kind === 'not-cacheable' ? `${use.category ?? ''}\n${use.reason ?? ''}` : ''
    const place = use.kind === 'loaded' ? use.from : use.kind === 'stored' ? use.to : ''
    return uses.place(`${use.kind}\n${place ?? ''}\n${words}`, () => use)
  }

  function kindAt(place: number): ExecutionKind {
    return kinds[kind.at(place)] ?? 'task'
  }

  function outcomeAt(place: number): ExecutionOutcome {
    return executionOutcomes[outcome.at(place)] ?? 'other'
  }

  function textAt(column: typeof className, place: number): string | null {
    const index = column.at(place)
    return index === nothing ? null : texts.at(index)
  }

  function pathAt(place: number): string {
    const name = names[place] ?? ''
    const ofClass = kindAt(place) === 'test' ? textAt(className, place) : null
    return ofClass === null ? name : `${ofClass} ${name}`
  }

  function countsOf(ofKind: number): Partial<Record<ExecutionOutcome, number>> {
    const found: Partial<Record<ExecutionOutcome, number>> = {}
    for (const [index, name] of executionOutcomes.entries()) {
      const some = counts[ofKind]?.[index] ?? 0
      if (some > 0) found[name] = some
    }
    return found
  }

  const list: ExecutionList = {
    length: () => names.length,
    idAt: (place) => ids[place] ?? '',
    kindAt,
    outcomeAt,
    cacheAt: (place) => uses.at(cache.at(place)),
    startAt: started.at,
    endAt: (place) => started.at(place) + numberOr(duration.at(place), 0),
    laneAt: lane.at,
    pathAt,
    classNameAt: (place) => textAt(className, place),
    at: (place) => {
      const id = ids[place]
      if (id === undefined) throw new RangeError(`there is no execution at ${place}`)
      const taskPlace = task.at(place)
      return {
        id,
        kind: kindAt(place),
        path: pathAt(place),
        className: textAt(className, place),
        parent: taskPlace === -1 ? null : pathAt(taskPlace),
        startedAt: started.at(place),
        durationMs: numberOr(duration.at(place), null),
        outcome: outcomeAt(place),
        rawOutcome: textAt(rawOutcome, place),
        cache: uses.at(cache.at(place)),
        originMs: numberOr(origin.at(place), null),
        failureId: failureIds.get(place) ?? null,
        lane: lane.at(place),
      }
    },
  }

  return {
    ...list,
    start: (ofKind, at, named) => {
      const place = names.length
      ids.push(named.id)
      names.push(named.name)
      kind.push(kinds.indexOf(ofKind))
      outcome.push(unfinished)
      lane.push(lanes[ofKind].take())
      className.push(shared(named.className))
      rawOutcome.push(nothing)
      cache.push(unknown)
      task.push(named.task ?? -1)
      started.push(at)
      duration.push(NaN)
      origin.push(NaN)
      count(kind.at(place), unfinished, 1)
      return place
    },
    finish: (place, at, ending) => {
      lanes[kindAt(place)].free(lane.at(place))
      count(kind.at(place), outcome.at(place), -1)
      outcome.set(place, executionOutcomes.indexOf(ending.outcome))
      count(kind.at(place), outcome.at(place), 1)
      if (at !== null) duration.set(place, Math.max(0, at - started.at(place)))
      rawOutcome.set(place, shared(ending.rawOutcome))
      cache.set(place, sharedUse(ending.cache))
      origin.set(place, ending.originMs ?? NaN)
      if (ending.failureId !== null) failureIds.set(place, ending.failureId)
    },
    counts: () => ({ task: countsOf(0), goal: countsOf(1), test: countsOf(2) }),
    lanes: () => ({ work: work.count(), tests: lanes.test.count() }),
  }
}

function itself(text: string): string {
  return text
}

function numberOr<T>(value: number, otherwise: T): number | T {
  return Number.isNaN(value) ? otherwise : value
}

/**
 * Lanes of a waterfall, numbered from 0, in which no two things that run at the same time meet: the events do not say which worker
 * did what, so whatever starts gets the lowest one that nothing runs on. Free lanes are kept as a
 * heap, so that a build of many workers costs no more than one of few.
 */
function createLanes() {
  const heap: number[] = []
  let count = 0

  function at(index: number): number {
    return heap[index] ?? Infinity
  }

  function swap(one: number, other: number): void {
    const lane = at(one)
    heap[one] = at(other)
    heap[other] = lane
  }

  return {
    /** The lowest lane that is free, taken from now on. */
    take: () => {
      const lane = heap[0]
      if (lane === undefined) return count++
      const last = heap.pop()
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last
        for (let index = 0; ;) {
          const left = 2 * index + 1
          const least = at(left) <= at(left + 1) ? left : left + 1
          if (at(least) >= at(index)) break
          swap(index, least)
          index = least
        }
      }
      return lane
    },
    free: (lane: number) => {
      heap.push(lane)
      for (let index = heap.length - 1; index > 0;) {
        const parent = (index - 1) >> 1
        if (at(parent) <= at(index)) break
        swap(index, parent)
        index = parent
      }
    },
    /** How many lanes there have been at once. */
    count: () => count,
  }
}

/** Keeps one copy of what is the same many times over: class names, words, uses of the cache. */
function createSharing<T>() {
  const places = new Map<string, number>()
  const values: T[] = []
  return {
    /** The place of the value with this key, from 0; `make` is called for a new key only. */
    place: (key: string, make: (key: string) => T) => {
      const known = places.get(key)
      if (known !== undefined) return known
      const own = ownText(key)
      places.set(own, values.length)
      return values.push(make(own)) - 1
    },
    at: (place: number) => {
      const value = values[place]
      if (value === undefined) throw new RangeError(`nothing is shared at ${place}`)
      return value
    },
  }
}
