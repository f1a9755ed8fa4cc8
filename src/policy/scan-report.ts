import type { PolicyGroup } from './policy-group.ts'
import type { ScanVerdict } from './verdict.ts'

/** One evaluation of a scan on a package: what an export tells. */
export interface ScanReport {
  readonly scan: string
  /** The package as it is shown: its package URL. */
  readonly purl: string
  readonly sha256: string
  readonly repositoryUrl: string
  /** When it was evaluated, epoch ms. */
  readonly evaluatedAt: number
  readonly verdict: ScanVerdict
  readonly groups: readonly PolicyGroup[]
  /** Where the answer broke off or could not be read: said in each export. */
  readonly caveats: readonly string[]
}
