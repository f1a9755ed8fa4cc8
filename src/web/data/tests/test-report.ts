import type { Clock } from '../../../protocol/clock.ts'
import { createKeeper } from '../../../protocol/keyed.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import {
  type TestId,
  type TestNarrowing,
  type TestRow,
  type TestRuns,
  TestsLine,
  type TestsProgress,
  testsPath,
  type TestSummary,
} from '../../../protocol/test-insight.ts'
import { asProblem, attempts, isBusy } from '../core/attempts.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { StreamedRequest } from '../core/request.ts'
import { createStore, type Readable } from '../core/store.ts'

export interface TestsQuestion {
  /** In the search language, times with their zones. */
  readonly query: string
  /** So many builds, the newest first. */
  readonly builds: number
  readonly search: string
  readonly narrow?: TestNarrowing
  /** From which place on the lists are wanted. */
  readonly offset: number
  /** All runs of this one are wanted, in place of lists. */
  readonly test?: TestId
  /** Only builds that were read before count: the answer is quick, and costs the build server nothing. */
  readonly kept?: boolean
}

export type TestReportState =
  /** Something was last heard at `since`, epoch ms; before, it was requested then. */
  | { readonly is: 'reading'; readonly since: number }
  /** The server was busy; requested again at `until`, epoch ms. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  | { readonly is: 'done' }
  /** Stopped by the reader; what is known stays. */
  | { readonly is: 'cancelled' }
  | { readonly is: 'failed'; readonly problem: ProblemError }

/** What is known of the tests at one moment; replaced as a whole when anything changes. */
export interface TestReportView {
  readonly state: TestReportState
  readonly progress: TestsProgress | undefined
  readonly summary: TestSummary | undefined
  /** Null where none of the builds has it. */
  readonly runs: TestRuns | null | undefined
}

/** Tests across builds, read for the first listener; a while after the last one left it stops. */
export interface TestReport extends Readable<TestReportView> {
  readonly cancel: () => void
  /** Reads again, which costs little for builds that were read before. */
  readonly retry: () => void
}

export interface TestReports {
  /** The report of a question: the one that was begun before, so that a step back shows it as it was. */
  readonly open: (question: TestsQuestion) => TestReport
  /** The tests of the report that was opened last, for those who look for one by its name. */
  readonly known: () => readonly TestRow[]
  /** Tests by a part of their names, in what the proxy has read of the newest builds; none where it can't say. */
  readonly find: (search: string, signal: AbortSignal) => Promise<readonly TestRow[]>
}

interface ReportOptions {
  readonly send: StreamedRequest
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
}

/** Attempts in a row at a request that is refused because the server is busy. */
const mostAttempts = 6
const mostKept = 12
/** In so many of the newest builds tests are looked for by their names. */
const foundBuilds = 200
const graceMs = 10_000

/** Reports that the proxy makes; the ones opened last are kept. */
export function createTestReports(options: ReportOptions): TestReports {
  const kept = createKeeper<TestReport>(mostKept)
  return {
    open: (question) =>
      kept.open(JSON.stringify(question), () => createTestReport(question, options)),
    known: () => {
      const views = kept.all().map((report) => report.getSnapshot())
      return views.findLast(({ summary }) => summary !== undefined)?.summary?.rows ?? []
    },
    find: async (search, signal) => {
      const question = { query: '', builds: foundBuilds, search, offset: 0, kept: true }
      const report = createTestReport(question, options)
      return new Promise((resolve) => {
        const end = (rows: readonly TestRow[]): void => {
          unsubscribe()
          resolve(rows)
        }
        const look = (): void => {
          const { state, summary } = report.getSnapshot()
          if (state.is === 'done' || state.is === 'failed') end(summary?.rows ?? [])
        }
        const unsubscribe = report.subscribe(look)
        signal.addEventListener('abort', () => {
          end([])
        })
      })
    },
  }
}

function createTestReport(
  question: TestsQuestion,
  { send, clock, random }: ReportOptions,
): TestReport {
  const reading = (): TestReportState => ({ is: 'reading', since: clock.now() })
  let view: TestReportView = {
    state: reading(),
    progress: undefined,
    summary: undefined,
    runs: undefined,
  }
  let running: AbortController | undefined
  const store = createStore(view, {
    clock,
    graceMs,
    open: () => {
      if (view.state.is === 'reading' || view.state.is === 'waiting') start()
      return stop
    },
  })

  function change(part: Partial<TestReportView>): void {
    view = { ...view, ...part }
    store.set(view)
  }

  function stop(): void {
    running?.abort()
    running = undefined
  }

  function start(): void {
    if (running !== undefined) return
    running = new AbortController()
    change({ state: reading() })
    void read(running.signal)
  }

  function finish(state: TestReportState): void {
    running = undefined
    change({ state })
  }

  async function read(signal: AbortSignal): Promise<void> {
    try {
      const response = await attempts(() => send(testsPath, question, signal), {
        clock,
        random,
        signal,
        most: mostAttempts,
        mayRetry: isBusy,
        onWait: ({ problem: { message }, until }) => {
          change({ state: { is: 'waiting', until, reason: message } })
        },
      })
      for await (const part of readJsonParts(response)) {
        if (signal.aborted) return
        for (const value of part) {
          const line = TestsLine.safeParse(value)
          // A newer server may report more.
          if (line.success && take(line.data)) return
        }
      }
      throw brokeOff()
    } catch (error) {
      if (!signal.aborted) finish({ is: 'failed', problem: asProblem(error) })
    }
  }

  /** True after the last line. */
  function take(line: TestsLine): boolean {
    switch (line.kind) {
      case 'progress':
        change({ state: reading(), progress: line.progress })
        return false
      case 'summary':
        change({ summary: line.summary })
        return false
      case 'test':
        change({ runs: line.test })
        return false
      case 'done':
        change({ progress: line.progress })
        finish({ is: 'done' })
        return true
      case 'failed':
        change({ progress: line.progress })
        finish({ is: 'failed', problem: failed(line) })
        return true
    }
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    cancel: () => {
      if (running === undefined) return
      stop()
      change({ state: { is: 'cancelled' } })
    },
    retry: () => {
      stop()
      start()
    },
  }
}

function brokeOff(): ProblemError {
  const sentence = 'The connection broke before the response was complete.'
  return problemError(502, 'answer-broke-off', 'Incomplete response', sentence)
}

function failed({
  problem: sentence,
  status,
  retryAfterMs,
}: Extract<TestsLine, { kind: 'failed' }>): ProblemError {
  const more = { upstreamStatus: status }
  return new ProblemError(
    problem(502, 'builds-unlisted', "Can't list builds", sentence, more),
    retryAfterMs === undefined ? {} : { retryAfterMs },
  )
}
