import type { ExecutionOutcome } from './execution-outcome.ts'
import type { ExecutionList } from './execution-table.ts'
import type { TimeSpan } from './timeline.ts'

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
