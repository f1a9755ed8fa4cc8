import type { Moment, WallClock } from '../condition.ts'
import { wallTime } from '../values/instant.ts'
import { distanceWords } from './amount-words.ts'

/** A moment in words: what the clock shows, and of which zone; a relative one has no zone. */
export interface MomentWords {
  readonly clock: string
  readonly zone: string | undefined
}

/**
 * A moment on the clocks of a zone (IANA). Without a zone, moments that were written with theirs are
 * told in UTC, and the others in local time.
 */
export function momentWords(moment: Moment, timeZone: string | undefined): MomentWords {
  switch (moment.type) {
    case 'absolute': {
      const zone = timeZone ?? 'UTC'
      return { clock: clockText(wallClockAt(moment.time, zone)), zone }
    }
    case 'local':
      return { clock: shownClock(moment.clock), zone: timeZone ?? 'local time' }
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
      calendar: 'iso8601',
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

/** A clock that runs over is told as what it runs over to. */
function shownClock(clock: WallClock): string {
  return clockText(wallClockAt(wallTime(clock), 'UTC'))
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
