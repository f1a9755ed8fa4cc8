/** How an answer ended: as a whole, broken off by the upstream, or given up by whoever reads it. */
export type AnswerEnd = 'complete' | 'broken' | 'cancelled'

/** Somebody who reads along while a body is passed on. Never throws, and never fails the reader. */
export interface BodyCopy {
  /** Takes the next piece; where it answers a promise, more is to come only after that. */
  readonly take: (piece: Uint8Array) => Promise<void> | undefined
  /** There will be no more. Told once. */
  readonly end: (how: AnswerEnd) => void
}

/** A copy that is read as a stream of pieces, and how it ended. */
export interface ReadableCopy {
  readonly copy: BodyCopy
  /** Once; leaving the loop gives up the rest, which is then taken and forgotten. */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Whether there was to be more behind the last piece. */
  readonly isCut: () => boolean
  readonly ended: Promise<AnswerEnd>
}

/** As much may wait to be read before the next piece has to, bytes. */
const mostWaiting = 1024 * 1024

/** Makes a copy that can be read as it arrives; what waits in it is bounded. */
export function createBodyCopy(): ReadableCopy {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let over: AnswerEnd | undefined
  let isGivenUp = false
  let wakeReader = (): void => undefined
  let wakeWriter = (): void => undefined
  let tellEnd: (how: AnswerEnd) => void = () => undefined
  const ended = new Promise<AnswerEnd>((resolve) => {
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
