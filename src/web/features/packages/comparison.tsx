import { Box, Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useMemo, useState } from 'react'
import { groupByPolicy, type PolicyGroup } from '../../../policy/policy-group.ts'
import {
  differenceSentence,
  type RunDifference,
  runDifference,
} from '../../../policy/run-difference.ts'
import { countText } from '../../../protocol/count.ts'
import type { EvaluationList, EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath, policyScanPath } from '../../../protocol/package-address.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { useServices } from '../../data/core/services.ts'
import {
  evaluationQuery,
  lastEvaluationsQuery,
  latestEvaluationsQuery,
} from '../../data/scans/evaluation-history.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { groupsOfRun, runsBefore } from '../../domain/run/remembered-runs.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { FoldedFilters } from '../../ui/folded-filters.tsx'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import type { KnownPackages } from './known-packages.ts'
import { useLastRecorded } from './last-recorded.ts'
import type { ScanAddress } from './scan-address.ts'
import css from './scan-page.module.css'

/** What a run is compared with, and what came of it. */
type Comparison =
  /** There is nothing to compare with, or not all of this run yet: `why` is a sentence. */
  | { readonly is: 'none'; readonly why: string }
  /** The last run of the other version is being loaded. */
  | { readonly is: 'running'; readonly since: string }
  /** The other version has no run to compare with. */
  | { readonly is: 'failed'; readonly since: string; readonly reason: string }
  | {
      readonly is: 'done'
      readonly since: string
      /** When the other run ended, epoch ms. */
      readonly at: number
      /** Who requested it, where the proxy recorded that. */
      readonly by: string | undefined
      /** Why it isn't the previous run: a sentence. */
      readonly passedOver: string | undefined
      readonly difference: RunDifference
      /** The policies of the other run. */
      readonly theirs: readonly PolicyGroup[]
    }

/**
 * Compares a run with another version of the package, or with the run before it: the recorded one of
 * anybody, or else that of this device.
 */
export function useComparison(
  question: PolicyScanQuestion,
  { state, groups, unreadable, startedAt }: PolicyScanView,
  other: ScanAddress['other'],
  recorded: HistoryBefore['before'],
): Comparison {
  const { policyRuns = [] } = usePreferences()
  const requested =
    other === undefined
      ? undefined
      : {
          ...question,
          ...other,
          address: { ...question.address, version: other.version },
        }
  const last = useLastRecorded(requested)
  const path = policyScanPath(question.address, question.scan)
  const [remembered] = runsBefore(policyRuns, { ...question, path }, startedAt ?? 0)
  const before = useMemo((): Before | undefined => {
    if (recorded === 'unknown') return undefined
    if ('groups' in recorded) return recorded
    return (
      remembered && {
        at: remembered.at,
        by: undefined,
        passedOver: recorded.passedOver,
        groups: groupsOfRun(remembered),
      }
    )
  }, [recorded, remembered])
  const otherGroups = last.is === 'found' ? last.view.groups : nothing
  const theirs = other === undefined ? (before?.groups ?? nothing) : otherGroups
  const isCutShort = state.is === 'cancelled' || state.is === 'broken'
  const lack = lackOf({ ended: isCutShort ? 'broken' : 'complete', unreadable })
  const isWhole = state.is === 'done' && lack === undefined
  const difference = useMemo(
    () => (isWhole ? runDifference(theirs, groups) : undefined),
    [isWhole, theirs, groups],
  )

  if (difference === undefined) {
    const why =
      lack !== undefined && (isCutShort || state.is === 'done')
        ? `Not compared: this run is ${lack}.`
        : 'Compared when the evaluation ends.'
    return { is: 'none', why }
  }
  if (other === undefined) {
    if (recorded === 'unknown') return { is: 'none', why: 'Looking for the previous run…' }
    if (before === undefined) return { is: 'none', why: 'why' in recorded ? recorded.why : '' }
    const { at, by, passedOver } = before
    const since = passedOver === undefined ? 'the previous run' : 'an earlier run'
    return { is: 'done', since, at, by, passedOver, difference, theirs }
  }
  const since = `version ${other.version}`
  switch (last.is) {
    case 'loading':
      return { is: 'running', since }
    case 'none':
      return { is: 'failed', since, reason: 'It has no recorded run. Evaluate it to compare.' }
    case 'failed':
      return { is: 'failed', since, reason: last.problem.message }
    case 'found': {
      const { by, endedAt } = last.record
      const theirLack = lackOf(last.record)
      return theirLack === undefined
        ? { is: 'done', since, at: endedAt, by, passedOver: undefined, difference, theirs }
        : { is: 'failed', since, reason: `Its last recorded run is ${theirLack}.` }
    }
  }
}

const nothing: readonly PolicyGroup[] = []

/** The run before this one. */
interface Before {
  readonly at: number
  /** Who requested it; undefined where that was on this device. */
  readonly by: string | undefined
  /** Why it isn't the run right before: a sentence. */
  readonly passedOver: string | undefined
  readonly groups: readonly PolicyGroup[]
}

/** Of longer runs the whole answer is not fetched to show what changed. */
const mostResults = 5000

/** A run that went before, of anybody. */
export interface RunBefore extends Before {
  readonly by: string
}

/** That nothing can be compared with: a sentence, and why the run right before can't, where there is one. */
interface NoneBefore {
  readonly why: string
  readonly passedOver: string | undefined
}

/** What the proxy recorded of a scan and artifact before a run that has ended. */
interface HistoryBefore {
  /** The recorded runs before this one, the newest first; undefined until that is known. */
  readonly earlier: readonly EvaluationSummary[] | undefined
  /** To compare with; `unknown` until it is read. */
  readonly before: RunBefore | NoneBefore | 'unknown'
  /** Why this run was not recorded, or the history cannot be read: a plain sentence. */
  readonly fault: string | undefined
}

/** The recorded runs that went before this one; requested when it has ended. */
export function useHistoryBefore(
  question: PolicyScanQuestion,
  { state, endedAt, record }: PolicyScanView,
): HistoryBefore {
  const { request } = useServices()
  const queries = useQueryClient()
  const list = useQuery(
    latestEvaluationsQuery(request, question, state.is === 'refused' ? undefined : endedAt, () => {
      // A run that was recorded was found in a list of them.
      const last = queries.getQueryData(lastEvaluationsQuery(request, question).queryKey)
      return last?.evaluations.some(({ id }) => id === record) === true ? last : undefined
    }),
  )
  const earlier = useMemo(
    () => list.data && evaluationsBefore(list.data.evaluations, record),
    [list.data, record],
  )
  const { wanted, why, passedOver } = useMemo(() => choiceOf(earlier ?? []), [earlier])
  const found = useQuery(evaluationQuery(request, wanted?.id))
  const before = useMemo(
    (): RunBefore | undefined =>
      found.data && {
        at: found.data.endedAt,
        by: found.data.by,
        passedOver,
        groups: groupByPolicy(readPolicyAnswer(found.data.answer).results),
      },
    [found.data, passedOver],
  )
  const none = useMemo((): NoneBefore | undefined => {
    if (list.isError) return { why: "The previous run isn't known.", passedOver: undefined }
    if (found.isError) return { why: `Not compared: ${found.error.message}`, passedOver }
    return earlier !== undefined && wanted === undefined ? { why, passedOver } : undefined
  }, [list.isError, found.isError, found.error, earlier, wanted, why, passedOver])
  return {
    earlier,
    before: before ?? none ?? 'unknown',
    fault: historyFault(list.data, list.error, record),
  }
}

/** Why a run isn't in the history; whether its results are complete is said elsewhere. */
export function historyFault(
  list: Pick<EvaluationList, 'recording' | 'evaluations'> | undefined,
  error: Error | null,
  record: string | undefined,
): string | undefined {
  if (list === undefined)
    return error === null ? undefined : `Can't read the history: ${error.message}`
  const { recording, evaluations } = list
  const isRecorded = evaluations.some(({ id }) => id === record)
  return recording.ok || isRecorded
    ? undefined
    : `This evaluation wasn't recorded: ${recording.reason ?? "the database isn't accepting it."}`
}

/**
 * The evaluations of a list, the newest first, that went before the one with this id. Records are
 * written after their end: one that is not in the list yet is newer than all that are.
 */
export function evaluationsBefore(
  evaluations: readonly EvaluationSummary[],
  id: string | undefined,
): readonly EvaluationSummary[] {
  return evaluations.slice(evaluations.findIndex((one) => one.id === id) + 1)
}

/** Which of the earlier runs, the newest first, one is compared with; `passedOver` says why it isn't the first. */
export function choiceOf(earlier: readonly EvaluationSummary[]): NoneBefore & {
  readonly wanted: EvaluationSummary | undefined
} {
  const wanted = earlier.find((run) => hindranceOf(run) === undefined)
  const hindrance = earlier[0] && hindranceOf(earlier[0])
  const passedOver = hindrance && `The previous run ${hindrance}.`
  const why = hindrance ? `Not compared: the previous run ${hindrance}.` : 'No previous run.'
  return { wanted, why, passedOver }
}

function hindranceOf(run: EvaluationSummary): string | undefined {
  const lack = lackOf(run)
  if (lack !== undefined) return `is ${lack}`
  if (run.results === 0) return 'has no results'
  return run.results > mostResults ? `has more than ${countText(mostResults)} results` : undefined
}

/** Why a run can't be compared: its missing results would look removed or fixed. Undefined for a whole one. */
export function lackOf({
  ended,
  unreadable,
  leftOut = 0,
}: Pick<EvaluationSummary, 'ended' | 'unreadable'> & {
  readonly leftOut?: number
}): string | undefined {
  if (ended !== 'complete') return 'incomplete'
  if (unreadable > 0) return 'partly unreadable'
  return leftOut > 0 ? 'only partly stored' : undefined
}

const AttestationDifferencesView = lazyPart(
  async () => (await import('./attestation-differences.tsx')).AttestationDifferencesView,
  { waiting: () => <p role="status">Loading…</p> },
)

/** Below a comparison: what the attestations of the two say differently, on demand. */
export function ComparedAttestations({
  before,
  after,
  names,
}: {
  /** Undefined while there is nothing to compare with. */
  before: readonly PolicyGroup[] | undefined
  after: readonly PolicyGroup[]
  names: { readonly before: string; readonly after: string }
}): ReactElement | null {
  const [isOpen, setOpen] = useState(false)
  // A run that only this device remembers, or both of the same evidence: there is nothing to read.
  if (before === undefined || !hasOtherEvidence(before, after)) return null
  return isOpen ? (
    <AttestationDifferencesView before={before} after={after} names={names} />
  ) : (
    <Button
      variant="default"
      style={{ alignSelf: 'flex-start' }}
      onClick={() => {
        setOpen(true)
      }}
    >
      Compare attestations
    </Button>
  )
}

function hasOtherEvidence(before: readonly PolicyGroup[], after: readonly PolicyGroup[]): boolean {
  const uris = (groups: readonly PolicyGroup[]): ReadonlySet<string | null> =>
    new Set(groups.flatMap(({ results }) => results.map((one) => one.attestationUri)))
  const [left, right] = [uris(before), uris(after)]
  return left.size > 0 && [...right, ...left].some((uri) => !left.has(uri) || !right.has(uri))
}

/** What changed since the last run here, or between two versions of the package. */
export function ComparisonLine({
  question,
  comparison,
  other,
  known,
  onChoose,
  children,
  active,
}: {
  question: PolicyScanQuestion
  comparison: Comparison
  other: ScanAddress['other']
  known: KnownPackages
  onChoose: (other: ScanAddress['other']) => void
  /** What else can be chosen beside it, and how much of all this is. */
  children: ReactNode
  active: number
}): ReactElement {
  const versions = otherVersions(known, question)
  const isListed = versions.some((one) => other !== undefined && keyOf(one) === keyOf(other))
  return (
    <>
      {/* A line of its own: what follows stays in its place when this is known. */}
      <Box w="100%" className={css.comparison}>
        <ComparisonText comparison={comparison} />
      </Box>
      <FoldedFilters
        label="Compare"
        word="Compare, as of"
        until={900}
        active={active}
        className={css.inLine}
      >
        {(versions.length > 0 || other !== undefined || comparison.is !== 'none') && (
          <InlineSelect
            label="Compare with"
            value={other === undefined ? '' : keyOf(other)}
            onChange={(key) => {
              onChoose(versions.find((one) => keyOf(one) === key))
            }}
          >
            <option value="">Previous run</option>
            {other !== undefined && !isListed && (
              <option value={keyOf(other)}>Version {other.version}</option>
            )}
            {versions.map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                Version {one.version}
                {versions.filter(({ version }) => version === one.version).length > 1 &&
                  ` (${one.sha256.slice(0, 8)})`}
              </option>
            ))}
          </InlineSelect>
        )}
        {children}
      </FoldedFilters>
    </>
  )
}

function ComparisonText({ comparison }: { comparison: Comparison }): ReactElement {
  switch (comparison.is) {
    case 'none':
      return (
        <Text span inherit c="dimmed">
          {comparison.why}
        </Text>
      )
    case 'running':
      return <span>Loading the last run of {comparison.since}…</span>
    case 'failed':
      return (
        <span>
          Not compared with {comparison.since}: {comparison.reason}
        </span>
      )
    case 'done': {
      const sentence = differenceSentence(comparison.difference, comparison.since)
      const gone = comparison.difference.gone.map(({ name }) => name)
      return (
        <span data-testid="comparison">
          {sentence || `No policy's status changed since ${comparison.since}.`}
          {gone.length > 0 && ` Removed: ${firstOf(gone)}.`}{' '}
          <Text span inherit c="dimmed">
            (<RelativeTime at={comparison.at} />
            {comparison.by !== undefined && `, by ${comparison.by}`})
            {comparison.passedOver !== undefined && ` ${comparison.passedOver}`}
          </Text>
        </span>
      )
    }
  }
}

const mostNamed = 5

/** "a, b, c, d, e and 3 more" */
export function firstOf(names: readonly string[]): string {
  const more = names.length - mostNamed
  const named = names.slice(0, mostNamed).join(', ')
  return more > 0 ? `${named} and ${countText(more)} more` : named
}

type Version = NonNullable<ScanAddress['other']>

/** What is known of the same package with another artifact. */
function otherVersions(
  { remembered, configured }: KnownPackages,
  { address, sha256 }: PolicyScanQuestion,
): readonly Version[] {
  const ofSame = packagePath({ ...address, version: '' })
  const found = [...remembered, ...configured]
    .filter((one) => packagePath({ ...one.address, version: '' }) === ofSame)
    .filter((one) => one.address.version !== address.version || one.sha256 !== sha256)
    .map((one) => ({
      version: one.address.version,
      sha256: one.sha256,
      repositoryUrl: one.repositoryUrl,
    }))
  return [...new Map(found.map((one) => [keyOf(one), one])).values()]
}

function keyOf({ version, sha256, repositoryUrl }: Version): string {
  return [version, sha256, repositoryUrl].join(' ')
}
