import { type BuildRows, outcomeCodes } from './build-rows.ts'
import { quantile } from './trends.ts'

/** The builds of one project that were asked for the same began to take longer, or shorter. */
export interface DurationStep {
  readonly project: string | null
  readonly requested: string | null
  /** When the first build after the step started, epoch ms. */
  readonly at: number
  readonly firstBuild: string
  /** Of the builds before and after, ms. */
  readonly before: StepSide
  readonly after: StepSide
}

/** One side of a step: durations in ms by nearest rank. */
export interface StepSide {
  readonly builds: number
  readonly p50: number
  readonly p95: number
}

/** Projects and their work are looked at by how many builds they have, at most so many. */
const mostLines = 60
/** And at most so many builds of each, the newest. */
const mostBuilds = 2_000

/** The `lastStep` of each project and its requested work, of the builds that succeeded, the newest first. */
export function durationSteps(rows: BuildRows): readonly DurationStep[] {
  const lines = new Map<number, number[]>()
  const width = rows.codesEnd()
  for (let row = 0; row < rows.count(); row++) {
    if (rows.outcome.at(row) !== outcomeCodes.succeeded) continue
    if (Number.isNaN(rows.duration.at(row))) continue
    const line = rows.codes.project.at(row) * width + rows.codes.requested.at(row)
    const list = lines.get(line)
    if (list === undefined) lines.set(line, [row])
    else list.push(row)
  }
  return [...lines.values()]
    .filter((list) => list.length >= 2 * fewestBuilds)
    .sort((a, b) => b.length - a.length)
    .slice(0, mostLines)
    .flatMap((list) => stepOf(rows, list) ?? [])
    .sort((a, b) => b.at - a.at)
}

function stepOf(rows: BuildRows, list: readonly number[]): DurationStep | undefined {
  const inTime = [...list].sort((a, b) => rows.start.at(a) - rows.start.at(b)).slice(-mostBuilds)
  const durations = inTime.map(rows.duration.at)
  const step = lastStep(durations)
  const first = step === undefined ? undefined : inTime[step.at]
  if (step === undefined || first === undefined) return undefined
  return {
    project: rows.textOf(rows.codes.project.at(first)),
    requested: rows.textOf(rows.codes.requested.at(first)),
    at: rows.start.at(first),
    firstBuild: rows.idAt(first),
    before: sideOf(durations.slice(step.from, step.at)),
    after: sideOf(durations.slice(step.at)),
  }
}

function sideOf(durations: readonly number[]): StepSide {
  const sorted = Float64Array.from(durations).sort()
  return {
    builds: sorted.length,
    p50: quantile(sorted, 0.5) ?? 0,
    p95: quantile(sorted, 0.95) ?? 0,
  }
}

/** Each side of a step has at least so many builds: fewer may be chance. */
const fewestBuilds = 10
/** The medians differ by at least this factor: less is nobody's question. */
const leastFactor = 1.2
/** How many standard deviations the ranks of both sides lie apart at least. */
const leastDeviations = 3.9
/** And how far their medians, by the spread of each side around its own. */
const leastSpreads = 0.75
/** Whether it is a step, or the middle of a slow rise, is decided by so many builds on each side. */
const nearby = 40

/**
 * The last step in values of any positive unit, in the order of time: the index of the first value after it, and
 * where what came before begins. Undefined in noise, in a slow rise, and where one side would be a few builds.
 * Found by ranks (Pettitt, 1979, doi:10.2307/2346729), which single outliers hardly move.
 */
export function lastStep(
  values: readonly number[],
): { readonly from: number; readonly at: number } | undefined {
  const first = strongestStep(values)
  if (first === undefined) return undefined
  // What follows it may step again, back to where it was for one.
  const later = lastStep(values.slice(first))
  return later === undefined
    ? { from: lastStep(values.slice(0, first))?.at ?? 0, at: first }
    : { from: first + later.from, at: first + later.at }
}

function strongestStep(values: readonly number[]): number | undefined {
  const count = values.length
  if (count < 2 * fewestBuilds) return undefined
  const ranks = ranksOf(values)
  let [sum, best, most] = [0, 0, 0]
  for (let split = 1; split <= count - fewestBuilds; split++) {
    sum += ranks[split - 1] ?? 0
    if (split < fewestBuilds) continue
    const expected = (split * (count + 1)) / 2
    const deviation = Math.sqrt((split * (count - split) * (count + 1)) / 12)
    const deviations = Math.abs(sum - expected) / deviation
    if (deviations > most) [best, most] = [split, deviations]
  }
  if (most < leastDeviations) return undefined
  const from = Math.max(0, best - nearby)
  const near = values.slice(from, best + nearby).map((value) => Math.log(Math.max(1, value)))
  const place = stepIn(near, best - from)
  if (place === undefined) return undefined
  const at = from + place
  return at < fewestBuilds || count - at < fewestBuilds ? undefined : at
}

/** Equal values share the middle of their ranks. */
function ranksOf(values: readonly number[]): Float64Array {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0))
  const ranks = new Float64Array(values.length)
  for (let from = 0; from < order.length;) {
    let to = from + 1
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to += 1
    for (let place = from; place < to; place++) ranks[order[place] ?? 0] = (from + 1 + to) / 2
    from = to
  }
  return ranks
}

/**
 * Where exactly logarithms step that do so at about `at`; undefined where both sides differ by less
 * than they vary, and where a slope explains them better than a step.
 */
function stepIn(logs: readonly number[], at: number): number | undefined {
  const [before = 0, after = 0] = [logs.slice(0, at), logs.slice(at)].map(medianOf)
  const rise = Math.abs(after - before)
  const rests = logs.map((value, index) => Math.abs(value - (index < at ? before : after)))
  const spread = 1.4826 * medianOf(rests)
  if (rise < Math.log(leastFactor) || rise < leastSpreads * spread) return undefined
  // A single outlier must not decide.
  const far = Math.max(rise / 2, 2 * spread)
  const [least, most] = [Math.min(before, after) - far, Math.max(before, after) + far]
  const clipped = logs.map((value) => Math.min(most, Math.max(least, value)))
  const { place, squares } = bestSplit(clipped)
  return squares < squaresAroundLine(clipped) ? place : undefined
}

/** Where values are best split in two, and how far they then lie from the means of their sides. */
function bestSplit(values: readonly number[]): {
  readonly place: number
  readonly squares: number
} {
  const total = values.reduce((sum, value) => sum + value, 0)
  const ownSquares = values.reduce((sum, value) => sum + value ** 2, 0)
  let best = { place: 0, squares: Infinity }
  let sum = 0
  for (let place = 1; place < values.length; place++) {
    sum += values[place - 1] ?? 0
    const squares = ownSquares - sum ** 2 / place - (total - sum) ** 2 / (values.length - place)
    if (squares < best.squares) best = { place, squares }
  }
  return best
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return (lower + upper) / 2
}

/** Around the straight line that fits them best. */
function squaresAroundLine(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [along, wide] = [0, 0]
  for (const [index, value] of values.entries()) {
    along += (index - middle) * (value - mean)
    wide += (index - middle) ** 2
  }
  const slope = along / wide
  return values.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  )
}
