import { memo, type ReactElement, useMemo } from 'react'
import { Link } from 'react-router'
import { boardFailures, canBeWaived } from '../../../policy/board-failures.ts'
import type { BoardRow, RowCell } from '../../../policy/board-row.ts'
import type { WaivedScan } from '../../../policy/waived-verdict.ts'
import { carriedWaiver, type CarryOffer, carryOffers } from '../../../policy/waiver-carry.ts'
import { endingSoon } from '../../../policy/waiver-register.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { packageNameOf, packagePath } from '../../../protocol/package-address.ts'
import { subjectAt } from '../../../protocol/permission.ts'
import { coversScan, type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { useGiveWaivers, waiverRefusal } from '../../data/scans/waivers.ts'
import { usePermitted } from '../../domain/permission/may.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, type Zone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'

/** What is to be known of the waivers of a board: which end soon, which wait, which could be carried over. */
export const BoardWaiverNotes = memo(function BoardWaiverNotes({
  rows,
  waivers,
  now,
}: {
  rows: readonly BoardRow[]
  waivers: readonly Waiver[]
  /** Epoch ms by the clock of the proxy. */
  now: number
}): ReactElement | null {
  const { zone } = usePreferences()
  const give = useGiveWaivers()
  const ofBoard = useMemo(() => waiversOfRows(rows, waivers), [rows, waivers])
  const offers = useMemo(() => offersOf(rows, waivers, now), [rows, waivers, now])
  const { allowed, button } = usePermitted('waive', offers, subjectOf)
  const ending = endingSoon(ofBoard, now)
  const waiting = ofBoard.filter((one) => waiverStanding(one, now) === 'waiting for approval')
  return (
    <>
      {ending.length + waiting.length > 0 && (
        <Notice testId="waivers">
          {ending.length > 0 && (
            <Link to="/waivers?show=ending">{endingSentence(ending, now, zone)}</Link>
          )}{' '}
          {waiting.length > 0 && (
            <Link to="/waivers?show=waiting">
              {countOf(waiting.length, 'waiver waits', 'waivers wait')} for approval and{' '}
              {waiting.length === 1 ? "doesn't" : "don't"} count yet.
            </Link>
          )}
        </Notice>
      )}
      {offers.length > 0 && (
        <Notice
          testId="waivers-carry"
          tone="info"
          action={
            <PermittedButton
              {...button}
              variant="default"
              onClick={() => {
                if (!give.isPending) give.mutate(allowed.map(carriedWaiver))
              }}
            >
              {give.isPending
                ? 'Sending…'
                : `Carry over ${countText(allowed.length || offers.length)}`}
            </PermittedButton>
          }
        >
          {countOf(offers.length, 'failure here is', 'failures here are')} waived on another version
          of the package. Carry over the waivers with the same reason and end.
        </Notice>
      )}
      {give.error !== null && (
        <Notice role="alert" tone="bad">
          {waiverRefusal(give.error)}
        </Notice>
      )}
    </>
  )
})

function subjectOf({ of }: CarryOffer): ReturnType<typeof subjectAt> {
  return subjectAt(of)
}

function offersOf(rows: readonly BoardRow[], waivers: readonly Waiver[], now: number) {
  if (waivers.length === 0) return []
  const failures = boardFailures(rows)
    .filter(canBeWaived)
    .map(({ row, cell, policyUri }) => ({ ...scanOf(row, cell), policyUri }))
  return carryOffers(failures, waivers, now)
}

function waiversOfRows(rows: readonly BoardRow[], waivers: readonly Waiver[]): readonly Waiver[] {
  const byName = new Map<string, WaivedScan[]>()
  for (const row of waivers.length === 0 ? [] : rows) {
    const name = packageNameOf(packagePath(row.of.address))
    const scans = row.cells.flatMap((cell) => (cell === undefined ? [] : [scanOf(row, cell)]))
    byName.set(name, [...(byName.get(name) ?? []), ...scans])
  }
  return waivers.filter((waiver) =>
    byName.get(packageNameOf(waiver.packagePath))?.some((scan) => coversScan(waiver, scan)),
  )
}

function scanOf({ of }: BoardRow, { place }: RowCell): WaivedScan {
  return { packagePath: packagePath(of.address), sha256: of.sha256, scan: place.scan }
}

/** "2 waivers end by Friday." `ending` is in the order of time, none of it a week ahead of `now`. */
export function endingSentence(ending: readonly Waiver[], now: number, zone: Zone): string {
  const last = ending.at(-1)?.expiresAt ?? now
  const form = new Intl.DateTimeFormat('en', {
    weekday: 'long',
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  })
  const day = form.format(last)
  const isSame = day === form.format(now)
  const isToday = dayText(last, zone, 'date') === dayText(now, zone, 'date')
  const preposition = ending.length > 1 ? 'by ' : isSame ? '' : 'on '
  const when = isToday ? 'today' : `${preposition}${isSame ? 'next ' : ''}${day}`
  return `${countOf(ending.length, 'waiver ends', 'waivers end')} ${when}.`
}
