import type { ProblemError } from '../../../protocol/problem.ts'
import type { BuildAnswers, BuildPart, BuildQuestion } from './build-event-messages.ts'

/** How the reading of a part stands. Times are epoch ms by this browser's clock. */
export type PartState =
  /** Nobody asked for it yet. */
  | { readonly state: 'idle' }
  | ({ readonly state: 'loading' } & Amount)
  /** The server is not ready (503, 429): asked again at `nextAttemptAt`, for the nth time. */
  | {
      readonly state: 'waiting'
      readonly nextAttemptAt: number
      readonly attempt: number
      readonly problem: ProblemError
    }
  /** Broken off, by a fault or (null) by the reader; what came is kept and can be gone on from. */
  | ({ readonly state: 'stopped'; readonly because: ProblemError | null } & Amount)
  /** Refused before anything came. */
  | { readonly state: 'refused'; readonly problem: ProblemError }
  | ({ readonly state: 'complete' } & Amount)

/** How much of a part has come. */
export interface Amount {
  readonly events: number
  /** Through all connections together. */
  readonly bytes: number
  /** Events that could not be read. */
  readonly malformed: number
}

/** What is known of the reading of a build's events, replaced as a whole when something changed. */
export interface BuildEventsView {
  readonly parts: Readonly<Record<BuildPart, PartState>>
  /** The types of which the log holds all events; undefined for all types. */
  readonly logTypes: readonly string[] | undefined
  /** Counts up with each change: an answer from before it may be out of date. */
  readonly version: number
}

/** The events of one build as a store outside React; the events themselves live in a worker. */
export interface BuildEvents {
  readonly buildId: string
  /** While nobody listens nothing is read; some time after the last one left all is forgotten. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => BuildEventsView
  /** Reads a part, or goes on with it, unless it is being read or complete. */
  readonly load: (part: Exclude<BuildPart, 'log'>) => void
  /** The same for raw events; other types than before begin again. */
  readonly loadLog: (types: readonly string[] | undefined) => void
  /** Stops the reading of a part; what came is kept. */
  readonly cancel: (part: BuildPart) => void
  /** Throws an Error where it cannot be answered, such as when the worker broke. */
  readonly ask: <K extends BuildQuestion['kind']>(
    question: Extract<BuildQuestion, { readonly kind: K }>,
  ) => Promise<BuildAnswers[K]>
}
