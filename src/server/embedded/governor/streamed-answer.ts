import { ndjsonLine } from '../../../protocol/ndjson.ts'

/** Whether a client asks for results as they become ready (docs/services.md#streamed-responses). */
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
export async function ndjsonAnswer(
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
