import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { knownOf, useKnownPackages } from './known-packages.ts'
import { PackageForm } from './package-form.tsx'
import { PackageList } from './package-list.tsx'
import { packageText } from '../../domain/package/package-words.ts'
import { publishPackageLink } from '../../domain/package/publish-link.ts'
import css from './page.module.css'
import { useAddressedPackage } from './use-addressed-package.ts'

/** One package: which scans of it were looked at, and the form for another one. */
export function PackagePage(): ReactElement {
  const known = useKnownPackages()
  const { address, sha256, repositoryUrl } = useAddressedPackage()
  const before = knownOf(known, address)
  const name = packageText(address)
  return (
    <div className={css.page}>
      <h1 className={css.sentence}>May {name} be released? Choose a policy scan.</h1>
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
