import { addBuild, noBuilds, type TileBuilds } from '../../build/tile-builds.ts'
import { tileState } from '../../build/tile-state.ts'
import { wait } from '../../protocol/clock.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { SharedSearch } from '../../protocol/shared-search.ts'
import type { Wall } from '../../protocol/wall.ts'
import { type Answer, compile } from '../../search/match.ts'
import { parse } from '../../search/parse.ts'
import type { AlertRules } from './alert-rules.ts'
import { type AlertSenderOptions, sendAlerts } from './alert-sender.ts'
import { noteTile } from './alert-tile.ts'
import type { SharedSearches } from './shared-search.ts'
import { readSharedQuery } from './shared-search-query.ts'

export interface AlertWatchOptions extends AlertSenderOptions {
  readonly rules: AlertRules
  readonly walls: readonly Wall[]
  readonly searches: SharedSearches
  /** Whether the live feed is being heard. */
  readonly isLive: () => boolean
  /** The build server's own address, for links to its pages; null where it has none. */
  readonly origin: string | null
}

/** Looks after the tiles of which people are told. */
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
  builds: TileBuilds
  matches: (facts: Facts) => Answer
}

/**
 * Looks at the tiles of the walls that `rules` names every 30 s and tells what has happened
 * (alert-tile.ts). What is stale is never told: neither while the search fails nor, where the server
 * does not search or does not let this proxy, while the feed is silent. Never throws.
 */
export function startAlertWatch(options: AlertWatchOptions): AlertWatch {
  const { rules, clock, database, searches, logger } = options
  const closing = new AbortController()
  const { signal } = closing
  const tiles = watchedQueries(options, clock.now())

  const isFresh = ({ search, ageMs, problem }: SharedSearch): boolean =>
    search === 'unsupported' || (search === 'unknown' && problem?.status === 403)
      ? options.isLive()
      : problem === null && ageMs !== null && ageMs <= freshMs
  const look = async (tile: WatchedQuery): Promise<void> => {
    const answer = await searches.ask(tile.query)
    tile.builds = answer.builds.reduce(addBuild, tile.builds)
    if (!isFresh(answer) || signal.aborted) return
    const now = clock.now()
    const state = tileState(tile.builds, { now, timeZone: 'UTC' })
    const { title, query } = tile
    await noteTile(database, rules, { title, query, state, linkOf: linksOf(options) }, now)
  }
  const round = async (): Promise<void> => {
    // Relative moments in a query are taken from now.
    for (const tile of tiles) tile.matches = matcherOf(tile.query, clock.now())
    const looks = await Promise.allSettled(tiles.map(look))
    const failed = looks.filter(({ status }) => status === 'rejected').length
    if (failed > 0) logger.warn(`${failed} tiles could not be looked at for alerts`)
    await sendAlerts(options)
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await round().catch(() => {
        logger.warn('alerts could not be sent: the database does not answer')
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
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

function watchedQueries({ rules, walls }: AlertWatchOptions, now: number): WatchedQuery[] {
  const queries = new Map<string, WatchedQuery>()
  for (const wall of walls.filter(({ name }) => rules.walls.includes(name))) {
    for (const { title, query: text } of wall.tiles) {
      const query = readSharedQuery(text)
      const matches = matcherOf(query, now)
      if (!queries.has(query)) queries.set(query, { title, query, builds: noBuilds, matches })
    }
  }
  return [...queries.values()]
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
const freshMs = 90_000
