import { policyScanPath } from '../../../protocol/package-address.ts'
import { createPolicyScan, type PolicyScanOptions } from './create-policy-scan.ts'
import type { PolicyScan, PolicyScanQuestion } from './policy-scan.ts'

/** The evaluations of this page. */
export interface PolicyScans {
  /** The evaluation of this question: the one from before, so that a step back shows it as it was. */
  readonly open: (question: PolicyScanQuestion) => PolicyScan
}

/** As many as somebody may step back to. */
const mostKept = 12

/** Evaluations, of which the ones opened last are kept. */
export function createPolicyScans(options: PolicyScanOptions): PolicyScans {
  const kept = new Map<string, PolicyScan>()
  return {
    open: (question) => {
      const { address, scan, sha256, repositoryUrl } = question
      const key = `${policyScanPath(address, scan)} ${sha256} ${repositoryUrl}`
      const found = kept.get(key) ?? createPolicyScan(question, options)
      kept.delete(key)
      kept.set(key, found)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      return found
    },
  }
}
