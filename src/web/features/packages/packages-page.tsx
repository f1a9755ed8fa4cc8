import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import { packageLink, packageText, publishPackageLink } from '../../domain/package/package-links.ts'
import { withoutPackage } from '../../domain/package/remembered-packages.ts'
import { usePreferenceStore } from '../../ui/device-preferences.ts'
import { EmptyState } from '../../ui/page.tsx'
import { IdText } from '../../ui/text.tsx'
import {
  knownOf,
  type KnownPackage,
  useAddressedPackage,
  useKnownPackages,
} from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import css from './packages-page.module.css'
import pageCss from '../../ui/page.module.css'

/** Which package is to be judged: the form, and what is known here. */
export function PackagesPage(): ReactElement {
  const store = usePreferenceStore()
  const { remembered, configured, scans } = useKnownPackages()
  return (
    <div className={pageCss.page}>
      <h1 className={pageCss.sentence}>
        May this package be released? Name it, and a policy scan.
      </h1>
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

/** One package: which scans of it were looked at, and the form for another one. */
export function PackagePage(): ReactElement {
  const known = useKnownPackages()
  const { address, sha256, repositoryUrl } = useAddressedPackage()
  const before = knownOf(known, address)
  const name = packageText(address)
  return (
    <div className={pageCss.page}>
      <h1 className={pageCss.sentence}>May {name} be released? Choose a policy scan.</h1>
      <PackageForm
        key={`${name} ${sha256} ${repositoryUrl}`}
        initial={{
          reference: name,
          sha256: sha256 || (before[0]?.sha256 ?? ''),
          repositoryUrl: repositoryUrl || (before[0]?.repositoryUrl ?? ''),
        }}
        scans={known.scans}
      />
      {before.length > 0 && <PackageList title="Known of this package" packages={before} />}
      <p>
        <Link to={publishPackageLink(address, { sha256, repositoryUrl })}>
          Publish attestations of this package
        </Link>
        {' · '}
        <Link to="/packages">All packages that are known here</Link>
      </p>
    </div>
  )
}

/** Packages with links to their scans. */
function PackageList({
  title,
  packages,
  onForget,
}: {
  title: string
  packages: readonly KnownPackage[]
  onForget?: (forgotten: KnownPackage) => void
}): ReactElement {
  return (
    <section className={pageCss.section} aria-label={title}>
      <h2 className={pageCss.title}>{title}</h2>
      <ul className={pageCss.box}>
        {packages.map((one) => (
          <li
            key={`${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`}
            className={css.row}
          >
            <Link to={packageLink(one.address, one)} className={css.name}>
              {packageText(one.address)}
            </Link>
            <span className={css.place}>
              <IdText id={one.sha256} /> {one.repositoryUrl}
            </span>
            <span className={css.scans}>
              {one.scans.map((scan) => (
                <Link key={scan} to={packageLink(one.address, one, scan)} className={css.scan}>
                  {scan}
                </Link>
              ))}
            </span>
            {onForget !== undefined && (
              <button
                type="button"
                className={css.forget}
                aria-label={`Forget ${packageText(one.address)}`}
                title="Forget it on this device"
                onClick={() => {
                  onForget(one)
                }}
              >
                <svg viewBox="0 0 16 16" aria-hidden="true">
                  <path d="M4 4l8 8M12 4l-8 8" />
                </svg>
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
