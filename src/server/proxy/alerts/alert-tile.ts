import { createHash } from 'node:crypto'
import { noSpell, spellAfter, type TileState, turnBetween } from '../../../facts/tile-state.ts'
import { isLoopback } from '../../../protocol/loopback.ts'
import {
  addAlert,
  changeTile,
  findTile,
  wasNotified,
  type WatchedTile,
  watchTile,
} from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'

/** A tile as it stands now. */
export interface SeenTile extends Pick<AlertSubject, 'title' | 'state' | 'linkOf'> {
  /** In its canonical form: tiles of one query cause one alert. */
  readonly query: string
  /** Where nobody has looked at it before: what began earlier is no news, epoch ms. */
  readonly watchedSince: number
}

/**
 * Records the alerts that a tile causes: that it is red, once for each spell and time, and that it has
 * recovered, where an alert said that it was red. What happened before the tile was first watched
 * causes none. Two proxies that look at once record it once. `now` is epoch ms.
 */
export async function noteTile(
  database: Database,
  rules: AlertRules,
  seen: SeenTile,
  now: number,
): Promise<void> {
  const { state } = seen
  if (state.status === 'empty' || state.status === 'unknown') return
  const tile = createHash('sha256').update(seen.query).digest('hex')
  const before = (await findTile(database, tile)) ?? (await begin(database, tile, seen))
  const after = spellAfter(before, state)
  if (after !== before) await changeTile(database, before, after)
  if (after.isFailing) await notifyRed(database, rules, seen, after, now)
  else if (
    turnBetween(before, after) === 'recovered' &&
    rules.recovered &&
    (await wasNotified(database, tile, before.spell))
  ) {
    const text = alertText({ ...seen, since: before.since, redFor: undefined })
    await addAlert(database, { tile, spell: before.spell, kind: 'recovered', text, createdAt: now })
  }
}

async function begin(
  database: Database,
  tile: string,
  { state, watchedSince }: SeenTile,
): Promise<WatchedTile> {
  const nothing = { ...noSpell, tile, watchedSince }
  await watchTile(database, spellAfter(nothing, state))
  return (await findTile(database, tile)) ?? nothing
}

async function notifyRed(
  database: Database,
  rules: AlertRules,
  seen: SeenTile,
  { tile, spell, since, watchedSince }: WatchedTile,
  now: number,
): Promise<void> {
  // After an outage only the latest is news.
  const redFor = Math.max(...rules.redFor.filter((minutes) => since + minutes * minuteMs <= now))
  if (!Number.isFinite(redFor) || since + redFor * minuteMs < watchedSince) return
  const text = alertText({ ...seen, since, redFor })
  await addAlert(database, { tile, spell, kind: `red:${redFor}`, text, createdAt: now })
}

const minuteMs = 60_000

/** What causes alerts, and where they may be sent (the configuration file's `alerts`). */
export interface AlertRules {
  /** Names of walls that are configured; one without tiles stands for every project. */
  readonly walls: readonly string[]
  /** Whether every project is watched, as the wall of all projects shows it. */
  readonly everyProject: boolean
  /** After how many minutes of being red a tile causes an alert; 0 is at once. */
  readonly redFor: readonly number[]
  /** Whether a tile that recovers causes an alert. */
  readonly recovered: boolean
  /** Hosts that may be sent to, with a port where it is not the usual one. */
  readonly webhookHosts: readonly string[]
  /** The address of the dashboard, for links to its pages. */
  readonly dashboard?: string | undefined
}

/** What is wrong with a webhook's address; a sentence that names its setting and does not repeat it. */
export function webhookMistake(
  url: URL,
  hosts: readonly string[],
  setting = 'SIGHTLINE_WEBHOOK_URL',
): string | undefined {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    return `${setting} must start with https://.`
  }
  if (url.username !== '' || url.password !== '') {
    return `${setting} must not contain a user name or password.`
  }
  // A host alone stands for its usual port only.
  if (!hosts.some((host) => host.toLowerCase() === url.host)) {
    const how = url.port === '' ? '' : `, with its port: host:${url.port}`
    return `${setting} is on a host that isn't in alerts.webhookHosts. Add it there${how}.`
  }
  return undefined
}

/** What a message is about. */
interface AlertSubject {
  readonly title: string
  readonly state: TileState
  /** When the failures began, epoch ms. */
  readonly since: number
  /** After how many minutes of being red; undefined where it has recovered. */
  readonly redFor: number | undefined
  /** The page of a build; undefined where none is known. */
  readonly linkOf: (buildId: string) => string | undefined
}

/**
 * The message of an alert as Slack and its like read it: what broke, since when, and where to look.
 * Times are UTC. Nothing in it that came from a build can become a link, a mention or a line of its
 * own; it is never longer than about 1,500 characters.
 */
function alertText(subject: AlertSubject): string {
  const { title, state, since, redFor, linkOf } = subject
  const name = plain(title)
  if (redFor === undefined) {
    const link = linkTo(state.newest && linkOf(state.newest.buildId))
    return `✓ ${name} has recovered. It had been failing since ${timeText(since)}.${link}`
  }
  const { breaking, inARow, between, isMore } = state
  const many = `, ${isMore ? 'at least ' : ''}${inARow} ${between > 0 ? 'failed builds' : 'builds in a row'}`
  const row = inARow > 1 ? many : ''
  const still = redFor === 0 ? 'is failing' : `is still failing after ${minutesText(redFor)}`
  const link = linkTo(breaking && linkOf(breaking.buildId))
  return `✕ ${name} ${still}, since ${timeText(since)}${row}.${brokenBy(state)}${link}`
}

function brokenBy({ breaking }: TileState): string {
  if (breaking === undefined) return ''
  const { requested, branch, user } = breaking
  const what = plain(requested.join(' '))
  const origin = [
    branch === undefined ? '' : ` on ${plain(branch)}`,
    user === undefined ? '' : ` by ${plain(user)}`,
  ].join('')
  if (what === '' && origin === '') return ''
  return ` It started with ${what === '' ? 'a build' : what}${origin}.`
}

function linkTo(address: string | undefined): string {
  // Percent-encoded already: neither > nor | can be in it.
  return address === undefined ? '' : ` <${address.replaceAll('&', '&amp;')}|Build>`
}

function minutesText(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
}

function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

const longestPart = 200

/** A text from outside on one line, with the three characters escaped that begin markup. */
export function plain(text: string, longest: number = longestPart): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\s]+/gu, ' ').trim()
  const short = line.length > longest ? `${line.slice(0, longest - 1)}…` : line
  return short.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
