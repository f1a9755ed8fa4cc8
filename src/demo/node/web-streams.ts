import { chunksOf } from '../../protocol/ndjson.ts'

/** Adds what Node has of streams and some browsers don't. */
export function addWebStreams(): void {
  // Firefox has no stream of a request's body.
  if (!('body' in Request.prototype)) {
    Object.defineProperty(Request.prototype, 'body', { get: bodyStream, configurable: true })
  }
  // Safari can't iterate over a stream.
  if (!(Symbol.asyncIterator in ReadableStream.prototype)) {
    Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, {
      value(this: ReadableStream<unknown>) {
        return chunksOf(this)
      },
      configurable: true,
    })
  }
}

/** Takes nothing from the request before somebody reads: who looks whether there is a body gets a stream, too. */
function bodyStream(this: Request): ReadableStream<Uint8Array> | null {
  if (this.method === 'GET' || this.method === 'HEAD') return null
  return new ReadableStream(
    {
      pull: async (controller) => {
        const bytes = new Uint8Array(await this.arrayBuffer())
        if (bytes.length > 0) controller.enqueue(bytes)
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
