import type { CacheUse } from './cache-use.ts'
import type { ExecutionKind } from './execution.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'
import type { ExecutionList } from './execution-table.ts'

/** Which executions are looked at, and in which order; what is undefined narrows nothing. */
export interface TimelineView {
  readonly order: 'start' | 'duration'
  readonly kinds?: readonly ExecutionKind[] | undefined
  readonly outcomes?: readonly ExecutionOutcome[] | undefined
  readonly cache?: readonly CacheUse['kind'][] | undefined
  /** Part of a path or class name, in any case. */
  readonly search?: string | undefined
  /** Only what ran at some time between these, epoch ms. */
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** When the executions ran, epoch ms; undefined where there are none. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** The places of the executions in view, in its order. */
export function inView(executions: ExecutionList, view: TimelineView): Uint32Array {
  const { kinds, outcomes, cache, from = -Infinity, to = Infinity } = view
  const search = view.search?.trim().toLowerCase() ?? ''
  const places = new Uint32Array(executions.length())
  let count = 0
  for (let place = 0; place < executions.length(); place++) {
    if (
      (kinds === undefined || kinds.includes(executions.kindAt(place))) &&
      (outcomes === undefined || outcomes.includes(executions.outcomeAt(place))) &&
      (cache === undefined || cache.includes(executions.cacheAt(place).kind)) &&
      executions.startAt(place) <= to &&
      executions.endAt(place) >= from &&
      (search === '' || isCalled(executions, place, search))
    ) {
      places[count] = place
      count += 1
    }
  }
  const found = places.slice(0, count)
  return view.order === 'start' ? found : longestFirst(executions, found)
}

/** From the first start to the last end of these executions. */
export function timeSpan(executions: ExecutionList): TimeSpan | undefined {
  let from = Infinity
  let to = -Infinity
  for (let place = 0; place < executions.length(); place++) {
    from = Math.min(from, executions.startAt(place))
    to = Math.max(to, executions.endAt(place))
  }
  return from === Infinity ? undefined : { from, to }
}

function isCalled(executions: ExecutionList, place: number, search: string): boolean {
  const className = executions.classNameAt(place)?.toLowerCase() ?? ''
  return executions.pathAt(place).toLowerCase().includes(search) || className.includes(search)
}

/** Executions of the same length stay in the order of their starts. */
function longestFirst(executions: ExecutionList, places: Uint32Array): Uint32Array {
  const lengths = Float64Array.from(
    places,
    (place) => executions.endAt(place) - executions.startAt(place),
  )
  const order = Uint32Array.from(places.keys())
  order.sort((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0) || a - b)
  return order.map((index) => places[index] ?? 0)
}
