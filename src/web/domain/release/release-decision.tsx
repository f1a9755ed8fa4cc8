import { Box, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useMemo, useState } from 'react'
import {
  changesSince,
  decisionSentence,
  type PlaceState,
  sinceSentences,
} from '../../../policy/decision.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Decision, DecisionSubject } from '../../../protocol/decision.ts'
import type { PermissionSubject } from '../../../protocol/permission.ts'
import { useServices } from '../../data/core/services.ts'
import { decisionRecordQuery, useDecisions } from '../../data/release/decisions.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { dayText, type Zone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { PermittedButton } from '../permission/permitted-button.tsx'
import { DecisionDialog, type Wanted } from './decision-dialog.tsx'

/**
 * Who released a board or a package on what, what has come since, the decisions before it, and the
 * buttons to decide. While the decisions are being loaded it keeps their place; nothing where they can't be.
 */
export function ReleaseDecision({
  subject,
  name,
  places,
  limit,
  evidenceOf,
  variant = 'default',
}: {
  subject: DecisionSubject
  /** What is released, in words. */
  name: string
  places: readonly PlaceState[]
  /** What somebody has to be allowed to decide on; undefined where the role alone is enough. */
  limit: PermissionSubject | undefined
  /** Where the evidence of a decision, by its id, is had. */
  evidenceOf: (decision: string) => ReactNode
  /** How the button looks that releases for the first time. */
  variant?: 'filled' | 'default'
}): ReactElement | null {
  const { data: decisions, isPending } = useDecisions(subject)
  const [wanted, setWanted] = useState<Wanted>()
  if (decisions === undefined) {
    return isPending ? (
      <Box mih={{ base: 76, sm: 38 }} data-screen-only>
        <Notice tone="none">Loading decisions…</Notice>
      </Box>
    ) : null
  }
  const [newest] = decisions
  const isReleased = newest?.action === 'release'
  const button = { permission: 'decide', ...(limit && { subject: limit }) } as const
  return (
    <>
      <DecisionLine
        decisions={decisions}
        name={name}
        places={places}
        actions={
          <Group gap={8} data-screen-only>
            {newest !== undefined && evidenceOf(newest.id)}
            {isReleased && (
              <PermittedButton
                {...button}
                variant="default"
                onClick={() => {
                  setWanted('revoke')
                }}
              >
                Revoke…
              </PermittedButton>
            )}
            <PermittedButton
              {...button}
              variant={isReleased ? 'default' : variant}
              onClick={() => {
                setWanted('release')
              }}
            >
              {isReleased ? 'Release again…' : 'Release…'}
            </PermittedButton>
          </Group>
        }
      />
      {wanted !== undefined && (
        <DecisionDialog
          wanted={wanted}
          subject={subject}
          name={name}
          places={places}
          newest={newest}
          onClose={() => {
            setWanted(undefined)
          }}
        />
      )}
    </>
  )
}

function DecisionLine({
  decisions,
  name,
  places,
  actions,
}: {
  /** On one subject, the newest first. */
  decisions: readonly Decision[]
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
  const since = useMemo(
    () => (data === undefined ? [] : sinceSentences(changesSince(data.places, places))),
    [data, places],
  )
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
