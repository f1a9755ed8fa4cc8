import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { countText } from '../../../protocol/count.ts'
import type { BuildTrends, TrendPoint } from '../../../protocol/insight.ts'
import { durationText } from '../../ui/format.ts'
import { cacheRateOf, percentText, rateOf } from './insight-sentence.ts'
import css from './insight.module.css'

/** The whole time in numbers, all builds first, each beside the time before. */
export function TrendTable({
  now,
  before,
  period,
  heading,
  linkTo,
}: {
  now: BuildTrends
  before: BuildTrends | undefined
  /** What the time before is called: "7 days". */
  period: string
  /** What the rows are of: "Project". */
  heading: string
  /** Where a row leads: to its builds. */
  linkTo: (key: string) => string | undefined
}): ReactElement {
  const hasCache = now.series.some(
    ({ total }) => total !== undefined && cacheRateOf(total) !== undefined,
  )
  const cell = (
    value: (point: TrendPoint) => number | null | undefined,
    format: (value: number) => string,
    point: TrendPoint | undefined,
    earlier: TrendPoint | undefined,
  ): ReactElement => {
    const [here, there] = [point, earlier].map((one) => one && value(one))
    return (
      <td data-number>
        {typeof here === 'number' ? format(here) : '–'}
        {typeof there === 'number' && (
          <span className={css.before}>{`${format(there)} before`}</span>
        )}
      </td>
    )
  }
  return (
    <div className={css.box} tabIndex={0} role="region" aria-label="Totals">
      <table className={css.table}>
        <caption className={css.caption}>
          {before === undefined ? 'Totals' : `Totals, beside the ${period} before`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col" data-number>
              Builds
            </th>
            <th scope="col" data-number>
              Succeeded
            </th>
            <th scope="col" data-number>
              Median
            </th>
            <th scope="col" data-number>
              p95
            </th>
            {hasCache && (
              <th scope="col" data-number>
                Cache hits
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {now.series.map(({ key, total }) => {
            const earlier = before?.series.find((one) => one.key === key)?.total
            const to = key === null ? undefined : linkTo(key)
            return (
              <tr key={key ?? ''}>
                <th scope="row">
                  {to === undefined ? (key ?? 'All builds') : <Link to={to}>{key}</Link>}
                </th>
                {cell(({ builds }) => builds, countText, total, earlier)}
                {cell(rateOf, percentText, total, earlier)}
                {cell(({ p50 }) => p50, durationText, total, earlier)}
                {cell(({ p95 }) => p95, durationText, total, earlier)}
                {hasCache && cell(cacheRateOf, percentText, total, earlier)}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
