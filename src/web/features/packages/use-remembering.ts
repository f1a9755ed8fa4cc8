import { useEffect } from 'react'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import { policyScanPath } from '../../../protocol/package-address.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { withPackage } from '../../domain/package/remembered-packages.ts'
import { withRun } from '../../domain/run/remembered-runs.ts'
import { buildOfSource } from '../../domain/build-table/build-of-source.ts'

/**
 * Keeps on this device which package and scan were evaluated, and how a whole run came out. What the
 * service refused is not kept: it may have been a mistake.
 */
export function useRemembering(question: PolicyScanQuestion, view: PolicyScanView): void {
  const store = usePreferenceStore()
  const { address, scan, sha256, repositoryUrl } = question
  const { state, groups, unreadable, endedAt } = view
  const path = policyScanPath(address, scan)
  useEffect(() => {
    if (endedAt === undefined || state.is === 'refused') return
    const { packages = [], policyRuns = [] } = store.get()
    const used = withPackage(packages, {
      address,
      sha256,
      repositoryUrl,
      scan,
      builds: buildsOf(groups),
    })
    const isWhole = state.is === 'done' && unreadable === 0 && groups.length > 0
    const runs = isWhole ? withRun(policyRuns, { path, sha256, at: endedAt, groups }) : policyRuns
    if (used === packages && runs === policyRuns) return
    store.change({ packages: used, policyRuns: runs })
  }, [store, address, scan, sha256, repositoryUrl, path, state, groups, unreadable, endedAt])
}

/** The builds that the evidence was made from. */
function buildsOf(groups: readonly PolicyGroup[]): readonly string[] {
  const sources = groups.flatMap(({ results }) => results.map((one) => one.sourcedFromUri))
  return [...new Set(sources)].flatMap((uri) => (uri === null ? [] : (buildOfSource(uri) ?? [])))
}
