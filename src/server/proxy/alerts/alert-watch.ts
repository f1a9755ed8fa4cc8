import { setMaxListeners } from 'node:events'
import { branchSearch } from '../../../facts/tile-branch.ts'
import { factsFailure } from '../../../facts/insight/failure-text.ts'
import { addBuild, finishedBuilds } from '../../../facts/tile-builds.ts'
import { tileState } from '../../../facts/tile-state.ts'
import { wait } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import type { SharedConfig } from '../../../protocol/proxy-config.ts'
import { type SharedSearch, sharedSearchBuilds } from '../../../protocol/shared-search.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { forgetAlerts, leaveOutReceivers } from '../../store/alerts.ts'
import type { InsightReader } from '../insight/insights.ts'
import { toolsWithFailures } from '../live/build-facts.ts'
import type { SharedSearches } from '../shared-search/shared-search.ts'
import type { AlertRoute } from './alert-route.ts'
import { type AlertChannel, type AlertSenderOptions, startSender } from './alert-sender.ts'
import { lastSeenFailure, noteTile, noteUntil, projectsWatchedSince } from './alert-tile.ts'
import { type BoardMessageRules, noteBoard } from './board-watch.ts'
import { noteEndingWaivers } from './waiver-reminders.ts'
import {
  type AlertProjects,
  idsOf,
  isOfProject,
  matcherOf,
  ownQueries,
  routesOf,
  watchedNames,
  type WatchedOptions,
  watchedProjects,
  type WatchedProject,
  watchedQueries,
  type WatchedQuery,
  type WatchedWall,
  watchesProjects,
} from './watched-tiles.ts'
import type { Webhook } from './webhook.ts'

export interface AlertWatchOptions extends AlertSenderOptions, WatchedOptions {
  /** From when on the feed is read, as nobody was here then, by the build server's clock, epoch ms; from now on by default. */
  readonly since?: number | undefined
  /** The receivers of the routes. */
  readonly routes: readonly { readonly route: AlertRoute; readonly webhook: Webhook }[]
  /** Boards with a webhook of their own. */
  readonly boards: readonly WatchedBoard[]
  readonly boardRules: BoardMessageRules
  /** So many days before a waiver ends people are reminded. */
  readonly remindDays: readonly number[]
  /** All walls, those that are saved as well, at this moment; a name without a wall is watched as soon as there is one. */
  readonly walls: () => Promise<readonly WatchedWall[]>
  readonly searches: SharedSearches
  /** What the events of a build say of it. */
  readonly facts: Pick<InsightReader<Facts>, 'read'>
  /** Why a build failed. */
  readonly failures: Pick<InsightReader<BuildFailure[]>, 'read'>
  /** Whether the live feed is being heard. */
  readonly isLive: () => boolean
  /** How far the build server's clock is ahead of this one, ms; negative where it is behind. */
  readonly clockSkewMs: () => number
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
  /** Something may be due: looked at within a moment. Returns at once. */
  readonly wake: () => void
  /** Walls were saved: what is new on them is watched within a moment. Returns at once. */
  readonly readWalls: () => void
  /** Ends it, after what is under way. */
  readonly close: () => Promise<void>
}

/**
 * Looks at the tiles of the walls that `rules` and its routes name, at every project where they say so, and at
 * `boards` every 30 s, and at what a build of the feed has changed within a second; sends what has happened (alert-tile.ts, board-watch.ts).
 * A project is known by its builds in the feed, and searched for only while it is red. What is stale causes no alert: neither while the search fails nor, where the server
 * does not search or does not let this proxy, while the feed is silent. Never throws.
 */
export function startAlertWatch(options: AlertWatchOptions): AlertWatch {
  const { rules, clock, database, searches, isLive, clockSkewMs, logger } = options
  const { boards, boardRules } = options
  const channels: readonly AlertChannel[] = [
    ...(options.webhook === undefined ? [] : [{ webhook: options.webhook }]),
    ...options.routes,
    ...boards.map(({ board, webhook }) => ({ webhook, board: board.name })),
  ]
  const receivers = {
    routes: channels.flatMap(({ route, board }) =>
      board === undefined ? [route?.name ?? ''] : [],
    ),
    boards: boards.map(({ board }) => board.name),
  }
  const closing = new AbortController()
  const { signal } = closing
  // Every receiver waits with it; many are no leak.
  setMaxListeners(0, signal)
  const startedAt = clock.now()
  let walls: readonly WatchedWall[] = []
  let areWallsOld = false
  let tiles: readonly WatchedQuery[] = []
  let projects: AlertProjects | undefined
  /** A project may be heard of for the first time after it failed while nobody watched. */
  let projectsSince: number | undefined
  const knowProjectsSince = async (): Promise<number> =>
    (projectsSince ??= await projectsWatchedSince(database, startedAt + clockSkewMs()))
  /** What walls are changes while people save them. */
  let definition: string | undefined
  /** What arrived before walls were read. */
  const early: Facts[] = []
  /** Tiles that were watched and are on no watched wall any more, by their ids, and whether each is that of a project. */
  const gone = new Map<string, boolean>()
  const isWatched = (tile: string): boolean => {
    const isProject = gone.get(tile)
    return isProject === undefined || (isProject && projects !== undefined)
  }
  const readWalls = async (): Promise<void> => {
    const all = await options.walls()
    const read = JSON.stringify(all.map(({ name, tiles: own }) => [name, own]))
    if (read === definition) return
    const isFirst = definition === undefined
    definition = read
    walls = all
    const before = [...tiles, ...(projects?.red(Infinity) ?? [])]
    tiles = watchedQueries(options, walls, {
      known: tiles,
      ...{ isFirst, now: isFirst ? startedAt : clock.now() },
    })
    const others = ownQueries(tiles)
    if (!watchesProjects(rules, walls)) projects = undefined
    else if (projects === undefined) projects = watchedProjects(options, others)
    else projects.leaveOut(others)
    for (const tile of before) for (const id of idsOf(tile)) gone.set(id, isOfProject(tile))
    for (const tile of tiles) for (const id of idsOf(tile)) gone.delete(id)
    const missing = [...watchedNames(rules)].filter((name) =>
      all.every((wall) => wall.name !== name),
    )
    if (isFirst) early.splice(0).forEach(learn)
    if (missing.length > 0) {
      logger.warn(`alerts name walls that there are not: ${missing.join(', ')}`)
    }
  }

  const isFresh = ({ search, ageMs, problem }: SharedSearch): boolean =>
    search === 'unsupported' || (search === 'unknown' && problem?.status === 403)
      ? isLive()
      : problem === null && ageMs !== null && ageMs <= freshMs
  /** Of one build, given up after `recallMs`. */
  const readSoon = async function* <Result>(
    reader: Pick<InsightReader<Result>, 'read'>,
    buildId: string,
  ): ReturnType<InsightReader<Result>['read']> {
    const late = new AbortController()
    const cancel = clock.after(recallMs, () => {
      late.abort()
    })
    yield* reader.read([buildId], AbortSignal.any([signal, late.signal]))
    cancel()
  }
  /** How often the failure of a tile that is known from before was read; no more often than it may help. */
  const recalls = new WeakMap<object, number>()
  /**
   * Puts back among the builds the one with which the failures began that were seen before this process
   * was started: without it, a success of other work would look like a recovery.
   */
  const recall = async (tile: WatchedQuery | WatchedProject): Promise<void> => {
    const tries = recalls.get(tile) ?? 0
    if (tries === mostRecalls) return
    recalls.set(tile, tries + 1)
    const began = await lastSeenFailure(database, { query: tile.query, branch: tile.rule.tile })
    const isKnown = finishedBuilds(tile.builds).some(({ buildId }) => buildId === began)
    let isRead = began === undefined || isKnown
    if (began !== undefined && !isKnown) {
      for await (const insight of readSoon(options.facts, began)) {
        if (!('result' in insight)) continue
        tile.builds = addBuild(tile.builds, insight.result)
        isRead = true
      }
    }
    if (isRead) recalls.set(tile, mostRecalls)
  }
  /** Of which build it was last read why it failed. */
  const causesRead = new WeakMap<object, string>()
  /** The feed learns of a build first how it ended, and some time later why: a message is sent once. */
  const learnCause = async (tile: WatchedQuery | WatchedProject, buildId: string) => {
    const build = finishedBuilds(tile.builds).find((one) => one.buildId === buildId)
    if (build === undefined || !toolsWithFailures.has(build.buildTool)) return
    if (causesRead.get(tile) === buildId) return
    causesRead.set(tile, buildId)
    for await (const insight of readSoon(options.failures, buildId)) {
      const [failure] = 'result' in insight ? insight.result : []
      if (failure === undefined) continue
      tile.builds = addBuild(tile.builds, { ...build, failure: factsFailure(failure) })
    }
  }
  /** `isSearched`: what was before the first build that is known, is known too. */
  const note = async (tile: WatchedQuery | WatchedProject, isSearched: boolean): Promise<void> => {
    await recall(tile)
    const { title, query, rule } = tile
    const stateNow = () => tileState(tile.builds, { now: clock.now(), timeZone: 'UTC' }, rule)
    const { breaking, status } = stateNow()
    if (status === 'failing' && breaking !== undefined && breaking.cause === undefined) {
      await learnCause(tile, breaking.buildId)
    }
    const now = clock.now()
    const serverNow = now + clockSkewMs()
    const state = stateNow()
    const since =
      'addedAt' in tile
        ? tile.addedAt + clockSkewMs()
        : Math.max(await knowProjectsSince(), serverNow - keptMs)
    const watchedSince = isSearched || !state.isOpen ? since : serverNow
    const seen = {
      title,
      query,
      branch: rule.tile,
      state,
      watchedSince,
      serverNow,
      linkOf: linksOf(options),
      builds: finishedBuilds(tile.builds).length,
      routes: routesOf(options, walls, tile),
      receivers: receivers.routes,
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
    if (!isFresh(answer) || signal.aborted) return
    const { builds } = tile
    const isSearched = answer.search === 'supported'
    await note(tile, isSearched)
    Object.assign(tile, { noted: builds, isSearched })
  }
  /** A project that has turned red is searched for before it causes an alert: the feed may have gaps. */
  const lookAtRed = async (project: WatchedProject): Promise<void> => {
    project.searchedAt = clock.now()
    await look(project)
  }
  const noteChanged = async (project: WatchedProject): Promise<void> => {
    const { builds } = project
    await note(project, false)
    project.noted = builds
  }
  const lookAtProjects = async ({ learn, red, changed }: AlertProjects) => {
    await knowProjectsSince()
    // What has failed while nobody heard it.
    const [failed] = await Promise.allSettled([searches.request(failedBuilds)])
    if (failed.status === 'fulfilled') failed.value.builds.forEach(learn)
    const looks = await Promise.allSettled(red(mostAsked).map(lookAtRed))
    const notes = isLive() && !signal.aborted ? changed().map(noteChanged) : []
    return [failed, ...looks, ...(await Promise.allSettled(notes))]
  }
  const round = async (): Promise<void> => {
    await readWalls()
    // Relative moments in a query are taken from now.
    for (const tile of tiles) tile.matches = matcherOf(tile.query, clock.now())
    const looks = [
      ...(await Promise.allSettled(tiles.map(look))),
      ...(projects === undefined ? [] : await lookAtProjects(projects)),
    ]
    const failed = looks.filter((look) => look.status === 'rejected')
    const [first] = failed
    if (first !== undefined) {
      const reason = reasonOf(first.reason)
      logger.warn({ reason }, `${countOf(failed.length, 'tile')} couldn't be checked for alerts`)
    }
    const reminded = [
      ...(options.webhook === undefined ? [] : ['']),
      ...options.routes.flatMap(({ route }) =>
        route.walls === undefined && route.projects === undefined ? [route.name] : [],
      ),
    ]
    if (reminded.length > 0) {
      const reminders = { days: options.remindDays, dashboard: rules.dashboard, routes: reminded }
      await noteEndingWaivers(database, reminders, clock.now())
    }
    for (const { board } of boards) {
      await noteBoard(database, board, boardRules, clock.now()).catch(() => {
        logger.warn(`the board ${board.name} couldn't be checked for its webhook`)
      })
    }
    await forgetAlerts(database, clock.now() - keptMs)
    await leaveOutReceivers(database, receivers, clock.now() - goneMs)
    // Who starts next hears again of all since then: what couldn't be noted yet may be beyond what it searches for.
    const isNoted = (projects?.red(Infinity) ?? []).every(({ builds, noted }) => builds === noted)
    if (isLive() && isNoted) await noteUntil(database, clock.now(), clockSkewMs())
    sendAll()
  }
  // Side by side, and nobody waits for them: one that hangs delays no other, nor what is noted meanwhile.
  const senders = channels.map((channel) => startSender(options, channel, { signal, isWatched }))
  const sendAll = (): void => {
    for (const { wake: send } of senders) send()
  }
  /** What builds of the feed have changed, without a search: one that has turned red is searched for first. */
  const lookAtNews = async (): Promise<void> => {
    const isNews = ({ builds, noted }: WatchedQuery | WatchedProject): boolean =>
      noted !== undefined && noted !== builds
    if (areWallsOld) {
      areWallsOld = false
      await readWalls()
      await Promise.allSettled(tiles.filter(({ noted }) => noted === undefined).map(look))
    }
    const noteNews = async (tile: WatchedQuery): Promise<void> => {
      const { builds } = tile
      await note(tile, tile.isSearched)
      tile.noted = builds
    }
    if (isLive()) {
      const reds = projects?.red(mostAskedSoon, (project) => project.builds !== project.noted) ?? []
      await Promise.allSettled([
        ...tiles.filter(isNews).map(noteNews),
        ...(projects?.changed() ?? []).map(noteChanged),
        ...reds.map(lookAtRed),
      ])
      // The rest, unless the search has no answer: then the next round asks again.
      if (reds.length === mostAskedSoon && reds.some((red) => red.builds === red.noted)) wake()
    }
    sendAll()
  }
  let waiting: (() => void) | undefined
  let looking: Promise<void> = Promise.resolve()
  const noteFault = (error: unknown): void => {
    logger.warn({ reason: reasonOf(error) }, "alerts couldn't be checked, trying again")
  }
  const wake = (): void => {
    if (signal.aborted) return
    waiting ??= clock.after(soonMs, () => {
      waiting = undefined
      looking = looking.then(lookAtNews).catch(noteFault)
    })
  }
  const learn = (facts: Facts): void => {
    if (definition === undefined) {
      early.push(facts)
      return
    }
    let isNews = false
    for (const tile of tiles) {
      if (tile.matches(facts) !== 'yes') continue
      tile.builds = addBuild(tile.builds, facts)
      isNews = true
    }
    const feedSince = startedAt + clockSkewMs()
    // What a browser reads of the past comes by here, too, and is no news.
    if (facts.receivedAt >= Math.min(options.since ?? Infinity, feedSince) && projects) {
      projects.learn(facts)
      isNews = true
    }
    // What happened while nobody was here is noted with the next round: by then its end is known, too.
    isNews &&= facts.receivedAt >= feedSince
    if (isNews && facts.outcome !== undefined) wake()
  }
  const run = async (): Promise<void> => {
    await leaveOutReceivers(database, receivers, Infinity).catch(() => undefined)
    while (!signal.aborted) {
      await round().catch(noteFault)
      await wait(clock, periodMs, signal)
    }
  }
  const running = run()
  return {
    learn,
    wake,
    readWalls: () => {
      areWallsOld = true
      wake()
    },
    close: async () => {
      closing.abort()
      waiting?.()
      await looking
      await running
      await Promise.all(senders.map(({ ended }) => ended()))
    },
  }
}

function linksOf({ rules, origin }: AlertWatchOptions): (buildId: string) => string | undefined {
  const { dashboard } = rules
  if (dashboard !== undefined) return (id) => `${dashboard.replace(/\/+$/, '')}/builds/${id}`
  return origin === null ? () => undefined : (id) => `${origin}/s/${id}`
}

const periodMs = 30_000
/** Builds that come together are looked at together. */
const soonMs = 300
/** How many projects that have just turned red are searched for at once. */
const mostAskedSoon = 10
/** The newest failures, whosever. */
const failedBuilds = 'buildOutcome:failed'
/** How many red projects are searched for in one round: the proxy's searches are for walls, too. */
const mostAsked = 30
const freshMs = 90_000
const mostRecalls = 3
/** All other tiles wait with one that is read. */
const recallMs = 10_000

/** While Sightline is restarted, processes with other receivers may run beside this one. */
const goneMs = 60 * 60_000
const keptMs = 90 * 24 * 60 * 60 * 1000
