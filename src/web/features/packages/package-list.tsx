import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { packagePath } from '../../../protocol/package-address.ts'
import { IdText } from '../../ui/id-text.tsx'
import type { KnownPackage } from './known-packages.ts'
import css from './package-list.module.css'
import { packageLink, packageText } from '../../domain/package/package-words.ts'

/** Packages with links to their scans. */
export function PackageList({
  title,
  packages,
  onForget,
}: {
  title: string
  packages: readonly KnownPackage[]
  onForget?: (forgotten: KnownPackage) => void
}): ReactElement {
  return (
    <section className={css.section} aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <ul className={css.list}>
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
