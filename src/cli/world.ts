import type { Clock } from '../protocol/clock.ts'
import type { OpenReport } from './report-file.ts'

/** What the command line tool touches of its surroundings; main.ts hands in the real ones. */
export interface World {
  /** Arguments, without the program's name. */
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a file; throws where it cannot be read. */
  readonly readFile: (path: string) => string
  readonly openReport: OpenReport
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** Writes to standard output: the report, and nothing else. */
  readonly print: (text: string) => void
  /** Writes a line to standard error: progress, and what is wrong. */
  readonly say: (line: string) => void
  /** Whether standard output is a terminal that shows colours. */
  readonly isColourTerminal: boolean
  /** Aborts when the person or the pipeline wants an end. */
  readonly signal: AbortSignal
  readonly version: string
}
