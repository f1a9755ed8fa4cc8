import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { Limit } from '../../../protocol/limit.ts'
import { liveEvents, type LiveGap } from '../../../protocol/live-feed.ts'
import { encodeSse } from '../../../protocol/sse.ts'
import type { Entry } from '../../live-log/live-log.ts'
import type { Outgoing } from '../sessions.ts'
import type { KnownPosition } from './build-list.ts'
import type { History } from './history.ts'
import {
  buildEntry,
  createFollower,
  encodeEntries,
  type Follower,
  type Journal,
  type Pages,
} from './journal.ts'
import { type Block, createBlock, type LiveClient, openLiveClient } from './live-client.ts'
import type { LiveRequest } from './live-route.ts'
import { readAhead, replay, type ReplayEnd } from './replay.ts'

/** What is known of builds, and how more is learned of those of the history. */
export interface ReaderFacts {
  /** As the JSON of a `Facts` message. */
  readonly known: (buildId: string) => string | undefined
  /** Has them learned; `previous` is the build before it, if known. They come to all readers. */
  readonly want: (build: BuildMessage, previous: string | undefined) => void
}

/** What all readers of a hub share. */
export interface ReaderParts {
  readonly clock: Clock
  /** How far the upstream's clock is ahead of it, ms. */
  readonly clockSkewMs: () => number
  readonly random: () => number
  readonly journal: Journal
  readonly pages: Pages
  readonly history: History
  readonly facts: ReaderFacts
  /** How many histories are read at once. */
  readonly replays: Limit
  readonly anchored: () => boolean
  readonly untilAnchored: (signal: AbortSignal) => Promise<void>
  /** Whether all that stood in the log when it was reached is in the journal. */
  readonly isCaughtUp: () => boolean
  /** Resolves when it is. */
  readonly untilCaughtUp: (signal: AbortSignal) => Promise<void>
  /** When the hub was started, epoch ms. */
  readonly startedAt: number
  /** Whether other processes may be told of a build before this one. */
  readonly mayLag: () => boolean
  /** Whether the upstream has not been heard for some seconds, so that its history may not come for long. */
  readonly isLost: () => boolean
  /** The `Status` message of this moment. */
  readonly status: (more?: StatusDetail) => Block
}

/** What a `Status` message may say to one reader alone. */
export interface StatusDetail {
  /** About how many builds are still to be replayed. */
  readonly backlog?: number
  /** Where to resume after it. */
  readonly id?: string | undefined
}

export interface ReaderOptions {
  readonly request: LiveRequest
  readonly outgoing: Outgoing
  readonly gzip: boolean
  readonly endsAt: number
  readonly onGone: () => void
}

/** One reader of the feed: its connection, and how it gets what it does not have yet. */
export interface LiveReader {
  readonly client: LiveClient
  /** Writes what is new, while the connection takes it. */
  readonly advance: () => void
  /** The follower, once there is no history left to send. */
  readonly follower: () => Follower | undefined
}

/**
 * Opens the stream of a reader: the state of the upstream first, then what it missed, then what
 * comes. Where its resume point is known to nobody it is told of the gap and given all that is kept.
 */
export function openReader(parts: ReaderParts, options: ReaderOptions): LiveReader {
  const { journal, facts } = parts
  const { request } = options
  let follower: Follower | undefined
  /** The entry up to which it has to come before it has caught up; undefined once it has. */
  let goal: number | undefined
  /** While history is sent: passes on what is learned of it. */
  let passOn: (() => void) | undefined
  const advance = (): void => {
    passOn?.()
    follower?.advance(journal.head())
    if (!isAtGoal()) return
    goal = undefined
    client.send(parts.status({ backlog: 0 }))
  }
  const isAtGoal = (): boolean => goal !== undefined && (follower?.place() ?? 0) >= goal
  const client = openLiveClient({ ...options, clock: parts.clock, onReady: advance })

  const follow = (after: number, seen: ReadonlySet<string> = new Set()): void => {
    follower = createFollower({ client, journal, pages: parts.pages, after, seen })
    advance()
  }

  /** What the connection cannot take at once is announced, and its end too: only then is it live. */
  const catchUp = (after: number, seen?: ReadonlySet<string>): void => {
    const head = journal.head()
    goal = head
    follow(after, seen)
    const place = follower?.place() ?? head
    if (place < head) client.send(parts.status({ backlog: journal.buildsBetween(place, head) }))
  }

  const followAfterGap = (from: string | null, after: number, again?: true): void => {
    const gap: LiveGap = { from, oldest: journal.oldestBuildAfter(after) ?? null, again }
    client.send(createBlock(encodeSse({ event: liveEvents.gap, data: JSON.stringify(gap) })))
    catchUp(after)
  }

  /**
   * Resolves when a reader that asked for a stretch of time has got nothing and will not for a while,
   * though builds of that time are kept here: these are better than none.
   */
  const untilInVain = async (from: KnownPosition, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const hasSome = from.kind === 'instant' && journal.before(from.at) < journal.head()
      if (hasSome && parts.isLost()) return
      await wait(parts.clock, inVainCheckMs, signal)
    }
  }

  /** Resumes after a build that the journal does not have, or does not have yet. */
  const resume = async (id: string): Promise<void> => {
    const signal = client.gone()
    const patience = parts.clock.now() + lagMs
    while (parts.mayLag() && parts.clock.now() < patience) {
      await wait(parts.clock, lagCheckMs, signal)
      // Who is gone has nothing to wait for: not even the time would pass.
      if (signal.aborted) return
      const after = journal.numberOf(id)
      if (after !== undefined) {
        catchUp(after)
        return
      }
    }
    const had = parts.mayLag()
      ? await readAhead({ ...parts, signal }, id, parts.startedAt)
      : undefined
    await startReplay({ kind: 'after', id }, had)
  }

  const startReplay = async (
    from: KnownPosition,
    had: ReadonlySet<string> = new Set(),
  ): Promise<void> => {
    const given = new AbortController()
    const withoutFacts = new Set<string>()
    const learned = new Set<string>()
    let lookedAt = journal.head()
    /** Sends the facts that came to the journal of builds that were sent without. */
    const sendLearned = (isLast = false): void => {
      const news: Entry[] = []
      for (; lookedAt < journal.head() && (isLast || client.ready()); lookedAt++) {
        const entry = journal.entry(lookedAt + 1)
        if (entry?.kind !== 'facts' || !withoutFacts.has(entry.id)) continue
        news.push(entry)
        learned.add(entry.id)
      }
      if (news.length > 0) client.send(createBlock(encodeEntries(news, request.batch)))
    }
    passOn = sendLearned
    let previous = from.kind === 'after' ? from.id : undefined
    const send = async (builds: readonly BuildMessage[]): Promise<void> => {
      given.abort()
      const known: Entry[] = []
      for (const build of builds) {
        const json = facts.known(build.buildId)
        if (json === undefined) {
          facts.want(build, previous)
          withoutFacts.add(build.buildId)
        } else {
          known.push({ kind: 'facts', id: build.buildId, json })
        }
        previous = build.buildId
      }
      forgetOldest(withoutFacts)
      const entries = [...builds.map(buildEntry), ...known]
      client.send(createBlock(encodeEntries(entries, request.batch)))
      await client.untilReady()
    }
    const inVain = new AbortController()
    const gone = AbortSignal.any([client.gone(), inVain.signal])
    void untilInVain(from, AbortSignal.any([client.gone(), given.signal])).then(() => {
      if (!given.signal.aborted) inVain.abort()
    })
    const end: ReplayEnd | undefined = await parts.replays.tryRun(
      () =>
        replay({
          ...parts,
          from,
          had,
          send,
          signal: gone,
          onBacklog: (backlog) => {
            client.send(parts.status({ backlog }))
          },
        }),
      gone,
    )
    given.abort()
    passOn = undefined
    if (client.gone().aborted) return
    if (from.kind === 'instant' && inVain.signal.aborted) {
      followAfterGap(null, journal.before(from.at), true)
      while (parts.isLost() && !client.gone().aborted) {
        await wait(parts.clock, inVainCheckMs * (1 + parts.random()), client.gone())
      }
      client.end()
      return
    }
    if (end === undefined || end.kind === 'gone') return
    if (end.kind === 'refused') {
      if (from.kind === 'after') followAfterGap(from.id, journal.tail())
      else followAfterGap(null, journal.before(from.at))
      return
    }
    // Facts that came between a build's replay and here went to those who followed then.
    sendLearned(true)
    const late = [...withoutFacts].flatMap((buildId) => {
      const json = learned.has(buildId) ? undefined : facts.known(buildId)
      return json === undefined ? [] : [{ kind: 'facts' as const, id: buildId, json }]
    })
    if (late.length > 0) client.send(createBlock(encodeEntries(late, request.batch)))
    catchUp(end.after, end.seen)
  }

  const { lastEventId, since } = request
  const wantsNew = since === 'now' && lastEventId === undefined && !request.lastEventIdMalformed
  // With the id of the newest build, so that a reader that is cut off before its first build
  // resumes where it was.
  client.send(parts.status(wantsNew ? { id: journal.newestBuild(), backlog: 0 } : {}))
  const openedAt = parts.clock.now()
  const serverTime = (at: number): number => Math.max(0, at + parts.clockSkewMs())
  const begin = (newAfter: number): void => {
    if (request.lastEventIdMalformed) {
      followAfterGap(null, journal.tail())
    } else if (lastEventId !== undefined) {
      const after = journal.numberOf(lastEventId)
      if (after !== undefined) catchUp(after)
      else void resume(lastEventId)
    } else if (since === 'now') {
      follow(newAfter)
    } else if (journal.covers(since)) {
      catchUp(journal.before(serverTime(since)))
    } else {
      void startReplay({ kind: 'instant', at: since === 0 ? 0 : serverTime(since) })
    }
  }
  if (parts.isCaughtUp()) begin(journal.head())
  else {
    void parts.untilCaughtUp(client.gone()).then(() => {
      if (!client.gone().aborted) begin(journal.before(serverTime(openedAt)))
    })
  }
  return { client, advance, follower: () => follower }
}

/** So long a build takes from one process to all others, and how often it is looked for, ms. */
const lagMs = 300
const lagCheckMs = 20

/** How often it is looked whether a replay is in vain, ms. */
const inVainCheckMs = 1000

/** As many as wait for facts at most: of older ones nothing will become known here. */
const rememberedWithoutFacts = 10_000

function forgetOldest(buildIds: Set<string>): void {
  for (const buildId of buildIds) {
    if (buildIds.size <= rememberedWithoutFacts) return
    buildIds.delete(buildId)
  }
}
