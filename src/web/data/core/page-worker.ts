/** A worker as far as a page uses it. */
export interface PageWorker<To, From> {
  readonly post: (message: To, transfer: readonly ArrayBuffer[]) => void
  /** Sets who is notified of its messages, and of its breaking down. */
  readonly listen: (onMessage: (message: From) => void, onBroken: () => void) => void
  readonly end: () => void
}

/** A worker of the browser. */
export function pageWorker<To, From>(worker: Worker): PageWorker<To, From> {
  return {
    post: (message, transfer) => {
      worker.postMessage(message, [...transfer])
    },
    listen: (onMessage, onBroken) => {
      worker.addEventListener('message', ({ data }: MessageEvent<From>) => {
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

/** What a worker says to a query. */
export type Answered<Answer> =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'no-answer'; readonly id: number; readonly reason: string }

/** The queries to a worker that it hasn't answered yet. */
export interface OpenQueries<Answer> {
  /** Calls `send` with the id of a new query. Throws an Error where there is no answer. */
  readonly ask: (send: (id: number) => void) => Promise<Answer>
  readonly settle: (answered: Answered<Answer>) => void
  /** None of them is answered any more. */
  readonly reject: (reason: string) => void
}

/** Starts without a query. */
export function createOpenQueries<Answer>(): OpenQueries<Answer> {
  const open = new Map<
    number,
    { readonly resolve: (answer: Answer) => void; readonly reject: (why: Error) => void }
  >()
  let lastId = 0
  return {
    ask: (send) =>
      new Promise((resolve, reject) => {
        lastId += 1
        open.set(lastId, { resolve, reject })
        send(lastId)
      }),
    settle: (answered) => {
      const query = open.get(answered.id)
      open.delete(answered.id)
      if (answered.kind === 'answer') query?.resolve(answered.answer)
      else query?.reject(new Error(answered.reason))
    },
    reject: (reason) => {
      for (const { reject } of open.values()) reject(new Error(reason))
      open.clear()
    },
  }
}
