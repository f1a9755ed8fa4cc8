import type { Facts } from '../../../protocol/facts.ts'

/**
 * How a build stands to a query: it matches, or does not; it is too early to say while its details
 * are on their way (`waiting`), or they came and leave it open (`unknown`).
 */
export type Verdict = 'yes' | 'no' | 'waiting' | 'unknown'

/** A build as a list shows it. */
export interface TableBuild {
  readonly facts: Facts
  /** `yes` by default. */
  readonly verdict?: Verdict
  /** Its details are on their way. */
  readonly isPending?: boolean
}
