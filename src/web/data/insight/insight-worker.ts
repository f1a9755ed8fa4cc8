import { createInsightEngine } from './insight-engine.ts'
import type { ToInsightWorker } from './insight-messages.ts'

/** The worker that folds builds: a hundred thousand of them must not hold up the page. */
const take = createInsightEngine((message) => {
  self.postMessage(message)
})

self.addEventListener('message', ({ data }: MessageEvent<ToInsightWorker>) => {
  take(data)
})
