import { createContext, useContext, useSyncExternalStore } from 'react'
import type { PolicyScan, PolicyScanView } from './policy-scan.ts'
import type { PolicyScans } from './policy-scans.ts'

/** The evaluations that the entry (web/app) made. */
export const PolicyScansContext = createContext<PolicyScans | undefined>(undefined)

/** The page's evaluations. Throws an Error outside a PolicyScansContext. */
export function usePolicyScans(): PolicyScans {
  const scans = useContext(PolicyScansContext)
  if (scans === undefined) throw new Error('usePolicyScans needs a PolicyScansContext above it')
  return scans
}

/** How an evaluation stands; looking at it starts it, and it renders again as it goes on. */
export function usePolicyScanView(scan: PolicyScan): PolicyScanView {
  return useSyncExternalStore(scan.subscribe, scan.getSnapshot)
}
