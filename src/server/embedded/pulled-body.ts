/** The bytes of a body, made as they are read; they end early once the signal aborts. */
export type Bytes = (gone: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>

/**
 * A body that makes nothing before it is read and one piece at a time, so that a reader who stops
 * reading costs one piece. When the reader goes, the signal aborts and the bytes are ended.
 */
export function pulledBody(bytes: Bytes): ReadableStream<Uint8Array> {
  const gone = new AbortController()
  const pieces = bytes(gone.signal)
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        gone.abort()
        await pieces.return()
      },
    },
    { highWaterMark: 0 },
  )
}
