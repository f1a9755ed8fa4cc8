import { createContext } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { Waiver } from '../../../protocol/waiver.ts'

/** What somebody wants to do about a waiver. */
export type WaiverWish =
  | { readonly is: 'give'; readonly group: PolicyGroup; readonly carriedFrom: Waiver | undefined }
  | { readonly is: 'end'; readonly policy: string; readonly waiver: Waiver }

/** What the rows of a scan show of waivers, by `PolicyGroup.key`. */
export interface RowWaivers {
  /** In force, whether their policies fail or not. */
  readonly waived: ReadonlyMap<string, Waiver>
  /** In force on other versions of the package: to be carried on. */
  readonly elsewhere: ReadonlyMap<string, Waiver>
  /** Undefined for those who may not, and where a run of the past is shown. */
  readonly onWish: ((wish: WaiverWish) => void) | undefined
}

/** Rows are drawn seldom: what they show of waivers comes to them past the list. */
export const RowWaiversContext = createContext<RowWaivers>({
  waived: new Map(),
  elsewhere: new Map(),
  onWish: undefined,
})
