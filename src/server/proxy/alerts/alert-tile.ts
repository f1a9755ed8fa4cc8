import { utcText } from '../../../policy/scan-report.ts'
import { createHash } from 'node:crypto'
import { peopleOf, type TilePeople } from '../../../facts/tile-claim.ts'
import { noSpell, spellAfter, type TileState, turnBetween } from '../../../facts/tile-state.ts'
import { tileKey } from '../../../protocol/claim.ts'
import { minuteMs } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import { isLoopback } from '../../../protocol/loopback.ts'
import {
  addAlert,
  changeTile,
  findTile,
  notifiedRoutes,
  projectsTile,
  type WatchedTile,
  watchTile,
} from '../../store/alerts.ts'
import { claimsOfTile, endClaims } from '../../store/claims.ts'
import type { Database } from '../../store/database.ts'
import { type AlertMessage, singleLine, written } from './alert-message.ts'
import type { AlertRoute } from './alert-route.ts'

/** A tile as it stands now. */
export interface SeenTile extends Pick<AlertSubject, 'title' | 'state' | 'linkOf' | 'builds'> {
  /** In its canonical form: tiles of one query and branch cause one alert. */
  readonly query: string
  readonly branch: string | undefined
  /** Where nobody has looked at it before: what began earlier is no news. By the build server's clock, epoch ms. */
  readonly watchedSince: number
  /** Now, by that clock. */
  readonly serverNow: number
  /** The names of the receivers that get messages about it; empty for the one without a name. */
  readonly routes: readonly string[]
  /** The names of all receivers that there are. */
  readonly receivers: readonly string[]
}

/**
 * Records the alerts that a tile causes: that it is red, once for each spell and time, and that it has
 * recovered, where an alert said that it was red. What happened before the tile was first watched
 * causes none, nor does it that a tile still fails which sleeps. Two proxies that look at once record it once. `now` is epoch ms.
 */
export async function noteTile(
  database: Database,
  rules: AlertRules,
  seen: SeenTile,
  now: number,
): Promise<void> {
  const { state } = seen
  const before = (await findSeen(database, seen)) ?? (await begin(database, seen))
  const { tile } = before
  if (state.status === 'empty' || state.status === 'unknown') return
  const after = spellAfter(before, state)
  if (after.isFailing) await notifyRed(database, rules, seen, after, now)
  else if (turnBetween(before, after) === 'recovered' && rules.recovered) {
    const { spell, since } = before
    const recovery = { ...seen, spell, since, redFor: undefined, people: {} }
    const message = alertMessage(recovery, threadOf(tile, spell))
    // Whoever knows of the failure, wherever its messages would go now.
    const notified = await notifiedRoutes(database, { tile, spell })
    // For one that is gone, such as renamed, whoever gets its messages now: those who had them may be there.
    const isGone = notified.some((route) => !seen.receivers.includes(route))
    for (const route of new Set([...notified, ...(isGone ? seen.routes : [])])) {
      const alert = { tile, spell, kind: 'recovered', createdAt: now, route }
      await addAlert(database, { ...alert, ...written(message) })
    }
  }
  if (before.isFailing && turnBetween(before, after) !== undefined) {
    // Processes that start later may not see that it was over.
    const key = tileKey(seen.query, seen.branch)
    await endClaims(database, key, after.isFailing ? after.since - 1 : (state.since ?? now))
  }
  // Last: what could not be put down is found again the next time.
  if (after !== before) await changeTile(database, before, after)
}

/**
 * The build with which the failures began that a tile was last seen to have, by whichever process; undefined
 * where it was well.
 */
export async function lastSeenFailure(
  database: Database,
  tile: Pick<SeenTile, 'query' | 'branch'>,
): Promise<string | undefined> {
  const known = await findSeen(database, tile)
  return known?.isFailing === true ? known.spell : undefined
}

/** How a tile stood; undefined where nobody has looked. Failures that older releases saw of a project go on under its spelling. */
async function findSeen(
  database: Database,
  { query, branch }: Pick<SeenTile, 'query' | 'branch'>,
): Promise<WatchedTile | undefined> {
  const [tile, spelled] = tileIds({ query, branch })
  const known = await findTile(database, tile)
  if (known !== undefined || spelled === tile) return known
  const older = await findTile(database, spelled)
  if (older === undefined || older.isFailing) return older
  await watchTile(database, { ...older, tile })
  return findTile(database, tile)
}

/**
 * Since when every project is watched, also ones that have no build yet: since `now` where it was never so
 * before. Both by the build server's clock, epoch ms.
 */
export async function projectsWatchedSince(database: Database, now: number): Promise<number> {
  const tile = { ...noSpell, tile: projectsTile, watchedSince: now }
  await watchTile(database, tile)
  return (await findTile(database, projectsTile))?.watchedSince ?? now
}

/**
 * Since when nobody has noted what happened, by the build server's clock (epoch ms), and an hour before `now` by this
 * one's at most; undefined where nobody ever has.
 */
export async function unnotedSince(database: Database, now: number): Promise<number | undefined> {
  const noted = await findTile(database, notedTile)
  const here = await findTile(database, notedHereTile)
  // Their clocks may differ by more than that: each time is compared with one of its own clock.
  return noted && noted.since + Math.max(0, now - (here?.since ?? now) - alertNewsMs)
}

/** Puts down that all until `now` has been noted; the build server's clock is `clockSkewMs` ahead of it. */
export async function noteUntil(
  database: Database,
  now: number,
  clockSkewMs: number,
): Promise<void> {
  for (const [tile, since] of [
    [notedTile, now + clockSkewMs],
    [notedHereTile, now],
  ] as const) {
    await watchTile(database, { ...noSpell, tile, since, watchedSince: since })
    await changeTile(database, { ...noSpell, tile }, { ...noSpell, since })
  }
}

/** No other tile is named so: they are hashes. */
const notedTile = 'noted'
const notedHereTile = 'noted-here'

/** What alerts missed for longer is no news, ms. */
const alertNewsMs = 60 * 60_000

/** Under which a tile is kept and its messages are, and under which an older release kept it. */
export function tileIds({
  query,
  branch,
}: Pick<SeenTile, 'query' | 'branch'>): readonly [string, string] {
  return [
    tileId(tileKey(query, branch)),
    tileId(branch === undefined ? query : `${query}\n${branch}`),
  ]
}

function tileId(query: string): string {
  return createHash('sha256').update(query).digest('hex')
}

/** A failure and its recovery have it in common; says nothing of either. */
function threadOf(tile: string, spell: string): string {
  return createHash('sha256').update(`${tile} ${spell}`).digest('hex').slice(0, 32)
}

async function begin(
  database: Database,
  { query, branch, state, watchedSince }: SeenTile,
): Promise<WatchedTile> {
  const [tile] = tileIds({ query, branch })
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
  // By a clock that is a second ahead, what has just failed did so later than now.
  const redMs = Math.max(0, seen.serverNow - since)
  // After an outage only the latest is news.
  const redFor = Math.max(...rules.redFor.filter((minutes) => minutes * minuteMs <= redMs))
  if (!Number.isFinite(redFor) || since + redFor * minuteMs < watchedSince) return
  // Of a failure that was seen to begin, `since` is when, whatever this process knows of the builds before.
  const isOpen = seen.state.isOpen && since < watchedSince
  const claims = await claimsOfTile(database, tileKey(seen.query, seen.branch))
  const people = peopleOf(claims, { status: 'failing', since, isOpen }, now)
  if (redFor > 0 && people.sleep !== undefined) return
  const message = alertMessage({ ...seen, spell, since, redFor, people }, threadOf(tile, spell))
  for (const route of seen.routes) {
    const alert = { tile, spell, kind: `red:${redFor}`, createdAt: now, route }
    await addAlert(database, { ...alert, ...written(message) })
  }
}

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
  /** Receivers besides the one of SIGHTLINE_WEBHOOK_URL. */
  readonly routes: readonly AlertRoute[]
  /** The address that mail comes from. */
  readonly emailFrom?: string | undefined
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
  /** How many finished builds the state rests on. */
  readonly builds: number
  /** The build with which the failures began, which may be forgotten by now, and when, epoch ms. */
  readonly spell: string
  readonly since: number
  /** After how many minutes of being red; undefined where it has recovered. */
  readonly redFor: number | undefined
  readonly people: TilePeople
  /** The page of a build; undefined where none is known. */
  readonly linkOf: (buildId: string) => string | undefined
}

/**
 * The message of an alert: what broke, since when, why, by whom, and where to look. Times are UTC. Each
 * part that came from a build is one line of at most 200 characters.
 */
function alertMessage(subject: AlertSubject, thread: string): AlertMessage {
  const { title, state, builds, spell, since, redFor, people, linkOf } = subject
  const name = singleLine(title)
  const common = { title: name, since, builds, thread }
  const rests = restsOn(builds)
  if (redFor === undefined) {
    return {
      ...common,
      kind: 'recovered',
      mark: '✓',
      text: `${name} has recovered. It had been failing since ${utcText(since)}. ${rests}`,
      ...linkTo(state.newest && linkOf(state.newest.buildId)),
    }
  }
  const { inARow, between, isMore } = state
  const many = `, ${isMore ? 'at least ' : ''}${inARow} ${between > 0 ? 'failed builds' : 'builds in a row'}`
  const row = inARow > 1 ? many : ''
  const still = redFor === 0 ? 'is failing' : `${stillFailing}${minutesText(redFor)}`
  return {
    ...common,
    onIt: onIt(people),
    kind: redFor === 0 ? 'failing' : 'still-failing',
    mark: '✕',
    text: `${name} ${still} (since ${utcText(since)}${row}).${causeOf(state)}${brokenBy(state, spell)}${onIt(people)} ${rests}`,
    ...linkTo(linkOf(spell)),
  }
}

/**
 * The message of a failure that goes on as it is to be told later: who is on it by then, and after how many minutes it still
 * fails.
 */
export function toldLater(
  message: AlertMessage,
  people: TilePeople,
  minutes: number,
): AlertMessage {
  const { title, text, onIt: before = '', builds = 0 } = message
  const rests = ` ${restsOn(builds)}`
  if (!text.endsWith(`${before}${rests}`)) return message
  const told = text.slice(0, text.length - before.length - rests.length)
  const begin = `${title} ${stillFailing}`
  const after = minutes < 60 ? minutes : Math.floor(minutes / 60) * 60
  const isStill = told.startsWith(begin)
  const rest = isStill ? told.slice(told.indexOf(' (since', begin.length)) : told
  const still = isStill ? `${begin}${minutesText(after)}` : ''
  return { ...message, text: `${still}${rest}${onIt(people)}${rests}`, onIt: onIt(people) }
}

const stillFailing = 'is still failing after '

function restsOn(builds: number): string {
  return `Based on ${countOf(builds, 'build')}.`
}

function causeOf({ breaking }: TileState): string {
  const parts = [breaking?.cause?.what, breaking?.cause?.message].flatMap((part) =>
    part === undefined || part === '' ? [] : singleLine(part),
  )
  return parts.length === 0 ? '' : ` Cause: ${parts.join(': ').replace(/\.$/, '')}.`
}

function brokenBy({ breaking }: TileState, spell: string): string {
  if (breaking?.buildId !== spell) return ''
  const { requested, branch, user } = breaking
  const what = singleLine(requested.join(' '))
  const origin = [
    branch === undefined ? '' : ` on ${singleLine(branch)}`,
    user === undefined ? '' : ` by ${singleLine(user)}`,
  ].join('')
  if (what === '' && origin === '') return ''
  return ` It started with ${`${what === '' ? 'a build' : what}${origin}`.replace(/\.$/, '')}.`
}

function onIt({ claim }: TilePeople): string {
  return claim === undefined
    ? ''
    : ` ${singleLine(claim.by)} has been on it since ${utcText(claim.createdAt)}.`
}

function linkTo(address: string | undefined): Pick<AlertMessage, 'link'> {
  return address === undefined ? {} : { link: { label: 'Build', url: address } }
}

function minutesText(minutes: number): string {
  if (minutes % 60 !== 0) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return minutes === 60 ? '1 hour' : `${minutes / 60} hours`
}
