import { Box, Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, useId, useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { DatedChange } from '../../../policy/as-of.ts'
import {
  type BoardAsOf as Found,
  boardAsOf,
  boardAsOfSentence,
  type DatedRow,
} from '../../../policy/board-as-of.ts'
import type { BoardRow } from '../../../policy/board-row.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { isRenewable } from '../../../policy/waiver-register.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { useServices } from '../../data/core/services.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { packageLink, packageText } from '../../domain/package/package-links.ts'
import type { WaiverWish } from '../../domain/waiver/waiver-dialog.tsx'
import { expiryText } from '../../domain/waiver/waiver-draft.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, instantText, type Zone } from '../../ui/format.ts'
import pageCss from '../../ui/page.module.css'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './board.module.css'

/** Together they leave room for the table on the first screen. */
const rowsAtFirst = 4
const minuteMs = 60_000

/** What fails on the day of the release if nothing is done: what ends until a date, and how to renew it. */
export function BoardAsOf({
  rows,
  waivers,
  longestMs,
  day,
  onChange,
  onWish,
}: {
  rows: readonly BoardRow[]
  waivers: readonly Waiver[]
  /** The longest that one may last, ms; undefined until waivers are known. */
  longestMs: number | undefined
  /** As the address has it; empty for today. */
  day: string
  onChange: (day: string) => void
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const id = useId()
  const now = useDerivedFromNow(() => Math.floor(proxyNow() / minuteMs) * minuteMs)
  const read = readReleaseDay(day, { now, zone })
  const date = read.is === 'day' ? read.end : undefined
  const found = useMemo(
    () => (date === undefined ? undefined : boardAsOf(rows, waivers, { now, date })),
    [rows, waivers, now, date],
  )
  return (
    <>
      <Group gap={8} data-screen-only>
        <Text component="label" htmlFor={id} inherit c="dimmed">
          As of
        </Text>
        <TextInput
          id={id}
          type="date"
          value={day}
          error={read.is === 'mistake'}
          aria-describedby={read.is === 'mistake' ? `${id}-mistake` : undefined}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value)
          }}
        />
        {day !== '' && (
          <Button
            variant="default"
            onClick={() => {
              onChange('')
            }}
          >
            Clear date
          </Button>
        )}
        {read.is === 'mistake' && (
          <Text id={`${id}-mistake`} role="alert" c="var(--bad-ink)">
            {read.sentence}
          </Text>
        )}
      </Group>
      {found !== undefined && read.is === 'day' && (
        <section className={pageCss.box} aria-label={`As of ${read.text}`}>
          <Answer
            found={found}
            dayText={read.text}
            now={now}
            zone={zone}
            longestMs={longestMs}
            onWish={onWish}
          />
        </section>
      )}
    </>
  )
}

function Answer({
  found,
  dayText: text,
  longestMs,
  ...props
}: {
  found: Found
  dayText: string
  now: number
  zone: Zone
  /** Undefined until waivers are known. */
  longestMs: number | undefined
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const [isWhole, setWhole] = useState(false)
  const { rows, undated } = found
  const ending = renewable(
    rows.flatMap(({ changes }) => changes),
    props.now,
  )
  const shown = isWhole ? rows : rows.slice(0, rowsAtFirst)
  if (longestMs === undefined) return <p role="status">Loading waivers…</p>
  return (
    <>
      <Group gap="4px 12px" justify="space-between" p="8px 12px">
        <Box flex="1 1 240px">
          <Text role="status" fw={600}>
            {boardAsOfSentence(found, text)}
          </Text>
          <Text c="dimmed">
            Judged from the results on this board: waivers, validity that results name, and policies
            whose labels say when they take effect.
            {undated > 0 &&
              ` ${countOf(undated, 'result was', 'results were')} recorded by an older release without these dates: evaluate again.`}
          </Text>
        </Box>
        {ending.length > 0 && (
          <PermittedButton
            permission="waive"
            variant="default"
            onClick={() => {
              props.onWish({ is: 'renew', waivers: ending, longestMs })
            }}
          >
            Renew {countOf(ending.length, 'waiver')}…
          </PermittedButton>
        )}
      </Group>
      {rows.length > 0 && (
        <ul className={css.asOf}>
          {shown.map((dated) => (
            <ChangingRow key={dated.row.row} dated={dated} longestMs={longestMs} {...props} />
          ))}
        </ul>
      )}
      {rows.length > rowsAtFirst && (
        <Group className={css.causesEnd}>
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
  undecided: { tone: 'waiting', word: 'uncertain' },
  keeps: { tone: 'none', word: 'as today' },
}

function ChangingRow({
  dated: { row, then, changes },
  now,
  zone,
  longestMs,
  onWish,
}: {
  dated: DatedRow
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
            <Link to={packageLink(address, row.of, scan)} className={css.name}>
              {packageText(address)}
            </Link>
            <StatusMark {...marks[then]} />
          </Group>
          {changes.map((change) => (
            <Text
              key={`${change.scan} ${change.is} ${change.uri} ${change.at}`}
              title={instantText(change.at, zone)}
            >
              {changeText(change, expiryText(change.at, zone, now))}{' '}
              <Text span inherit c="dimmed">
                (scan {change.scan})
              </Text>
            </Text>
          ))}
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

/** The waivers among changes that somebody may renew, each once. */
function renewable(changes: readonly DatedChange[], now: number) {
  const waivers = changes.flatMap((change) =>
    change.is === 'waiver-ends' && isRenewable(change.waiver, now) ? [change.waiver] : [],
  )
  return [...new Map(waivers.map((one) => [one.id, one])).values()]
}

/** What changes, when, and what to do about it where that is no renewal. */
function changeText(change: DatedChange, when: string): string {
  const { name } = policyName(change.uri)
  switch (change.is) {
    case 'waiver-ends':
      return typeof change.waiver.renewedBy === 'string'
        ? `Waiver of ${name} ends ${when}, its renewal waits for approval`
        : `Waiver of ${name} ends ${when}`
    case 'validity-ends':
      return `Validity in ${name} ends ${when} (${change.name}): publish new evidence and evaluate again`
    case 'takes-effect':
      return `${name} takes effect ${when} (${change.name})`
  }
}

/** A day as an address has it: off where it is empty, else its end in the zone (epoch ms), or what is wrong. */
export function readReleaseDay(
  text: string,
  { now, zone }: { readonly now: number; readonly zone: Zone },
):
  | { readonly is: 'off' }
  | { readonly is: 'mistake'; readonly sentence: string }
  | { readonly is: 'day'; readonly end: number; readonly text: string } {
  if (text === '') return { is: 'off' }
  const [year = NaN, month = NaN, day = NaN] = /^\d{4}-\d\d-\d\d$/.test(text)
    ? text.split('-').map(Number)
    : []
  const start = new Date(Date.UTC(year, month - 1, day))
  if (start.getUTCDate() !== day || start.getUTCMonth() !== month - 1) {
    return {
      is: 'mistake',
      sentence: `“${text.slice(0, 40)}” isn't a date. Choose a day, such as ${new Date(now).toISOString().slice(0, 10)}.`,
    }
  }
  // A waiver that ends in the course of the day does not last for it.
  const next =
    zone === 'utc'
      ? Date.UTC(year, month - 1, day + 1)
      : new Date(year, month - 1, day + 1).getTime()
  const end = next - 1
  const isThisYear = dayText(end, zone, 'date').slice(-4) === dayText(now, zone, 'date').slice(-4)
  const named = dayText(end, zone, isThisYear ? 'day' : 'date')
  if (end < now) {
    return {
      is: 'mistake',
      sentence: `${named} has passed. Choose today or a later day; recorded runs show the past.`,
    }
  }
  return { is: 'day', end, text: named }
}
