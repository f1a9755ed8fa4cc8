import type { Moment, WallClock } from './condition.ts'
import { readDuration } from './duration.ts'
import { type Reading, shown } from './reading.ts'

/** A point in time as it was written. */
export interface WrittenMoment {
  readonly moment: Moment
  /** Where the day, minute, second or fraction that was written ends; none for a relative one. */
  readonly next: Moment | undefined
  /** A date without a time: its moment is midnight. */
  readonly dateOnly: boolean
}

/**
 * A timestamp (docs/services.md#timestamp-values): `2024-01-31`, `2024-01-31T10:30`, seconds and
 * fractions of them, with `Z`, `+02:00` or `+0200` or without a zone; or a distance from now, a
 * duration behind a sign: `-5d`. Of a fraction finer than a millisecond the moment keeps all,
 * while its end is that of the millisecond: builds are known no finer.
 */
export function readInstant(text: string): Reading<WrittenMoment> {
  const found = timestamp.exec(text)
  if (found) return readTimestamp(text, found)
  return relative.test(text) ? readRelative(text) : mistaken(text)
}

const timestamp =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?([Zz]|[+-]\d\d:?\d\d)?$/

/** What begins as a distance does, or is one without its sign. */
const relative = /^(?:[+-]|[Pp][\dTt]|\d+(?:\.\d+)?[A-Za-z])/

function readTimestamp(text: string, found: RegExpExecArray): Reading<WrittenMoment> {
  const [, year = '', month = '', day = '', hour, minute, second, fraction, zone] = found
  const digits = (fraction ?? '').padEnd(9, '0')
  const clock: WallClock = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    ms: Number(digits.slice(0, 3)) + Number(digits.slice(3)) / 1_000_000,
  }
  const wrong = impossible(clock, zone)
  if (wrong) return mistaken(text, wrong)
  const next = stepped(clock, [hour, minute, second, fraction])
  if (zone === undefined) {
    return written({ type: 'local', clock }, { type: 'local', clock: next }, hour === undefined)
  }
  const offset = offsetMs(zone)
  return written(
    { type: 'absolute', time: wallTime(clock) - offset },
    { type: 'absolute', time: wallTime(next) - offset },
    hour === undefined,
  )
}

function written(moment: Moment, next: Moment, dateOnly: boolean): Reading<WrittenMoment> {
  return { ok: true, value: { moment, next, dateOnly } }
}

/** The clock one of its finest written unit later; it may run over, as condition.ts allows. */
function stepped(
  clock: WallClock,
  [hour, , second, fraction]: readonly (string | undefined)[],
): WallClock {
  if (hour === undefined) return { ...clock, day: clock.day + 1 }
  if (second === undefined) return { ...clock, minute: clock.minute + 1 }
  if (fraction === undefined) return { ...clock, second: clock.second + 1 }
  return { ...clock, ms: Math.floor(clock.ms) + 10 ** Math.max(0, 3 - fraction.length) }
}

/** What the clock shows as if it were UTC, in epoch ms; parts may run over. */
export function wallTime({ year, month, day, hour, minute, second, ms }: WallClock): number {
  // Date.UTC takes years below 100 for ones of the 20th century.
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() + hour * 3_600_000 + minute * 60_000 + second * 1000 + ms
}

function offsetMs(zone: string): number {
  if (zone.length === 1) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}

/** Why there is no such moment, in words; undefined where there is one. */
function impossible({ year, month, day, ...time }: WallClock, zone = 'Z'): string | undefined {
  if (year < 1) return 'years start at 0001'
  if (month < 1 || month > 12) return 'months go from 01 to 12'
  const days = daysIn(year, month)
  if (day < 1 || day > days) {
    return `${monthName(month)} ${String(year).padStart(4, '0')} has ${days} days`
  }
  if (time.hour > 23) return 'hours go from 00 to 23'
  if (time.minute > 59) return 'minutes go from 00 to 59'
  if (time.second > 59) return 'seconds go from 00 to 59'
  const most =
    Math.abs(offsetMs(zone)) > 18 * 3_600_000 || (zone.length > 1 && zone.slice(-2) > '59')
  return most ? 'time zones go from -18:00 to +18:00' : undefined
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function monthName(month: number): string {
  const names =
    'January February March April May June July August September October November December'
  return names.split(' ')[month - 1] ?? ''
}

function readRelative(text: string): Reading<WrittenMoment> {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  const distance = readDuration(text.slice(sign.length))
  if (distance.ok) {
    const moment: Moment = {
      type: 'relative',
      distance: sign === '-' && distance.value > 0 ? -distance.value : distance.value,
    }
    return { ok: true, value: { moment, next: undefined, dateOnly: false } }
  }
  const { from, to, ...problem } = distance.problem
  return {
    ok: false,
    problem: {
      ...problem,
      ...(problem.code === 'value.duration-invalid' && {
        code: 'value.instant-invalid',
        message: notAnInstant(text),
      }),
      ...(from !== undefined &&
        to !== undefined && { from: from + sign.length, to: to + sign.length }),
      // Nearly all queries are about the past.
      instead: distance.problem.instead.map((duration) => `${sign || '-'}${duration}`),
    },
  }
}

function mistaken(text: string, why?: string): Reading<WrittenMoment> {
  const message = why === undefined ? notAnInstant(text) : `${shown(text)} doesn't exist: ${why}.`
  return {
    ok: false,
    problem: {
      code: 'value.instant-invalid',
      message,
      instead: [...dayFirst(text), likelyMeant(text)].filter((one) => one !== undefined),
    },
  }
}

const notAnInstant = (text: string): string =>
  `${text === '' ? 'An empty value' : shown(text)} isn't a timestamp. ` +
  'Use a date (2024-01-31), a date and time (2024-01-31T10:30), or an age (-5d).'

/** `25.11.2026`, `11/25/2026`: where the order leaves it open, both days that it may be, the order of its country first. */
function dayFirst(text: string): string[] {
  const found = /^(\d\d?)([./-])(\d\d?)\2(\d{4})$/.exec(text.trim())
  if (!found) return []
  const [, one = '', mark, other = '', year = ''] = found
  const dayOf = (month: string, day: string): string =>
    `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const both = [dayOf(other, one), dayOf(one, other)]
  const days = mark === '/' ? both.reverse() : both
  return [...new Set(days)].filter((day) => readInstant(day).ok)
}

/** Moments as they are written elsewhere: `2024/1/5 9:30`, `20240105`, epoch seconds or ms, `now`. */
function likelyMeant(text: string): string | undefined {
  if (text.length > 60) return undefined
  const tidy = text.trim()
  if (/^now$/i.test(tidy)) return '-0s'
  const [, ago] = /^now([+-].+)$/i.exec(tidy) ?? []
  if (ago !== undefined) return readInstant(ago).ok ? ago : undefined
  if (/^(?:\d{10}|\d{13})$/.test(tidy)) {
    return new Date(Number(tidy) * (tidy.length === 10 ? 1000 : 1)).toISOString()
  }
  const found = loose.exec(tidy)
  if (!found) return undefined
  const [, year = '', month = '', day = '', hour, minute = '00', second, fraction = '', zone = ''] =
    found
  const two = (digits: string): string => digits.padStart(2, '0')
  const last = daysIn(Number(year), Number(month))
  const date = `${year}-${two(month)}-${two(String(Math.min(Number(day), last)))}`
  const clock = second === undefined ? '' : `:${second}${fraction.slice(0, 10)}`
  const time = hour === undefined ? '' : `T${two(hour)}:${minute}${clock}`
  const meant = `${date}${time}${zoneMeant(zone)}`
  return meant !== text && timestamp.test(meant) && readInstant(meant).ok ? meant : undefined
}

const loose =
  /^(\d{4})[-/.]?(\d\d?)[-/.]?(\d\d?)(?:[Tt_\s]+(\d\d?)(?::?(\d\d)(?::(\d\d)([.,]\d+)?)?)?)?\s?(z|utc|gmt|[+-]\d\d(?::?\d\d)?)?$/i

function zoneMeant(zone: string): string {
  if (zone === '') return ''
  return /^[a-z]/i.test(zone)
    ? 'Z'
    : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
}
