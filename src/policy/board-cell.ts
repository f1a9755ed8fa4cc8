import type { BoardOutcome } from '../protocol/board-run.ts'
import type { ProblemDetail } from '../protocol/problem.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { policyKey } from './policy-name.ts'
import type { WaivedVerdict } from './waived-verdict.ts'

/** What is being done for a cell at this moment; times are epoch ms by this browser's clock. */
export type BoardDoing =
  | { readonly is: 'idle' }
  /** It is this cell's turn later. */
  | { readonly is: 'queued' }
  | { readonly is: 'asking' }
  | { readonly is: 'reading' }
  /** The service was busy, or its answer broke off: asked again at `until`. */
  | { readonly is: 'waiting'; readonly until: number; readonly reason: string }

/** A cell at one moment: a result stays while a newer one is on its way. */
export interface BoardCell {
  readonly doing: BoardDoing
  /** The last whole result, and when it came in (epoch ms). */
  readonly known: { readonly at: number; readonly outcome: BoardOutcome } | undefined
  /** Why the last attempt brought none; undefined where it did. */
  readonly fault:
    | { readonly is: 'refused' | 'broken'; readonly at: number; readonly problem: ProblemDetail }
    | undefined
}

/** Before anything was asked. */
export const emptyCell: BoardCell = { doing: { is: 'idle' }, known: undefined, fault: undefined }

/** A result older than this, ms, is called stale: what is released may have changed since. */
export const staleAfterMs = 24 * 3_600_000

/** What a cell says: a verdict, that no answer could be had, or that nobody asked yet. */
export type CellVerdict = WaivedVerdict['verdict'] | 'failed' | 'open'

/**
 * The verdict of a cell with the waivers in force for its artifact and scan, by policy key. What the
 * last attempt did not bring is 'failed', whatever was known before: it may be out of date.
 */
export function cellVerdict(
  { known, fault }: BoardCell,
  waived: ReadonlyMap<string, Waiver>,
): CellVerdict {
  if (fault !== undefined) return 'failed'
  if (known === undefined) return 'open'
  const { verdict, counts, failing, unreadable } = known.outcome
  if (verdict !== 'not-releasable') return verdict
  const pardoned = failing.filter(
    ({ uri, status }) => status === 'unsatisfied' && waived.has(policyKey(uri)),
  )
  // Counted, not listed: of very many failing policies only the first are named.
  if (pardoned.length < counts.unsatisfied) return 'not-releasable'
  return counts.unknown > 0 || unreadable > 0 ? 'undecided' : 'releasable-with-waivers'
}
