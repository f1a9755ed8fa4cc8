import { constants, createGzip } from 'node:zlib'
import type { Clock } from '../../../protocol/clock.ts'
import type { UpstreamResponse } from './upstream-client.ts'

/** How a body is passed on. */
export interface BodyStreamOptions {
  readonly clock: Clock
  /** How long the upstream may stay silent in the middle of a body, ms. */
  readonly idleMs: number
  /**
   * The body broke off, or fell silent (`null`), and what was sent so far must not look whole: true
   * where the reader's connection is broken by this, so that the stream need not fail as well. `words`, if
   * there are any, go to the reader before.
   */
  readonly onCut: (error: unknown, words: Uint8Array | undefined) => boolean
  /**
   * What tells a reader of it in the body, or that the session has ended: reverse proxies may end a broken connection
   * as if it were whole.
   */
  readonly lastWords?: ((isSessionOver: boolean) => Uint8Array) | undefined
  /** Zips what the reader gets, piece by piece; a copy is not zipped. */
  readonly gzip?: boolean
  /** Reads along; where it cannot follow, the reader waits for it does for the upstream. */
  readonly copy?: BodyCopy | undefined
  /** Whether the reader has left, which fails the upstream's answer as well. */
  readonly hasLeft?: () => boolean
  /** Aborts when the reader's session ends: the body breaks off. */
  readonly ended?: AbortSignal
  /** Aborts when the process is about to end: the same. */
  readonly stopping?: AbortSignal | undefined
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
  const zip = options.gzip === true ? createZip() : undefined
  let over = false
  let cut: (error: unknown) => void = () => undefined
  const cutWithSession = (): void => {
    cut(new Error('the session has ended'))
  }
  const cutWithProcess = (): void => {
    cut(new Error('Sightline is shutting down'))
  }
  const finish = (): void => {
    over = true
    options.ended?.removeEventListener('abort', cutWithSession)
    options.stopping?.removeEventListener('abort', cutWithProcess)
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        cut = (error) => {
          if (over) return
          finish()
          answer.cancel()
          const hasLeft = options.hasLeft?.() === true
          const isSessionOver = options.ended?.aborted === true
          const isGivenUp = hasLeft || isSessionOver
          options.copy?.end(isGivenUp ? 'cancelled' : 'broken')
          const breakOff = (words: Uint8Array | undefined): void => {
            zip?.drop()
            if (!options.onCut(error, words))
              controller.error(new Error('the upstream closed the connection mid-response'))
          }
          const words = hasLeft ? undefined : options.lastWords?.(isSessionOver)
          if (zip === undefined || words === undefined) breakOff(words)
          else void zip.piece(words).then(breakOff)
        }
        options.ended?.addEventListener('abort', cutWithSession)
        options.stopping?.addEventListener('abort', cutWithProcess)
      },
      pull: async (controller) => {
        // Only the upstream is timed: while the reader takes its time, nothing waits here.
        const stopWatch = options.clock.after(options.idleMs, () => {
          cut(null)
        })
        try {
          const next = await pieces.next()
          if (over) return
          if (next.done === true) {
            finish()
            options.copy?.end('complete')
            if (zip !== undefined) controller.enqueue(await zip.end())
            controller.close()
          } else {
            stopWatch()
            controller.enqueue(zip === undefined ? next.value : await zip.piece(next.value))
            await options.copy?.take(next.value)
          }
        } catch (error) {
          cut(error)
        } finally {
          stopWatch()
        }
      },
      cancel: () => {
        if (!over) options.copy?.end('cancelled')
        finish()
        zip?.drop()
        answer.cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

/** Zips piece by piece: a reader can unzip each as soon as it has it. */
function createZip() {
  const gzip = createGzip({ level: 3 })
  let zipped: Buffer[] = []
  gzip.on('data', (bytes: Buffer) => zipped.push(bytes))
  const taken = (): Uint8Array => {
    const bytes = Buffer.concat(zipped)
    zipped = []
    return bytes
  }
  return {
    piece: (bytes: Uint8Array): Promise<Uint8Array> =>
      new Promise((resolve) => {
        gzip.write(bytes)
        gzip.flush(constants.Z_SYNC_FLUSH, () => {
          resolve(taken())
        })
      }),
    end: (): Promise<Uint8Array> =>
      new Promise((resolve) => {
        gzip.once('end', () => {
          resolve(taken())
        })
        gzip.end()
      }),
    drop: () => {
      gzip.destroy()
    },
  }
}

/** How an answer ended: as a whole, broken off by the upstream, or given up by whoever reads it. */
export type BodyEnd = 'complete' | 'broken' | 'cancelled'

/** Somebody who reads along while a body is passed on. Never throws, and never fails the reader. */
export interface BodyCopy {
  /** Takes the next piece; where it answers a promise, more is to come only after that. */
  readonly take: (piece: Uint8Array) => Promise<void> | undefined
  /** There will be no more. Told once. */
  readonly end: (how: BodyEnd) => void
}

/** A copy that is read as a stream of pieces, and how it ended. */
export interface ReadableCopy {
  readonly copy: BodyCopy
  /** Once; leaving the loop gives up the rest, which is then taken and forgotten. */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Whether there was to be more behind the last piece. */
  readonly isCut: () => boolean
  readonly ended: Promise<BodyEnd>
}

/** As much may wait to be read before the next piece has to, bytes. */
const mostWaiting = 1024 * 1024

/** Makes a copy that can be read as it arrives; what waits in it is bounded. */
export function createBodyCopy(): ReadableCopy {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let over: BodyEnd | undefined
  let isGivenUp = false
  let wakeReader = (): void => undefined
  let wakeWriter = (): void => undefined
  let tellEnd: (how: BodyEnd) => void = () => undefined
  const ended = new Promise<BodyEnd>((resolve) => {
    tellEnd = resolve
  })

  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const piece = waiting.shift()
        if (piece !== undefined) {
          waitingBytes -= piece.length
          if (waitingBytes < mostWaiting) wakeWriter()
          yield piece
        } else if (over !== undefined) return
        else {
          await new Promise<void>((resolve) => {
            wakeReader = resolve
          })
        }
      }
    } finally {
      isGivenUp = true
      waiting.length = 0
      wakeWriter()
    }
  }

  return {
    copy: {
      take: (piece) => {
        if (isGivenUp || over !== undefined) return undefined
        waiting.push(piece)
        waitingBytes += piece.length
        wakeReader()
        if (waitingBytes < mostWaiting) return undefined
        return new Promise<void>((resolve) => {
          wakeWriter = resolve
        })
      },
      end: (how) => {
        over = how
        wakeReader()
        tellEnd(how)
      },
    },
    pieces: pieces(),
    isCut: () => over !== undefined && over !== 'complete',
    ended,
  }
}
