import { buffersOf, createAttestationEngine } from './attestation-engine.ts'
import type { ToAttestationWorker } from './attestation-jobs.ts'

/** The worker that decodes and verifies: ten megabytes of it must not hold up the page. */
const take = createAttestationEngine((message) => {
  self.postMessage(message, { transfer: message.kind === 'done' ? buffersOf(message.outcome) : [] })
})

self.addEventListener('message', ({ data }: MessageEvent<ToAttestationWorker>) => {
  void take(data)
})
