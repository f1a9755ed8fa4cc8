import { Box, Button, Group, Text } from '@mantine/core'
import { Fragment, type ReactElement, useMemo, useState } from 'react'
import { Link } from 'react-router'
import { asOfText } from '../../../policy/as-of.ts'
import {
  boardAsOf,
  type BoardAsOf as Found,
  boardAsOfSentence,
  type DatedRow,
  dryRun,
  dryRunSentence,
} from '../../../policy/what-if.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Waiver, WaiverList } from '../../../protocol/waiver.ts'
import { packageText } from '../../../protocol/package-reference.ts'
import { subjectAt } from '../../../protocol/permission.ts'
import { packageSubject, usePermitted } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { packageLink } from '../../domain/package/package-links.ts'
import {
  DatedChanges,
  judgedFrom,
  type ReleaseDay,
  ReleaseDayField,
  renewable,
  useReleaseDay,
} from '../../domain/waiver/release-day.tsx'
import type { ChangeSearch } from '../../data/core/search-state.ts'
import type { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import type { Zone } from '../../ui/format.ts'
import pageCss from '../../ui/page.module.css'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { PackageName } from './board-table.tsx'
import css from './board.module.css'
import type { BoardAddress } from './board-filters.tsx'

/** Together they leave room for the table on the first screen. */
const rowsAtFirst = 4

/** A board as it stands on the day that its address names, if nothing is done. */
interface BoardOnDay extends ReleaseDay {
  /** As the address has it; empty for today. */
  readonly day: string
  /** Undefined for today. */
  readonly found: Found | undefined
  /** For what is read later and elsewhere. */
  readonly text: string | undefined
}

/** Waivers once they are read, or why they can't be. */
interface WaiversRead {
  readonly list: WaiverList | undefined
  readonly fault: string | undefined
}

/** Judges a day from the rows of a board: nothing is evaluated. */
export function useBoardAsOf(
  rows: readonly BoardRow[],
  { waivers, list }: { readonly waivers: readonly Waiver[]; readonly list: WaiverList | undefined },
  day: string,
): BoardOnDay {
  const { read, now, zone } = useReleaseDay(day)
  const date = read.is === 'day' ? read.end : undefined
  const found = useMemo(
    () => (date === undefined ? undefined : boardAsOf(rows, waivers, { now, date })),
    [rows, waivers, now, date],
  )
  // Until waivers are known nothing is to be said that goes elsewhere.
  const text =
    found === undefined || read.is !== 'day' || list === undefined
      ? undefined
      : asOfText(day, now, boardAsOfSentence(found, read.text))
  return { day, read, now, zone, found, text }
}

/** What fails on the day of the release if nothing is done: what ends until a date, and how to renew it. */
export function BoardAsOf({
  of: { day, read, now, zone, found },
  waivers,
  onWish,
}: {
  of: BoardOnDay
  waivers: WaiversRead
  onWish: (wish: WaiverWish) => void
}): ReactElement | null {
  if (found === undefined || read.is !== 'day') return null
  return (
    <section className={pageCss.box} aria-label={`As of ${read.text}`}>
      <Answer
        found={found}
        day={day}
        dayText={read.text}
        now={now}
        zone={zone}
        waivers={waivers}
        onWish={onWish}
      />
    </section>
  )
}

function Answer({
  found,
  dayText: text,
  waivers: { list, fault },
  ...props
}: {
  found: Found
  /** As the address has it. */
  day: string
  dayText: string
  now: number
  zone: Zone
  waivers: WaiversRead
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const { rows, undated } = found
  const ending = renewable(
    rows.flatMap(({ changes }) => changes),
    props.now,
  )
  const { allowed, button } = usePermitted('waive', ending, subjectAt)
  const shown = isWhole ? rows : rows.slice(0, rowsAtFirst)
  if (list === undefined) {
    return <p role="status">{fault === undefined ? 'Loading waivers…' : "Can't load waivers."}</p>
  }
  const { longestMs } = list
  return (
    <>
      <Group gap="4px 12px" justify="space-between" p="8px 12px">
        <Box flex="1 1 240px">
          <Text role="status" fw={600}>
            {boardAsOfSentence(found, text)}
          </Text>
          <Text c="dimmed">
            Judged from the results on this board: {judgedFrom}
            {undated > 0 &&
              ` ${countOf(undated, 'result was', 'results were')} recorded by an older release without these dates: evaluate again.`}
          </Text>
        </Box>
        {ending.length > 0 && (
          <PermittedButton
            {...button}
            variant="default"
            onClick={() => {
              props.onWish({ is: 'renew', waivers: [...allowed], longestMs })
            }}
          >
            Renew {countOf(allowed.length || ending.length, 'waiver')}…
          </PermittedButton>
        )}
      </Group>
      {rows.length > 0 && (
        <ul className={`${css.list} ${css.asOf}`}>
          {shown.map((dated) => (
            <ChangingRow key={dated.row.row} dated={dated} longestMs={longestMs} {...props} />
          ))}
        </ul>
      )}
      {rows.length > rowsAtFirst && (
        <Group className={css.end}>
          <Button
            variant="default"
            aria-expanded={isWhole}
            onClick={() => {
              setWhole(!isWhole)
            }}
          >
            {isWhole ? 'Show fewer' : `Show all ${countText(rows.length)} packages`}
          </Button>
        </Group>
      )}
    </>
  )
}

const marks: Readonly<Record<DatedRow['then'], { tone: StatusTone; word: string }>> = {
  'not-releasable': { tone: 'bad', word: 'not releasable' },
  undecided: { tone: 'waiting', word: 'inconclusive' },
  keeps: { tone: 'none', word: 'as today' },
}

function ChangingRow({
  dated: { row, then, changes },
  day,
  now,
  zone,
  longestMs,
  onWish,
}: {
  dated: DatedRow
  day: string
  now: number
  zone: Zone
  longestMs: number
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const { address } = row.of
  const ending = renewable(changes, now)
  const [scan = ''] = changes.map((change) => change.scan)
  return (
    <li data-as-of={packageText(address)} data-then={then}>
      <Group gap="4px 12px" justify="space-between" align="flex-start">
        <Box flex="1 1 240px" miw={0}>
          <Group gap="4px 12px">
            <Link
              to={`${packageLink(address, row.of, scan)}&${new URLSearchParams({ asOf: day }).toString()}`}
              className={css.name}
            >
              <PackageName text={packageText(address)} />
            </Link>
            <StatusMark {...marks[then]} />
          </Group>
          <DatedChanges changes={changes} now={now} zone={zone} />
        </Box>
        {ending.length > 0 && (
          <PermittedButton
            permission="waive"
            subject={packageSubject(address, scan)}
            variant="default"
            size="compact-sm"
            aria-label={`Renew ${countOf(ending.length, 'waiver')} of ${packageText(address)}…`}
            onClick={() => {
              onWish({ is: 'renew', waivers: ending, longestMs })
            }}
          >
            Renew…
          </PermittedButton>
        )}
      </Group>
    </li>
  )
}

const namedAtFirst = 8

/** What a board is compared with: another scan in the place of one, or a day. */
export function BoardWhatIf({
  scans,
  address: { dryRun: other, scan },
  onDay: { day, read },
  onChange,
}: {
  scans: readonly string[]
  address: BoardAddress
  onDay: BoardOnDay
  onChange: ChangeSearch<BoardAddress>
}): ReactElement {
  const from = scan === '' ? (scans[0] ?? '') : scan
  return (
    <>
      {scans.length > 1 && (
        <InlineSelect
          label={`Preview another scan in place of ${from}`}
          value={other}
          onChange={(chosen) => {
            onChange({ dryRun: chosen })
          }}
        >
          <option value="">None</option>
          {scans
            .filter((one) => one !== from)
            .map((one) => (
              <option key={one}>{one}</option>
            ))}
        </InlineSelect>
      )}
      <ReleaseDayField
        day={day}
        read={read}
        onChange={(asOf) => {
          onChange({ asOf }, true)
        }}
      />
    </>
  )
}

/** What would become of the packages if another scan of the board decided: two scans side by side. */
export function BoardDryRun({
  rows,
  scans,
  address: { dryRun: other, scan },
}: {
  rows: readonly BoardRow[]
  scans: readonly string[]
  address: BoardAddress
}): ReactElement | null {
  const from = scan === '' ? (scans[0] ?? '') : scan
  const found = useMemo(
    () => (other === '' || scans.length < 2 ? undefined : dryRun(rows, from, other)),
    [rows, from, other, scans],
  )
  if (found === undefined || other === from) return null
  return (
    <Text role="status">
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
  )
}
