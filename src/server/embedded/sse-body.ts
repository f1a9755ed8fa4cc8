import { constants, createGzip } from 'node:zlib'
import { pulledBody } from './pulled-body.ts'

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
