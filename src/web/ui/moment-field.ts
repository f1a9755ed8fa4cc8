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

/**
 * The instant (epoch ms) that such a field names in this zone; undefined where it names none. While clocks go back, when
 * it names two, it is the later one if the other is not after `now`.
 */
export function readMomentField(text: string, zone: Zone, now: number): number | undefined {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text)
  if (!/^\d{4,6}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(at)) return undefined
  const again = at + (offsetAt(at + 3 * 3_600_000) - offsetAt(at)) * 60_000
  return at <= now && momentFieldText(again, zone) === text.slice(0, 16) ? again : at
}

/** How far local time is behind UTC, min. */
function offsetAt(at: number): number {
  return new Date(at).getTimezoneOffset()
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
