import type { BranchRule } from '../../../facts/tile-branch.ts'
import type { PlacedTile } from '../../../facts/tile-order.ts'
import { addBuilds, keepBuilds, noBuilds, type TileBuilds } from '../../../facts/tile-builds.ts'
import {
  noSpell,
  spellAfter,
  type TileMoment,
  type TileSpell,
  tileState,
  type TileState,
  type TileStatus,
} from '../../../facts/tile-state.ts'
import { dayMs } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { SearchStanding } from './wall-searches.ts'

/** A tile at one moment; another object whenever something of it changed. */
export interface TileView {
  readonly key: string
  readonly state: TileState
  readonly search: SearchStanding
  /** It is the state that was kept on this device: nothing was heard of the tile since. */
  readonly isKept: boolean
}

/** What decides where a tile stands among the others. */
export interface TileStanding {
  readonly key: string
  readonly status: TileStatus
  readonly news: TileState['news']
  /** Since when, and whether that may have been earlier. */
  readonly since: TileState['since']
  readonly isOpen: boolean
  readonly spell: TileSpell
  /** The newest build of all, whatever its branch. */
  readonly newest: Facts | undefined
  /** Its search has not been answered, so that there may be builds of which nothing is known yet. */
  readonly isLoading: boolean
  readonly unread: Unread | undefined
  readonly isKept: boolean
}

/** Why it isn't known whether a tile has builds: the search for them failed, or the server can't be searched. */
type Unread = NonNullable<PlacedTile['unread']>

export interface TileBoard {
  readonly add: (tile: Omit<WantedTile, 'like'>) => void
  /** Has these tiles alone from now on, in this order. */
  readonly arrange: (wanted: readonly WantedTile[]) => void
  readonly take: (key: string, facts: Facts) => void
  /** Keeps only what `stays` lets through. */
  readonly filter: (key: string, stays: (facts: Facts) => boolean) => void
  readonly setSearch: (key: string, search: SearchStanding) => void
  /** Shows a tile as it was, until something is heard of it. */
  readonly restore: (key: string, kept: KeptState) => void
  /** All have changed: another day has begun. */
  readonly touchAll: () => void
  /** Computes, by the proxy's clock, the tiles that changed, the one that waits longest first: `most` of them, while `goesOn`. */
  readonly settle: (at: TileMoment, most: number, goesOn: () => boolean) => Settled
  readonly view: (key: string) => TileView | undefined
  readonly standings: () => TileStanding[]
}

interface KeptState {
  readonly state: TileState
  readonly spell: TileSpell
}

interface Settled {
  /** Whose view is another object now. */
  readonly changed: readonly string[]
  /** Whether the status or the newest build's project or tool of one changed. */
  readonly isMoved: boolean
  readonly isDone: boolean
}

interface WantedTile {
  readonly key: string
  /** How it stands with the search where nothing is known of it. */
  readonly search: SearchStanding
  readonly rule: BranchRule
  /** Another tile whose builds are the same: what is known of it holds here, too. */
  readonly like: string | undefined
}

interface Entry {
  builds: TileBuilds
  /** What arrived since, in order: put among the others together, when the tile is looked at. */
  arrived: Facts[]
  /** Something else than arrivals changed. */
  isTouched: boolean
  search: SearchStanding
  readonly rule: BranchRule
  spell: TileSpell
  kept: TileState | undefined
  view: TileView
}

function newEntry({ key, search, rule }: Omit<WantedTile, 'like'>): Entry {
  return {
    builds: noBuilds,
    arrived: [],
    isTouched: false,
    search,
    rule,
    spell: noSpell,
    kept: undefined,
    view: { key, search, state: emptyState, isKept: false },
  }
}

/** A board without tiles. */
export function createTileBoard(): TileBoard {
  const entries = new Map<string, Entry>()
  /** In the order in which they changed. */
  const changed = new Set<string>()

  function touch(key: string, entry: Entry): void {
    entry.isTouched = true
    changed.add(key)
  }

  /** Puts what has arrived among the builds. */
  function sortIn(entry: Entry): void {
    const { arrived, builds } = entry
    if (arrived.length === 0) return
    entry.arrived = []
    entry.builds = addBuilds(builds, arrived)
    entry.isTouched ||= entry.builds !== builds
  }

  /** Whether the tile may have another place now; undefined where nothing of it has changed. */
  function settleOne(key: string, at: TileMoment): boolean | undefined {
    const entry = entries.get(key)
    if (entry === undefined) return undefined
    sortIn(entry)
    if (!entry.isTouched) return undefined
    entry.isTouched = false
    const before = entry.view
    const { search, builds, rule } = entry
    if (!isUnheard(entry) || isLongAgo(entry, at.now)) entry.kept = undefined
    const { kept } = entry
    const state = kept ?? withKnownCause(tileState(builds, at, rule), before.state)
    entry.view = { key, search, state, isKept: kept !== undefined }
    const after = entry.view.state
    const spell = spellAfter(entry.spell, after)
    const isTurned = spell !== entry.spell
    entry.spell = spell
    return (
      isTurned ||
      isLoading(before) !== isLoading(entry.view) ||
      unreadOf(before) !== unreadOf(entry.view) ||
      before.isKept !== entry.view.isKept ||
      before.state.status !== after.status ||
      before.state.news !== after.news ||
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
          sortIn(known)
          const entry = { ...known, rule, spell: noSpell, view: { ...known.view, key } }
          entries.set(key, entry)
          touch(key, entry)
        }
      }
      for (const key of changed) if (!entries.has(key)) changed.delete(key)
    },
    take: (key, facts) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      entry.arrived.push(facts)
      changed.add(key)
      if (entry.arrived.length >= mostArrived) sortIn(entry)
    },
    filter: (key, stays) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      sortIn(entry)
      const builds = keepBuilds(entry.builds, stays)
      if (builds === entry.builds) return
      entry.builds = builds
      touch(key, entry)
    },
    setSearch: (key, search) => {
      const entry = entries.get(key)
      if (entry === undefined || isSame(entry.search, search)) return
      entry.search = search
      touch(key, entry)
    },
    restore: (key, { state, spell }) => {
      const entry = entries.get(key)
      if (entry === undefined) return
      sortIn(entry)
      if (!isUnheard(entry)) return
      entry.kept = state
      entry.spell = spell
      touch(key, entry)
    },
    touchAll: () => {
      for (const [key, entry] of entries) touch(key, entry)
    },
    settle: (at, most, goesOn) => {
      const settled: string[] = []
      let isMoved = false
      for (const key of changed) {
        if (settled.length >= most || (settled.length > 0 && !goesOn())) break
        changed.delete(key)
        const isOther = settleOne(key, at)
        if (isOther === undefined) continue
        isMoved ||= isOther
        settled.push(key)
      }
      return { changed: settled, isMoved, isDone: changed.size === 0 }
    },
    view: (key) => entries.get(key)?.view,
    standings: () =>
      [...entries.values()].map(({ builds, spell, view: { key, state, search, isKept } }) => ({
        key,
        status: state.status,
        news: state.news,
        since: state.since,
        isOpen: state.isOpen,
        spell,
        newest: state.newest ?? builds.newest[0],
        isLoading: isLoading({ search, state, isKept }),
        unread: unreadOf({ search, state, isKept }),
        isKept,
      })),
  }
}

function isLoading({ search, state, isKept }: Omit<TileView, 'key'>): boolean {
  return search.is === 'loading' && (isKept || state.status === 'empty')
}

/** Why no build was seen since the wall was opened; undefined where one was, or the search says that there are none. */
export function unreadOf({ search, state, isKept }: Omit<TileView, 'key'>): Unread | undefined {
  // What was kept as empty had been searched.
  if (isKept === (state.status === 'empty')) return undefined
  return search.is === 'failed' || search.is === 'unsupported' ? search.is : undefined
}

/** Whether a tile says what is known of its builds, so that it is worth showing without the proxy. */
export function isKnown(view: TileView): boolean {
  return view.isKept || (unreadOf(view) === undefined && !isLoading(view))
}

/** Whether nothing says yet how a tile stands: of a few builds that arrive, what was before is not known. */
function isUnheard({ search, builds }: Pick<Entry, 'search' | 'builds'>): boolean {
  return search.is === 'loading' || (search.is !== 'answered' && builds.newest.length === 0)
}

/** Whether nothing will show how a tile stands that was kept, and a week has passed without a build. */
function isLongAgo({ search, kept }: Pick<Entry, 'search' | 'kept'>, now: number): boolean {
  return search.is === 'unsupported' && (kept?.newest?.receivedAt ?? now) < now - 7 * dayMs
}

/** Of one tile so many wait at most: room is bounded. */
const mostArrived = 512

/** Of a tile that was kept its builds are found again, but perhaps not why they failed. */
function withKnownCause(state: TileState, before: TileState): TileState {
  const { breaking } = state
  const { buildId, cause } = before.breaking ?? {}
  if (breaking === undefined || breaking.cause !== undefined) return state
  return breaking.buildId === buildId ? { ...state, breaking: { ...breaking, cause } } : state
}

const emptyState = tileState(noBuilds, { now: 0, timeZone: 'UTC' })

/** Whether both stand for the same branches. */
export function isSameRule(one: BranchRule, other: BranchRule): boolean {
  return one.tile === other.tile && one.projects === other.projects
}

function isSame(one: SearchStanding, other: SearchStanding): boolean {
  return one.is === other.is && problemOf(one) === problemOf(other)
}

function problemOf(standing: SearchStanding): string | undefined {
  return 'problem' in standing ? standing.problem : undefined
}
