import type { TileClaim } from '../../../protocol/claim.ts'
import { dayText, timeOfDayText, weekdayText, type Zone } from '../../ui/format.ts'

/** Within this, a weekday alone says which day is meant; six days are an hour shorter where clocks go ahead. */
const sixDaysMs = (6 * 24 - 1) * 60 * 60 * 1000

/**
 * Who is on a tile: "Ann has been on it since 10:12", or "since Mon 10:12" where that was on another day than `now` (epoch
 * ms). All times of a wall are by the proxy's clock.
 */
export function claimText({ by, createdAt }: TileClaim, now: number, zone: Zone): string {
  const isToday = dayText(createdAt, zone, 'date') === dayText(now, zone, 'date')
  const day =
    now - createdAt < sixDaysMs ? weekdayText(createdAt, zone) : `${dayText(createdAt, zone)},`
  return `${by} has been on it since ${isToday ? '' : `${day} `}${timeOfDayText(createdAt, zone)}`
}

/** Until when it sleeps, and why: "Sleeps until Mon 08:00: known flaky network"; on which day where the week ends before. */
export function sleepText({ createdAt, until, reason }: TileClaim, zone: Zone): string {
  const at = until ?? createdAt
  const day = at - createdAt < sixDaysMs ? weekdayText(at, zone) : `${dayText(at, zone)},`
  return `Sleeps until ${day} ${timeOfDayText(at, zone)}: ${reason ?? ''}`
}
