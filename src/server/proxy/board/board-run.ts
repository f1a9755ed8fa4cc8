import { type BoardTally, createBoardTally } from '../../../policy/board-tally.ts'
import { backOffMs, retryAfterMs } from '../../../protocol/back-off.ts'
import type { BoardOutcome, BoardRunLine } from '../../../protocol/board-run.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { evaluationHeader } from '../../../protocol/evaluation.ts'
import { readJsonValue } from '../../../protocol/json-splitter.ts'
import { brokeOffProblem, chunksOf } from '../../../protocol/ndjson.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { isRetryable, problem, ProblemDetail } from '../../../protocol/problem.ts'
import { readResponseParts } from '../history/evaluation-response.ts'

/** One cell of a run. */
export interface BoardTask {
  /** Equal for the same question by the same user. */
  readonly key: string
  /** Asks once, and calls back when the answer begins. Never rejects. */
  readonly evaluate: (onReading: () => void) => Promise<BoardEnding>
}

/** What somebody wants to know. */
export interface RunOptions {
  /** In the order in which they are wanted. */
  readonly tasks: readonly BoardTask[]
  readonly mostInFlight: number
  /** Takes over what was begun in the last so many ms, or since it began itself where undefined. */
  readonly begunMsAgo: number | undefined
  readonly tell: (line: BoardRunLine) => void
}

/** The cells of one reader, on their way through a pool. */
export interface BoardRun {
  readonly isOpen: () => boolean
  readonly task: (cell: number) => BoardTask
  /** Whether there is a cell to start, and it may have one more in flight. */
  readonly canStart: () => boolean
  /** Whether more cells are ready than it has started. */
  readonly hasMore: () => boolean
  /** Starts its next cell. */
  readonly start: () => void
  readonly reading: (cell: number) => void
  readonly ended: (cell: number, ending: BoardEnding) => void
  readonly tellPace: (allowed: number) => void
  readonly stop: () => void
}

interface BoardRunOptions extends RunOptions {
  readonly clock: Clock
  readonly random: () => number
  /** A cell may be started again. */
  readonly onReady: () => void
  readonly onOver: () => void
  readonly evaluate: (cell: number) => void
  /** Whether the cell's evaluation is under way already, and will end here. */
  readonly join: (cell: number) => boolean
}

/** How often a service that is busy is asked for one cell: about a quarter of an hour. */
const mostBusy = 40
/** And one whose answer breaks off. */
const mostBroken = 4

/** A run whose cells have not been asked for. Each cell is told of to its end, then it is over. */
export function createBoardRun(options: BoardRunOptions): BoardRun {
  const { tasks, tell, clock, random } = options
  // Those that waited come first: they were wanted first.
  const again: number[] = []
  /** Those that had no response come last: they would keep the others waiting once more. */
  const silent: number[] = []
  let next = 0
  let inFlight = 0
  let left = tasks.length
  let isOpen = true
  let toldPace = 0
  const faults = new Map<number, { busy: number; broken: number }>()
  const timers = new Set<() => void>()

  function over(): void {
    isOpen = false
    for (const cancel of timers) cancel()
    timers.clear()
    options.onOver()
  }

  function finish(line: BoardRunLine): void {
    tell(line)
    left -= 1
    if (left > 0) return
    tell({ is: 'over' })
    over()
  }

  function waitFor(
    cell: number,
    failures: number,
    reason: string,
    retryAfterMs: number | undefined,
    queue = again,
  ): void {
    const forMs = backOffMs({ failures, retryMs: undefined, retryAfterMs, random })
    tell({ is: 'waiting', cell, forMs, reason })
    const cancel = clock.after(forMs, () => {
      timers.delete(cancel)
      queue.push(cell)
      options.onReady()
    })
    timers.add(cancel)
  }

  function retryOrFinish(cell: number, ending: Exclude<BoardEnding, { is: 'done' }>): void {
    const { problem } = ending
    const count = faults.get(cell) ?? { busy: 0, broken: 0 }
    faults.set(cell, count)
    const reason = problem.detail ?? problem.title
    switch (ending.is) {
      case 'busy':
        count.busy += 1
        if (count.busy < mostBusy) waitFor(cell, count.busy, reason, ending.retryAfterMs)
        else finish({ is: 'refused', cell, problem })
        break
      case 'broken':
        count.broken += 1
        if (count.broken < mostBroken) {
          const queue = problem.status === 504 ? silent : again
          waitFor(cell, count.broken, reason, undefined, queue)
        } else finish({ is: 'broken', cell, problem })
        break
      case 'refused':
        finish({ is: 'refused', cell, problem })
        break
    }
  }

  function hasMore(): boolean {
    return isOpen && (again.length > 0 || next < tasks.length || silent.length > 0)
  }

  return {
    isOpen: () => isOpen,
    task: (cell) => {
      const task = tasks[cell]
      if (task === undefined) throw new RangeError(`there is no cell ${cell}`)
      return task
    },
    canStart: () => hasMore() && inFlight < options.mostInFlight,
    hasMore,
    start: () => {
      const cell = again.shift() ?? (next < tasks.length ? next++ : (silent.shift() ?? next))
      tell({ is: 'asking', cell })
      inFlight += 1
      if (options.join(cell)) return
      options.evaluate(cell)
    },
    reading: (cell) => {
      if (isOpen) tell({ is: 'reading', cell })
    },
    ended: (cell, ending) => {
      inFlight -= 1
      if (!isOpen) return
      if (ending.is === 'done') finish({ is: 'done', cell, outcome: ending.outcome })
      else retryOrFinish(cell, ending)
    },
    tellPace: (allowed) => {
      const own = Math.min(allowed, options.mostInFlight)
      if (!isOpen || own === toldPace) return
      toldPace = own
      tell({ is: 'pace', allowed: own })
    },
    stop: () => {
      if (isOpen) over()
    },
  }
}

/** How asking once ended. */
export type BoardEnding =
  | { readonly is: 'done'; readonly outcome: BoardOutcome }
  /** The service has too much to do (429, 503); `retryAfterMs` if it said for how long. */
  | {
      readonly is: 'busy'
      readonly problem: ProblemDetail
      readonly retryAfterMs: number | undefined
    }
  /** The answer broke off, or the service failed: asking again may help. */
  | { readonly is: 'broken'; readonly problem: ProblemDetail }
  | { readonly is: 'refused'; readonly problem: ProblemDetail }

/**
 * Asks once for an evaluation by `ask` and reads its answer as it comes, without holding it; calls
 * `onReading` when it begins. Never rejects: what goes wrong is an ending. `now` gives epoch ms, `require` is what
 * boards require.
 */
export async function evaluateForBoard(
  ask: () => Promise<Response>,
  {
    now,
    onReading,
    require,
  }: {
    readonly now: () => number
    readonly onReading: () => void
    readonly require: readonly string[]
  },
): Promise<BoardEnding> {
  try {
    const begunAt = now()
    const response = await ask()
    if (!response.ok) return await refusal(response, now())
    onReading()
    return await readAnswer(response, createBoardTally(begunAt, require))
  } catch (error) {
    return { is: 'broken', problem: brokeOffProblem(error instanceof RangeError) }
  }
}

async function readAnswer(response: Response, tally: BoardTally): Promise<BoardEnding> {
  const pieces = chunksOf(response.body)
  const contentType = response.headers.get('content-type') ?? ''
  const parts = readResponseParts({ pieces, isCut: () => false }, contentType)
  // It is read on behind a problem, as what comes there is recorded while it passes.
  let told: ProblemDetail | undefined
  try {
    for await (const { text, isElement } of parts) {
      const value = readJsonValue(text)
      // A result has its status in words, a problem in digits.
      const fault = ProblemDetail.safeParse(value)
      if (fault.success) {
        told ??= fault.data
        continue
      }
      const { results, unreadable } =
        value === undefined
          ? { results: [], unreadable: 1 }
          : readPolicyAnswer(isElement ? [value] : value)
      for (const result of results) tally.add(result)
      tally.addUnreadable(unreadable)
    }
  } catch (error) {
    if (told === undefined) throw error
  }
  return told === undefined
    ? { is: 'done', outcome: tally.outcome(response.headers.get(evaluationHeader)) }
    : { is: 'broken', problem: told }
}

async function refusal(response: Response, now: number): Promise<BoardEnding> {
  const { status } = response
  const told = ProblemDetail.safeParse(parsedJson(await response.text())).data
  const detail =
    told ??
    problem(status, `status-${status}`, `HTTP ${status}`, `The service responded with ${status}.`)
  if (status === 429 || status === 503) {
    const wait = retryAfterMs((name) => response.headers.get(name), now)
    return { is: 'busy', problem: detail, retryAfterMs: wait }
  }
  const { upstreamStatus } = detail
  const isDenied = upstreamStatus === 401 || upstreamStatus === 403
  return { is: isRetryable(status) && !isDenied ? 'broken' : 'refused', problem: detail }
}
