import type { PolicyGroup } from './policy-group.ts'
import type { ScanVerdict } from './verdict.ts'
import type { WaivedVerdict } from './waived-verdict.ts'

/** One evaluation of a scan on a package: what an export tells. */
export interface ScanReport {
  readonly scan: string
  /** The package as it is shown: its package URL. */
  readonly purl: string
  readonly sha256: string
  readonly repositoryUrl: string
  /** When it was evaluated, epoch ms. */
  readonly evaluatedAt: number
  /** What the service said, whatever is waived. */
  readonly verdict: ScanVerdict
  /** The same where waivers are counted; left out where it is not known what is waived. */
  readonly beside?: WaivedVerdict | undefined
  readonly groups: readonly PolicyGroup[]
  /** Where the answer broke off or could not be read: said in each export. */
  readonly caveats: readonly string[]
}
