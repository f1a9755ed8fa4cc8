import { Text } from '@mantine/core'
import { Fragment, type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import type { BoardRow } from '../../../policy/board-row.ts'
import { dryRun, dryRunSentence } from '../../../policy/dry-run.ts'
import { countText } from '../../../protocol/count.ts'
import { packageLink, packageText } from '../../domain/package/package-links.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import type { BoardAddress } from './board-filters.tsx'
import css from './board.module.css'

const namedAtFirst = 8

/** What would become of the packages if another scan of the board decided: two scans side by side. */
export function BoardDryRun({
  rows,
  scans,
  address: { dryRun: other, scan },
  onChange,
}: {
  rows: readonly BoardRow[]
  scans: readonly string[]
  address: BoardAddress
  onChange: (change: Partial<BoardAddress>) => void
}): ReactElement | null {
  const from = scan === '' ? (scans[0] ?? '') : scan
  const found = useMemo(
    () => (other === '' ? undefined : dryRun(rows, from, other)),
    [rows, from, other],
  )
  if (scans.length < 2) return null
  return (
    <>
      <InlineSelect
        label={`Dry run: instead of ${from}`}
        value={other}
        onChange={(chosen) => {
          onChange({ dryRun: chosen })
        }}
      >
        <option value="">none</option>
        {scans
          .filter((one) => one !== from)
          .map((one) => (
            <option key={one}>{one}</option>
          ))}
      </InlineSelect>
      {found !== undefined && other !== from && (
        <Text role="status" className={css.answer}>
          {dryRunSentence(found, from, other)}{' '}
          {found.newlyFailing.slice(0, namedAtFirst).map(({ of }, index) => (
            <Fragment key={packageText(of.address)}>
              {index > 0 && ', '}
              <Link to={packageLink(of.address, of, other)}>{packageText(of.address)}</Link>
            </Fragment>
          ))}
          {found.newlyFailing.length > namedAtFirst &&
            ` and ${countText(found.newlyFailing.length - namedAtFirst)} more`}
        </Text>
      )}
    </>
  )
}
