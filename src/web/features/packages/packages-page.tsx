import type { ReactElement } from 'react'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { withoutPackage } from '../../domain/package/remembered-packages.ts'
import { useKnownPackages } from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { PackageList } from './package-list.tsx'
import css from './page.module.css'

/** Which package is to be judged: the form, and what is known here. */
export function PackagesPage(): ReactElement {
  const store = usePreferenceStore()
  const { remembered, configured, scans } = useKnownPackages()
  return (
    <div className={css.page}>
      <h1 className={css.sentence}>May this package be released? Name it, and a policy scan.</h1>
      <PackageForm scans={scans} />
      {remembered.length > 0 && (
        <PackageList
          title="Looked at on this device"
          packages={remembered}
          onForget={(forgotten) => {
            store.change({ packages: withoutPackage(remembered, forgotten) })
          }}
        />
      )}
      {configured.length > 0 && (
        <PackageList title="Named by whoever set up Sightline" packages={configured} />
      )}
      {remembered.length + configured.length === 0 && (
        <EmptyState title="No package was looked at on this device yet.">
          <p>
            The service has no list of packages. Those that you evaluate are listed here, with their
            scans, so that you need not name them again.
          </p>
        </EmptyState>
      )}
    </div>
  )
}
