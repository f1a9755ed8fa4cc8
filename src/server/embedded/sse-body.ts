import { constants, createGzip } from 'node:zlib'

/** The texts of a stream, made as they are read; they end early once the signal aborts. */
export type SseTexts = (gone: AbortSignal) => AsyncGenerator<string, void, undefined>

/**
 * The body of a stream of server-sent events. With `gzip` every text is flushed, so that
 * compression holds nothing back.
 */
export function sseBody(texts: SseTexts, gzip: boolean): ReadableStream<Uint8Array> {
  return pulledBody((gone) => (gzip ? gzipped(texts(gone)) : encoded(texts(gone))))
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}

async function* gzipped(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, undefined> {
  const gzip = createGzip({ level: 4, memLevel: 6, windowBits: 13 })
  const pieces: Uint8Array[] = []
  gzip.on('data', (piece: Uint8Array) => pieces.push(piece))
  try {
    for await (const text of texts) {
      gzip.write(text)
      await new Promise<void>((resolve) => {
        gzip.flush(constants.Z_SYNC_FLUSH, resolve)
      })
      yield Buffer.concat(pieces.splice(0))
    }
    await new Promise<void>((resolve) => {
      gzip.once('end', resolve).end()
    })
    yield Buffer.concat(pieces)
  } finally {
    gzip.destroy()
  }
}

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

/** The headers of a stream that no proxy may hold back, store or change. */
export function sseHeaders(gzip: boolean): Record<string, string> {
  return {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    Vary: 'Accept-Encoding',
    ...(gzip ? { 'Content-Encoding': 'gzip' } : {}),
  }
}

/** Whether an Accept-Encoding header requests gzip (docs/services.md#export-compression). */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return coding === 'gzip' && (quality === undefined || Number(quality.slice(2)) > 0)
  })
}
