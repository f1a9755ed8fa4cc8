import type { ExecutionList } from './execution-table.ts'
import type { CacheUse, ExecutionKind, ExecutionOutcome } from './execution.ts'

/** Which executions are looked at, and in which order; what is undefined narrows nothing. */
export interface TimelineView {
  readonly order: 'outcome' | 'start' | 'duration'
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
  if (view.order === 'start') return found
  return view.order === 'outcome' ? failedFirst(executions, found) : longestFirst(executions, found)
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

/** What failed or did not end, then what ran, then what was avoided; each in the order of the starts. */
function failedFirst(executions: ExecutionList, places: Uint32Array): Uint32Array {
  const ranks = new Uint8Array(executions.length())
  for (const place of places) ranks[place] = outcomeOrder.indexOf(executions.outcomeAt(place))
  return places.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b)
}

const outcomeOrder: readonly ExecutionOutcome[] = [
  'failed',
  'unfinished',
  'other',
  'succeeded',
  'from-cache',
  'up-to-date',
  'skipped',
  'no-source',
]

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

/** What a stretch of a lane is drawn as; where several meet, the one named first is seen. */
export const spanTones = ['failed', 'worked', 'avoided', 'unknown'] as const
export type SpanTone = (typeof spanTones)[number]

/** Stretches of lanes on a drawing, by tone: lane, first column, column after the last, in turn. */
export type LaneSpans = Readonly<Record<SpanTone, readonly number[]>>

/** How an outcome is drawn. */
export function toneOf(outcome: ExecutionOutcome): SpanTone {
  switch (outcome) {
    case 'failed':
      return 'failed'
    case 'succeeded':
      return 'worked'
    case 'from-cache':
    case 'up-to-date':
    case 'no-source':
    case 'skipped':
      return 'avoided'
    case 'unfinished':
    case 'other':
      return 'unknown'
  }
}

/**
 * The executions at `places`, drawn on `lanes` lanes of `columns` columns, `span` wide: what falls on the same
 * columns is drawn once, so that a drawing of half a million is no larger than one of a thousand.
 * Each covers one column at least. Lanes beyond the last are left out.
 */
export function laneSpans(
  executions: ExecutionList,
  places: Iterable<number>,
  span: TimeSpan,
  columns: number,
  lanes: number,
): LaneSpans {
  const cells = new Uint8Array(lanes * columns).fill(nothing)
  const perColumn = Math.max(span.to - span.from, 1) / columns
  for (const place of places) {
    const lane = executions.laneAt(place)
    const start = executions.startAt(place)
    const end = executions.endAt(place)
    if (lane >= lanes || end < span.from || start > span.to) continue
    const first = Math.min(columns - 1, Math.max(0, Math.floor((start - span.from) / perColumn)))
    const last = Math.min(columns, Math.max(first + 1, Math.ceil((end - span.from) / perColumn)))
    const tone = spanTones.indexOf(toneOf(executions.outcomeAt(place)))
    for (let cell = lane * columns + first; cell < lane * columns + last; cell++) {
      cells[cell] = Math.min(cells[cell] ?? nothing, tone)
    }
  }
  return stretches(cells, columns, lanes)
}

const nothing = 255

function stretches(cells: Uint8Array, columns: number, lanes: number): LaneSpans {
  const found: Record<SpanTone, number[]> = { failed: [], worked: [], avoided: [], unknown: [] }
  for (let lane = 0; lane < lanes; lane++) {
    for (let column = 0; column < columns;) {
      const cell = cells[lane * columns + column]
      let end = column + 1
      while (end < columns && cells[lane * columns + end] === cell) end += 1
      const tone = spanTones[cell ?? nothing]
      if (tone !== undefined) found[tone].push(lane, column, end)
      column = end
    }
  }
  return found
}
