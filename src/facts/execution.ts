import type { CacheUse } from './cache-use.ts'
import type { ExecutionOutcome } from './execution-outcome.ts'

/** What was executed: a task of Gradle, a goal of Maven, or one run of a test case. */
export type ExecutionKind = 'task' | 'goal' | 'test'

/** One thing that a build did. Times are epoch ms by the clock of the machine that built. */
export interface Execution {
  /** The 64-bit id of the events, as text: as numbers, different tasks become the same. */
  readonly id: string
  readonly kind: ExecutionKind
  /**
   * Where it is found: `:app:test`, with the path of an included build before it; for a goal its
   * project, name and execution; for a test its class and name.
   */
  readonly path: string
  /** The class of a task, a goal or a test, where it is told. */
  readonly className: string | null
  /** The path of the task that a test belongs to. */
  readonly parent: string | null
  readonly startedAt: number
  /** Null while it is unfinished, and where its start was not told. */
  readonly durationMs: number | null
  readonly outcome: ExecutionOutcome
  /** The outcome in the tool's own word. */
  readonly rawOutcome: string | null
  readonly cache: CacheUse
  /** How long it took where its outputs were made, if they were not made here; ms. */
  readonly originMs: number | null
  /** The exception that it ended with, to look up among the failures. */
  readonly failureId: string | null
  /** Which of the workers at work at the same time it is drawn on, from 0. */
  readonly lane: number
}
