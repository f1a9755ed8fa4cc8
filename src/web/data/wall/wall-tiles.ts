import { branchSearch } from '../../../facts/tile-branch.ts'
import { type Clock, dayMs } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { type SharedSearch, sharedSearchBuilds } from '../../../protocol/shared-search.ts'
import { createStore, type Readable, type Store } from '../core/store.ts'
import type { Feed } from '../live/feed-state.ts'
import type { KeptTile } from './kept-walls.ts'
import { createWallArrivals } from './wall-arrivals.ts'
import {
  createTileBoard,
  isSameRule,
  isKnown,
  type TileStanding,
  type TileView,
} from './tile-board.ts'
import { createWallRouter, type TileQuery } from './wall-router.ts'
import { createWallSearches, type SearchStanding } from './wall-searches.ts'
import { trustOf } from './wall-watch.ts'

/** All tiles at one moment; replaced only when one of them changed its status, or came. */
export interface WallStandings {
  /** In the order of the questions; tiles of new projects behind them, as they came. */
  readonly tiles: readonly TileStanding[]
  /** Projects for which there is no more room, as this wall makes its tiles itself. */
  readonly leftOut: number
  /** The builds that the feed had kept have all been looked at. */
  readonly isCaughtUp: boolean
}

export interface WallQueries {
  readonly questions: readonly TileQuery[]
  /** Makes the tile of a project that arrives, where there is to be one for each. */
  readonly ofProject?: ((project: string) => TileQuery) | undefined
}

/** The tiles of a wall. The first listener opens the feed and the searches, the last one closes them. */
export interface WallTiles extends Readable<WallStandings> {
  /** Shows this from now on. What is known of a question that was there before is kept. */
  readonly follow: (queries: WallQueries) => void
  /** Shows these as they were kept, until something is heard of them. */
  readonly restore: (tiles: readonly KeptTile[]) => void
  readonly toKeep: () => readonly KeptTile[]
  /** One tile, which notifies its own listeners only; undefined while there is none of this key. */
  readonly tile: (key: string) => Readable<TileView | undefined>
  /** From when on builds are known by the feed alone, epoch ms; undefined before it is followed. */
  readonly watchingSince: () => number | undefined
}

export interface WallTilesOptions {
  readonly feed: Feed
  readonly clock: Clock
  readonly random: () => number
  /** IANA zone: which builds are of today. */
  readonly timeZone: string
  /** Throws a ProblemError. */
  readonly request: (query: string, signal: AbortSignal) => Promise<SharedSearch>
  readonly queries: WallQueries
  readonly limit: number
}

/** What arrives is looked at so soon, and not so soon again, ms. */
const lookMs = 250
const againMs = 1000
/** What is left to do goes on after a pause in which the page can draw, ms. */
const pauseMs = 30
/** How long the page is held up at once: half a frame, ms. */
const sliceMs = 8
/** So many tiles are notified at once, each next one later, ms: a large wall is drawn anew within three seconds. */
const mostNotified = 16
const pacePerTileMs = 8
/** Tiles change places, and then stand still so long for each of them, ms: many that move say nothing. */
const stillPerTileMs = 16
const relativeMs = 60_000
const wholeMs = 600_000
/** Where there is a tile for each project, those that failed within a week have one from the start. */
const failedBuilds = 'buildOutcome:failed'
const failedForMs = 7 * dayMs

/**
 * Follows the feed for all tiles of a wall: each build is evaluated once per tile, in slices that
 * never hold the page up, and only what changed is notified, a few tiles at a time.
 */
export function createWallTiles(options: WallTilesOptions): WallTiles {
  const { feed, clock, timeZone } = options
  const board = createTileBoard()
  const arrivals = createWallArrivals(feed)
  const tileStores = new Map<string, Store<TileView | undefined>>()
  const proxyNow = (): number => clock.now() + feed.getSnapshot().clockDifference
  let router = createWallRouter([], proxyNow())
  let queries: WallQueries = { questions: [] }
  const searchers = new Map<string, string[]>()
  /** The one search more of a tile whose own is full of other branches: query and key. */
  const narrower = new Map<string, TileQuery>()
  const projects = new Map<string, TileQuery>()
  const leftOut = new Set<string>()
  const searches = createWallSearches({
    request: options.request,
    clock,
    random: options.random,
    onAnswer: (query, { builds }) => {
      hear(builds[0])
      if (query === failedBuilds) addFailedProjects(builds)
      const keys = searchers.get(query) ?? [narrower.get(query)?.key ?? '']
      for (const key of keys) for (const facts of builds) board.take(key, facts)
      if (builds.length >= sharedSearchBuilds) for (const key of keys) narrow(key, query, builds)
      notifySoon()
    },
    onStanding: (query, standing) => {
      for (const key of searchers.get(query) ?? []) board.setSearch(key, standing)
      notifySoon()
    },
  })
  const standings = createStore<WallStandings>(
    { tiles: [], leftOut: 0, isCaughtUp: false },
    { clock, open },
  )
  let since: number | undefined
  let isOpen = false
  let cancelLook: (() => void) | undefined
  let cancelNotify: (() => void) | undefined
  let cancelMove: (() => void) | undefined
  let lookedAt = -againMs
  let mayNotifyAt = 0
  let movedAt = 0
  /** Where the tiles stand is no longer what was shown. */
  let isMoved = false
  /** What the feed had kept has been looked at; caught up is who has shown all of it, too. */
  let isRead = false
  let isCaughtUp = false
  let isLive = false
  /** When the server last delivered a build, of whatever tile or none, epoch ms. */
  let heardAt = 0
  let relativeAt = clock.now()
  let wholeAt = clock.now()

  function follow(next: WallQueries): void {
    if (next.ofProject === undefined) {
      projects.clear()
      leftOut.clear()
    }
    const all = [...next.questions, ...projects.values()]
    const isForProjects = next.ofProject !== undefined && queries.ofProject === undefined
    const keysBefore = new Set(board.standings().map(({ key }) => key))
    const rulesBefore = [...queries.questions, ...projects.values()]
    queries = next
    if (!isForProjects && isSameOrder(rulesBefore, all)) return
    const likes = new Map(searchers)
    const likeOf = ({ search = '' }: TileQuery): string | undefined => likes.get(search)?.[0]
    const isNew = (question: TileQuery): boolean =>
      !keysBefore.has(question.key) && likeOf(question) === undefined
    const fresh = all.filter(isNew).length
    searchers.clear()
    all.forEach(addSearcher)
    const keys = new Set(all.map(({ key }) => key))
    for (const [query, { key }] of narrower) if (!keys.has(key)) narrower.delete(query)
    const ofAll = next.ofProject === undefined ? [] : [failedBuilds]
    searches.keep(new Set([...searchers.keys(), ...narrower.keys(), ...ofAll]))
    ofAll.forEach(searches.add)
    board.arrange(all.map((one) => ({ ...tileOf(one), like: likeOf(one) })))
    for (const [key, store] of tileStores) {
      const view = board.view(key)
      if (view !== store.getSnapshot()) store.set(view)
      if (view === undefined) tileStores.delete(key)
    }
    router = createWallRouter(all, proxyNow())
    if (fresh > 0 || isForProjects) {
      arrivals.again()
      isRead = false
    }
    // Another wall altogether finds its places at once, as the first one did.
    isCaughtUp &&= fresh < all.length
    showPlaces()
    wake()
    notifySoon()
  }

  function addSearcher({ key, search }: TileQuery): void {
    if (search === undefined) return
    searchers.set(search, [...(searchers.get(search) ?? []), key])
    searches.add(search)
  }

  /** Searches for the default branch of a tile as well, where its own search says little of it. */
  function narrow(key: string, query: string, builds: readonly Facts[]): void {
    const question = [...queries.questions, ...projects.values()].find((one) => one.key === key)
    if (question?.search !== query) return
    const search = branchSearch(query, builds, question.rule ?? {})
    if (search === undefined || searchers.has(search)) return
    narrower.set(search, question)
    searches.add(search)
  }

  function wake(): void {
    arrivals.gather()
    if (!isOpen) return
    retryOnceLive()
    cancelLook ??= clock.after(Math.max(lookMs, lookedAt + againMs - clock.now()), () => {
      lookedAt = clock.now()
      look()
    })
  }

  /** What couldn't be searched for meanwhile need not wait for its turn. */
  function retryOnceLive(): void {
    const wasLive = isLive
    const view = feed.getSnapshot()
    // Whether the device is online its requests find out.
    isLive = trustOf({ view, now: clock.now(), isOnline: true, answers: undefined }).is === 'live'
    if (isLive && !wasLive) searches.retry()
  }

  /** Looks at what has arrived, for a moment at a time. */
  function look(): void {
    cancelLook = undefined
    const until = clock.now() + sliceMs
    passTime()
    const count = projects.size + leftOut.size
    const isDone = arrivals.look(take, () => clock.now() < until)
    if (!isDone) cancelLook = clock.after(pauseMs, look)
    isMoved ||= count !== projects.size + leftOut.size
    isRead ||= isDone
    notifySoon()
  }

  function notifySoon(): void {
    if (!isOpen) return
    const soonMs = mayNotifyAt - clock.now()
    if (soonMs <= 0) notify()
    else cancelNotify ??= clock.after(soonMs, notify)
  }

  /** Notifies those tiles that have waited longest. */
  function notify(): void {
    cancelNotify?.()
    cancelNotify = undefined
    const until = clock.now() + sliceMs
    const settled = board.settle(
      { now: proxyNow(), timeZone, heardAt },
      mostNotified,
      () => clock.now() < until,
    )
    const isCatchingUp = isRead && settled.isDone && !isCaughtUp
    isCaughtUp ||= isCatchingUp
    isMoved ||= settled.isMoved || isCatchingUp
    const paceMs = isCaughtUp ? pacePerTileMs * settled.changed.length : pauseMs
    mayNotifyAt = clock.now() + paceMs
    if (!settled.isDone) cancelNotify = clock.after(paceMs, notify)
    // Of a large wall that is shown for the first time, all tiles find their places at once.
    if (isMoved && (isCaughtUp || !isRead)) moveSoon()
    for (const key of settled.changed) tileStores.get(key)?.set(board.view(key))
  }

  function moveSoon(): void {
    const stillMs = isCaughtUp ? stillPerTileMs * standings.getSnapshot().tiles.length : 0
    const soonMs = movedAt + stillMs - clock.now()
    if (soonMs > 0) cancelMove ??= clock.after(soonMs, move)
    else move()
  }

  function move(): void {
    cancelMove?.()
    cancelMove = undefined
    isMoved = false
    movedAt = clock.now()
    showPlaces()
  }

  function showPlaces(): void {
    standings.set({ tiles: board.standings(), leftOut: leftOut.size, isCaughtUp })
  }

  function hear(facts: Facts | undefined): void {
    // A build that is dated ahead doesn't make every other one late.
    heardAt = Math.max(heardAt, Math.min(facts?.receivedAt ?? 0, proxyNow()))
  }

  function take(facts: Facts): void {
    hear(facts)
    addProjectOf(facts)
    router.route(facts, (key) => {
      board.take(key, facts)
    })
  }

  /** What failed before the builds that the feed has kept may be red still. */
  function addFailedProjects(builds: readonly Facts[]): void {
    const count = projects.size
    for (const facts of builds) {
      if (proxyNow() - facts.receivedAt < failedForMs) addProjectOf(facts)
    }
    isMoved ||= projects.size > count
  }

  function addProjectOf({ project }: Facts): void {
    if (queries.ofProject === undefined || typeof project !== 'string') return
    addProject(project, queries.ofProject)
  }

  function addProject(project: string, ofProject: (name: string) => TileQuery): void {
    const name = project.toLowerCase()
    if (projects.has(name) || leftOut.has(name)) return
    if (queries.questions.length + projects.size >= options.limit) {
      if (leftOut.size < mostLeftOut) leftOut.add(name)
      return
    }
    const question = ofProject(project)
    projects.set(name, question)
    router.add(question)
    addSearcher(question)
    board.add(tileOf(question))
  }

  /** What time alone changes: relative moments, and which builds are of today. */
  function passTime(): void {
    const now = clock.now()
    if (now - relativeAt >= relativeMs) {
      relativeAt = now
      for (const key of router.moveTo(proxyNow())) {
        board.filter(key, (facts) => router.stillMatches(key, facts))
      }
    }
    if (now - wholeAt >= wholeMs) {
      wholeAt = now
      board.touchAll()
    }
  }

  function watchingSince(): number | undefined {
    const { gaps, oldest, row, clockDifference } = feed.getSnapshot()
    const first = gaps === 0 ? row(oldest)?.build.timestamp : undefined
    return since && Math.min(since, (first ?? Infinity) - clockDifference)
  }

  function open(): () => void {
    since ??= clock.now()
    isOpen = true
    const leave = feed.subscribe(wake)
    searches.start()
    const cancelBeat = beat()
    wake()
    return () => {
      isOpen = false
      leave()
      cancelBeat()
      searches.stop()
      for (const cancel of [cancelLook, cancelNotify, cancelMove]) cancel?.()
      cancelLook = undefined
      cancelNotify = undefined
      cancelMove = undefined
    }
  }

  /** On a silent feed time passes, too. */
  function beat(): () => void {
    let cancel = clock.after(relativeMs, function again() {
      wake()
      cancel = clock.after(relativeMs, again)
    })
    return () => {
      cancel()
    }
  }

  function restore(kept: readonly KeptTile[]): void {
    for (const { key, project, ...state } of kept) {
      if (project !== undefined && queries.ofProject !== undefined) {
        addProject(project, queries.ofProject)
      }
      board.restore(key, state)
    }
    notifySoon()
  }

  function toKeep(): readonly KeptTile[] {
    const names = new Map([...projects.values()].map(({ key, match }) => [key, match]))
    return board.standings().flatMap(({ key, spell }) => {
      const view = board.view(key)
      const match = names.get(key)
      const project = match?.by === 'project' ? match.project : undefined
      return view !== undefined && isKnown(view) ? [{ key, project, state: view.state, spell }] : []
    })
  }

  follow(options.queries)
  return {
    follow,
    restore,
    toKeep,
    subscribe: standings.subscribe,
    getSnapshot: standings.getSnapshot,
    tile: (key) => {
      const store = tileStores.get(key) ?? createStore(board.view(key), { clock })
      tileStores.set(key, store)
      return store
    },
    watchingSince,
  }
}

function isSameOrder(known: readonly TileQuery[], questions: readonly TileQuery[]): boolean {
  return (
    known.length === questions.length &&
    questions.every(({ key, rule = {} }, index) => {
      const before = known[index]
      return before?.key === key && isSameRule(before.rule ?? {}, rule)
    })
  )
}

function tileOf({ key, search, rule = {} }: TileQuery) {
  const standing: SearchStanding = { is: search === undefined ? 'unsupported' : 'loading' }
  return { key, search: standing, rule }
}

/** More than these are not distinguished: memory stays flat whatever arrives. */
const mostLeftOut = 10_000
