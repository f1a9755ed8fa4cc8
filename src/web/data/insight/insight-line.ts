import type {
  FromInsightWorker,
  InsightAnswer,
  InsightQuery,
  ToInsightWorker,
} from './insight-messages.ts'

/** A worker that runs `createInsightEngine`, as far as it is used. */
export interface InsightWorker {
  readonly post: (message: ToInsightWorker, transfer: readonly ArrayBuffer[]) => void
  /** Sets who is notified of its messages, and of its breaking down. */
  readonly listen: (onMessage: (message: FromInsightWorker) => void, onBroken: () => void) => void
  readonly end: () => void
}

/** The page's end of the line to the worker. */
export interface InsightLine {
  readonly post: InsightWorker['post']
  /** Throws an Error where there is no answer. */
  readonly query: (query: InsightQuery) => Promise<InsightAnswer>
  readonly end: () => void
}

/** Opens the line. `onBroken` is called when the worker broke down; nothing works after that. */
export function createInsightLine(
  worker: InsightWorker,
  onTaken: (taken: Extract<FromInsightWorker, { kind: 'taken' }>) => void,
  onBroken: () => void,
): InsightLine {
  const open = new Map<
    number,
    { readonly resolve: (answer: InsightAnswer) => void; readonly reject: (why: Error) => void }
  >()
  let queries = 0

  function rejectAll(reason: string): void {
    for (const { reject } of open.values()) reject(new Error(reason))
    open.clear()
  }

  worker.listen(
    (message) => {
      switch (message.kind) {
        case 'taken':
          onTaken(message)
          break
        case 'answer':
          open.get(message.id)?.resolve(message.answer)
          open.delete(message.id)
          break
        case 'no-answer':
          open.get(message.id)?.reject(new Error(message.reason))
          open.delete(message.id)
      }
    },
    () => {
      rejectAll('the worker failed')
      onBroken()
    },
  )

  return {
    post: worker.post,
    query: (query) =>
      new Promise((resolve, reject) => {
        queries += 1
        open.set(queries, { resolve, reject })
        worker.post({ kind: 'query', id: queries, query }, [])
      }),
    end: () => {
      rejectAll('nobody looks at these builds any more')
      worker.end()
    },
  }
}

/** Starts the worker in the browser. */
export function startInsightWorker(): InsightWorker {
  const worker = new Worker(new URL('./insight-worker.ts', import.meta.url), { type: 'module' })
  return {
    post: (message, transfer) => {
      worker.postMessage(message, [...transfer])
    },
    listen: (onMessage, onBroken) => {
      worker.addEventListener('message', ({ data }: MessageEvent<FromInsightWorker>) => {
        onMessage(data)
      })
      worker.addEventListener('error', onBroken)
      worker.addEventListener('messageerror', onBroken)
    },
    end: () => {
      worker.terminate()
    },
  }
}
