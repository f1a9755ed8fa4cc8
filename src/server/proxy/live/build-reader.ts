import {
  type BuildMessage,
  decodeBuildMessage,
  isBuildId,
} from '../../../protocol/build-message.ts'
import { createSseReader, type SseReader } from '../../../protocol/sse.ts'

/** What a reader of builds tells, in stream order. */
export interface BuildReaderHandlers {
  readonly onBuild: (build: BuildMessage) => void
  /** A message that is no build; `id` is where to resume after it, if it said so. */
  readonly onMalformed: (reason: string, id: string | undefined) => void
  /** The reconnection time that the other side asks for, in ms. */
  readonly onRetry?: (ms: number) => void
}

/** Reads one stream of builds; make a new one per connection. */
export interface BuildReader {
  /** Takes the next bytes, cut anywhere. Never throws: what cannot be read is told and skipped. */
  readonly feed: (bytes: Uint8Array) => void
  /** Whether a connection that ends here cuts no message off. */
  readonly isAtBorder: () => boolean
}

/**
 * Reads `Build` messages of either version (docs/services.md#export-build-message). Everything is
 * decoded, so that nothing of an upstream's bytes goes further. Messages of other names are left
 * out, as future versions may have some.
 */
export function createBuildReader(handlers: BuildReaderHandlers): BuildReader {
  const guard = createMessageGuard(maxMessageBytes)
  const makeReader = (): SseReader =>
    createSseReader(
      {
        onMessage: ({ id, event, data }) => {
          if (event !== undefined && event !== 'Build') return
          const build = decode(data)
          if (typeof build === 'string') {
            handlers.onMalformed(build, id !== undefined && isBuildId(id) ? id : undefined)
          } else {
            handlers.onBuild(build)
          }
        },
        onRetry: (ms) => handlers.onRetry?.(ms),
      },
      maxMessageBytes,
    )
  let reader = makeReader()
  return {
    feed: (bytes) => {
      for (const part of guard.pass(bytes)) {
        if (part.kind === 'bytes') {
          reader.feed(part.bytes)
        } else {
          reader = makeReader()
          handlers.onMalformed('a message is longer than 1 MB', undefined)
        }
      }
    },
    isAtBorder: () => reader.isAtBorder(),
  }
}

const maxMessageBytes = 1024 * 1024

/** A build, or why there is none; the reason holds nothing of the message itself. */
function decode(data: string): BuildMessage | string {
  try {
    return decodeBuildMessage(JSON.parse(data))
  } catch (error) {
    return error instanceof SyntaxError ? 'not JSON' : 'not a build message'
  }
}

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
