import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PackageAddress } from '../../../protocol/package-address.ts'
import type { ProblemError } from '../../../protocol/problem.ts'

/** Which scan is evaluated on which package (docs/services.md#evaluate). */
export interface PolicyScanQuestion {
  readonly address: PackageAddress
  readonly scan: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
}

/** How far an evaluation has come; times are epoch ms by this browser's clock. */
export type PolicyScanState =
  /** Nobody has looked at it yet. */
  | { readonly is: 'idle' }
  | { readonly is: 'asking' }
  /** The service is busy; asked again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }
  /** Results are coming in. */
  | { readonly is: 'reading' }
  | { readonly is: 'done' }
  /** Stopped by the reader. */
  | { readonly is: 'cancelled' }
  /** The answer broke off after it had begun. */
  | { readonly is: 'broken'; readonly problem: ProblemError }
  /** There is no answer. */
  | { readonly is: 'refused'; readonly problem: ProblemError }

/** An evaluation at one moment; replaced as a whole when anything changes. */
export interface PolicyScanView {
  readonly state: PolicyScanState
  /** The results that have arrived, by policy. */
  readonly groups: readonly PolicyGroup[]
  /** How many results have arrived. */
  readonly results: number
  /** Parts of the answer that are no results; never taken for a pass. */
  readonly unreadable: number
  /** Epoch ms; undefined before the first question. */
  readonly startedAt: number | undefined
  /** Epoch ms; undefined while it goes on. */
  readonly endedAt: number | undefined
  /** The record of it that the proxy announced; undefined where none did. */
  readonly record: string | undefined
}

/** One evaluation, as a store. */
export interface PolicyScan {
  /** The first listener starts it; when the last one leaves it half way, it ends and is forgotten. */
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => PolicyScanView
  /** Evaluates anew, whatever there was. */
  readonly run: () => void
  /** Ends it; what has arrived stays. */
  readonly cancel: () => void
}

/** Before anything was asked. */
export const scanAtRest: PolicyScanView = {
  state: { is: 'idle' },
  groups: [],
  results: 0,
  unreadable: 0,
  startedAt: undefined,
  endedAt: undefined,
  record: undefined,
}

/** Whether an evaluation is going on. */
export function isRunning({ is }: PolicyScanState): boolean {
  return is === 'asking' || is === 'waiting' || is === 'reading'
}
