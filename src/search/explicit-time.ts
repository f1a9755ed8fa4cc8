import type { Moment, WallClock } from './condition.ts'
import { momentTime } from './moment-time.ts'
import { wallTime } from './values/instant.ts'

type LocalMoment = Extract<Moment, { type: 'local' }>

/**
 * A time that was written without a zone, with the offset that clocks of `timeZone` have then:
 * `2024-01-01` in Berlin is `2024-01-01T00:00+01:00`. A time that those clocks skip, or that is off
 * UTC by seconds as in the days of local mean time, is told in UTC.
 */
export function explicitTime(written: string, moment: LocalMoment, timeZone: string): string {
  const time = timeOf(moment.clock, timeZone)
  const minutes = (wallTime(moment.clock) - time) / 60_000
  if (!Number.isInteger(minutes) || isSkipped(moment.clock, timeZone)) {
    return new Date(time).toISOString()
  }
  return (/t/i.test(written) ? written : `${written}T00:00`) + offsetText(minutes)
}

/** What the clock shows, as short as it can be told: `2024-01-01T10:30`. */
export function clockText(clock: WallClock): string {
  return new Date(wallTime(clock)).toISOString().replace(/(?::00)?(?:\.000)?Z$/, '')
}

/** Whether clocks jump over that time: the moment before is then the same instant. */
function isSkipped(clock: WallClock, timeZone: string): boolean {
  return timeOf({ ...clock, ms: clock.ms - 1 }, timeZone) === timeOf(clock, timeZone)
}

function timeOf(clock: WallClock, timeZone: string): number {
  // Only a relative moment depends on what time it is.
  return momentTime({ type: 'local', clock }, { now: 0, timeZone })
}

function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`
}

function twoDigits(amount: number): string {
  return String(amount).padStart(2, '0')
}
