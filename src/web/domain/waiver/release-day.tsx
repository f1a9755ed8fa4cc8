import { Button, Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, useId } from 'react'
import type { DatedChange } from '../../../policy/as-of.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { isRenewable } from '../../../policy/waiver-register.ts'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, instantText, type Zone } from '../../ui/format.ts'
import { useDerivedFromNow } from '../../ui/time.tsx'
import { expiryText } from './waiver-draft.ts'

const minuteMs = 60_000

export interface ReleaseDay {
  readonly read: DayReading
  /** By the clock of the proxy, to the minute, epoch ms. */
  readonly now: number
  readonly zone: Zone
}

/** Reads the day of a release in the zone of the viewer's choice; today moves on by itself. */
export function useReleaseDay(text: string): ReleaseDay {
  const { zone } = usePreferences()
  const { proxyNow } = useServices().session
  const now = useDerivedFromNow(() => Math.floor(proxyNow() / minuteMs) * minuteMs)
  return { read: readReleaseDay(text, { now, zone }), now, zone }
}

/** Chooses the day that a release is judged for; a day that cannot be is refused in words. */
export function ReleaseDayField({
  day,
  read,
  onChange,
}: {
  /** As the address has it; empty for today. */
  day: string
  read: DayReading
  onChange: (day: string) => void
}): ReactElement {
  const id = useId()
  return (
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
  )
}

/** What a day is judged from, and what is not known of it. */
export const judgedFrom =
  'waivers, validity that results name, and policies whose labels say when they take effect.'

/** A line for each change, with its instant in the tooltip. */
export function DatedChanges({
  changes,
  now,
  zone,
}: Pick<ReleaseDay, 'now' | 'zone'> & {
  changes: readonly (DatedChange & { readonly scan?: string })[]
}): ReactElement {
  return (
    <>
      {changes.map((change) => (
        <Text
          key={`${change.scan ?? ''} ${change.is} ${change.uri} ${change.at}`}
          title={instantText(change.at, zone)}
        >
          {changeText(change, expiryText(change.at, zone, now))}
          {change.scan !== undefined && (
            <Text span inherit c="dimmed">
              {' '}
              (scan {change.scan})
            </Text>
          )}
        </Text>
      ))}
    </>
  )
}

/** The waivers among changes that somebody may renew, each once. */
export function renewable(changes: readonly DatedChange[], now: number) {
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

/** What an address says of a day: nothing, a day up to its end (epoch ms), or what is wrong with it. */
export type DayReading =
  | { readonly is: 'off' }
  | { readonly is: 'mistake'; readonly sentence: string }
  | { readonly is: 'day'; readonly end: number; readonly text: string }

/** Reads a day in a zone; today is judged at its end, too. */
export function readReleaseDay(
  text: string,
  { now, zone }: { readonly now: number; readonly zone: Zone },
): DayReading {
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
