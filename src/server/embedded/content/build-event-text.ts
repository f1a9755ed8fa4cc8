import { type ExactJson, exactJsonText } from './exact-json-text.ts'

/** An event with the moment it happened (epoch ms, whole), by which a stream is ordered. */
export interface TimedEvent {
  readonly at: number
  readonly text: string
}

/**
 * An event as its JSON text (docs/services.md#export-event-message), 64-bit integers written
 * exactly.
 */
export function timedEvent(
  at: number,
  eventType: string,
  minorVersion: number,
  data: Readonly<Record<string, ExactJson | undefined>>,
): TimedEvent {
  const type = { majorVersion: 1, minorVersion, eventType }
  return { at, text: exactJsonText({ timestamp: at, type, data }) }
}

/** The texts in order of time; what happened at the same moment stays in the given order. */
export function inOrderOfTime(events: readonly TimedEvent[]): string[] {
  return events.toSorted((one, other) => one.at - other.at).map(({ text }) => text)
}
