import type { Clock } from '../../protocol/clock.ts'
import type { BodyCopy } from './body-copy.ts'
import type { UpstreamResponse } from './upstream-client.ts'

/** How a body is passed on. */
export interface BodyStreamOptions {
  readonly clock: Clock
  /** How long the upstream may stay silent in the middle of a body, ms. */
  readonly idleMs: number
  /**
   * The body broke off, or fell silent (`null`), and what was sent so far must not look whole: true
   * where the reader's connection is broken by this, so that the stream need not fail as well.
   */
  readonly onCut: (error: unknown) => boolean
  /** Reads along; where it cannot follow, the reader waits for it as it does for the upstream. */
  readonly copy?: BodyCopy | undefined
  /** Whether the reader has left, which fails the upstream's answer as well. */
  readonly hasLeft?: () => boolean
}

/**
 * An upstream's body as a web stream that holds nothing: the next piece is asked for when the last
 * was taken, so that a slow reader slows the upstream down. Cancelled, it gives up the upstream. When
 * the upstream breaks off, `onCut` is told.
 */
export function bodyStream(
  answer: UpstreamResponse,
  options: BodyStreamOptions,
): ReadableStream<Uint8Array> {
  const pieces = answer.body[Symbol.asyncIterator]()
  let over = false
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const fail = (error: unknown): void => {
          if (over) return
          over = true
          answer.cancel()
          options.copy?.end(options.hasLeft?.() === true ? 'cancelled' : 'broken')
          if (!options.onCut(error))
            controller.error(new Error('the upstream broke off its answer'))
        }
        // Only the upstream is timed: while the reader takes its time, nothing waits here.
        const stopWatch = options.clock.after(options.idleMs, () => {
          fail(null)
        })
        try {
          const next = await pieces.next()
          if (over) return
          if (next.done === true) {
            over = true
            controller.close()
            options.copy?.end('complete')
          } else {
            controller.enqueue(next.value)
            stopWatch()
            await options.copy?.take(next.value)
          }
        } catch (error) {
          fail(error)
        } finally {
          stopWatch()
        }
      },
      cancel: () => {
        if (!over) options.copy?.end('cancelled')
        over = true
        answer.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}
