// What of node:zlib the proxy and the embedded services use, on the browser's own compression.

type Done = (error: Error | null, bytes?: Buffer) => void
type Pieces = readonly (string | Uint8Array)[]

async function through(
  transform: CompressionStream | DecompressionStream,
  pieces: Pieces,
): Promise<Buffer> {
  const encoder = new TextEncoder()
  const source = new Blob(
    pieces.map(
      (piece) => new Uint8Array(typeof piece === 'string' ? encoder.encode(piece) : piece),
    ),
  )
  const { readable, writable } = transform
  const [bytes] = await Promise.all([
    new Response(readable).arrayBuffer(),
    source.stream().pipeTo(writable),
  ])
  return Buffer.from(bytes)
}

function call(work: Promise<Buffer>, done: Done): void {
  work.then(
    (bytes) => {
      done(null, bytes)
    },
    (error: unknown) => {
      done(error instanceof Error ? error : new Error(String(error)))
    },
  )
}

/** With options before the callback or without: the browser knows one level of compression. */
export function gzip(text: string | Uint8Array, ...rest: [Done] | [object, Done]): void {
  const done = rest.length === 1 ? rest[0] : rest[1]
  call(through(new CompressionStream('gzip'), [text]), done)
}

export function gunzip(bytes: Uint8Array, done: Done): void {
  call(through(new DecompressionStream('gzip'), [bytes]), done)
}

/** Holds what is written until the end. */
export function createGzip() {
  const pieces: (string | Uint8Array)[] = []
  const listeners: { event: string; listener: (value?: unknown) => void }[] = []
  const emit = (event: string, value?: unknown): void => {
    for (const one of listeners) if (one.event === event) one.listener(value)
  }
  const gzip = {
    on: (event: string, listener: (value?: unknown) => void) => {
      listeners.push({ event, listener })
      return gzip
    },
    once: (event: string, listener: (value?: unknown) => void) => gzip.on(event, listener),
    write: (piece: string | Uint8Array) => {
      pieces.push(piece)
      return true
    },
    end: () => {
      call(through(new CompressionStream('gzip'), pieces), (error, bytes) => {
        if (error === null) {
          emit('data', bytes)
          emit('end')
        } else emit('error', error)
      })
    },
    destroy: () => undefined,
  }
  return gzip
}

export const constants = {}

/** Nothing is compressed on its way: the page and the proxy are one process. */
function neverCompressed(): never {
  throw new Error('the demo compresses no response')
}
export const crc32 = neverCompressed
export const deflateRawSync = neverCompressed
export const createGunzip = neverCompressed
