import type { Clock } from '../../../protocol/clock.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { noFreePlace, tooManyRequests } from './governor-problem.ts'

/** A bounded number of requests at a time. The functions that they are given give a place back, once. */
export interface RequestPool {
  /**
   * Takes a place. Throws a ProblemError (429) where none is free: who evaluates comes back, as
   * docs/services.md#policy-service-limits has it.
   */
  readonly take: () => () => void
  /**
   * Takes a place when it is this one's turn, before any `take`. Rejects with a ProblemError (500)
   * where none becomes free within 30 s, or `signal` aborts before: publishing has no 429
   * (docs/services.md#publish), and is nothing that a client should repeat by itself.
   */
  readonly await: (signal: AbortSignal) => Promise<() => void>
}

const longestWaitMs = 30_000

/** A pool of `size` places. */
export function createRequestPool(size: number, clock: Clock): RequestPool {
  let taken = 0
  const waiting: (() => void)[] = []

  function place(): () => void {
    taken += 1
    let given = false
    return () => {
      if (given) return
      given = true
      taken -= 1
      waiting.shift()?.()
    }
  }

  return {
    take: () => {
      if (taken >= size) throw tooManyRequests()
      return place()
    },
    await: (signal) =>
      new Promise((resolve, reject) => {
        if (taken < size) {
          resolve(place())
          return
        }
        const begin = (): void => {
          stop()
          resolve(place())
        }
        const leave = (): void => {
          stop()
          waiting.splice(waiting.indexOf(begin), 1)
          reject(noFreePlace(longestWaitMs))
        }
        const cancel = clock.after(longestWaitMs, leave)
        const stop = (): void => {
          cancel()
          signal.removeEventListener('abort', leave)
        }
        waiting.push(begin)
        signal.addEventListener('abort', leave)
        if (signal.aborted) leave()
      }),
  }
}

/** Whether a client requests results as they become ready (docs/services.md#streamed-responses). */
export function wantsNdjson(accept: string | undefined): boolean {
  const weights = (accept ?? '').split(',').map((part) => {
    const [type = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const quality = parameters.find((text) => text.startsWith('q='))
    return [type, quality === undefined ? 1 : Number(quality.slice(2))] as const
  })
  const weightOf = (type: string): number => weights.find(([name]) => name === type)?.[1] ?? 0
  const ndjson = weightOf('application/x-ndjson')
  return ndjson > 0 && ndjson >= weightOf('application/json')
}

/**
 * Results as NDJSON, each written as soon as it is there. The answer begins with the first of them:
 * where there is none, because the work fails, it rejects, as a status can be answered still. A
 * failure half way ends the stream with an error, so that a client cannot take it for complete.
 * `done` is called once, however an answer that has begun ends.
 */
export async function ndjsonResponse(
  results: AsyncIterable<unknown>,
  done: () => void,
): Promise<Response> {
  const iterator = results[Symbol.asyncIterator]()
  let first: IteratorResult<unknown> | undefined = await iterator.next()
  const encoder = new TextEncoder()
  let isOver = false
  // A client may leave while the next result is being made, whose end then comes as well.
  const end = (): void => {
    if (!isOver) done()
    isOver = true
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = first ?? (await iterator.next())
        first = undefined
        if (isOver) return
        if (next.done !== true) {
          controller.enqueue(encoder.encode(ndjsonLine(next.value)))
          return
        }
        end()
        controller.close()
      } catch (error) {
        end()
        controller.error(error)
      }
    },
    cancel: async () => {
      end()
      await iterator.return?.()
    },
  })
  return new Response(body, {
    headers: {
      'Content-Type': 'application/x-ndjson',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    },
  })
}
