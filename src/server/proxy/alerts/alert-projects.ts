import type { BranchRule } from '../../../facts/tile-branch.ts'
import { addBuild, noBuilds, type TileBuilds } from '../../../facts/tile-builds.ts'
import { tileState } from '../../../facts/tile-state.ts'
import { tileKey } from '../../../protocol/claim.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { foldCase } from '../../../protocol/parsed-text.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'

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
      const title = facts.project
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
export function projectQuery(project: string): string | undefined {
  try {
    return readSharedQuery(`project:${quoteValue(project)}`)
  } catch {
    return undefined
  }
}
