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
