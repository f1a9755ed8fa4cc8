import { type BranchRule, branchSearch } from '../../../facts/tile-branch.ts'
import { addBuild, noBuilds, type TileBuilds } from '../../../facts/tile-builds.ts'
import { tileState } from '../../../facts/tile-state.ts'
import { wait } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { type SharedSearch, sharedSearchBuilds, type Wall } from '../../../protocol/wall.ts'
import { type Answer, compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { forgetAlerts } from '../../store/alerts.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import type { SharedSearches } from '../shared-search/shared-search.ts'
import { type AlertProjects, createAlertProjects, type WatchedProject } from './alert-projects.ts'
import { type AlertChannel, type AlertSenderOptions, sendAlerts } from './alert-sender.ts'
import { type AlertRules, noteTile } from './alert-tile.ts'
import { type BoardMessageRules, noteBoard } from './board-watch.ts'
import { noteEndingWaivers } from './waiver-reminders.ts'
import type { Webhook } from './webhook.ts'

export interface AlertWatchOptions extends AlertSenderOptions {
  readonly rules: AlertRules
  /** Where alerts go; undefined where only boards have a webhook. */
  readonly webhook: Webhook | undefined
  /** Boards with a webhook of their own. */
  readonly boards: readonly WatchedBoard[]
  readonly boardRules: BoardMessageRules
  /** So many days before a waiver ends people are reminded. */
  readonly remindDays: readonly number[]
  readonly walls: readonly Wall[]
  /** Of projects whose default branch is configured. */
  readonly defaultBranches: Readonly<Record<string, string>>
  readonly searches: SharedSearches
  /** Whether the live feed is being heard. */
  readonly isLive: () => boolean
  /** The build server's own address, for links to its pages; null where it has none. */
  readonly origin: string | null
}

/** A board that is watched, and where it is told. */
export interface WatchedBoard {
  readonly board: SharedConfig['boards'][number]
  readonly webhook: Webhook
}

/** Watches the tiles that cause alerts. */
export interface AlertWatch {
  /** What the live feed has learned of a build. */
  readonly learn: (facts: Facts) => void
  /** Ends it, after what is under way. */
  readonly close: () => Promise<void>
}

/** A tile, and what has arrived for it. */
interface WatchedQuery {
  readonly title: string
  readonly query: string
  readonly rule: BranchRule
  builds: TileBuilds
  matches: (facts: Facts) => Answer
}

/**
 * Looks at the tiles of the walls that `rules` names, at every project where it says so, and at
 * `boards` every 30 s, and sends what has happened (alert-tile.ts, board-watch.ts). A project is known by its builds in the feed, and
 * searched for only while it is red. What is stale causes no alert: neither while the search fails nor, where the server
 * does not search or does not let this proxy, while the feed is silent. Never throws.
 */
export function startAlertWatch(options: AlertWatchOptions): AlertWatch {
  const { rules, clock, database, searches, isLive, logger, boards, boardRules } = options
  const channels: readonly AlertChannel[] = [
    ...(options.webhook === undefined ? [] : [{ webhook: options.webhook }]),
    ...boards.map(({ board, webhook }) => ({ webhook, board: board.name })),
  ]
  const closing = new AbortController()
  const { signal } = closing
  const startedAt = clock.now()
  const tiles = watchedQueries(options, startedAt)
  const projects = watchedProjects(options, tiles)

  const isFresh = ({ search, ageMs, problem }: SharedSearch): boolean =>
    search === 'unsupported' || (search === 'unknown' && problem?.status === 403)
      ? isLive()
      : problem === null && ageMs !== null && ageMs <= freshMs
  /** `isSearched`: what was before the first build that is known, is known too. */
  const note = async (
    { title, query, rule, builds }: Pick<WatchedQuery, 'title' | 'query' | 'rule' | 'builds'>,
    isSearched: boolean,
  ): Promise<void> => {
    const now = clock.now()
    const state = tileState(builds, { now, timeZone: 'UTC' }, rule)
    const watchedSince = isSearched || !state.isOpen ? startedAt : now
    const seen = {
      title,
      query: tileKey(query, rule.tile),
      state,
      watchedSince,
      linkOf: linksOf(options),
    }
    await noteTile(database, rules, seen, now)
  }
  const look = async (tile: WatchedQuery | WatchedProject): Promise<void> => {
    const answer = await searches.request(tile.query)
    tile.builds = answer.builds.reduce(addBuild, tile.builds)
    const isFull = answer.builds.length >= sharedSearchBuilds
    const narrower = isFull ? branchSearch(tile.query, answer.builds, tile.rule) : undefined
    if (narrower !== undefined) {
      tile.builds = (await searches.request(narrower)).builds.reduce(addBuild, tile.builds)
    }
    if (isFresh(answer) && !signal.aborted) await note(tile, answer.search === 'supported')
  }
  /** A project that has turned red is searched for before it causes an alert: the feed may have gaps. */
  const lookAtRed = async (project: WatchedProject): Promise<void> => {
    project.searchedAt = clock.now()
    await look(project)
    project.noted = undefined
  }
  const noteChanged = async (project: WatchedProject): Promise<void> => {
    const { builds } = project
    await note(project, false)
    project.noted = builds
  }
  const lookAtProjects = async ({ learn, red, changed }: AlertProjects) => {
    // What has failed while nobody heard it.
    const [failed] = await Promise.allSettled([searches.request(failedBuilds)])
    if (failed.status === 'fulfilled') failed.value.builds.forEach(learn)
    const looks = await Promise.allSettled(red(mostAsked).map(lookAtRed))
    const notes = isLive() && !signal.aborted ? changed().map(noteChanged) : []
    return [failed, ...looks, ...(await Promise.allSettled(notes))]
  }
  const round = async (): Promise<void> => {
    // Relative moments in a query are taken from now.
    for (const tile of tiles) tile.matches = matcherOf(tile.query, clock.now())
    const looks = [
      ...(await Promise.allSettled(tiles.map(look))),
      ...(projects === undefined ? [] : await lookAtProjects(projects)),
    ]
    const failed = looks.filter(({ status }) => status === 'rejected').length
    if (failed > 0) logger.warn(`${failed} tiles couldn't be checked for alerts`)
    if (options.webhook !== undefined) {
      const reminders = { days: options.remindDays, dashboard: rules.dashboard }
      await noteEndingWaivers(database, reminders, clock.now())
    }
    for (const { board } of boards) {
      await noteBoard(database, board, boardRules, clock.now()).catch(() => {
        logger.warn(`the board ${board.name} couldn't be checked for its webhook`)
      })
    }
    await forgetAlerts(database, clock.now() - keptMs)
    // Side by side: one that hangs doesn't keep the others waiting.
    await Promise.all(channels.map((channel) => sendAlerts(options, channel)))
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await round().catch(() => {
        logger.warn("sending alerts failed: the database isn't responding")
      })
      await wait(clock, periodMs, signal)
    }
  }
  const running = run()
  return {
    learn: (facts) => {
      for (const tile of tiles) {
        if (tile.matches(facts) === 'yes') tile.builds = addBuild(tile.builds, facts)
      }
      // What a browser reads of the past comes by here, too, and is no news.
      if (facts.receivedAt >= startedAt) projects?.learn(facts)
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

function watchedQueries(
  { rules, walls, defaultBranches }: AlertWatchOptions,
  now: number,
): WatchedQuery[] {
  const queries = new Map<string, WatchedQuery>()
  for (const wall of walls.filter(({ name }) => rules.walls.includes(name))) {
    for (const { title, query: text, branch } of wall.tiles) {
      const query = readSharedQuery(text)
      const key = tileKey(query, branch)
      if (queries.has(key)) continue
      const rule = { tile: branch, projects: defaultBranches }
      queries.set(key, { title, query, rule, builds: noBuilds, matches: matcherOf(query, now) })
    }
  }
  return [...queries.values()]
}

/** Tiles of one query that stand for different branches are different tiles. */
function tileKey(query: string, branch: string | undefined): string {
  return branch === undefined ? query : `${query}\n${branch}`
}

/** Undefined where only named tiles are watched. */
function watchedProjects(
  { rules, walls, defaultBranches, logger }: AlertWatchOptions,
  tiles: readonly WatchedQuery[],
): AlertProjects | undefined {
  const isEvery = ({ name, tiles: own }: Wall): boolean =>
    own.length === 0 && rules.walls.includes(name)
  if (!rules.everyProject && !walls.some(isEvery)) return undefined
  return createAlertProjects({
    others: new Set(tiles.flatMap(({ query, rule }) => (rule.tile === undefined ? [query] : []))),
    rule: { projects: defaultBranches },
    onFull: () => {
      logger.warn('more projects than alerts can watch: the ones idle longest are dropped')
    },
  })
}

function matcherOf(query: string, now: number): (facts: Facts) => Answer {
  return compile(parse(query), { now, timeZone: 'UTC' })
}

function linksOf({ rules, origin }: AlertWatchOptions): (buildId: string) => string | undefined {
  const { dashboard } = rules
  if (dashboard !== undefined) return (id) => `${dashboard.replace(/\/+$/, '')}/builds/${id}`
  return origin === null ? () => undefined : (id) => `${origin}/s/${id}`
}

const periodMs = 30_000
/** The newest failures, whosever. */
const failedBuilds = 'buildOutcome:failed'
/** How many red projects are searched for in one round: the proxy's searches are for walls, too. */
const mostAsked = 30
const freshMs = 90_000

const keptMs = 90 * 24 * 60 * 60 * 1000
