import {
  type BuildMessage,
  isBuildId,
  type ReadBuildMessage,
  readBuildMessage,
} from '../../../protocol/build-message.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { createSseReader, type SseReader } from '../../../protocol/sse.ts'
import type { Loss } from '../../../protocol/status-report.ts'

/** What was lost of a build; the reason holds nothing of the value. */
export type BuildLoss = Pick<Loss, 'build' | 'field' | 'reason'>

/** Takes note of what an operation's answer lost. */
export type OnLoss = (loss: BuildLoss & Pick<Loss, 'endpoint'>) => void

/** What a reader of builds tells, in stream order. */
export interface BuildReaderHandlers {
  readonly onBuild: (build: BuildMessage) => void
  /** A message that is no build; `id` is where to resume after it, if it said so. */
  readonly onMalformed: (reason: string, id: string | undefined) => void
  /** Something of a message was lost, or all of it. */
  readonly onLoss?: (loss: BuildLoss) => void
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
          const value = parsedJson(data)
          const read: ReadBuildMessage =
            value === undefined
              ? { ok: false, fault: { field: 'data', reason: 'is not JSON' } }
              : readBuildMessage(value)
          if (handlers.onLoss !== undefined) {
            reportLosses(read, namedId(value, 'buildId') ?? id ?? null, handlers.onLoss)
          }
          if (read.ok) handlers.onBuild(read.build)
          else {
            const reason = `${read.fault.field} ${read.fault.reason}`
            handlers.onMalformed(reason, id !== undefined && isBuildId(id) ? id : undefined)
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
          const reason = 'is longer than 1 MB'
          handlers.onLoss?.({ build: null, field: 'data', reason })
          handlers.onMalformed(`a message ${reason}`, undefined)
        }
      }
    },
    isAtBorder: () => reader.isAtBorder(),
  }
}

const maxMessageBytes = 1024 * 1024

/** Notes what could not be read of a message, under the id that it or its frame names. */
export function reportLosses(
  read: ReadBuildMessage,
  id: string | null,
  onLoss: (loss: BuildLoss) => void,
): void {
  for (const fault of read.ok ? read.faults : [read.fault]) onLoss({ build: id, ...fault })
}

/** The id that a message has, however odd; null where it has none. */
export function namedId(message: unknown, field: string): string | null {
  if (typeof message !== 'object' || message === null) return null
  const id: unknown = Object.entries(message).find(([name]) => name === field)?.[1]
  return typeof id === 'string' || typeof id === 'number' ? String(id) : null
}

/** Keeps messages that are too long away from a reader, so that the stream can go on after them. */
export interface MessageGuard {
  /** The parts of `bytes` that may be read; `cut` after a part tells to forget a message begun. */
  readonly pass: (bytes: Uint8Array) => Iterable<GuardedPart>
}

export type GuardedPart =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'cut' }

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
