import { loadableAddress } from '../../domain/saved-query/past-queries.ts'
import type { TileState, TileStatus } from '../../../facts/tile-state.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { shortCommit } from '../../../facts/build-source.ts'
import type { TileLook } from '../../../facts/tile-order.ts'
import { type TileView, unreadOf } from '../../data/wall/tile-board.ts'
import type { SearchStanding } from '../../data/wall/wall-searches.ts'
import { agoText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** How tiles look: color and shape follow from the tone. */
export const tileTones: Record<Exclude<TileLook, 'slower' | 'silent'> | 'mistake', StatusTone> = {
  failing: 'bad',
  'newly-failing': 'bad',
  asleep: 'bad',
  flaky: 'waiting',
  mistake: 'waiting',
  healthy: 'good',
  unknown: 'none',
  empty: 'none',
}

/** What states are called. */
const tileNames: Record<TileStatus, string> = {
  failing: 'Failing',
  flaky: 'Flaky',
  slower: 'Slower',
  silent: 'Silent',
  healthy: 'Healthy',
  unknown: 'Outcome unknown',
  empty: 'No builds yet',
}

const loading = 'Loading…'
const unreadTexts = { failed: "Couldn't load builds", unsupported: 'No recent builds' } as const

/** What the state of a tile is called, where its builds are on their way or couldn't be searched for, too. */
export function nameText(view: Omit<TileView, 'key'>): string {
  const { state, search, isKept } = view
  const unread = unreadOf(view)
  if (unread !== undefined && !isKept) return unreadTexts[unread]
  const isLoading = state.status === 'empty' && search.is === 'loading' && !isKept
  return isLoading ? loading : tileNames[state.status]
}

/** The same of a time ago: "Was healthy"; of "New failure" and "3rd failure" "Was failing". */
export function inThePast(word: string): string {
  if (word === loading || word === unreadTexts.failed) return word
  if (word === unreadTexts.unsupported) return 'Had no recent builds'
  if (word === tileNames.empty) return 'Had no builds'
  if (word === tileNames.unknown) return 'Outcome was unknown'
  if (word.endsWith(' failure')) return 'Was failing'
  return `Was ${word.charAt(0).toLowerCase()}${word.slice(1)}`
}

/** How many tiles that have no room of their own are healthy, and how many are not; undefined where none are. */
export function foldedTexts(
  healthy: number,
  others: number,
  isStale: boolean,
): readonly (string | undefined)[] {
  const was = healthy === 1 ? 'was ' : 'were '
  return [
    healthy === 0 ? undefined : `${countText(healthy)} ${isStale ? was : ''}healthy`,
    others === 0 ? undefined : countOf(others, 'other'),
  ]
}

/** What of a wall isn't shown, or not all the time, as sentences. */
export function hiddenTexts(leftOut: number, unwatched: number): readonly string[] {
  return [
    ...(leftOut > 0
      ? [
          `${countOf(leftOut, 'more project')} ${leftOut === 1 ? "doesn't" : "don't"} fit. Define the tiles you need.`,
        ]
      : []),
    ...(unwatched > 0
      ? [
          `${countOf(unwatched, 'tile')} of other walls ${unwatched === 1 ? 'is' : 'are'} updated only while shown.`,
        ]
      : []),
  ]
}

/** The state in bold: "Failing for the 3rd time" where other work hasn't failed as well, where there is little room "3rd failure", "New failure", "Fixed", or its name. */
export function wordText(
  { status, news, times, inARow, isMore }: TileState,
  room: 'much' | 'little' = 'much',
): string {
  if (status === 'failing') {
    if (news === 'failed') return 'New failure'
    if (times < 2) return tileNames.failing
    if (room === 'little') return `${ordinal(times)}${isMore ? '+' : ''} failure`
    // The row beside it counts all failures: two numbers that differ would contradict each other.
    if (times !== inARow) return tileNames.failing
    return `Failing for ${isMore ? 'at least ' : ''}the ${ordinal(times)} time`
  }
  return status === 'healthy' && news === 'fixed' ? 'Fixed' : tileNames[status]
}

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }

function ordinal(count: number): string {
  return `${countText(count)}${endings[ordinals.select(count)] ?? 'th'}`
}

/** How much slower: "11 min, usually 4 min", where there is little room "11 min"; undefined where nothing is. */
export function slowerText(
  { slower }: TileState,
  room: 'much' | 'little' = 'much',
): string | undefined {
  if (slower === undefined) return undefined
  const recent = unbroken(slower.recentMs)
  return room === 'little' ? recent : `${recent}, usually ${unbroken(slower.usualMs)}`
}

/** How late builds are at `now`, epoch ms: "26 h late, usually daily", where there is little room "26 h late"; undefined where none are. */
export function silentText(
  { silent }: TileState,
  now: number,
  room: 'much' | 'little' = 'much',
): string | undefined {
  if (silent === undefined) return undefined
  const late = agoText(now - silent.dueAt).replace(' ago', '')
  return room === 'little' ? `${late} late` : `${late} late, usually ${rhythmText(silent.everyMs)}`
}

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/**
 * Since when it is so at `now`, epoch ms: "since 09:12, 24 min", or only for how long, "for over 24 min" where it may have begun earlier; of news when it happened:
 * "at 09:12, 24 min ago"; or how slow or late it is. Empty where nothing is known.
 */
export function sinceText(
  state: TileState,
  now: number,
  zone: Zone,
  room: 'much' | 'little' = 'much',
): string {
  const { since, isOpen, status, news } = state
  if (status === 'slower') return slowerText(state, room) ?? ''
  if (status === 'silent') return silentText(state, now, room) ?? ''
  if (since === undefined) return ''
  const ageMs = now - since
  const ago = agoText(ageMs)
  const time = timeOfDayText(since, zone)
  const isNew = ago === 'just now'
  if (news !== undefined) {
    if (room === 'little' || ageMs >= dayMs) return ago
    return isNew ? `at ${time}` : `at ${time}, ${ago}`
  }
  const age = ago.replace(' ago', '')
  if (room === 'little') return isOpen && !isNew ? `over ${age}` : age
  // The time of another day would be taken for one of today.
  if (ageMs >= dayMs && !isOpen) return `for ${age}`
  if (isOpen) return isNew ? '' : `for over ${age}`
  // Of what has just happened the time of day says how long ago it was.
  return isNew ? `since ${time}` : `since ${time}, ${age}`
}

/** How long ago a tile was so of which nothing is known since, by its newest build: "3 h ago". */
export function lastText({ newest }: TileState, now: number): string {
  return newest === undefined ? '' : agoText(now - newest.receivedAt)
}

function rhythmText(everyMs: number): string {
  const hours = Math.round(everyMs / hourMs)
  if (hours >= 7 * 24) return 'weekly'
  if (hours >= 24) return 'daily'
  return everyMs / hourMs > 0.75 && hours === 1 ? 'hourly' : `every ${unbroken(everyMs)}`
}

/** How many in a row: "3 failures in a row", "12 successes in a row"; undefined where it says nothing. */
export function rowText({
  status,
  inARow,
  between,
  isOpen,
  isMore,
}: TileState): string | undefined {
  const more = isMore ? ' or more' : ''
  const isFirst = inARow === 1
  // What was before is not known.
  if (isFirst && isMore && between === 0) return undefined
  if (between > 0 && status !== 'unknown' && status !== 'empty') {
    const verb = status === 'failing' ? 'failed' : 'passed'
    if (isMore && !isOpen) return `${inARow} or more builds ${verb}`
    return `${inARow} of ${isOpen ? 'the last ' : ''}${inARow + between} builds ${verb}`
  }
  switch (status) {
    case 'failing':
      return isFirst ? 'first failure' : `${inARow}${more} failures in a row`
    case 'flaky':
    case 'slower':
    case 'silent':
    case 'healthy':
      return isFirst ? 'good again' : `${inARow}${more} successes in a row`
    case 'unknown':
    case 'empty':
      return undefined
  }
}

/** Why it is so: what failed or was requested, which test or commit came out both ways, or which one fixed it. */
export function causeText(state: TileState): string | undefined {
  const { status, breaking, flaky, fixedBy, inARow, slower } = state
  if (status === 'unknown') return 'No finished build of the default branch'
  if (flaky?.test !== undefined) return `${flaky.test} failed and passed`
  if (flaky?.commit !== undefined) return `Commit ${shortCommit(flaky.commit)} failed and passed`
  if (breaking !== undefined) return breaking.cause?.what ?? requestedText(breaking.requested)
  if (status === 'slower' && slower !== undefined) return requestedText(slower.requested)
  if (fixedBy !== undefined && inARow < newsFor) return `Fixed by commit ${shortCommit(fixedBy)}`
  return undefined
}

function requestedText(requested: readonly string[]): string | undefined {
  return requested.length === 0 ? undefined : requested.slice(0, 3).join(' ')
}

/** The first line of what the failure says. */
export function messageText({ breaking }: TileState): string | undefined {
  return breaking?.cause?.message
}

/** Who broke it: "Ann · 1a2b3c4d · main". */
export function whoText({ breaking }: TileState): string | undefined {
  const { user, commit, branch } = breaking ?? {}
  const parts = [user, commit && shortCommit(commit), branch].filter(
    (part) => part !== undefined && part !== '',
  )
  return parts.length === 0 ? undefined : parts.join('\u00a0· ')
}

/** Which commits may have broken it, where there are several: "One of 3 commits: 1a2b3c4d Ann, 5e6f7a8b Ben". */
export function commitsText({ breaking }: TileState): string | undefined {
  const { commits = [] } = breaking ?? {}
  if (commits.length < 2) return undefined
  const named = commits
    .slice(0, namedCommits)
    .map(({ commit, author }) => [shortCommit(commit), author].filter(Boolean).join(' '))
  const more = commits.length - named.length
  return `One of ${countText(commits.length)} commits: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const namedCommits = 4

/**
 * Where the tile's story is: the first failure beside the last success before it, or the newest slow build beside the last one that
 * was not; the failing build alone where no success is known.
 */
export function storyPath({ status, breaking, slower }: TileState): string | undefined {
  const [build, before] =
    breaking !== undefined
      ? [breaking.buildId, breaking.lastGood]
      : status === 'slower' && slower !== undefined
        ? [slower.buildId, slower.before]
        : []
  if (build === undefined) return undefined
  return `/builds/${build}${before === undefined || before === build ? '' : `?${new URLSearchParams({ compare: before }).toString()}`}`
}

/** The search for the other branches that are failing, among the builds that a tile's query finds. */
export function branchesPath(query: string, { failingBranches }: TileState): string {
  const names = failingBranches
    .slice(0, searchedBranches)
    .map((name) => `value:"Git branch=${name.replace(/["\\]/g, '\\$&')}"`)
  const q = `(${query}) and buildOutcome:failed and (${names.join(' or ')})`
  return buildsLink(q)
}

/** Where the builds of a query are, as an address that can be requested: a wall is left by loading anew. */
export function buildsLink(q: string): string {
  const search = `?${new URLSearchParams({ q }).toString()}`
  return loadableAddress({ pathname: '/builds', search, hash: '' })
}

const searchedBranches = 20

/** For so many builds it is news what fixed it. */
const newsFor = 10

/** Other branches that are failing: "2 branches failing"; undefined where there are none. */
export function branchesText({ failingBranches: { length } }: TileState): string | undefined {
  if (length === 0) return undefined
  return `${countText(length)} ${length === 1 ? 'branch' : 'branches'} failing`
}

/** The branch that a tile stands for, where that has to be said. */
export function branchText({ branch }: TileState): string | undefined {
  return branch === '*' ? 'all branches' : branch
}

/**
 * How long builds take, today's beside the usual: "1 min 12 s today, usually 58 s" where there is room
 * for two lines, "1 min 12 s, usually 58 s" on one, and in what others leave of one, only today's.
 */
export function durationsText(
  { durations }: TileState,
  room: 'lines' | 'line' | 'rest' = 'lines',
): string | undefined {
  const { medianMs, todayMs } = durations
  const usual = medianMs === undefined ? undefined : unbroken(medianMs)
  const today = todayMs === undefined ? undefined : unbroken(todayMs)
  if (today === undefined) return usual && `usually ${usual}`
  if (usual === undefined || room === 'rest') return `${today} today`
  if (today === usual) return `${today}, as usual`
  return `${today}${room === 'lines' ? ' today' : ''}, usually ${usual}`
}

/** With spaces at which no line ends: a number stays beside its unit. */
function unbroken(ms: number): string {
  return durationText(ms).replaceAll(' ', '\u00a0')
}

/**
 * What a tile has to say of the search: undefined while that answers. `since` is the time of day from
 * which on builds are known by the feed.
 */
export function searchText(search: SearchStanding, since: string): string | undefined {
  switch (search.is) {
    case 'loading':
    case 'answered':
      return undefined
    case 'unsupported':
      return `Only builds since ${since}`
    case 'failed':
      // Nobody stands there to try again: the wall does.
      return `Watching since ${since}. ${search.problem.replace(/ Try again(?: later)?\.$/, '')}`
  }
}
