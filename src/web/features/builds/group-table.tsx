import { Box, Button, Text } from '@mantine/core'
import { memo, type ReactElement, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { countOf, countText, shareText } from '../../../protocol/count.ts'
import type { BuildGroup, BuildGrouping, BuildGroups } from '../../../protocol/insight.ts'
import { outcomeSeries, outcomeValues } from '../../domain/build-table/outcome-series.ts'
import { type ChartBar, type ChartSeries, seriesPaths } from '../../ui/charts/bar-scale.ts'
import { BuildTime } from '../../ui/time.tsx'
import { groupingNames } from './group-term.ts'
import type { GroupOrder } from './search-address.ts'
import { failedBuilds, failureText, nameOf, overlapText, withOutcome } from './insight-sentence.ts'
import css from './insight.module.css'
import hidden from '../../ui/text.module.css'

/** So many groups are shown at first: more would take long to draw. */
const fewGroups = 50

/** In place of numbers where no build of a group has a known outcome. */
const unknownShare = <span title="The outcomes of these builds aren't known.">–</span>

/** What builds have in common, each with how many there are and how many failed. */
export const GroupTable = memo(function GroupTable({
  groups: answer,
  by,
  order,
  onOrder,
  linkTo,
}: {
  groups: BuildGroups
  by: BuildGrouping
  order: GroupOrder
  onOrder: (order: GroupOrder) => void
  /** Where a group leads; undefined where nothing leads to it. */
  linkTo: (group: BuildGroup) => string | undefined
}): ReactElement {
  const { groups, allGroups } = answer
  const [shown, setShown] = useState(fewGroups)
  const sorted = sortedGroups(groups, order)
  // What isn't known yet would make all others look small.
  const known = groups.filter(({ key }) => key !== null)
  const most = Math.max(0, ...known.flatMap(({ bars }) => bars.map(({ builds }) => builds)))
  const isFailure = by === 'failure'
  const all = isFailure ? failedBuilds(answer) : undefined
  const overlap = isFailure ? overlapText(answer) : undefined
  const heading = (name: GroupOrder, children: ReactNode, more?: string): ReactElement => (
    <th
      scope="col"
      className={more}
      data-number
      aria-sort={order === name ? (name === 'first' ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={css.sort}
        onClick={() => {
          onOrder(name)
        }}
      >
        {children}
      </button>
    </th>
  )
  return (
    <Box
      flex={1}
      mih={0}
      style={{ overflow: 'auto' }}
      tabIndex={0}
      role="region"
      aria-label="Groups"
    >
      {overlap !== undefined && <p className={css.note}>{overlap}</p>}
      <table className={css.table}>
        <caption className={hidden.unseen}>
          {`Builds by ${groupingNames[by].toLowerCase()}, ${countOf(allGroups, 'group')}`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{groupingNames[by]}</th>
            {heading('builds', 'Builds')}
            {!isFailure && heading('failed', 'Failed')}
            {heading('share', isFailure ? 'Share' : 'Share failed', css.wide)}
            {heading('first', 'First seen', css.wider)}
            {heading('last', 'Last seen', css.wide)}
            <th scope="col" className={`${css.wider ?? ''} ${css.bars ?? ''}`}>
              Over time
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((group, place) => (
            // By place: rows whose counts change trade texts, and nothing moves.
            <tr key={place} data-unknown={group.key === null || undefined}>
              <th scope="row">
                <GroupName group={group} by={by} to={linkTo(group)} />
              </th>
              <td data-number>{countText(group.builds)}</td>
              {!isFailure && (
                <td data-number data-failed={group.failed > 0 || undefined}>
                  {withOutcome(group) > 0 ? countText(group.failed) : unknownShare}
                </td>
              )}
              <td data-number className={css.wide}>
                {!isFailure
                  ? withOutcome(group) > 0
                    ? shareText(group.failed, withOutcome(group))
                    : unknownShare
                  : all === undefined
                    ? '–'
                    : shareText(group.builds, all)}
              </td>
              <td data-number className={css.wider}>
                <BuildTime at={group.firstSeen} />
              </td>
              <td data-number className={css.wide}>
                <BuildTime at={group.lastSeen} />
              </td>
              <td className={css.wider}>
                <SparkBars
                  bars={group.bars.map(({ from, builds, failed, unknown = 0 }) => ({
                    id: from,
                    label: '',
                    values: outcomeValues({
                      failed,
                      succeeded: builds - failed - unknown,
                      unknown,
                    }),
                  }))}
                  series={outcomeSeries}
                  most={most}
                  label={`${nameOf(group, by)}: ${countOf(group.builds, 'build')} over time`}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && (
        <Button
          m="xs"
          size="compact-xs"
          variant="default"
          onClick={() => {
            setShown(sorted.length)
          }}
        >
          {`Show ${countText(sorted.length - shown)} more`}
        </Button>
      )}
      {allGroups > groups.length && (
        <p className={css.note}>
          {`The ${countText(groups.length)} largest of ${countText(allGroups)} groups. Narrow the query to see others.`}
        </p>
      )}
    </Box>
  )
})

function GroupName({
  group,
  by,
  to,
}: {
  group: BuildGroup
  by: BuildGrouping
  to: string | undefined
}): ReactElement {
  const name = by === 'failure' ? failureText(group) : nameOf(group, by)
  const { exception, task, test } = group.failure ?? {}
  const others =
    test === undefined || test.others === 0 ? '' : `and ${countOf(test.others, 'other test')}`
  const about = [task, exception?.split('.').at(-1), others].filter(Boolean).join(' · ')
  return (
    <span className={css.name} data-lines={by === 'failure' ? 2 : 1}>
      {to === undefined ? (
        <Text span inherit c="dimmed">
          {name}
        </Text>
      ) : (
        <Link to={to} title={group.failure?.message ?? name}>
          {name}
        </Link>
      )}
      {by === 'failure' && <span className={css.about}>{about}</span>}
    </span>
  )
}

/** The order of the address, what isn't known last; groups that are alike in it keep theirs. */
function sortedGroups(groups: readonly BuildGroup[], order: GroupOrder): readonly BuildGroup[] {
  const value = (group: BuildGroup): number => {
    const { builds, failed, firstSeen, lastSeen } = group
    switch (order) {
      case 'failed':
        return failed
      case 'builds':
        return builds
      case 'share':
        return withOutcome(group) === 0 ? 0 : failed / withOutcome(group)
      case 'first':
        return -firstSeen
      case 'last':
        return lastSeen
    }
  }
  const isUnknown = ({ key }: BuildGroup): number => (key === null ? 1 : 0)
  return [...groups].sort((a, b) => isUnknown(a) - isUnknown(b) || value(b) - value(a))
}

const sparkHeight = 20

/** Bars of one row of a table, without axes; what they show stands in `label`. */
function SparkBars({
  bars,
  series,
  most,
  label,
}: {
  bars: readonly ChartBar[]
  series: readonly ChartSeries[]
  /** What fills the height. */
  most: number
  label: string
}): ReactElement {
  const paths = seriesPaths(
    bars,
    series.length,
    (place) => place,
    (value) => Math.round(10 * sparkHeight * (1 - Math.min(1, value / Math.max(1, most)))) / 10,
  )
  return (
    <svg
      className={css.spark}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, bars.length)} ${sparkHeight}`}
      preserveAspectRatio="none"
    >
      {series.map(({ name, color }, index) => (
        <path key={name} fill={color} d={paths[index]} />
      ))}
    </svg>
  )
}
