import { type Clock, wait } from '../../protocol/clock.ts'
import type { Fault } from './faults.ts'
import { type Bytes, pulledBody } from './pulled-body.ts'

/** The faults that spoil the body of a true answer. */
export type BodyFault = Exclude<Fault, { readonly kind: 'status' }>

/**
 * A body as a fault lets it through. A cut one calls `hangUp` after its bytes where it can, so that
 * the connection ends as if the network had failed; otherwise the body fails.
 */
export function spoiledBody(
  body: ReadableStream<Uint8Array>,
  fault: BodyFault,
  clock: Clock,
  hangUp: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  return pulledBody((gone) => {
    switch (fault.kind) {
      case 'cut':
        return cut(body, fault.afterBytes, gone, hangUp)
      case 'slow':
        return slow(body, fault.bytesPerSecond, gone, clock)
      case 'silence':
        return silence(body, gone)
      default:
        return fault satisfies never
    }
  })
}

async function* cut(
  body: ReadableStream<Uint8Array>,
  afterBytes: number,
  gone: AbortSignal,
  hangUp: (() => void) | undefined,
): ReturnType<Bytes> {
  let left = afterBytes
  for await (const piece of piecesOf(body, gone)) {
    yield piece.subarray(0, left)
    left -= piece.length
    if (left <= 0) break
  }
  if (left > 0) return
  if (hangUp === undefined) throw new Error('cut for practice')
  // What was written must leave the process before the connection goes.
  await new Promise((resolve) => setImmediate(resolve))
  hangUp()
  await aborted(gone)
}

async function* slow(
  body: ReadableStream<Uint8Array>,
  bytesPerSecond: number,
  gone: AbortSignal,
  clock: Clock,
): ReturnType<Bytes> {
  const step = Math.max(1, Math.round(bytesPerSecond / 10))
  for await (const piece of piecesOf(body, gone)) {
    for (let start = 0; start < piece.length; start += step) {
      await wait(clock, (1000 * step) / bytesPerSecond, gone)
      if (gone.aborted) return
      yield piece.subarray(start, start + step)
    }
  }
}

async function* silence(body: ReadableStream<Uint8Array>, gone: AbortSignal): ReturnType<Bytes> {
  yield* []
  await aborted(gone)
  await body.cancel()
}

/** The pieces of a body; reading ends, also in the middle of a wait, when the reader is gone. */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader()
  const cancel = (): void => {
    void reader.cancel()
  }
  gone.addEventListener('abort', cancel)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    gone.removeEventListener('abort', cancel)
    cancel()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => {
      resolve()
    })
  })
}
