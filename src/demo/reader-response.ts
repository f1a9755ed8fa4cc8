import type { Outgoing } from '../server/proxy/sessions.ts'

/** A response that a handler writes piece by piece, as it would write Node's own. */
export interface ReaderResponse {
  readonly outgoing: Outgoing
  /** Resolves with the head, once it is written; the body follows. */
  readonly response: Promise<Response>
}

/** As much may wait for the reader before nothing more should be written, bytes. */
const highWaterMark = 64 * 1024

/** The live feed's response in a service worker: a stream; when its body is cancelled the page is gone. */
export function createReaderResponse(): ReaderResponse {
  const headers = new Headers()
  const onDrain: (() => void)[] = []
  const onClose: (() => void)[] = []
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let status = 0
  let isBlocked = false
  let isEnded = false
  let isGone = false
  let answer: (response: Response) => void = () => undefined
  const response = new Promise<Response>((resolve) => {
    answer = resolve
  })
  const close = (): void => {
    if (isGone) return
    isGone = true
    // As Node does: whoever ends a response isn't called back in the middle of it.
    queueMicrotask(() => {
      for (const listener of onClose.splice(0)) listener()
    })
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given
      },
      pull: () => {
        if (!isBlocked) return
        isBlocked = false
        for (const listener of onDrain) listener()
      },
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark }),
  )
  const room = (): number => controller?.desiredSize ?? highWaterMark
  const write = (bytes: Uint8Array): boolean => {
    if (isGone || isEnded) return false
    controller?.enqueue(bytes)
    isBlocked = room() <= 0
    return !isBlocked
  }
  const outgoing: Outgoing = {
    get destroyed() {
      return isGone
    },
    get writableEnded() {
      return isEnded
    },
    get writableLength() {
      return isGone ? 0 : highWaterMark - room()
    },
    get headersSent() {
      return status !== 0
    },
    get statusCode() {
      return status
    },
    setHeader: (name, value) => {
      headers.set(name, value)
    },
    writeHead: (given, added) => {
      status = given
      for (const [name, value] of Object.entries(added)) headers.set(name, String(value))
      answer(new Response(body, { status, headers }))
    },
    write,
    end: (last) => {
      if (isGone || isEnded) return
      if (last !== undefined) {
        write(typeof last === 'string' ? new TextEncoder().encode(last) : last)
      }
      isEnded = true
      controller?.close()
      close()
    },
    destroy: () => {
      if (isGone) return
      controller?.error(new Error('the server ended the response'))
      close()
    },
    on: (event, listener) => (event === 'drain' ? onDrain.push(listener) : 0),
    once: (_event, listener) => onClose.push(listener),
  }
  return { outgoing, response }
}
