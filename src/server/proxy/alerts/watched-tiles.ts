import type { Logger } from 'pino'
import type { BranchRule } from '../../../facts/tile-branch.ts'
import { addBuild, noBuilds, type TileBuilds } from '../../../facts/tile-builds.ts'
import { tileState } from '../../../facts/tile-state.ts'
import { tileKey } from '../../../protocol/claim.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { foldCase } from '../../../protocol/parsed-text.ts'
import type { OfferedWall, Wall } from '../../../protocol/wall.ts'
import { type Answer, compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { nameText, quoteValue } from '../../../search/values/text.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import { type AlertRoute, type RoutedTile, takes } from './alert-route.ts'
import { type AlertRules, tileIds } from './alert-tile.ts'
import type { Webhook } from './webhook.ts'

/** A wall, and when it was saved, epoch ms. */
export type WatchedWall = Wall & Pick<OfferedWall, 'at'>

/** A tile, and what has arrived for it. */
export interface WatchedQuery {
  readonly title: string
  readonly query: string
  readonly rule: BranchRule
  /** The walls that it stands on. */
  readonly walls: string[]
  builds: TileBuilds
  matches: (facts: Facts) => Answer
  /** What it was when it was last put down; undefined before that, or where something may be missing. */
  noted: TileBuilds | undefined
  isSearched: boolean
  /** Since when it stands on a wall that is watched: what happened before is no news, epoch ms. */
  readonly addedAt: number
}

/** A project as the wall of all projects has it: a tile of its own. */
export interface WatchedProject {
  readonly title: string
  /** In its canonical form. */
  readonly query: string
  readonly rule: BranchRule
  builds: TileBuilds
  /** What it was when it was last put down; undefined before that. */
  noted: TileBuilds | undefined
  /** When it was last searched for, epoch ms. */
  searchedAt: number
}

/** The projects that alerts watch. */
export interface AlertProjects {
  /** A build of a project: one that is not known yet is watched from now on. */
  readonly learn: (facts: Facts) => void
  /** The keys of tiles that are watched already now, in place of those before: projects of them are no longer watched here. */
  readonly leaveOut: (others: ReadonlySet<string>) => void
  /** The red ones that were searched for longest ago, `most` of them, and of those that are `wanted`. */
  readonly red: (
    most: number,
    wanted?: (project: WatchedProject) => boolean,
  ) => readonly WatchedProject[]
  /** Those that are not red and of which something new is known. */
  readonly changed: () => readonly WatchedProject[]
}

/** What they are kept by. */
export interface AlertProjectsOptions {
  /** The keys of tiles that are watched already, under a title of their own. */
  readonly others: ReadonlySet<string>
  readonly rule: BranchRule
  /** How many there are at most; 500 by default. */
  readonly most?: number
  /** For the first time there is no more room. */
  readonly onFull: () => void
}

/**
 * Knows projects by their builds. Where there are more than it keeps, those give way that are not red
 * and have not built for longest; each comes back with its next build.
 */
export function createAlertProjects(options: AlertProjectsOptions): AlertProjects {
  const { rule, most = 500, onFull } = options
  let { others } = options
  const projects = new Map<string, WatchedProject>()
  const reds = new WeakMap<TileBuilds, boolean>()
  let wasFull = false

  function isRed(builds: TileBuilds): boolean {
    const known = reds.get(builds)
    if (known !== undefined) return known
    const red = tileState(builds, { now: 0, timeZone: 'UTC' }, rule).status === 'failing'
    reds.set(builds, red)
    return red
  }

  /** Whether one has to be watched rather than the other. */
  function matters(one: TileBuilds, other: TileBuilds): boolean {
    if (isRed(one) !== isRed(other)) return isRed(one)
    return (one.newest[0]?.receivedAt ?? 0) > (other.newest[0]?.receivedAt ?? 0)
  }

  /** Whether there is room for a project with such builds, if need be in place of another. */
  function makeRoom(builds: TileBuilds): boolean {
    if (projects.size < most) return true
    if (!wasFull) onFull()
    wasFull = true
    let least: { name: string; builds: TileBuilds } | undefined
    for (const [name, project] of projects) {
      if (least === undefined || matters(least.builds, project.builds)) {
        least = { name, builds: project.builds }
      }
    }
    if (least === undefined || !matters(builds, least.builds)) return false
    return projects.delete(least.name)
  }

  return {
    leaveOut: (now) => {
      others = now
      for (const [name, { query }] of projects)
        if (others.has(tileKey(query, undefined))) projects.delete(name)
    },
    learn: ({ fields: _, ...facts }) => {
      if (typeof facts.project !== 'string' || facts.project === '') return
      const name = foldCase(facts.project)
      const known = projects.get(name)
      const builds = addBuild(known?.builds ?? noBuilds, facts)
      if (known !== undefined) {
        known.builds = builds
        return
      }
      const query = projectQuery(facts.project)
      if (query === undefined || others.has(tileKey(query, undefined)) || !makeRoom(builds)) return
      const title = nameText(facts.project)
      projects.set(name, { title, query, rule, builds, noted: undefined, searchedAt: -Infinity })
    },
    red: (count, wanted = () => true) =>
      [...projects.values()]
        .filter((project) => wanted(project) && isRed(project.builds))
        .sort((a, b) => a.searchedAt - b.searchedAt)
        .slice(0, count),
    changed: () =>
      [...projects.values()].filter(({ builds, noted }) => !isRed(builds) && builds !== noted),
  }
}

/** The query of a project's tile. Undefined for a name that is too long to be searched for: whoever builds may choose any. */
function projectQuery(project: string): string | undefined {
  try {
    return readSharedQuery(`project:${quoteValue(project)}`)
  } catch {
    return undefined
  }
}

/** What says which tiles are watched, and who is told of them. */
export interface WatchedOptions {
  readonly rules: AlertRules
  /** Where alerts go; undefined where only boards have a webhook. */
  readonly webhook: Webhook | undefined
  /** The receivers of the routes. */
  readonly routes: readonly { readonly route: AlertRoute }[]
  /** Of projects whose default branch is configured. */
  readonly defaultBranches: Readonly<Record<string, string>>
  readonly logger: Logger
}

/** The tiles of the walls that are named; what is known of one stays while walls change around it. */
export function watchedQueries(
  { rules, defaultBranches }: WatchedOptions,
  walls: readonly WatchedWall[],
  {
    known,
    isFirst,
    now,
  }: {
    readonly known: readonly WatchedQuery[]
    readonly isFirst: boolean
    readonly now: number
  },
): readonly WatchedQuery[] {
  const before = new Map(known.map((tile) => [keyOf(tile), tile]))
  const queries = new Map<string, WatchedQuery>()
  const watched = watchedNames(rules)
  for (const wall of walls.filter(({ name }) => watched.has(name))) {
    for (const { title, query: text, branch } of wall.tiles) {
      const query = readSharedQuery(text)
      const key = tileKey(query, branch)
      const same = queries.get(key)
      if (same !== undefined) {
        same.walls.push(wall.name)
        continue
      }
      const rule = { tile: branch, projects: defaultBranches }
      const matches = matcherOf(query, now)
      const addedAt = isFirst ? now : (wall.at ?? now)
      const nothing = { builds: noBuilds, noted: undefined, isSearched: false, addedAt }
      // The same object: it may be looked at right now.
      const tile = before.get(key) ?? { query, rule, matches, ...nothing }
      queries.set(key, Object.assign(tile, { title, walls: [wall.name] }))
    }
  }
  return [...queries.values()]
}

/** The names of walls that rules and routes have. */
export function watchedNames({ walls, routes }: AlertRules): ReadonlySet<string> {
  return new Set([...walls, ...routes.flatMap(({ walls: own = [] }) => own)])
}

/** What is watched under a title of its own, and not as a project. */
export function ownQueries(tiles: readonly WatchedQuery[]): ReadonlySet<string> {
  return new Set(tiles.map(keyOf))
}

function keyOf({ query, rule }: WatchedQuery | WatchedProject): string {
  return tileKey(query, rule.tile)
}

export function idsOf({ query, rule }: WatchedQuery | WatchedProject): readonly string[] {
  return tileIds({ query, branch: rule.tile })
}

/** The only project of a tile, folded; undefined of several, as such a tile is about none of them. */
function onlyProject({ builds }: WatchedQuery | WatchedProject): string | undefined {
  const [only, ...others] = new Set(
    builds.newest.flatMap(({ project }) => (project ? foldCase(project) : [])),
  )
  return others.length === 0 ? only : undefined
}

/** Whether it is the tile that the wall of all projects has of one. */
export function isOfProject(tile: WatchedQuery | WatchedProject): boolean {
  const project = onlyProject(tile)
  return project !== undefined && tileKey(projectQuery(project) ?? '', undefined) === keyOf(tile)
}

/** False where only named tiles are watched. */
export function watchesProjects(rules: AlertRules, walls: readonly Wall[]): boolean {
  return (
    rules.everyProject ||
    projectWalls(rules, walls).length > 0 ||
    rules.routes.some((route) => route.projects !== undefined && route.walls === undefined)
  )
}

export function watchedProjects(
  { defaultBranches, logger }: WatchedOptions,
  others: ReadonlySet<string>,
): AlertProjects {
  return createAlertProjects({
    others,
    rule: { projects: defaultBranches },
    onFull: () => {
      logger.warn('more projects than alerts can watch: the ones idle longest are dropped')
    },
  })
}

/** The walls of all projects that are watched: those without tiles. */
function projectWalls(rules: AlertRules, walls: readonly Wall[]): readonly string[] {
  const named = watchedNames(rules)
  return walls.flatMap(({ name, tiles }) => (tiles.length === 0 && named.has(name) ? [name] : []))
}

/** Who gets the messages about a tile. */
export function routesOf(
  { rules, routes, webhook }: WatchedOptions,
  walls: readonly Wall[],
  tile: WatchedQuery | WatchedProject,
): string[] {
  const project = onlyProject(tile)
  const own = 'walls' in tile ? tile.walls : []
  // A project that has a tile of its own is watched as that one.
  const isProject = isOfProject(tile)
  const routed: RoutedTile = {
    walls: isProject ? [...own, ...projectWalls(rules, walls)] : own,
    projects: project === undefined ? [] : [project],
  }
  const isOfAll =
    (isProject && rules.everyProject) || routed.walls.some((name) => rules.walls.includes(name))
  const takers = routes.flatMap(({ route }) => {
    const isNarrow = route.walls !== undefined || route.projects !== undefined
    return (isNarrow || isOfAll) && takes(route, routed) ? [route.name] : []
  })
  return [...(webhook !== undefined && isOfAll ? [''] : []), ...takers]
}

export function matcherOf(query: string, now: number): (facts: Facts) => Answer {
  return compile(parse(query), { now, timeZone: 'UTC' })
}
