import type { BuildHeader, UnreadableEvent } from '../../../facts/build-collector.ts'
import type { FailedTestCases } from '../../../facts/build-report.ts'
import type { Change, ComparedExecution } from '../../../facts/comparison.ts'
import type { ComparedDependency } from '../../../facts/dependencies.ts'
import { eventNumber, type LoggedEvent, type TypeCount } from '../../../facts/event-log.ts'
import type { ExecutionCounts } from '../../../facts/execution-table.ts'
import type { Execution } from '../../../facts/execution.ts'
import type { Failure } from '../../../facts/failures.ts'
import type { CaseOutcome, TestCase } from '../../../facts/test-cases.ts'
import type { LaneSpans, TimelineView, TimeSpan } from '../../../facts/timeline.ts'
import type { Answered } from '../core/page-worker.ts'

/** What is read of a build, each in its own stream: few events first, comparisons and all of them on demand. */
export const buildParts = ['header', 'executions', 'dependencies', 'log'] as const
export type BuildPart = (typeof buildParts)[number]

export interface Window {
  readonly from: number
  readonly count: number
  /** The key of the row to begin with in place of `from`; where it isn't in the list, none follow. */
  readonly row?: string
}

/** A stretch of a list as it is answered: `from` is where it begins, and the whole has `total` rows. */
export interface Stretch<T> {
  readonly from: number
  readonly total: number
  readonly rows: readonly T[]
}

/** What an execution is found by in any list of them, also while the build goes on. */
export function executionKey({ kind, id }: Pick<Execution, 'kind' | 'id'>): string {
  return `${kind}-${id}`
}

/** A test case is found by any of its runs. */
export function testKey({ runs: [first] }: TestCase): string {
  return first === undefined ? '' : executionKey(first)
}

/** What a raw event is found by. */
export function eventKey(event: LoggedEvent): string {
  return `event-${eventNumber(event)}`
}

/** What an execution of two builds is found by. */
export function comparedKey({ left, right }: ComparedExecution): string {
  return `${left?.id ?? ''}/${right?.id ?? ''}`
}

export type BuildQuery =
  | { readonly kind: 'header' }
  | { readonly kind: 'executions' }
  | ({ readonly kind: 'rows'; readonly view: TimelineView } & Window)
  | {
      readonly kind: 'spans'
      readonly view: TimelineView
      readonly span: TimeSpan
      readonly columns: number
      readonly lanes: number
    }
  | ({
      readonly kind: 'tests'
      readonly outcomes: readonly CaseOutcome[] | undefined
      readonly search: string
    } & Window)
  /** The first cases that failed and never passed, each with its failure. */
  | { readonly kind: 'failed-tests'; readonly most: number }
  | { readonly kind: 'failure'; readonly id: string }
  /** What was resolved otherwise than by `other`, the build on the right. */
  | { readonly kind: 'dependencies'; readonly other: string }
  | ({ readonly kind: 'log'; readonly types: readonly string[] | undefined } & Window)
  | ({
      readonly kind: 'comparison'
      /** The build on the right. */
      readonly other: string
      readonly changes: readonly Change[] | undefined
      readonly search: string
    } & Window)

export interface BuildAnswers {
  readonly header: BuildHeader | null
  readonly executions: {
    readonly counts: ExecutionCounts
    readonly lanes: { readonly work: number; readonly tests: number }
    readonly span: TimeSpan | null
  }
  readonly rows: Stretch<Execution>
  readonly spans: LaneSpans
  readonly tests: Stretch<TestCase> & {
    readonly counts: Readonly<Partial<Record<CaseOutcome, number>>>
  }
  readonly 'failed-tests': FailedTestCases
  readonly failure: Failure | null
  readonly dependencies: {
    readonly differences: readonly ComparedDependency[]
    /** How many each of them resolved. */
    readonly left: number
    readonly right: number
  }
  /** Kept events of the types queried. */
  readonly log: Stretch<LoggedEvent> & {
    readonly kept: number
    readonly counts: readonly TypeCount[]
  }
  readonly comparison: Stretch<ComparedExecution> & {
    readonly counts: Readonly<Partial<Record<Change, number>>>
    /** Those whose time grew most, whatever is narrowed. */
    readonly grown: readonly ComparedExecution[]
  }
}

export interface PartProgress {
  readonly events: number
  /** Events that could not be read, and the first of them. */
  readonly malformed: number
  readonly unreadable: readonly UnreadableEvent[]
  /** Where to go on from. */
  readonly lastEventId: string | undefined
  readonly isFinished: boolean
  /** The server began again in place of going on: there was nothing more to send. */
  readonly isReplay: boolean
  /** Whether a connection that ends here cuts no message off. */
  readonly isAtBorder: boolean
}

export type ToWorker =
  | {
      readonly kind: 'open'
      readonly buildId: string
      readonly part: BuildPart
      /** Whether what came before is forgotten, or gone on from. */
      readonly anew: boolean
    }
  | {
      readonly kind: 'bytes'
      readonly buildId: string
      readonly part: BuildPart
      readonly bytes: Uint8Array
    }
  | { readonly kind: 'forget'; readonly buildId: string }
  | {
      readonly kind: 'query'
      readonly id: number
      readonly buildId: string
      readonly query: BuildQuery
    }

export type FromWorker =
  | {
      readonly kind: 'progress'
      readonly buildId: string
      readonly part: BuildPart
      /** How many bytes were taken in since the last progress. */
      readonly taken: number
      readonly progress: PartProgress
      /** Why the rest of the stream cannot be read, where it cannot. */
      readonly trouble: string | undefined
    }
  | Answered<BuildAnswers>
