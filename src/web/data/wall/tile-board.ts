import type { BranchRule } from '../../../facts/tile-branch.ts'
import { addBuild, keepBuilds, noBuilds, type TileBuilds } from '../../../facts/tile-builds.ts'
import {
  noSpell,
  spellAfter,
  type TileSpell,
  tileState,
  type TileState,
  type TileStatus,
} from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { SearchStanding } from './wall-searches.ts'

/** A tile at one moment; another object whenever something of it changed. */
export interface TileView {
  readonly key: string
  readonly state: TileState
  readonly search: SearchStanding
}

/** What decides where a tile stands among the others. */
export interface TileStanding {
  readonly key: string
  readonly status: TileStatus
  readonly spell: TileSpell
  /** The newest build of all, whatever its branch. */
  readonly newest: Facts | undefined
  /** Its search has not been answered, so that there may be builds of which nothing is known yet. */
  readonly isLoading: boolean
}

/** What is known of each tile, and which of them have changed. */
export interface TileBoard {
  readonly add: (tile: Omit<WantedTile, 'like'>) => void
  /** Has these tiles alone from now on, in this order. */
  readonly arrange: (wanted: readonly WantedTile[]) => void
  /** A build belongs to a tile. */
  readonly take: (key: string, facts: Facts) => void
  /** Keeps only what `stays` lets through. */
  readonly filter: (key: string, stays: (facts: Facts) => boolean) => void
  readonly setSearch: (key: string, search: SearchStanding) => void
  /** All have changed: another day has begun. */
  readonly touchAll: () => void
  /** Computes the tiles that changed, the one that waits longest first: `most` of them, while `goesOn`. */
  readonly settle: (at: At, most: number, goesOn: () => boolean) => Settled
  readonly view: (key: string) => TileView | undefined
  readonly standings: () => TileStanding[]
}

/** When and where it is: epoch ms of the proxy's clock, and an IANA zone. */
interface At {
  readonly now: number
  readonly timeZone: string
}

interface Settled {
  /** Whose view is another object now. */
  readonly changed: readonly string[]
  /** Whether the status or the newest build's project or tool of one changed. */
  readonly isMoved: boolean
  readonly isDone: boolean
}

/** A tile that a board is to have. */
interface WantedTile {
  readonly key: string
  /** How it stands with the search where nothing is known of it. */
  readonly search: SearchStanding
  /** Which branches it stands for. */
  readonly rule: BranchRule
  /** Another tile whose builds are the same: what is known of it holds here, too. */
  readonly like: string | undefined
}

interface Entry {
  builds: TileBuilds
  search: SearchStanding
  readonly rule: BranchRule
  spell: TileSpell
  view: TileView
}

function newEntry({ key, search, rule }: Omit<WantedTile, 'like'>): Entry {
  return {
    builds: noBuilds,
    search,
    rule,
    spell: noSpell,
    view: { key, search, state: emptyState },
  }
}

/** A board without tiles. */
export function createTileBoard(): TileBoard {
  const entries = new Map<string, Entry>()
  /** In the order in which they changed. */
  const changed = new Set<string>()

  function put(key: string, builds: TileBuilds): void {
    const entry = entries.get(key)
    if (entry === undefined || entry.builds === builds) return
    entry.builds = builds
    changed.add(key)
  }

  function settleOne(key: string, at: At): boolean {
    const entry = entries.get(key)
    if (entry === undefined) return false
    const before = entry.view
    const wasLoading = isLoading(before)
    entry.view = { key, search: entry.search, state: tileState(entry.builds, at, entry.rule) }
    const after = entry.view.state
    const spell = spellAfter(entry.spell, after)
    const isTurned = spell !== entry.spell
    entry.spell = spell
    return (
      isTurned ||
      wasLoading !== isLoading(entry.view) ||
      before.state.status !== after.status ||
      before.state.newest?.project !== after.newest?.project ||
      before.state.newest?.buildTool !== after.newest?.buildTool
    )
  }

  return {
    add: (tile) => {
      if (!entries.has(tile.key)) entries.set(tile.key, newEntry(tile))
    },
    arrange: (wanted) => {
      const before = new Map(entries)
      entries.clear()
      for (const { like, ...tile } of wanted) {
        const { key, rule } = tile
        const known = before.get(key) ?? (like === undefined ? undefined : before.get(like))
        if (known === undefined) entries.set(key, newEntry(tile))
        else if (known.view.key === key && isSameRule(known.rule, rule)) entries.set(key, known)
        else {
          entries.set(key, { ...known, rule, spell: noSpell, view: { ...known.view, key } })
          changed.add(key)
        }
      }
      for (const key of changed) if (!entries.has(key)) changed.delete(key)
    },
    take: (key, facts) => {
      const entry = entries.get(key)
      if (entry !== undefined) put(key, addBuild(entry.builds, facts))
    },
    filter: (key, stays) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      put(key, keepBuilds(entry.builds, stays))
    },
    setSearch: (key, search) => {
      const entry = entries.get(key)
      if (entry === undefined || isSame(entry.search, search)) return
      entry.search = search
      changed.add(key)
    },
    touchAll: () => {
      for (const key of entries.keys()) changed.add(key)
    },
    settle: (at, most, goesOn) => {
      const settled: string[] = []
      let isMoved = false
      for (const key of changed) {
        if (settled.length >= most || (settled.length > 0 && !goesOn())) break
        changed.delete(key)
        isMoved = settleOne(key, at) || isMoved
        settled.push(key)
      }
      return { changed: settled, isMoved, isDone: changed.size === 0 }
    },
    view: (key) => entries.get(key)?.view,
    standings: () =>
      [...entries.values()].map(({ builds, spell, view: { key, state, search } }) => ({
        key,
        status: state.status,
        spell,
        newest: state.newest ?? builds.newest[0],
        isLoading: isLoading({ search, state }),
      })),
  }
}

function isLoading({ search, state }: Pick<TileView, 'search' | 'state'>): boolean {
  return search.is === 'loading' && state.status === 'empty'
}

const emptyState = tileState(noBuilds, { now: 0, timeZone: 'UTC' })

function isSameRule(one: BranchRule, other: BranchRule): boolean {
  return one.tile === other.tile && one.projects === other.projects
}

function isSame(one: SearchStanding, other: SearchStanding): boolean {
  return one.is === other.is && problemOf(one) === problemOf(other)
}

function problemOf(standing: SearchStanding): string | undefined {
  return 'problem' in standing ? standing.problem : undefined
}
