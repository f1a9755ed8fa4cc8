import { dayText, timeOfDayText, type Zone } from '../../ui/instant.ts'

const soonMs = 36 * 3_600_000

/**
 * When a waiver ends, as people say it: "4 Dec", with its time where that is within 36 hours of `now`
 * ("20 Nov 16:05"), with its year where that is another one. Epoch ms, in the viewer's zone.
 */
export function expiryText(at: number, zone: Zone, now: number): string {
  if (Math.abs(at - now) < soonMs) return `${dayText(at, zone)} ${timeOfDayText(at, zone)}`
  const date = dayText(at, zone, 'date')
  return date.endsWith(dayText(now, zone, 'date').slice(-5)) ? dayText(at, zone) : date
}
