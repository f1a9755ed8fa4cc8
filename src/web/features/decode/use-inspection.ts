import { useMemo } from 'react'
import type { DecodedItem } from '../../../attestation/decode-tree.ts'
import type { AttestationDesk } from '../../data/attestation/attestation-desk.ts'
import type { Inspection } from '../../data/attestation/attestation-jobs.ts'
import { type JobState, useJob } from './use-job.ts'
import type { TrustedKeys } from './use-trusted-keys.ts'
import type { Checking } from './verdict-lines.ts'

/** The checking of one attestation: as a job, and as far as its lines are told from it. */
export interface InspectionState {
  readonly job: JobState<Inspection>
  readonly inspection: Inspection | undefined
  readonly checking: Checking
}

/** Checks the signatures of an attestation with the trusted keys, again when these change. */
export function useInspection(
  desk: AttestationDesk,
  { envelope }: DecodedItem,
  { keys, isPending }: TrustedKeys,
): InspectionState {
  const wanted = useMemo(
    () =>
      envelope === undefined || isPending
        ? undefined
        : ({ kind: 'inspect', envelope, keys } as const),
    [envelope, keys, isPending],
  )
  const job = useJob(desk, wanted)
  return {
    job,
    inspection: job.state === 'done' ? job.result : undefined,
    checking: checkingOf(job),
  }
}

function checkingOf(job: JobState<Inspection>): Checking {
  switch (job.state) {
    case 'done':
      return { state: 'checked', verdicts: job.result.verdicts }
    case 'failed':
      return { state: 'broken', reason: `the checking broke off: ${job.reason}` }
    case 'cancelled':
      return { state: 'broken', reason: 'the checking was cancelled.' }
    case 'idle':
    case 'running':
      return { state: 'checking' }
  }
}
