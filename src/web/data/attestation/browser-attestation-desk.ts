import {
  type AttestationDesk,
  createAttestationDesk,
  type StartAttestationWorker,
} from './attestation-desk.ts'
import type { FromAttestationWorker } from './attestation-jobs.ts'

/** A desk whose worker is one of the browser. */
export function createBrowserAttestationDesk(): AttestationDesk {
  return createAttestationDesk(startWorker)
}

const startWorker: StartAttestationWorker = (onMessage, onBroken) => {
  const worker = new Worker(new URL('./attestation-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('message', ({ data }: MessageEvent<FromAttestationWorker>) => {
    onMessage(data)
  })
  worker.addEventListener('error', onBroken)
  worker.addEventListener('messageerror', onBroken)
  return {
    post: (message) => {
      worker.postMessage(message)
    },
    end: () => {
      worker.terminate()
    },
  }
}
