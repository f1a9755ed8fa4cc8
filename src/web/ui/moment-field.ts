import type { Zone } from './format.ts'

const dayMs = 86_400_000

/** A moment so many days from `now` (epoch ms), never beyond the longest (ms), as such a field holds it. */
export function expiryAfter(
  days: number,
  { now, longestMs, zone }: { now: number; longestMs: number; zone: Zone },
): string {
  return momentFieldText(now + Math.min(days * dayMs, longestMs), zone)
}

/** An instant (epoch ms) as a field of type datetime-local holds it, to the minute, in this zone. */
export function momentFieldText(at: number, zone: Zone): string {
  if (zone === 'utc') return new Date(at).toISOString().slice(0, 16)
  const date = new Date(at)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day}T${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`
}

/** The instant (epoch ms) that such a field names in this zone; undefined where it names none. */
export function readMomentField(text: string, zone: Zone): number | undefined {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text)
  return /^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(at) ? at : undefined
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
