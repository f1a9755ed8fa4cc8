import type { TileClaim } from '../../../protocol/claim.ts'
import { dayText, timeOfDayText, weekdayText, type Zone } from '../../ui/format.ts'

/** Who is on a tile: "Ann is on it since 10:12", by the proxy's clock, as all times of a wall. */
export function claimText({ by, createdAt }: TileClaim, zone: Zone): string {
  return `${by} is on it since ${timeOfDayText(createdAt, zone)}`
}

/** Within this, a weekday alone says which day is meant. */
const sixDaysMs = 6 * 24 * 60 * 60 * 1000

/** Until when it sleeps, and why: "Sleeps until Mon 08:00: known flaky network"; on which day where the week ends before. */
export function sleepText({ createdAt, until, reason }: TileClaim, zone: Zone): string {
  const at = until ?? createdAt
  const day = at - createdAt < sixDaysMs ? weekdayText(at, zone) : dayText(at, zone)
  return `Sleeps until ${day} ${timeOfDayText(at, zone)}: ${reason ?? ''}`
}
