import { useEffect } from 'react'
import type { PublishView } from '../../data/publish/publish-run.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { withPackage } from '../../domain/package/remembered-packages.ts'

/** Keeps on this device which package was published for, and of which builds, if any was stored. */
export function useRemembering({ question, stored, endedAt }: PublishView): void {
  const store = usePreferenceStore()
  useEffect(() => {
    if (question === undefined || endedAt === undefined || stored === 0) return
    const { address, sha256, repositoryUrl, builds } = question
    const { packages = [] } = store.get()
    const used = withPackage(packages, { address, sha256, repositoryUrl, builds })
    if (used !== packages) store.change({ packages: used })
  }, [store, question, stored, endedAt])
}
