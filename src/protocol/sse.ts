import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** What a reader does with what it reads; each handler is called in stream order. */
export interface SseHandlers {
  /** A complete message with data; `id` and `event` are undefined where the message had none. */
  onMessage: (message: EventSourceMessage) => void
  /** A reconnection time in ms, digits only as the standard asks. */
  onRetry?: (ms: number) => void
  /** A comment: usually a heartbeat. */
  onComment?: () => void
}

/** Reads one server-sent event stream; make a new one per connection. */
export interface SseReader {
  /** Takes the next bytes, cut anywhere. Throws a RangeError past the message limit. */
  feed: (bytes: Uint8Array) => void
  /** Whether no message has begun that is not complete: a connection that ends here cuts none off. */
  isAtBorder: () => boolean
}

/**
 * Reads messages from bytes that may be cut anywhere: CR, LF and CRLF, a byte-order mark, data over
 * many lines, comments and `retry:` (WHATWG HTML 9.2.6). A message without data is not delivered.
 * What follows the last blank line is dropped, as a connection that dies there has not delivered
 * it. A message over `maxMessageLength` characters is refused before it fills the memory.
 */
export function createSseReader(handlers: SseHandlers, maxMessageLength = 1024 * 1024): SseReader {
  const decoder = new TextDecoder()
  const parser = createParser({
    maxBufferSize: maxMessageLength,
    onEvent: (message) => {
      if (message.data !== '') handlers.onMessage(message)
    },
    onRetry: (ms) => handlers.onRetry?.(ms),
    onComment: () => handlers.onComment?.(),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') {
        throw new RangeError(`a message exceeds ${maxMessageLength} characters`)
      }
    },
  })
  // After a lone CR the parser waits for the byte that follows, which on a quiet stream never
  // comes: every line end is made LF before it, and the LF of a CRLF cut in two is dropped.
  let afterCarriageReturn = false
  const border = createBorder()
  return {
    feed: (bytes) => {
      const text = decoder.decode(bytes, { stream: true })
      if (text === '') return
      const rest = afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text
      afterCarriageReturn = text.endsWith('\r')
      const lines = rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
      border.pass(lines)
      parser.feed(lines)
    },
    isAtBorder: border.isHere,
  }
}

/** Knows whether a stream whose lines end with LF stands between two messages. */
function createBorder(): { readonly pass: (text: string) => void; readonly isHere: () => boolean } {
  let isBegun = false
  let line: 'empty' | 'comment' | 'field' = 'empty'
  return {
    pass: (text) => {
      const blank = text.lastIndexOf('\n\n')
      if (blank !== -1) {
        isBegun = false
        line = 'empty'
      }
      const [first = '', ...others] = text.slice(blank === -1 ? 0 : blank + 2).split('\n')
      const begin = (piece: string): void => {
        if (line === 'empty' && piece !== '') line = piece.startsWith(':') ? 'comment' : 'field'
      }
      begin(first)
      for (const piece of others) {
        if (line !== 'comment') isBegun = line === 'field'
        line = 'empty'
        begin(piece)
      }
    },
    isHere: () => !isBegun && line !== 'field',
  }
}

/** One message of a server-sent event stream; `data` may hold line breaks. */
export interface SseMessage {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data: string
}

/**
 * A message as its text on the wire (WHATWG HTML 9.2.5): an id line, an event line, one data line
 * per line of data, and the blank line that dispatches it. Throws a RangeError when the id or the
 * event name would break the framing (line breaks, NUL).
 */
export function encodeSse(message: SseMessage): string {
  const id = message.id === undefined ? '' : `id: ${oneLine(message.id, 'id')}\n`
  const event = message.event === undefined ? '' : `event: ${oneLine(message.event, 'event')}\n`
  const data = /[\r\n]/.test(message.data)
    ? message.data.split(/\r\n|\r|\n/).join('\ndata: ')
    : message.data
  return `${id}${event}data: ${data}\n\n`
}

/** A comment, which readers ignore: docs/services.md#export-heartbeats. */
export function encodeSseComment(text: string): string {
  return `: ${oneLine(text, 'comment')}\n\n`
}

/** Asks the reader to wait `ms` before it reconnects. */
export function encodeSseRetry(ms: number): string {
  return `retry: ${Math.round(ms)}\n\n`
}

function oneLine(text: string, what: string): string {
  for (const char of text) {
    if (char === '\n' || char === '\r' || char === '\0') {
      throw new RangeError(`the ${what} of a message holds a line break or NUL`)
    }
  }
  return text
}
