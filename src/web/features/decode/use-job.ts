import { useEffect, useState } from 'react'
import type { AttestationDesk } from '../../data/attestation/attestation-desk.ts'
import type {
  AttestationJob,
  AttestationResults,
  JobProgress,
} from '../../data/attestation/attestation-jobs.ts'

/** How a job in the worker stands. */
export type JobState<T> =
  | { readonly state: 'idle' }
  | {
      readonly state: 'running'
      /** It takes longer than a moment: worth telling. */
      readonly isSlow: boolean
      readonly progress: JobProgress | undefined
      readonly cancel: () => void
    }
  | { readonly state: 'done'; readonly result: T }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'cancelled'; readonly again: () => void }

type JobOf<K extends AttestationJob['kind']> = Extract<AttestationJob, { readonly kind: K }>

type Told<T> =
  | { readonly state: 'running'; readonly progress: JobProgress | undefined }
  | { readonly state: 'done'; readonly result: T }
  | { readonly state: 'failed'; readonly reason: string }

/** A job shorter than this, ms, is over before anybody would read of it. */
const patience = 200

/**
 * Does a job while the component is shown, and again when `job` is another object; undefined does
 * nothing. What is left or cancelled is ended in the worker as well.
 */
export function useJob<K extends AttestationJob['kind']>(
  desk: AttestationDesk,
  job: JobOf<K> | undefined,
): JobState<AttestationResults[K]> {
  const [told, setTold] = useState<{
    readonly job: unknown
    readonly is: Told<AttestationResults[K]>
  }>()
  const [cancelled, setCancelled] = useState<unknown>()
  const isCancelled = job !== undefined && cancelled === job

  useEffect(() => {
    if (job === undefined || isCancelled) return
    const abort = new AbortController()
    let progress: JobProgress | undefined
    let isSlow = false
    const tell = (is: Told<AttestationResults[K]>): void => {
      if (!abort.signal.aborted) setTold({ job, is })
    }
    const timer = setTimeout(() => {
      isSlow = true
      tell({ state: 'running', progress })
    }, patience)
    const onProgress = (next: JobProgress): void => {
      progress = next
      if (isSlow) tell({ state: 'running', progress })
    }
    desk
      .run<K>(job, { signal: abort.signal, onProgress })
      .then(
        (result) => {
          tell({ state: 'done', result })
        },
        (error: unknown) => {
          tell({ state: 'failed', reason: error instanceof Error ? error.message : String(error) })
        },
      )
      .finally(() => {
        clearTimeout(timer)
      })
    return () => {
      clearTimeout(timer)
      abort.abort(new DOMException('No longer needed.', 'AbortError'))
    }
  }, [desk, job, isCancelled])

  if (job === undefined) return { state: 'idle' }
  if (isCancelled) {
    const again = (): void => {
      setCancelled(undefined)
    }
    return { state: 'cancelled', again }
  }
  const is = told?.job === job ? told.is : undefined
  if (is?.state === 'done' || is?.state === 'failed') return is
  const cancel = (): void => {
    setCancelled(job)
  }
  return { state: 'running', isSlow: is !== undefined, progress: is?.progress, cancel }
}
