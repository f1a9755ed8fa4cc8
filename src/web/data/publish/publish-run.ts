import type { PackageAddress } from '../../../protocol/package-address.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import type { PublishOutcome } from '../../../protocol/publish-answer.ts'

/** What is attested of which package (docs/services.md#publish). */
export interface PublishQuestion {
  readonly address: PackageAddress
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  /** Ids of builds. */
  readonly builds: readonly string[]
  /** In the search language, as the server is to get them. */
  readonly queries: readonly string[]
}

/** How far a publication has come. */
export type PublishState =
  /** Nothing was published in this tab yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking' }
  /** Results are coming in. */
  | { readonly is: 'reading' }
  | { readonly is: 'done' }
  /** Nobody listens any more; the service may go on, and what is stored stays stored. */
  | { readonly is: 'cancelled' }
  /** The answer broke off after it had begun. */
  | { readonly is: 'broken'; readonly problem: ProblemError }
  /** The service says that it failed; what it stored before it told all the same. */
  | { readonly is: 'refused'; readonly problem: ProblemError }

/** A publication at one moment; replaced as a whole when anything changes. */
export interface PublishView {
  readonly state: PublishState
  /** What was asked; undefined before anything was. */
  readonly question: PublishQuestion | undefined
  /** What became of each attestation, in the order of the answer. */
  readonly outcomes: readonly PublishOutcome[]
  /** How many of them are stored. */
  readonly stored: number
  /** A word for the whole, of servers that tell no single outcomes. */
  readonly status: string | null
  /** Parts of the answer that say nothing that could be read. */
  readonly unreadable: number
  /** Epoch ms; undefined while it goes on. */
  readonly endedAt: number | undefined
}

/** The publications of this tab, one at a time; the last one is kept while pages come and go. */
export interface Publisher {
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => PublishView
  /** Publishes, unless a publication is going on: one can not be undone, so none starts by accident. */
  readonly publish: (question: PublishQuestion) => void
  /** Stops listening; what has arrived stays. */
  readonly cancel: () => void
  /** Forgets the last one, unless it is going on. */
  readonly clear: () => void
}

/** Before anything was published. */
export const nothingPublished: PublishView = {
  state: { is: 'idle' },
  question: undefined,
  outcomes: [],
  stored: 0,
  status: null,
  unreadable: 0,
  endedAt: undefined,
}

/** Whether a publication is going on. */
export function isPublishing({ is }: PublishState): boolean {
  return is === 'asking' || is === 'reading'
}
