import { config } from 'zod/mini'
import { createBuildEngine } from './build-event-engine.ts'
import type { ToWorker } from './build-event-messages.ts'

// The content security policy allows no code made from texts.
config({ jitless: true })

/** The worker that reads the events of builds: half a million of them must not hold up the page. */
const take = createBuildEngine((message) => {
  self.postMessage(message)
})

self.addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  take(data)
})
