import { foldCase } from '../../../protocol/parsed-text.ts'
import { fitsPattern } from '../../../protocol/permission.ts'
import type { WebhookShape } from './alert-message.ts'

/** Hours of a day in which nothing is sent, and days on which nothing is. */
export interface QuietHours {
  /** `HH:MM`; from it until `to`, which may be on the next day. Undefined where only days are quiet. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Whole days. */
  readonly days?: readonly Weekday[] | undefined
  /** IANA. */
  readonly timeZone: string
}

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

/** Which messages go to one receiver, and when (the configuration file's `alerts.routes`). */
export interface AlertRoute {
  readonly name: string
  /** Only tiles of these walls; any where undefined. */
  readonly walls?: readonly string[] | undefined
  /** Only tiles of these projects: patterns with `*`, upper and lower case alike; any where undefined. */
  readonly projects?: readonly string[] | undefined
  readonly shape: WebhookShape
  /** Addresses that are mailed; empty for none. */
  readonly email: readonly string[]
  readonly quiet?: QuietHours | undefined
  /** Messages are gathered for so many minutes, and sent as one; undefined: each at once. */
  readonly digestMinutes?: number | undefined
}

/** What a message is about, for finding its routes. */
export interface RoutedTile {
  readonly walls: readonly string[]
  readonly projects: readonly string[]
}

/** Whether a route gets the messages about a tile. */
export function takes({ walls, projects }: AlertRoute, tile: RoutedTile): boolean {
  return (
    (walls === undefined || tile.walls.some((wall) => walls.includes(wall))) &&
    (projects === undefined ||
      tile.projects.some((project) =>
        projects.some((pattern) => fitsPattern(foldCase(pattern), foldCase(project))),
      ))
  )
}

/** Whether a time, epoch ms, is quiet. Throws a RangeError where there is no such time zone. */
export function isQuiet({ from, to, days = [], timeZone }: QuietHours, time: number): boolean {
  const parts = clockOf(timeZone).formatToParts(time)
  const partOf = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? ''
  const day = partOf('weekday').toLowerCase()
  if (days.some((one) => one === day)) return true
  if (from === undefined || to === undefined) return false
  const clock = `${partOf('hour')}:${partOf('minute')}`
  return from <= to ? clock >= from && clock < to : clock >= from || clock < to
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Made once: a weekend is looked through minute by minute, which took 0.7 s with one for each. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  clocks.set(timeZone, clock)
  return clock
}
