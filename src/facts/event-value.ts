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
