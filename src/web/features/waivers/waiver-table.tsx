import { Button, Checkbox, Group, Text } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { policyName } from '../../../policy/policy-group.ts'
import {
  isRenewable,
  partsOf,
  type RegisterPart,
  registerParts,
} from '../../../policy/waiver-register.ts'
import { countOf } from '../../../protocol/count.ts'
import {
  packageTextAt,
  packageText,
  readPackageReference,
} from '../../../protocol/package-reference.ts'
import { rangeText } from '../../../protocol/version-order.ts'
import { type Waiver, type WaiverStanding, waiverStanding } from '../../../protocol/waiver.ts'
import { useSessionUser } from '../../data/core/services.ts'
import { useApproveWaivers } from '../../data/scans/waivers.ts'
import { runsLink } from '../../domain/package/package-links.ts'
import { packageSubject } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import type { WaiverWish } from '../../domain/waiver/waiver-wish.ts'
import { approvalBlock, endVerb, expiryText } from '../../domain/waiver/waiver-draft.ts'
import { Ticket } from '../../domain/waiver/waiver-mark.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { isRangeEvent, type RowSelection, SelectAllHeading } from '../../ui/row-selection.tsx'
import { usePrinting } from '../../ui/printing.ts'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import { IdText } from '../../ui/text.tsx'
import { choiceParam, searchState, textParam } from '../../data/core/search-state.ts'
import css from './waivers.module.css'

/** More than anybody reads at once; the rest is drawn on demand. */
const drawnAtFirst = 200

interface TableProps {
  /** What is now (epoch ms), and which waivers nobody needs. */
  readonly at: { readonly now: number; readonly unmatched: ReadonlySet<string> }
  /** Those whose renewal waits for approval. */
  readonly renewing: ReadonlySet<string>
  readonly longestMs: number
  readonly selection: RowSelection
  readonly onWish: (wish: WaiverWish) => void
  /** Shows those alone that were given at once. */
  readonly onGroup: (group: string) => void
}

/** Waivers, one to a row, in their order. */
export function WaiverTable({
  waivers,
  ...props
}: TableProps & { waivers: readonly Waiver[] }): ReactElement {
  const [drawnOnScreen, setDrawn] = useState(drawnAtFirst)
  const drawn = usePrinting() ? waivers.length : drawnOnScreen
  const { selection } = props
  const keys = waivers.map(({ id }) => id)
  return (
    <div style={{ overflowX: 'auto' }}>
      <table className={css.table}>
        <thead>
          <tr>
            <SelectAllHeading selection={selection} keys={keys} noun="waiver" />
            <th scope="col">Policy</th>
            <th scope="col">Package</th>
            <th scope="col">Reason</th>
            <th scope="col">Responsible</th>
            <th scope="col">Ends</th>
            <th scope="col" data-screen-only>
              Actions
            </th>
          </tr>
        </thead>
        <tbody>
          {waivers.slice(0, drawn).map((waiver) => (
            <WaiverRow key={waiver.id} waiver={waiver} {...props} />
          ))}
        </tbody>
      </table>
      {waivers.length > drawn && (
        <Button
          variant="default"
          fullWidth
          onClick={() => {
            setDrawn(drawn + drawnAtFirst)
          }}
        >
          Show more: {countOf(waivers.length - drawn, 'waiver')} left
        </Button>
      )}
    </div>
  )
}

const tones: Readonly<Record<WaiverStanding, StatusTone>> = {
  'in force': 'waiting',
  'waiting for approval': 'info',
  renewed: 'none',
  declined: 'bad',
  withdrawn: 'none',
  'ended early': 'none',
  expired: 'none',
}

function WaiverRow({
  waiver,
  at: { now, unmatched },
  renewing,
  longestMs,
  selection,
  onWish,
  onGroup,
}: TableProps & { waiver: Waiver }): ReactElement {
  const { zone } = usePreferences()
  const { id, packagePath, policyUri, scan, reason, person, ticket, versions, group } = waiver
  const { name } = policyName(policyUri)
  const read = readPackageReference(packagePath)
  const standing = waiverStanding(waiver, now)
  const text = read.ok ? packageText(read.reference.address) : packagePath
  return (
    <tr data-waiver={id} data-standing={standing}>
      <td className={css.select} data-screen-only>
        <Checkbox
          aria-label={`Select the waiver for ${name} on ${text}`}
          checked={selection.selected.has(id)}
          onChange={(event) => {
            selection.toggle(id, isRangeEvent(event))
          }}
        />
      </td>
      <td>
        <strong>{name}</strong>
        <Text c="dimmed">{scan}</Text>
      </td>
      <td style={{ fontFamily: 'var(--font-mono)' }}>
        {read.ok ? <Link to={runsLink(read.reference.address, scan)}>{text}</Link> : text}{' '}
        <Text span inherit c="dimmed">
          {versions === null || versions === undefined ? (
            <IdText id={waiver.sha256} />
          ) : (
            `versions ${rangeText(versions)}`
          )}
        </Text>
      </td>
      <td>
        {reason}{' '}
        {typeof ticket === 'string' && ticket !== '' && (
          <Text span inherit ff="monospace">
            <Ticket text={ticket} />
          </Text>
        )}
        {typeof group === 'string' && (
          <Button
            variant="transparent"
            size="compact-xs"
            px={4}
            onClick={() => {
              onGroup(group)
            }}
          >
            Show granted together
          </Button>
        )}
      </td>
      <td>
        <Link to={`?${new URLSearchParams({ person }).toString()}`}>{person}</Link>
        <Text c="dimmed" fz="xs">
          {grantText(waiver)}
        </Text>
      </td>
      <td>
        <StatusMark tone={tones[standing]} word={standing} />
        <Text c="dimmed" title={endTitle(waiver, (moment) => instantText(moment, zone))}>
          {waiver.endedAt === null
            ? `${standing === 'expired' ? '' : 'until '}${expiryText(waiver.expiresAt, zone, now)}`
            : `${expiryText(waiver.endedAt, zone, now)}${waiver.endedBy === null ? '' : ` by ${waiver.endedBy}`}`}
        </Text>
        {renewing.has(id) && (
          <Text c="dimmed" fz="xs">
            Its renewal waits for approval.
          </Text>
        )}
        {unmatched.has(id) && standing === 'in force' && (
          <Text c="dimmed" fz="xs">
            No recorded run has failed this policy since.
          </Text>
        )}
      </td>
      <td data-screen-only>
        <RowActions
          waiver={waiver}
          standing={standing}
          now={now}
          name={`${name} on ${text}`}
          longestMs={longestMs}
          onWish={onWish}
        />
      </td>
    </tr>
  )
}

/** "granted by ann, approved by bob"; that who is responsible granted it needs no words. */
export function grantText({ by, person, approvedBy }: Waiver): string {
  return [by !== person && `granted by ${by}`, approvedBy && `approved by ${approvedBy}`]
    .filter(Boolean)
    .join(', ')
}

function endTitle(waiver: Waiver, text: (at: number) => string): string {
  const given = `Granted ${text(waiver.createdAt)}, until ${text(waiver.expiresAt)}`
  return waiver.endedAt === null ? given : `${given}, ended ${text(waiver.endedAt)}`
}

function RowActions({
  waiver,
  standing,
  now,
  name,
  longestMs,
  onWish,
}: {
  waiver: Waiver
  standing: WaiverStanding
  /** Epoch ms. */
  now: number
  /** What the waiver is for. */
  name: string
  longestMs: number
  onWish: (wish: WaiverWish) => void
}): ReactElement {
  const user = useSessionUser()
  const { approve, refusal } = useApproveWaivers([waiver])
  const subject = waiverSubject(waiver)
  const verb = endVerb([waiver], user?.name, now)
  const isOpen = standing === 'in force' || standing === 'waiting for approval'
  return (
    <>
      <Group gap={4} wrap="nowrap">
        {standing === 'waiting for approval' && (
          <PermittedButton
            permission="waive"
            subject={subject}
            blocked={approvalBlock(waiver, user)}
            aria-label={`Approve the waiver for ${name}`}
            onClick={() => {
              approve([waiver.id])
            }}
          >
            Approve
          </PermittedButton>
        )}
        {isRenewable(waiver, now) && (
          <PermittedButton
            permission="waive"
            subject={subject}
            variant="default"
            aria-label={`Renew the waiver for ${name}…`}
            onClick={() => {
              onWish({ is: 'renew', waivers: [waiver], longestMs })
            }}
          >
            Renew…
          </PermittedButton>
        )}
        {isOpen && (
          <PermittedButton
            permission="waive"
            subject={subject}
            variant="default"
            aria-label={`${verb} the waiver for ${name}…`}
            onClick={() => {
              onWish({ is: 'end', waivers: [waiver] })
            }}
          >
            {verb}…
          </PermittedButton>
        )}
      </Group>
      {refusal !== undefined && (
        <Notice role="alert" tone="bad">
          {refusal}
        </Notice>
      )}
    </>
  )
}

/** What it takes the permission to waive for, by which it may be limited. */
export function waiverSubject({ packagePath, scan }: Waiver): ReturnType<typeof packageSubject> {
  const read = readPackageReference(packagePath)
  return read.ok ? packageSubject(read.reference.address, scan) : {}
}

/** What of the register is looked at, as its address says it; empty narrows nothing. */
export interface WaiversAddress {
  readonly show: RegisterPart
  /** Part of a package, policy, reason or ticket. */
  readonly text: string
  /** Who is responsible for it, has given it or has approved it. */
  readonly person: string
  /** What was given at once. */
  readonly group: string
}

/** The address of the register; what cannot be read there is the default. */
export const waiversAddress = searchState<WaiversAddress>({
  show: choiceParam('show', registerParts),
  text: textParam('q'),
  person: textParam('person'),
  group: textParam('group'),
})

/**
 * The waivers that an address leaves: what ends first comes first, of what is over the newest. With how
 * many there are in each part. What is in `stays` is shown whatever part it belongs to by now.
 */
export function shownWaivers(
  waivers: readonly Waiver[],
  { show, text, person, group }: WaiversAddress,
  at: { readonly now: number; readonly unmatched: ReadonlySet<string> },
  stays: ReadonlySet<string> = new Set(),
): { readonly shown: readonly Waiver[]; readonly counts: Readonly<Record<RegisterPart, number>> } {
  const words = text.trim().toLowerCase()
  const who = person.trim().toLowerCase()
  const counts = { 'in force': 0, waiting: 0, ending: 0, unmatched: 0, ended: 0 }
  const shown = waivers.filter((waiver) => {
    const isMeant =
      (group === '' || waiver.group === group) &&
      (who === '' ||
        [waiver.person, waiver.by, waiver.approvedBy ?? ''].some((name) =>
          name.toLowerCase().includes(who),
        )) &&
      (words === '' ||
        [
          packageTextAt(waiver.packagePath),
          policyName(waiver.policyUri).name,
          waiver.scan,
          waiver.reason,
          waiver.ticket ?? '',
        ].some((part) => part.toLowerCase().includes(words)))
    if (!isMeant) return false
    const parts = partsOf(waiver, at)
    for (const part of parts) counts[part] += 1
    return parts.includes(show) || stays.has(waiver.id)
  })
  const overAt = ({ endedAt, expiresAt }: Waiver): number => endedAt ?? expiresAt
  return {
    shown: shown.toSorted((a, b) =>
      show === 'ended' ? overAt(b) - overAt(a) : a.expiresAt - b.expiresAt,
    ),
    counts,
  }
}
