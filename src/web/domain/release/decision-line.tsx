import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement, ReactNode } from 'react'
import {
  changesSince,
  decisionSentence,
  type PlaceState,
  sinceSentences,
} from '../../../policy/decision.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Decision } from '../../../protocol/decision.ts'
import { useServices } from '../../data/core/services.ts'
import { decisionRecordQuery } from '../../data/release/decisions.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, type Zone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'

/** The release that stands, what has come since, and the decisions before it. */
export function DecisionLine({
  decisions,
  name,
  places,
  actions,
}: {
  /** On one subject, the newest first. */
  decisions: readonly Decision[]
  /** What is released, in words. */
  name: string
  places: readonly PlaceState[]
  actions: ReactNode
}): ReactElement {
  const { request } = useServices()
  const { zone } = usePreferences()
  const now = useNow()
  const [newest, ...earlier] = decisions
  const isReleased = newest?.action === 'release'
  const { data } = useQuery(decisionRecordQuery(request, isReleased ? newest.id : undefined))
  const since = data === undefined ? [] : sinceSentences(changesSince(data.places, places))
  const tone =
    newest === undefined
      ? 'none'
      : newest.action === 'revoke'
        ? 'bad'
        : since.length + newest.concerns.length > 0
          ? 'waiting'
          : 'good'
  return (
    <section aria-label="Release decision">
      <Notice tone={tone} action={actions} testId="decision">
        {newest === undefined ? (
          'Not decided yet.'
        ) : (
          <>
            {decisionSentence(newest, name)} <Moment at={newest.at} />
          </>
        )}
        {newest !== undefined && since.length > 0 && (
          <Text role="status" c="var(--waiting-ink)" mt={4}>
            Decided {sinceWhen(newest.at, now, zone)}. {since.join(' ')}
          </Text>
        )}
        {earlier.length > 0 && (
          <details>
            <summary>{countOf(earlier.length, 'earlier decision')}</summary>
            <ul>
              {earlier.map((one) => (
                <li key={one.id}>
                  {decisionSentence(one, name)} <Moment at={one.at} />
                </li>
              ))}
            </ul>
          </details>
        )}
      </Notice>
    </section>
  )
}

function Moment({ at }: { at: number }): ReactElement {
  return (
    <Text span inherit c="dimmed">
      (<RelativeTime at={at} />)
    </Text>
  )
}

const weekMs = 6 * 86_400_000

/** “on Monday”, or a date where that is longer ago than a week. */
function sinceWhen(at: number, now: number, zone: Zone): string {
  if (now - at > weekMs) return `on ${dayText(at, zone, 'date')}`
  const timeZone = zone === 'utc' ? 'UTC' : undefined
  return `on ${new Intl.DateTimeFormat('en', { weekday: 'long', timeZone }).format(at)}`
}
