import type { Condition, Moment, MomentEdge, WallClock } from '../condition.ts'
import { wallTime } from '../values/instant.ts'
import { distanceWords } from './amount-words.ts'
import { type MomentWords, momentWords } from './moment-words.ts'

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

/** The same, but a day or a minute is told by where it begins and where the next one does. */
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
