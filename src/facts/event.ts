import { decodeBuildEvent } from '../protocol/build-export.ts'
import { parseExactJson } from '../protocol/exact-json.ts'

/** What an event says of itself (docs/services.md#export-event-message). */
export interface EventHead {
  /** Epoch ms. */
  readonly timestamp: number
  readonly eventType: string
  /** Where in its text the data begin, or -1 where finding that out would need all of it. */
  readonly dataAt: number
}

/**
 * Reads the head of an event from its JSON text. Where the text begins as servers write it, what
 * follows the head is not looked at: a stream of half a million events is mostly of types that
 * nobody needs. Any other text is decoded as a whole; then throws a SyntaxError or a ZodError.
 */
export function readEventHead(text: string): EventHead {
  const [written, timestamp, eventType] = asWritten.exec(text) ?? []
  if (written === undefined || eventType === undefined) {
    const { timestamp, type } = decodeBuildEvent(text)
    return { timestamp, eventType: type.eventType, dataAt: -1 }
  }
  return { timestamp: Number(timestamp), eventType, dataAt: written.length - 1 }
}

/** The data of an event, with 64-bit ids as text. Throws a SyntaxError (no JSON) or a TypeError (no data). */
export function readEventData(text: string): EventData {
  const event: unknown = parseExactJson(text)
  if (!isRecord(event) || !isRecord(event.data)) throw new TypeError('the event has no data')
  return event.data
}

const asWritten =
  /^\{"timestamp":(\d{1,15}),"type":\{"majorVersion":\d{1,9},"minorVersion":\d{1,9},"eventType":"(\w+)"\},"data":\{/

/** The data of an event; what it holds depends on the event's type. */
export type EventData = Readonly<Record<string, unknown>>

/** Whether a value is an object that can be looked into by key. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text, or null where there is none. */
export function textAt(data: EventData, key: string): string | null {
  const value = data[key]
  return typeof value === 'string' ? value : null
}

/** A flag, or null where there is none. */
export function flagAt(data: EventData, key: string): boolean | null {
  const value = data[key]
  return typeof value === 'boolean' ? value : null
}

/** A number, or null where there is none. */
export function numberAt(data: EventData, key: string): number | null {
  const value = data[key]
  return typeof value === 'number' ? value : null
}

/** A 64-bit id as text, or null where there is none; small ones are numbers in the data. */
export function idAt(data: EventData, key: string): string | null {
  const value = data[key]
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : null
}
