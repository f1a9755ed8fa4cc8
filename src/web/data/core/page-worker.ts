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

/** An answer of any kind, as it crosses from the worker. */
export type AnswerOf<Answers> = {
  [K in keyof Answers]: { readonly kind: K; readonly answer: Answers[K] }
}[keyof Answers]

export type Answered<Answers> =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerOf<Answers> }
  | { readonly kind: 'no-answer'; readonly id: number; readonly reason: string }

/** The queries to a worker that it hasn't answered yet. */
export interface OpenQueries<Answers> {
  /** Calls `send` with the id of a new query of this kind. Throws an Error where there is no answer to it. */
  readonly ask: <K extends keyof Answers>(
    kind: K,
    send: (id: number) => void,
  ) => Promise<Answers[K]>
  readonly settle: (answered: Answered<Answers>) => void
  /** None of them is answered any more. */
  readonly reject: (reason: string) => void
}

/** Starts without a query. */
export function createOpenQueries<Answers>(): OpenQueries<Answers> {
  const open = new Map<
    number,
    { readonly resolve: (answer: AnswerOf<Answers>) => void; readonly reject: (why: Error) => void }
  >()
  let lastId = 0
  return {
    ask: async (kind, send) => {
      const given = await new Promise<AnswerOf<Answers>>((resolve, reject) => {
        lastId += 1
        open.set(lastId, { resolve, reject })
        send(lastId)
      })
      if (isOfKind(given, kind)) return given.answer
      throw new Error(`the worker answered ${String(given.kind)} to ${String(kind)}`)
    },
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

function isOfKind<Answers, K extends keyof Answers>(
  given: AnswerOf<Answers>,
  kind: K,
): given is AnswerOf<Answers> & { readonly kind: K; readonly answer: Answers[K] } {
  return given.kind === kind
}
