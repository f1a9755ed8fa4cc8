import { Box, Checkbox, Group, List, Text, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useEffect, useMemo, useState } from 'react'
import * as z from 'zod/mini'
import {
  changesSince,
  concernSentence,
  concernsOf,
  decisionSentence,
  evaluatedMeanwhileSentence,
  type PlaceState,
  sinceSentences,
} from '../../../policy/decision.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Decision, DecisionConcern, DecisionSubject } from '../../../protocol/decision.ts'
import type { PermissionSubject } from '../../../protocol/permission.ts'
import { useServices, useSessionUser } from '../../data/core/services.ts'
import {
  decisionRecordQuery,
  decisionRefusal,
  isDecisionOf,
  useDecide,
  useDecisions,
} from '../../data/release/decisions.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { dayText, type Zone } from '../../ui/format.ts'
import { Notice } from '../../ui/notice.tsx'
import { RetryNotice } from '../../ui/problem.tsx'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import { PermittedButton } from '../permission/permitted-button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

/**
 * Who released a board or a package on what, what has come since, the decisions before it, and the
 * buttons to decide. While the decisions are being loaded it keeps their place.
 */
export function ReleaseDecision({
  subject,
  name,
  places,
  areWaiversKnown,
  areRunsKnown = true,
  limit,
  evidenceOf,
  variant = 'default',
}: {
  subject: DecisionSubject
  /** What is released, in words. */
  name: string
  places: readonly PlaceState[]
  /** Whether the verdicts of the places count waivers, which may still be loading, or have failed to. */
  areWaiversKnown: boolean
  /** Whether all recorded runs of the places could be read; without them nothing is released. */
  areRunsKnown?: boolean
  /** What somebody has to be allowed to decide on; undefined where the role alone is enough. */
  limit: PermissionSubject | undefined
  /** Where the evidence of a decision, by its id, is had. */
  evidenceOf: (decision: string) => ReactNode
  /** How the button looks that releases for the first time. */
  variant?: 'filled' | 'default'
}): ReactElement | null {
  const { data: decisions, error, refetch } = useDecisions(subject)
  const [wanted, setWanted] = useDraftState('decision', z.optional(Wanted), undefined)
  const fault = error !== null && (
    <RetryNotice
      sentence={
        decisions === undefined
          ? `Can't load release decisions: ${error.message}`
          : `Can't refresh release decisions. They may have changed: ${error.message}`
      }
      onRetry={() => void refetch()}
    />
  )
  if (decisions === undefined) {
    return (
      fault || (
        <Box mih={{ base: 76, sm: 38 }} data-screen-only>
          <Notice tone="none">Loading decisions…</Notice>
        </Box>
      )
    )
  }
  const [newest] = decisions
  const isReleased = newest?.action === 'release'
  const button = { permission: 'decide', ...(limit && { subject: limit }) } as const
  return (
    <>
      {fault}
      <DecisionLine
        decisions={decisions}
        name={name}
        places={places}
        areWaiversKnown={areWaiversKnown}
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
              disabled={!areRunsKnown}
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
          areWaiversKnown={areWaiversKnown}
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
  areWaiversKnown,
  actions,
}: {
  /** On one subject, the newest first. */
  decisions: readonly Decision[]
  name: string
  places: readonly PlaceState[]
  areWaiversKnown: boolean
  actions: ReactNode
}): ReactElement {
  const { request } = useServices()
  const { zone } = usePreferences()
  const now = useNow()
  const [newest, ...earlier] = decisions
  const isReleased = newest?.action === 'release'
  const { data } = useQuery(decisionRecordQuery(request, isReleased ? newest.id : undefined))
  const since = useMemo(() => {
    if (data === undefined) return []
    const changes = changesSince(data.places, places, data.decision.at)
    // Without waivers everything that was waived would seem to have become worse.
    return sinceSentences(areWaiversKnown ? changes : { ...changes, worse: [] })
  }, [data, places, areWaiversKnown])
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
          'No release decision yet.'
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

const confirm = 'Select this to go on.'

/** What is decided: a release of these places, or that the standing release no longer counts. */
const Wanted = z.enum(['release', 'revoke'])
type Wanted = z.infer<typeof Wanted>

/** Decides, with a reason. What speaks against it is to be confirmed, also what was decided meanwhile. */
function DecisionDialog({
  wanted,
  subject,
  name,
  places,
  areWaiversKnown,
  newest: current,
  onClose,
}: {
  wanted: Wanted
  subject: DecisionSubject
  name: string
  places: readonly PlaceState[]
  areWaiversKnown: boolean
  /** The newest decision; undefined for none. One that comes while this is open is to be read first. */
  newest: Decision | undefined
  onClose: () => void
}): ReactElement {
  const { proxyNow } = useServices().session
  const decide = useDecide()
  const [reason, setReason] = useDraftState('decision.reason', z.string(), '')
  const [mistake, setMistake] = useState<string>()
  /** What was confirmed, a sentence each, and the runs that it is about: what comes after that is to be confirmed again. */
  const [confirmed, setConfirmed] = useState<readonly string[]>([])
  const [isTried, setTried] = useState(false)
  const refusal = decide.error === null ? undefined : decisionRefusal(decide.error)
  const newest = newerOf(current, refusal?.newest ?? undefined)
  const [atStart] = useState(current)
  const [placesAtStart] = useState(places)
  const [read, setRead] = useState(current?.id)
  const user = useSessionUser()
  const isMade =
    decide.isError && newest !== undefined && isDecisionOf(newest, decide.variables, user?.name)
  useEffect(() => {
    if (isMade) onClose()
  }, [isMade, onClose])
  const isOvertaken = newest?.id !== atStart?.id
  const isRead = newest?.id === read
  const concerns = wanted === 'release' ? concernsOf(places, proxyNow()) : []
  // Found by the server, whose clock and history decide.
  const more = refusal?.concerns ?? []
  const accepted: DecisionConcern[] = [
    ...new Set([...concerns.map(({ concern }) => concern), ...more]),
  ]
  const meanwhile = evaluatedMeanwhileSentence(placesAtStart, places)
  const against =
    wanted === 'revoke'
      ? []
      : [
          ...new Set([
            ...(meanwhile === undefined ? [] : [meanwhile]),
            ...concerns.map(concernSentence),
            ...(more.length > 0 && refusal !== undefined ? [refusal.text] : []),
          ]),
        ]
  const hasConcerns = against.length > 0
  const runIds = new Set(places.flatMap(({ run }) => run?.id ?? []))
  const runs = runIds.size
  // The same may be said of other results: those aren't read yet.
  const toRead = [...against, ...runIds]
  const isAccepted = toRead.every((one) => confirmed.includes(one))
  const verb = wanted === 'revoke' ? 'Revoke' : 'Release'
  // A release that was revoked meanwhile is not revoked again.
  const isPointless = wanted === 'revoke' && newest?.action !== 'release'

  function send(): void {
    const isReasonless = reason.trim() === ''
    if (isReasonless) {
      setMistake(wanted === 'release' ? 'Enter why it is released.' : 'Enter why it is revoked.')
    }
    setTried(true)
    if (isReasonless || (hasConcerns && !isAccepted) || !isRead) return
    decide.mutate(
      wanted === 'revoke'
        ? { action: 'revoke', subject, reason: reason.trim(), newest: read ?? '' }
        : {
            action: 'release',
            subject,
            reason: reason.trim(),
            newest: read ?? null,
            places: places.map(({ packagePath, sha256, repositoryUrl, scan, run }) => {
              return { packagePath, sha256, repositoryUrl, scan, run: run?.id ?? null }
            }),
            accepted,
          },
      { onSuccess: onClose },
    )
  }

  return (
    <FormDialog
      title={`${verb} ${wanted === 'revoke' ? 'the release of ' : ''}${subject.is === 'board' ? `“${name}”` : name}?`}
      refusal={
        refusal !== undefined && refusal.newest === undefined && more.length === 0
          ? refusal.text
          : undefined
      }
      isSending={decide.isPending}
      isDisabled={isPointless}
      confirm={hasConcerns ? `${verb} anyway` : verb}
      onConfirm={send}
      onClose={onClose}
    >
      <Text>
        {wanted === 'release'
          ? `The decision stands on ${countOf(runs, 'recorded run')}, which ${runs === 1 ? 'is' : 'are'} kept with ${runs === 1 ? 'its' : 'their'} waivers. It can be revoked later, and stays in the history.`
          : 'The release no longer counts. It stays in the history with your reason.'}
      </Text>
      {wanted === 'release' && !areWaiversKnown && (
        <Text>Waivers aren't loaded, so none are counted here. The release will count them.</Text>
      )}
      {isOvertaken && (
        <Notice role="alert" testId="newer">
          {newest === undefined
            ? 'The decision that you saw is gone.'
            : `Decided in the meantime. ${decisionSentence(newest, name)}`}
          {!isPointless && (
            <Checkbox
              mt={8}
              label={`${verb} after this decision`}
              checked={isRead}
              onChange={(event) => {
                setRead(event.currentTarget.checked ? newest?.id : atStart?.id)
              }}
              error={isTried && !isRead ? confirm : undefined}
            />
          )}
        </Notice>
      )}
      {hasConcerns && (
        <Notice testId="concerns">
          <List listStyleType="disc" ps={16}>
            {against.map((sentence) => (
              <List.Item key={sentence}>{sentence}</List.Item>
            ))}
          </List>
          <Checkbox
            mt={8}
            label="I have read this"
            checked={isAccepted}
            onChange={(event) => {
              setConfirmed(event.currentTarget.checked ? toRead : [])
            }}
            error={isTried && !isAccepted ? confirm : undefined}
          />
        </Notice>
      )}
      <Textarea
        label="Reason"
        autosize
        minRows={2}
        maxLength={2000}
        data-autofocus
        value={reason}
        error={mistake}
        onChange={(event) => {
          setReason(event.currentTarget.value)
          setMistake(undefined)
        }}
      />
    </FormDialog>
  )
}

/** Ids sort by time. */
function newerOf(one: Decision | undefined, other: Decision | undefined): Decision | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one.id < other.id ? other : one
}
