import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'react-router'
import { ActionActivity } from './action-activity.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import {
  type ActivityAddress,
  readActivityAddress,
  writeActivityAddress,
} from './activity-address.ts'
import { EvaluationActivity } from './evaluation-activity.tsx'
import css from './history-page.module.css'
import { readPackageFilter } from './package-filter.ts'

/** Everything that was evaluated and done through this Sightline, by whom and when. */
export function ActivityPage(): ReactElement {
  const [search, setSearch] = useSearchParams()
  const address = readActivityAddress(search)
  const { show, scan, by, verdict } = address
  const of = readPackageFilter(address.package)
  const path = of.ok ? of.path : ''
  const needsVersion = show === 'actions' && path.endsWith('/*')
  const mistake = needsVersion
    ? 'Actions are found by one version of a package: add @ and the version.'
    : of.ok
      ? undefined
      : of.mistake
  return (
    <div className={css.page}>
      <h1 className={css.sentence}>
        {show === 'evaluations'
          ? 'What was evaluated through this Sightline, by whom, and how it came out.'
          : 'What was done through this Sightline, by whom, and when.'}
      </h1>
      <div className={css.line}>
        <nav className={css.choice} aria-label="What is listed">
          <Link to={linkTo(address, 'evaluations')} aria-current={show === 'evaluations'}>
            Evaluations
          </Link>
          <Link to={linkTo(address, 'actions')} aria-current={show === 'actions'}>
            Actions
          </Link>
        </nav>
      </div>
      <ActivityFilters
        key={search.toString()}
        address={address}
        mistake={mistake}
        onChange={(next) => {
          setSearch(writeActivityAddress(next))
        }}
      />
      {show === 'evaluations' ? (
        <EvaluationActivity filter={{ path, scan, by }} verdict={verdict} />
      ) : (
        <ActionActivity subject={needsVersion ? '' : path} />
      )}
    </div>
  )
}

function linkTo(address: ActivityAddress, show: ActivityAddress['show']): string {
  return `?${writeActivityAddress({ ...address, show }).toString()}`
}
