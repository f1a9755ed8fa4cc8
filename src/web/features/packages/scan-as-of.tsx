import { Box, Group, Text } from '@mantine/core'
import { type ReactElement, useContext, useMemo } from 'react'
import { type AsOf, asOf, asOfSentence, asOfText } from '../../../policy/as-of.ts'
import { createBoardTally } from '../../../policy/board-tally.ts'
import { countOf } from '../../../protocol/count.ts'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { PermittedButton } from '../../domain/permission/permitted-button.tsx'
import {
  DatedChanges,
  judgedFrom,
  renewable,
  type ReleaseDay,
  useReleaseDay,
} from '../../domain/waiver/release-day.tsx'
import pageCss from '../../ui/page.module.css'
import { RowWaiversContext, type useWaiverState } from './waivers.tsx'

/** A scan as it stands on the day that its address names, if nothing is done. */
export interface ScanAsOf extends ReleaseDay {
  /** As the address has it; empty for today. */
  readonly day: string
  /** Undefined for today, and while it is not known what is waived or how the scan came out. */
  readonly found: AsOf | undefined
  /** For what is read later and elsewhere. */
  readonly text: string | undefined
}

/** Judges a day from the results and waivers of this page: nothing is evaluated. */
export function useScanAsOf(
  { groups, unreadable, state, startedAt = 0 }: PolicyScanView,
  { scan, here, isKnown }: Pick<ReturnType<typeof useWaiverState>, 'scan' | 'here' | 'isKnown'>,
  { day, isOverruled }: { readonly day: string; readonly isOverruled: boolean },
): ScanAsOf {
  const { read, now, zone } = useReleaseDay(day)
  const date = read.is === 'day' && isKnown && state.is === 'done' ? read.end : undefined
  const outcome = useMemo(() => {
    if (date === undefined) return undefined
    const tally = createBoardTally(startedAt)
    for (const { results } of groups) for (const result of results) tally.add(result)
    tally.addUnreadable(unreadable)
    return tally.outcome(null)
  }, [date, groups, unreadable, startedAt])
  const found = useMemo(
    () =>
      outcome === undefined || date === undefined
        ? undefined
        : asOf({ scan, outcome, waivers: here, isOverruled }, { now, date }),
    [scan, outcome, here, isOverruled, now, date],
  )
  const text =
    found === undefined || read.is !== 'day'
      ? undefined
      : asOfText(day, now, asOfSentence(found, read.text))
  return { day, read, now, zone, found, text }
}

/** What no longer holds on the day of the release, and the waivers to renew; nothing for today. */
export function ScanAsOfAnswer({ of }: { of: ScanAsOf }): ReactElement | null {
  const { found, read, day, now, zone } = of
  const { change, subject } = useContext(RowWaiversContext)
  if (found === undefined || read.is !== 'day') return null
  const ending = renewable(found.changes, now)
  return (
    <section className={pageCss.box} aria-label={`As of ${read.text}`} data-then={found.then}>
      <Group gap="4px 12px" justify="space-between" p="8px 12px">
        <Box flex="1 1 240px">
          <Text role="status" fw={600}>
            {asOfSentence(found, read.text)}
          </Text>
          <DatedChanges changes={found.changes} now={now} zone={zone} />
          <Text c="dimmed">
            Judged from these results: {judgedFrom}
            <span data-paper-only> Release day: {day}.</span>
          </Text>
        </Box>
        {ending.length > 0 && change !== undefined && (
          <PermittedButton
            permission="waive"
            subject={subject}
            variant="default"
            data-screen-only
            onClick={() => {
              change.onRenew(ending)
            }}
          >
            Renew {countOf(ending.length, 'waiver')}…
          </PermittedButton>
        )}
      </Group>
    </section>
  )
}
