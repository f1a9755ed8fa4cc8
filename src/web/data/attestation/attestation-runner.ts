import { useEffect, useState } from 'react'
import { pageWorker } from '../core/page-worker.ts'
import type {
  AttestationJob,
  AttestationResults,
  FromAttestationWorker,
  JobOutcome,
  JobProgress,
  ToAttestationWorker,
} from './attestation-jobs.ts'

/** A worker that runs `createAttestationEngine`, as far as it is used. */
export interface AttestationWorker {
  readonly post: (message: ToAttestationWorker) => void
  readonly end: () => void
}

/** Starts a worker and says who gets its messages and who hears that it failed. */
export type StartAttestationWorker = (
  onMessage: (message: FromAttestationWorker) => void,
  onBroken: () => void,
) => AttestationWorker

export interface JobOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}

export interface AttestationRunner {
  /**
   * Does a job in the worker. Throws an Error whose message is a sentence where it broke; when
   * `signal` aborts, its reason: the worker is then ended at once, in the middle of whatever it does.
   */
  readonly run: <K extends AttestationJob['kind']>(
    job: Extract<AttestationJob, { readonly kind: K }>,
    options?: JobOptions,
  ) => Promise<AttestationResults[K]>
  /** Ends the worker and all its jobs; the next job starts another. */
  readonly end: () => void
}

/** Opens a runner; its worker starts with the first job. */
export function createAttestationRunner(start: StartAttestationWorker): AttestationRunner {
  const open = new Map<number, OpenJob>()
  let worker: AttestationWorker | undefined
  let lastId = 0

  function onMessage(message: FromAttestationWorker): void {
    const job = open.get(message.id)
    if (message.kind === 'progress') {
      job?.onProgress?.(message.progress)
      return
    }
    open.delete(message.id)
    if (message.kind === 'done') job?.resolve(message.outcome)
    else job?.reject(new Error(message.reason))
  }

  function onBroken(): void {
    worker?.end()
    worker = undefined
    const broken = [...open.values()]
    open.clear()
    const sentence =
      "The browser stopped decoding: it ran out of memory, or couldn't load the code for it. Reload the page."
    for (const { reject } of broken) reject(new Error(sentence))
  }

  /** What runs cannot be stopped otherwise: the others begin again in a new worker. */
  function stop(id: number, reason: unknown): void {
    const job = open.get(id)
    if (job === undefined) return
    open.delete(id)
    worker?.end()
    worker = undefined
    for (const { message } of open.values()) send(message)
    job.reject(reason)
  }

  function send(message: ToAttestationWorker): void {
    worker ??= start(onMessage, onBroken)
    worker.post(message)
  }

  return {
    run: async (job, { signal, onProgress } = {}) => {
      signal?.throwIfAborted()
      lastId += 1
      const message: ToAttestationWorker = { id: lastId, job }
      const { id } = message
      const outcome = await new Promise<JobOutcome>((resolve, reject) => {
        open.set(id, { message, onProgress, resolve, reject })
        signal?.addEventListener(
          'abort',
          () => {
            stop(id, signal.reason)
          },
          { once: true },
        )
        send(message)
      })
      return resultOf(job.kind, outcome)
    },
    end: () => {
      const reason = new DOMException('You left the page.', 'AbortError')
      worker?.end()
      worker = undefined
      const ended = [...open.values()]
      open.clear()
      for (const { reject } of ended) reject(reason)
    },
  }
}

interface OpenJob {
  readonly message: ToAttestationWorker
  readonly onProgress: ((progress: JobProgress) => void) | undefined
  readonly resolve: (outcome: JobOutcome) => void
  readonly reject: (reason: unknown) => void
}

function resultOf<K extends AttestationJob['kind']>(
  kind: K,
  outcome: JobOutcome,
): AttestationResults[K] {
  if (!isOfKind(outcome, kind)) throw new Error(`the worker answered ${outcome.kind} to ${kind}`)
  return outcome.result
}

function isOfKind<K extends AttestationJob['kind']>(
  outcome: JobOutcome,
  kind: K,
): outcome is JobOutcome & { readonly kind: K; readonly result: AttestationResults[K] } {
  return outcome.kind === kind
}

/** A runner of the component's own, on a worker of the browser that ends when the component is left. */
export function useRunner(): AttestationRunner {
  const [runner] = useState(() => createAttestationRunner(startWorker))
  useEffect(
    () => () => {
      runner.end()
    },
    [runner],
  )
  return runner
}

const startWorker: StartAttestationWorker = (onMessage, onBroken) => {
  const worker = pageWorker<ToAttestationWorker, FromAttestationWorker>(
    new Worker(new URL('./attestation-worker.ts', import.meta.url), { type: 'module' }),
  )
  worker.listen(onMessage, onBroken)
  return {
    post: (message) => {
      worker.post(message, [])
    },
    end: worker.end,
  }
}
