import type { Clock } from '../../protocol/clock.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { SharedSearch } from '../../protocol/shared-search.ts'
import type { Feed } from './feed.ts'
import { followRows } from './row-changes.ts'
import { createTileBoard } from './tile-board.ts'
import type { WallQuestion } from './wall-question.ts'
import { createWallRouter } from './wall-router.ts'
import { createWallSearches } from './wall-searches.ts'
import type { WallStandings, WallTiles } from './wall-tiles.ts'

/** What the tiles of a wall are made with. */
export interface WallTilesOptions {
  readonly feed: Feed
  readonly clock: Clock
  readonly random: () => number
  /** IANA zone: which builds are of today. */
  readonly timeZone: string
  /** Throws a ProblemError. */
  readonly ask: (query: string, signal: AbortSignal) => Promise<SharedSearch>
  readonly questions: readonly WallQuestion[]
  /** Makes the tile of a project that arrives, where this wall has one for each. */
  readonly ofProject?: (project: string) => WallQuestion
  /** How many tiles there are at most. */
  readonly limit: number
}

/** Tiles are told so soon, and not so soon again, ms: while much arrives, all of them are drawn. */
const flushMs = 250
const againMs = 1000
/** What is left to do goes on after a pause in which the page can draw, ms. */
const pauseMs = 30
/** How long the page is held up at once: half a frame, ms. */
const sliceMs = 8
const relativeMs = 60_000
const wholeMs = 600_000

/**
 * Follows the feed for all tiles of a wall: each build is evaluated once per tile, in slices that
 * never hold the page up, and only what changed is told.
 */
export function createWallTiles(options: WallTilesOptions): WallTiles {
  const { feed, clock, timeZone } = options
  const board = createTileBoard()
  const changesOf = followRows(feed)
  const listeners = new Set<() => void>()
  const tileListeners = new Map<string, Set<() => void>>()
  const proxyNow = (): number => clock.now() + feed.getSnapshot().clockDifference
  const router = createWallRouter(options.questions, proxyNow())
  const askers = new Map<string, string[]>()
  const projects = new Set<string>()
  const leftOut = new Set<string>()
  const searches = createWallSearches({
    ask: options.ask,
    clock,
    random: options.random,
    onAnswer: (query, { builds }) => {
      for (const key of askers.get(query) ?? []) {
        for (const facts of builds) board.take(key, facts)
      }
      wake()
    },
    onStanding: (query, standing) => {
      for (const key of askers.get(query) ?? []) board.setSearch(key, standing)
      wake()
    },
  })
  /** Arrivals that have not been looked at: single ones, and all from `from` down to `to`. */
  let touched: number[] = []
  let span: { from: number; to: number } = { from: 0, to: 1 }
  let standings: WallStandings = { tiles: [], leftOut: 0, isCaughtUp: false }
  let since: number | undefined
  let close: (() => void) | undefined
  let cancelWork: (() => void) | undefined
  let beganAt = -againMs
  let relativeAt = clock.now()
  let wholeAt = clock.now()

  function addQuestion(question: WallQuestion): void {
    const { key, search } = question
    board.add(key, search === undefined ? { is: 'unsupported' } : { is: 'asking' })
    if (search === undefined) return
    askers.set(search, [...(askers.get(search) ?? []), key])
    searches.add(search)
  }

  function wake(): void {
    const soonMs = Math.max(flushMs, beganAt + againMs - clock.now())
    if (close !== undefined) cancelWork ??= clock.after(soonMs, begin)
  }

  function begin(): void {
    beganAt = clock.now()
    work()
  }

  function work(): void {
    cancelWork = undefined
    const until = clock.now() + sliceMs
    const goesOn = (): boolean => clock.now() < until
    passTime()
    const tilesBefore = standings.tiles.length + standings.leftOut
    gather()
    const isCaughtUp = evaluate(goesOn)
    // Half of the time belongs to what was found, however much there is to find.
    const end = clock.now() + sliceMs / 2
    const settled = board.settle({ now: proxyNow(), timeZone }, () => clock.now() < end)
    const known = options.questions.length + projects.size
    const isNew = known + leftOut.size !== tilesBefore
    if (settled.isMoved || isNew || isCaughtUp !== standings.isCaughtUp) {
      standings = { tiles: board.standings(), leftOut: leftOut.size, isCaughtUp }
      for (const listener of [...listeners]) listener()
    }
    for (const key of settled.changed) {
      for (const listener of tileListeners.get(key) ?? []) listener()
    }
    if (!isCaughtUp || !settled.isDone) cancelWork ??= clock.after(pauseMs, work)
  }

  /** Takes up what the feed has changed since it was last asked. */
  function gather(): void {
    const changes = changesOf()
    if (changes === undefined) return
    const { view, anew, changed, firstNew } = changes
    if (anew) {
      touched = []
      span = { from: view.newest, to: view.oldest }
      return
    }
    touched.push(...changed)
    for (let arrival = firstNew; arrival <= view.newest; arrival++) touched.push(arrival)
    // More than can be looked at arrives: the oldest say least, and the search tells of them.
    if (touched.length > mostTouched) touched = touched.slice(-mostTouched / 2)
  }

  /** The newest first, as they say how a tile stands; true when nothing is left. */
  function evaluate(goesOn: () => boolean): boolean {
    const { row } = feed.getSnapshot()
    let count = 0
    const isTime = (): boolean => ++count % 16 !== 0 || goesOn()
    while (touched.length > 0) {
      takeRow(row(touched.pop() ?? 0)?.facts)
      if (!isTime()) return false
    }
    while (span.from >= span.to) {
      takeRow(row(span.from)?.facts)
      span.from -= 1
      if (!isTime()) return false
    }
    return true
  }

  function takeRow(facts: Facts | undefined): void {
    // Without facts nothing is known but the tool; they are on their way.
    if (facts === undefined) return
    if (options.ofProject !== undefined && typeof facts.project === 'string') {
      addProject(facts.project, options.ofProject)
    }
    router.route(facts, (key) => {
      board.take(key, facts)
    })
  }

  function addProject(project: string, ofProject: (name: string) => WallQuestion): void {
    const name = project.toLowerCase()
    if (projects.has(name) || leftOut.has(name)) return
    if (options.questions.length + projects.size >= options.limit) {
      if (leftOut.size < mostLeftOut) leftOut.add(name)
      return
    }
    projects.add(name)
    const question = ofProject(project)
    router.add(question)
    addQuestion(question)
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

  function open(): () => void {
    since ??= clock.now()
    const leave = feed.subscribe(wake)
    searches.start()
    const cancelBeat = beat()
    return () => {
      leave()
      cancelBeat()
      searches.stop()
      cancelWork?.()
      cancelWork = undefined
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

  for (const question of options.questions) addQuestion(question)
  standings = { ...standings, tiles: board.standings() }
  return {
    subscribe: (listener) => {
      const entry = (): void => {
        listener()
      }
      listeners.add(entry)
      if (close === undefined) {
        close = open()
        wake()
      }
      return () => {
        listeners.delete(entry)
        if (listeners.size > 0) return
        close?.()
        close = undefined
      }
    },
    getSnapshot: () => standings,
    subscribeTile: (key, listener) => {
      const entry = (): void => {
        listener()
      }
      const known = tileListeners.get(key) ?? new Set()
      tileListeners.set(key, known.add(entry))
      return () => {
        known.delete(entry)
        if (known.size === 0 && tileListeners.get(key) === known) tileListeners.delete(key)
      }
    },
    tile: board.view,
    watchingSince: () => since,
  }
}

const mostTouched = 50_000
/** More than these are not told apart: memory stays flat whatever arrives. */
const mostLeftOut = 10_000
