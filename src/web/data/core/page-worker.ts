import { type ProblemError, problemError } from '../../../protocol/problem.ts'

export interface PageWorker<To, From> {
  readonly post: (message: To, transfer: readonly ArrayBuffer[]) => void
  /** Sets who is notified of its messages, and of why it broke down. */
  readonly listen: (
    onMessage: (message: From) => void,
    onBroken: (why: ProblemError) => void,
  ) => void
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
      for (const type of ['error', 'messageerror']) {
        worker.addEventListener(type, (event) => {
          onBroken(whyBroken(event))
        })
      }
    },
    end: () => {
      worker.terminate()
    },
  }
}

/** Of code that can't be loaded the event says nothing: the server is away, or has been updated since. */
function whyBroken(event: Event): ProblemError {
  if (event.type === 'error' && !('message' in event)) {
    const sentence =
      "A part of Sightline couldn't be loaded. Check your connection and try again, or reload the page."
    return problemError(503, 'worker-missing', 'Not loaded', sentence)
  }
  const sentence = 'The browser stopped working on it, probably because it ran out of memory.'
  return problemError(413, 'worker-broke', 'Stopped by the browser', sentence)
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
      return answerOf(given, kind)
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

/** The answer to a query of this kind. Throws an Error for one of another kind. */
export function answerOf<Answers, K extends keyof Answers>(
  given: AnswerOf<Answers>,
  kind: K,
): Answers[K] {
  if (isOfKind(given, kind)) return given.answer
  throw new Error(`the worker answered ${String(given.kind)} to ${String(kind)}`)
}

function isOfKind<Answers, K extends keyof Answers>(
  given: AnswerOf<Answers>,
  kind: K,
): given is AnswerOf<Answers> & { readonly kind: K; readonly answer: Answers[K] } {
  return given.kind === kind
}
