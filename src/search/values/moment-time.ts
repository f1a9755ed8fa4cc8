import type { Moment, WallClock } from './condition.ts'
import { wallTime } from './instant.ts'

/**
 * The instant of a moment in epoch ms. `now` is epoch ms, `timeZone` an IANA zone: the clock that a
 * moment without a zone was read from. A time that clocks skip is the instant at which they skip
 * it; of a time that they show twice it is the first. A distance ends with the years that can be
 * written. Throws RangeError where there is no such zone.
 */
export function momentTime(moment: Moment, at: { now: number; timeZone: string }): number {
  switch (moment.type) {
    case 'absolute':
      return moment.time
    case 'relative':
      return writable(at.now + moment.distance)
    case 'local':
      return zonedTime(wallTime(moment.clock), at.timeZone)
  }
}

const day = 86_400_000

/** The time, or the nearest in a year that has four digits. */
function writable(time: number): number {
  return Math.min(Date.UTC(10_000, 0) - 1, Math.max(Date.parse('0001-01-01'), time))
}

/** `wall` is what the clock shows, as if it were UTC. */
function zonedTime(wall: number, timeZone: string): number {
  // The offsets a day before and after: a zone changes its offset once in that time, if at all.
  const before = wall - offsetAt(wall - day, timeZone)
  const after = wall - offsetAt(wall + day, timeZone)
  if (before === after) return before
  const candidates = [before, after].filter((time) => time + offsetAt(time, timeZone) === wall)
  return candidates.length > 0 ? Math.min(...candidates) : changeBetween(after, before, timeZone)
}

/** The instant at which the offset becomes another one; it is not yet so at `from` but is at `to`. */
function changeBetween(from: number, to: number, timeZone: string): number {
  let low = Math.floor(from / 1000)
  let high = Math.ceil(to / 1000)
  const offset = offsetAt(low * 1000, timeZone)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle * 1000, timeZone) === offset) low = middle
    else high = middle
  }
  return high * 1000
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** How far clocks of the zone are ahead of UTC at an instant, in ms. */
function offsetAt(time: number, timeZone: string): number {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    clocks.set(timeZone, clock)
  }
  const name = clock.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours, minutes, seconds = 0] = offset.exec(name) ?? []
  const length = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000
  // UTC itself is `GMT`.
  if (sign === undefined) return 0
  return sign === '+' ? length : -length
}

/** `GMT+05:30`; before there were zones, `GMT-04:56:02`. */
const offset = /^GMT([+\u2212-])(\d+):(\d+)(?::(\d+))?$/

type LocalMoment = Extract<Moment, { type: 'local' }>

/**
 * A time that was written without a zone, with the offset that clocks of `timeZone` have then:
 * `2024-01-01` in Berlin is `2024-01-01T00:00+01:00`. A time that those clocks skip, or that is off
 * UTC by seconds as in the days of local mean time, is given in UTC, as is one that cannot be written.
 */
export function explicitTime(written: string, moment: LocalMoment, timeZone: string): string {
  const time = timeOf(moment.clock, timeZone)
  const minutes = (wallTime(moment.clock) - time) / 60_000
  const isYear = /^\d{4}-/.test(written)
  if (!isYear || !Number.isInteger(minutes) || isSkipped(moment.clock, timeZone)) {
    return new Date(writable(time)).toISOString()
  }
  return (/t/i.test(written) ? written : `${written}T00:00`) + offsetText(minutes)
}

/** What the clock shows, as short as possible: `2024-01-01T10:30`. */
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

/** How far clocks are ahead of UTC: `+02:00`, `Z` where they are not. */
export function offsetText(minutes: number): string {
  if (minutes === 0) return 'Z'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${twoDigits(hours)}:${twoDigits(rest)}`
}

function twoDigits(amount: number): string {
  return String(amount).padStart(2, '0')
}
