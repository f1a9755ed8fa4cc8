import type { WaivedScan } from '../../../policy/waived-verdict.ts'
import type { Waiver } from '../../../protocol/waiver.ts'

/** What somebody wants to do about the waiver of a policy in a cell. */
export type WaiverWish = {
  readonly policyUri: string
  /** What was pressed: the focus goes back there. */
  readonly from: HTMLElement
} & (
  | {
      readonly is: 'give'
      readonly scan: WaivedScan
      /** The package and the scan, in words. */
      readonly of: string
      /** The longest that a waiver may last, ms. */
      readonly longestMs: number
    }
  | { readonly is: 'end'; readonly waiver: Waiver }
)
