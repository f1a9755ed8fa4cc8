import { decodeBuildEvent } from '../protocol/build-event.ts'
import { parseExactJson } from '../protocol/exact-json.ts'
import { type EventData, isRecord } from './event-value.ts'

/** What an event says of itself (docs/services.md#export-event-message). */
export interface EventHead {
  /** Epoch ms. */
  readonly timestamp: number
  readonly eventType: string
  /** Where in its text the data begin, or -1 where that is not told without reading it all. */
  readonly dataAt: number
}

/**
 * Reads the head of an event from its JSON text. Where the text begins as servers write it, what
 * follows the head is not looked at: a stream of half a million events is mostly of types that
 * nobody asks about. Any other text is decoded as a whole; then throws a SyntaxError or a ZodError.
 */
export function readEventHead(text: string): EventHead {
  const [written, timestamp, eventType] = asWritten.exec(text) ?? []
  if (written === undefined || eventType === undefined) {
    const { timestamp, type } = decodeBuildEvent(text)
    return { timestamp, eventType: type.eventType, dataAt: -1 }
  }
  return { timestamp: Number(timestamp), eventType, dataAt: written.length - 1 }
}

/**
 * The data of an event, with 64-bit ids as text. Throws a SyntaxError where the text is not JSON,
 * and a TypeError where it holds no data.
 */
export function readEventData(text: string): EventData {
  const event: unknown = parseExactJson(text)
  if (!isRecord(event) || !isRecord(event.data)) throw new TypeError('the event holds no data')
  return event.data
}

const asWritten =
  /^\{"timestamp":(\d{1,15}),"type":\{"majorVersion":\d{1,9},"minorVersion":\d{1,9},"eventType":"(\w+)"\},"data":\{/
