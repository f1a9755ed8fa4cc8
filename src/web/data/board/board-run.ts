import type { BoardCell } from '../../../policy/board-row.ts'
import type { ProblemError } from '../../../protocol/problem.ts'

/** How the run of a board stands. */
export type BoardRunState =
  /** Nothing is being evaluated here. */
  | { readonly is: 'idle' }
  | { readonly is: 'running' }
  | { readonly is: 'paused' }
  /** Another tab evaluates this board, and this one shows it. */
  | { readonly is: 'following' }
  /** The proxy cannot be reached; asked again at `until`, epoch ms. */
  | { readonly is: 'reconnecting'; readonly until: number; readonly problem: ProblemError }
  /** The proxy refuses the run as a whole. */
  | { readonly is: 'stopped'; readonly problem: ProblemError }

/** A board's run at one moment; replaced as a whole when anything changes. */
export interface BoardSnapshot {
  /** By the key of their place; a cell that nobody asked for is absent. */
  readonly cells: ReadonlyMap<string, BoardCell>
  readonly state: BoardRunState
  /** The run that goes on, or was the last one; undefined before the first. */
  readonly run:
    | {
        readonly begunAt: number
        /** How many cells it is of. */
        readonly total: number
        readonly done: number
      }
    | undefined
  /** How many the proxy may have in flight for it; undefined while none are. */
  readonly allowed: number | undefined
  /** The most that a person allows. */
  readonly mostInFlight: number
  /** False where the device could not keep the results: they are lost with this page. */
  readonly isKept: boolean
}

/** A board's run, as a store; it goes on while other pages of this tab are looked at. */
export interface BoardRun {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => BoardSnapshot
  /** Evaluates these cells (keys of places), whatever was known of them. */
  readonly evaluate: (keys: readonly string[]) => void
  /** Asks for nothing more; what is in flight is not lost. */
  readonly pause: () => void
  readonly resume: () => void
  /** Gives the rest up; what is known stays. */
  readonly cancel: () => void
  readonly setMostInFlight: (most: number) => void
  /** Writes what is not written yet: the page is about to go. */
  readonly save: () => void
}

/** Whether cells are still to be evaluated by this tab. */
export function isGoing({ is }: BoardRunState): boolean {
  return is === 'running' || is === 'reconnecting'
}
