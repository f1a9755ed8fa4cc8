/** Keeps messages that are too long away from a reader, so that the stream can go on after them. */
export interface MessageGuard {
  /** The parts of `bytes` that may be read; `cut` after a part tells to forget a message begun. */
  readonly pass: (bytes: Uint8Array) => Iterable<GuardedPart>
}

export type GuardedPart =
  { readonly kind: 'bytes'; readonly bytes: Uint8Array } | { readonly kind: 'cut' }

/**
 * Watches a server-sent event stream for messages over `maxBytes`. Comments do not add up: a stream
 * of heartbeats without blank lines is no message. CR, LF and CRLF end a line.
 */
export function createMessageGuard(maxBytes: number): MessageGuard {
  let messageBytes = 0
  let lineBytes = 0
  let isComment = false
  let previous = 0
  let dropping = false

  /** Takes one byte; true when it ends a message (a blank line). */
  const endsMessage = (byte: number): boolean => {
    const isSecondOfPair = byte === lf && previous === cr
    previous = byte
    if (isSecondOfPair) return false
    if (byte !== lf && byte !== cr) {
      if (lineBytes === 0) isComment = byte === colon
      lineBytes++
      return false
    }
    const blank = lineBytes === 0
    messageBytes = blank ? 0 : messageBytes + (isComment ? 0 : lineBytes)
    lineBytes = 0
    return blank
  }

  return {
    *pass(bytes) {
      let start = 0
      for (let at = 0; at < bytes.length; at++) {
        const ended = endsMessage(bytes[at] ?? 0)
        if (dropping && ended) {
          dropping = false
          start = at + 1
        } else if (!dropping && messageBytes + lineBytes > maxBytes) {
          dropping = true
          yield { kind: 'bytes', bytes: bytes.subarray(start, at) }
          yield { kind: 'cut' }
        }
      }
      if (!dropping && start < bytes.length) yield { kind: 'bytes', bytes: bytes.subarray(start) }
    },
  }
}

const lf = 10
const cr = 13
const colon = 58
