import { type ReactElement, useEffect, useMemo, useState } from 'react'
import { Button, Group, Progress, Text } from '@mantine/core'
import type { DecodedItem } from '../../../attestation/decode/decode-tree.ts'
import type { AttestationRunner } from '../../data/attestation/attestation-runner.ts'
import type {
  AttestationJob,
  AttestationResults,
  Inspection,
  JobProgress,
} from '../../data/attestation/attestation-jobs.ts'
import { checkRepository, problemWords } from '../../data/core/problem-words.ts'
import type { TrustedKeys } from '../../domain/attestation/trusted-keys.ts'
import type { ProblemText } from '../../ui/problem.tsx'
import { type Finding, placeInWords } from '../../../attestation/decode/finding.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import { type Checking, verdictsWithoutKeys } from './verdict-lines.ts'
import css from './decode.module.css'

/** The checking of one attestation: as a job, and as far as its lines are reported from it. */
interface InspectionState {
  readonly job: JobState<Inspection>
  readonly inspection: Inspection | undefined
  readonly checking: Checking
}

/** Checks the signatures of an attestation with the trusted keys, again when these change. */
export function useInspection(
  runner: AttestationRunner,
  { envelope }: DecodedItem,
  { keys, sigstore, isPending, isKnown }: TrustedKeys,
): InspectionState {
  const wanted = useMemo(
    () =>
      envelope === undefined || isPending
        ? undefined
        : ({ kind: 'inspect', envelope, keys, sigstore } as const),
    [envelope, keys, sigstore, isPending],
  )
  const job = useJob(runner, wanted)
  const done = job.state === 'done' ? job.result : undefined
  const inspection = useMemo(
    () =>
      done === undefined || isKnown
        ? done
        : { ...done, verdicts: verdictsWithoutKeys(done.verdicts) },
    [done, isKnown],
  )
  return {
    job,
    inspection,
    checking:
      inspection === undefined
        ? checkingOf(job)
        : { state: 'checked', ...inspection, areKeysMissing: !isKnown },
  }
}

function checkingOf(job: JobState<Inspection>): Checking {
  switch (job.state) {
    case 'failed':
      return { state: 'broken', reason: `checking failed: ${job.reason}` }
    case 'cancelled':
      return { state: 'broken', reason: 'checking was canceled.' }
    case 'idle':
    case 'running':
    case 'done':
      return { state: 'checking' }
  }
}

/** How a job in the worker stands. */
type JobState<T> =
  | { readonly state: 'idle' }
  | {
      readonly state: 'running'
      /** It takes longer than a moment: worth showing. */
      readonly isSlow: boolean
      readonly progress: JobProgress | undefined
      readonly cancel: () => void
    }
  | { readonly state: 'done'; readonly result: T }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'cancelled'; readonly again: () => void }

type JobOf<K extends AttestationJob['kind']> = Extract<AttestationJob, { readonly kind: K }>

type Reported<T> =
  | { readonly state: 'running'; readonly progress: JobProgress | undefined }
  | { readonly state: 'done'; readonly result: T }
  | { readonly state: 'failed'; readonly reason: string }

/** A job shorter than this, ms, is over before anyone would read of it. */
const patience = 200

/**
 * Does a job while the component is shown, and again when `job` is another object; undefined does
 * nothing. What is left or cancelled is ended in the worker as well.
 */
export function useJob<K extends AttestationJob['kind']>(
  runner: AttestationRunner,
  job: JobOf<K> | undefined,
): JobState<AttestationResults[K]> {
  const [reported, setReported] = useState<{
    readonly job: unknown
    readonly is: Reported<AttestationResults[K]>
  }>()
  const [cancelled, setCancelled] = useState<unknown>()
  const isCancelled = job !== undefined && cancelled === job

  useEffect(() => {
    if (job === undefined || isCancelled) return
    const abort = new AbortController()
    let progress: JobProgress | undefined
    let isSlow = false
    const report = (is: Reported<AttestationResults[K]>): void => {
      if (!abort.signal.aborted) setReported({ job, is })
    }
    const timer = setTimeout(() => {
      isSlow = true
      report({ state: 'running', progress })
    }, patience)
    const onProgress = (next: JobProgress): void => {
      progress = next
      if (isSlow) report({ state: 'running', progress })
    }
    runner
      .run<K>(job, { signal: abort.signal, onProgress })
      .then(
        (result) => {
          report({ state: 'done', result })
        },
        (error: unknown) => {
          report({
            state: 'failed',
            reason: reasonOf(error),
          })
        },
      )
      .finally(() => {
        clearTimeout(timer)
      })
    return () => {
      clearTimeout(timer)
      abort.abort(new DOMException('No longer needed.', 'AbortError'))
    }
  }, [runner, job, isCancelled])

  if (job === undefined) return { state: 'idle' }
  if (isCancelled) {
    const again = (): void => {
      setCancelled(undefined)
    }
    return { state: 'cancelled', again }
  }
  const is = reported?.job === job ? reported.is : undefined
  if (is?.state === 'done' || is?.state === 'failed') return is
  const cancel = (): void => {
    setCancelled(job)
  }
  return { state: 'running', isSlow: is !== undefined, progress: is?.progress, cancel }
}

/** Why a stored attestation cannot be shown: what it means for the reader, and the next step. */
export function loadProblem(fault: Error): ProblemText {
  const requested = { action: 'show', noun: 'the attestation', server: 'policy service' }
  return problemWords(fault, requested, {
    mistaken: {
      title: "The policy service doesn't understand this URL.",
      meaning:
        "The digest is malformed, or the store doesn't have the form <type>:<name>, such as s3:release. Copy the complete attestationUri again.",
    },
    forbidden: {
      meaning: `Sightline's user isn't allowed to read this package or its repository. ${checkRepository}`,
    },
    'not-found': {
      title: 'Attestation not found.',
      meaning:
        "The id doesn't exist, or its store isn't configured in the policy service. Check the URL, or publish the attestations of the package again.",
    },
  })
}

const tones: Readonly<Record<Finding['level'], StatusTone>> = {
  mistake: 'bad',
  warning: 'waiting',
  note: 'info',
}

/** As many are listed; a thousand alike say no more. */
const most = 20

/** What is odd or wrong with what was given, each with its place. */
export function Findings({
  findings,
  label,
}: {
  findings: readonly Finding[]
  label: string
}): ReactElement | null {
  if (findings.length === 0) return null
  return (
    <ul className={css.list} aria-label={label}>
      {findings.slice(0, most).map(({ level, message, at }, index) => (
        <li key={index} className={css.finding} data-tone={tones[level]}>
          <StatusShape tone={tones[level]} />
          <span>
            {visibleText(message)}
            {at !== undefined && (
              <Text span inherit fz="xs" c="dimmed">
                {' '}
                ({at.in === 'payload' ? 'payload, ' : ''}
                {at.unit === 'character' && at.line === 1
                  ? `character ${countText(at.column)}`
                  : placeInWords(at)}
                )
              </Text>
            )}
          </span>
        </li>
      ))}
      {findings.length > most && (
        <Text component="li" inherit fz="xs" c="dimmed">
          And {countOf(findings.length - most, 'more like these', 'more like these')}.
        </Text>
      )}
    </ul>
  )
}

/** How far a job is, once it takes more than a moment, and the way to end it. */
export function JobProgressBar({ job }: { job: JobState<unknown> }): ReactElement | null {
  if (job.state === 'cancelled') {
    return (
      <Group gap={12} role="status">
        <span>Canceled.</span>
        <Button size="compact-xs" variant="default" onClick={job.again}>
          Start again
        </Button>
      </Group>
    )
  }
  if (job.state !== 'running' || !job.isSlow) return null
  const { progress } = job
  const isKnown = progress !== undefined && progress.of > 0
  const [word, count] = progressText(progress).split(/(?=, )/)
  return (
    <Group gap={12} role="status">
      <Text span inherit>
        {word}
        {/* What counts is not read out. */}
        <span aria-hidden="true">{count}</span>
      </Text>
      <Progress
        flex={1}
        maw={320}
        value={isKnown ? (100 * progress.done) / progress.of : 100}
        animated={!isKnown}
        aria-label="Progress"
      />
      <Button size="compact-xs" variant="default" onClick={job.cancel}>
        Cancel
      </Button>
    </Group>
  )
}

function progressText(progress: JobProgress | undefined): string {
  switch (progress?.what) {
    case undefined:
      return 'Starting…'
    case 'reading':
      return 'Loading…'
    case 'decoding':
      return 'Decoding…'
    case 'comparing':
      return 'Comparing…'
    case 'hashing':
      return `Hashing, ${Math.floor((100 * progress.done) / Math.max(1, progress.of))}%…`
    case 'verifying':
      return `Checking signatures, ${countText(progress.done)} of ${countText(progress.of)}…`
  }
}
