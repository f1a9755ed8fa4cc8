import type { FieldType } from '../fields/field.ts'
import type { AmountEdge, Condition, Moment, MomentEdge, WallClock } from '../values/condition.ts'
import { wallTime } from '../values/instant.ts'
import { offsetText } from '../values/moment-time.ts'

/** A duration in words: `5 min 30 s`. Exact; units from days to ms. */
function durationWords(ms: number): string {
  if (ms === 0) return '0 s'
  const parts: string[] = []
  let rest = ms
  for (const [unit, size, plural] of durationUnits) {
    const count = size === 1 ? rest : Math.floor(rest / size)
    if (count === 0) continue
    // Fractions of a second are less exact than a millisecond's.
    rest = Number((rest - count * size).toFixed(6))
    parts.push(`${amountText(count)} ${count === 1 ? unit : plural}`)
  }
  return parts.join(' ')
}

/** A length of time as one says how far back to look: `24 hours`, `7 days`, `90 minutes`. */
export function distanceWords(ms: number): string {
  for (const [unit, size, least] of distanceUnits) {
    const count = ms / size
    if (count >= least && count < 1000 && Number.isInteger(count)) {
      return `${amountText(count)} ${unit}${count === 1 ? '' : 's'}`
    }
  }
  return durationWords(ms)
}

/** A number of bytes in the largest unit that is exact, or in full: `2 GiB`, `512 kB`. */
function sizeWords(bytes: number): string {
  for (const [unit, size] of sizeUnits) {
    const count = bytes / size
    if (count >= 1 && Number.isInteger(count * 10)) return `${amountText(count)} ${unit}`
  }
  return `${amountText(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`
}

/** A number without rounding. */
export function amountText(amount: number): string {
  return String(amount)
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const durationUnits = [
  ['day', day, 'days'],
  ['h', hour, 'h'],
  ['min', minute, 'min'],
  ['s', second, 's'],
  ['ms', 1, 'ms'],
] as const

/** One day is 24 hours: nobody takes that for "since midnight". */
const distanceUnits = [
  ['day', day, 2],
  ['hour', hour, 1],
  ['minute', minute, 1],
  ['second', second, 1],
] as const

const sizeUnits = [
  ['TiB', 1024 ** 4],
  ['TB', 1000 ** 4],
  ['GiB', 1024 ** 3],
  ['GB', 1000 ** 3],
  ['MiB', 1024 ** 2],
  ['MB', 1000 ** 2],
  ['KiB', 1024],
  ['kB', 1000],
] as const

export type AmountCondition = Extract<Condition, { type: 'amount' }>

/** Between which amounts: `longer than 5 min`, `at least 2 GiB`, `from 2 to 8`, `exactly 4`. */
export function amountBounds({ low, high }: AmountCondition, type: FieldType): string {
  const words = type === 'duration' ? durationWords : type === 'size' ? sizeWords : amountText
  if (low && high) {
    if (low.amount === high.amount) return `exactly ${words(low.amount)}`
    return `from ${words(low.amount)} ${highWord(high)} ${words(high.amount)}`
  }
  if (low?.inclusive) return `at least ${words(low.amount)}`
  if (low) return `${type === 'duration' ? 'longer' : 'more'} than ${words(low.amount)}`
  if (high) return `${high.inclusive ? 'at most' : 'less than'} ${words(high.amount)}`
  return 'anything'
}

function highWord({ inclusive }: AmountEdge): string {
  return inclusive ? 'to' : 'to less than'
}

/** A moment in words: what the clock shows, and of which zone; a relative one has no zone. */
interface MomentWords {
  readonly clock: string
  readonly zone: string | undefined
}

/** A moment on the clocks of a zone (IANA); without one in local time, or in UTC where its zone was written. */
function momentWords(moment: Moment, timeZone: string | undefined): MomentWords {
  switch (moment.type) {
    case 'absolute': {
      const zone = timeZone ?? 'UTC'
      const { time } = moment
      const wall = wallClockAt(time, zone)
      const clock = clockText(wall)
      // Clocks that are put back show an hour twice, or half of one (Lord Howe Island).
      const isTwice = [-hour, -hour / 2, hour / 2, hour].some(
        (ms) => clockText(wallClockAt(time + ms, zone)) === clock,
      )
      const offset = isTwice ? ` ${offsetText((wallTime(wall) - time) / minute)}` : ''
      return { clock: clock + offset, zone }
    }
    case 'local':
      // A clock that runs over is shown as what it runs over to.
      return {
        clock: clockText(wallClockAt(wallTime(moment.clock), 'UTC')),
        zone: timeZone ?? 'local time',
      }
    case 'relative': {
      const { distance } = moment
      const words = distanceWords(Math.abs(distance))
      if (distance === 0) return { clock: 'now', zone: undefined }
      return { clock: distance < 0 ? `${words} ago` : `${words} from now`, zone: undefined }
    }
  }
}

/** What the clocks of a zone show at an instant (epoch ms). */
export function wallClockAt(time: number, timeZone: string): WallClock {
  const parts = new Map(
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
      .formatToParts(time)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0
  return {
    year: part('year'),
    month: part('month'),
    day: part('day'),
    hour: part('hour'),
    minute: part('minute'),
    second: part('second'),
    ms: ((time % 1000) + 1000) % 1000,
  }
}

/** `2024-01-01 00:00`, with seconds and what is finer only where they are not 0. */
function clockText(clock: WallClock): string {
  const text = `${dateText(clock)} ${digits(clock.hour, 2)}:${digits(clock.minute, 2)}`
  if (clock.ms === 0 && clock.second === 0) return text
  const fraction = (clock.ms / 1000)
    .toFixed(9)
    .slice(1)
    .replace(/\.?0+$/, '')
  return `${text}:${digits(clock.second, 2)}${fraction}`
}

/** `2024-01-01`. */
export function dateText({ year, month, day }: WallClock): string {
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

function digits(number: number, length: number): string {
  return String(number).padStart(length, '0')
}

type InstantCondition = Extract<Condition, { type: 'instant' }>

/**
 * When, behind a verb: `in the last 7 days`, `on 2024-01-01 (Europe/Berlin)`. The zone (IANA) is that
 * of the reader; without it, `(local time)` or `(UTC)` is said.
 */
export function instantWords(condition: InstantCondition, timeZone?: string): string {
  const { low, high } = condition
  if (low?.inclusive && high && !high.inclusive) {
    const unit = unitBetween(low.moment, high.moment)
    const from = momentWords(low.moment, timeZone)
    if (unit === 'day') return `on ${withZone({ ...from, clock: from.clock.slice(0, 10) })}`
    if (unit) return `at ${withZone(from)}`
  }
  return instantBounds(condition, timeZone)
}

/** The same, but a day or a minute is described by where it begins and where the next one does. */
export function instantBounds({ low, high }: InstantCondition, timeZone?: string): string {
  if (low && high) return betweenWords(low, high, timeZone)
  if (low) return lowWords(low, timeZone)
  return high ? highWords(high, timeZone) : 'at any time'
}

function lowWords({ moment, inclusive }: MomentEdge, timeZone: string | undefined): string {
  if (moment.type === 'relative') {
    const { distance } = moment
    if (distance < 0)
      return `in the last ${distanceWords(-distance).replace(/^1 (?=hour|minute|second)/, '')}`
    return distance === 0 ? 'after now' : `later than ${momentWords(moment, timeZone).clock}`
  }
  return `${inclusive ? 'at or after' : 'after'} ${withZone(momentWords(moment, timeZone))}`
}

function highWords({ moment, inclusive }: MomentEdge, timeZone: string | undefined): string {
  if (moment.type === 'relative') {
    const { distance } = moment
    if (distance > 0) return `earlier than ${momentWords(moment, timeZone).clock}`
    if (distance === 0) return 'before now'
    return `${inclusive ? 'at least' : 'more than'} ${distanceWords(-distance)} ago`
  }
  return `${inclusive ? 'at or before' : 'before'} ${withZone(momentWords(moment, timeZone))}`
}

function betweenWords(low: MomentEdge, high: MomentEdge, timeZone: string | undefined): string {
  const from = momentWords(low.moment, timeZone)
  const to = momentWords(high.moment, timeZone)
  const first = from.zone === to.zone ? from.clock : withZone(from)
  return (
    `${low.inclusive ? 'from' : 'after'} ${first} ` +
    `${high.inclusive ? 'to' : 'to before'} ${withZone(to)}`
  )
}

function withZone({ clock, zone }: MomentWords): string {
  return zone === undefined ? clock : `${clock} (${zone})`
}

/** Which unit of the calendar two moments enclose, if it is one. */
function unitBetween(low: Moment, high: Moment): 'day' | 'shorter' | undefined {
  if (low.type === 'local' && high.type === 'local') {
    const length = wallTime(high.clock) - wallTime(low.clock)
    if (length === 86_400_000 && isMidnight(low.clock)) return 'day'
    return shorterUnits.has(length) ? 'shorter' : undefined
  }
  const isShorter =
    low.type === 'absolute' && high.type === 'absolute' && shorterUnits.has(high.time - low.time)
  return isShorter ? 'shorter' : undefined
}

function isMidnight({ hour, minute, second, ms }: WallClock): boolean {
  return hour === 0 && minute === 0 && second === 0 && ms === 0
}

/** A minute, a second, and its tenths, hundredths and thousandths. */
const shorterUnits = new Set([60_000, 1000, 100, 10, 1])
