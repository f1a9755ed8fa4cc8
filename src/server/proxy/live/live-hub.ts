import type { Logger } from 'pino'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import { createLimit } from '../../../protocol/limit.ts'
import { liveEvents, LiveFacts, type LiveStatus } from '../../../protocol/live-feed.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { encodeSse, encodeSseComment } from '../../../protocol/sse.ts'
import type { Entry, LiveLog, LogState } from '../../live-log/live-log.ts'
import type { InsightReader } from '../insight/insights.ts'
import { buildDataAllowList } from '../upstream/routes.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { UpstreamLog } from '../upstream/upstream-log.ts'
import { createKnownFacts, type KnownFacts } from './build-facts.ts'
import type { OnLoss } from './build-reader.ts'
import { followUpstream } from './follower.ts'
import { createHistory } from './history.ts'
import { createJournal, createPages, type Journal } from './journal.ts'
import { type Block, createBlock } from './live-client.ts'
import { type LiveReader, openReader, type ReaderParts, type StatusDetail } from './live-reader.ts'
import type { LiveEndpoint } from './live-route.ts'
import {
  createReaderList,
  defaultHubSettings,
  type HubSettings,
  refuseReader,
} from './reader-list.ts'
import { createSharedStatus, statusAt } from './shared-status.ts'
import type { UpstreamStatus } from './upstream-stream.ts'
import { createWaiters } from './waiters.ts'

export interface LiveHubOptions {
  /** The build data server, with its credential. */
  readonly client: UpstreamClient
  /** The order in which all processes learn of builds; closed by whoever made it. */
  readonly liveLog: LiveLog
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** Told what could not be read. */
  readonly log?: Pick<UpstreamLog, 'lost'> & Partial<Pick<UpstreamLog, 'report'>>
  /** How far the build server's clock is ahead of this one, ms, as far as it is known. */
  readonly clockSkewMs?: () => number
  /** From when on builds are read where the log has none yet, by the build server's clock, epoch ms; from now on by default. */
  readonly since?: number | undefined
  /** Told what became known of a build, beside the readers. */
  readonly onLearned?: (facts: Facts) => void
  /** Told how the installation stands with the upstream, at every change. */
  readonly onStatus?: (status: UpstreamStatus) => void
  /** Where it is read why builds failed; without it that is not learned. */
  readonly failures?: InsightReader<BuildFailure[]> | undefined
  readonly settings?: Partial<HubSettings>
}

/** The live feed, and its end. */
export interface LiveHub extends LiveEndpoint {
  /** Whether builds arrive, streamed or polled. */
  readonly hears: () => boolean
  /** Whether it is this process that follows the build server for the whole installation. */
  readonly follows: () => boolean
  /** Resolves when that, or the status, may have changed, or the signal aborts. */
  readonly untilStatus: (signal: AbortSignal) => Promise<void>
  /**
   * Lets another process follow, takes no more readers and ends the present ones, spread over
   * `drainMs`; then lets go of all.
   */
  readonly close: () => Promise<void>
}

/**
 * One upstream stream for any number of readers and processes (docs/design.md#live-hub), connected
 * from the start. Each reader gets every build exactly once and in the upstream's order, across its own
 * reconnects, to whichever process, and the upstream's; where that cannot be, a `Gap` says so.
 */
export function createLiveHub(options: LiveHubOptions): LiveHub {
  const { client, clock, random, logger, liveLog, clockSkewMs = () => 0 } = options
  const onLoss: OnLoss = (loss) => options.log?.lost({ ...loss, server: buildDataAllowList.name })
  const settings = { ...defaultHubSettings, ...options.settings }
  const counts = { readers: 0, malformed: 0, refused: 0 }
  const departures = { stalled: 0, lagging: 0, overtaken: 0, ended: 0 }
  const journal = createJournal(settings.ringSize, clock)
  const known = createKnownFacts(settings.ringSize)
  const readers = createReaderList(
    clock,
    settings,
    (departure) => {
      departures[departure]++
    },
    // Readers learn from it how far their clock is off, also where it was set since they came.
    () => createBlock(encodeSseComment('hb') + statusText()),
  )
  let closing = false
  let isClosed = false
  const statusChange = createWaiters()

  let cancelFlush: (() => void) | undefined
  let statusIsNew = false
  let flushed = 0
  const flushSoon = (): void => {
    if (isClosed) return
    // A burst must not push out of the ring what nobody has been sent yet.
    if (journal.head() - flushed >= settings.ringSize / 2) flush()
    else cancelFlush ??= clock.after(settings.flushMs, flush)
  }
  const flush = (): void => {
    cancelFlush?.()
    cancelFlush = undefined
    flushed = journal.head()
    const news = statusIsNew ? statusBlock() : undefined
    statusIsNew = false
    for (const reader of readers.readers) {
      if (news !== undefined) reader.client.send(news)
      reader.advance()
    }
    readers.dropLagging()
  }

  const status = createSharedStatus({
    log: liveLog,
    clock,
    onChange: () => {
      options.onStatus?.(status.status())
      statusIsNew = true
      flushSoon()
      statusChange.wake()
    },
  })

  const intake = takeFromLog({
    log: liveLog,
    clock,
    clockSkewMs,
    journal,
    known,
    onEntry: flushSoon,
    onLearned: options.onLearned,
    onState: status.onLogState,
  })
  const follower = followUpstream({
    client,
    clock,
    clockSkewMs,
    spoken: () => options.log?.report?.().spoken ?? null,
    random,
    logger,
    onLoss,
    settings,
    log: liveLog,
    journal,
    known,
    failures: options.failures,
    since: options.since,
    status,
    pace: async () => {
      if (journal.head() - flushed < burstEntries) return
      flush()
      const patience = clock.now() + burstPatienceMs
      while (readers.mostAreBlocked() && clock.now() < patience) await wait(clock, settings.flushMs)
    },
  })

  const statusText = ({ backlog, id }: StatusDetail = {}): string => {
    // By the clock that builds have their times from, so that a reader can tell how old they are.
    const told: LiveStatus = {
      ...statusAt(status.status(), clock.now(), clock.now() + clockSkewMs()),
      ...(backlog === undefined ? {} : { backlog }),
    }
    return encodeSse({ id, event: liveEvents.status, data: JSON.stringify(told) })
  }
  const statusBlock = (more?: StatusDetail): Block => createBlock(statusText(more))

  const parts: ReaderParts = {
    clock,
    clockSkewMs,
    random,
    journal,
    pages: createPages(journal),
    facts: { known: known.get, want: follower.want },
    replays: createLimit(settings.maxReplays),
    history: createHistory({
      client,
      clock,
      polling: () => status.upstream().status.upstream === 'polling',
      onLoss,
      onMalformed: () => {
        counts.malformed++
        logger.warn('a message of the build history was skipped')
      },
    }),
    status: statusBlock,
    anchored: () => status.upstream().anchor !== undefined,
    isLost: () => {
      const { upstream: state, since } = status.upstream().status
      return (state === 'retrying' || state === 'refused') && clock.now() - since >= lostMs
    },
    untilAnchored: statusChange.wait,
    isCaughtUp: intake.isCaughtUp,
    untilCaughtUp: intake.untilCaughtUp,
    startedAt: clock.now(),
    mayLag: () => liveLog.state().kind !== 'memory',
  }

  /** A fifth more or less, so that readers that came together do not come back together. */
  const lifetime = (): number => settings.lifetimeMs * (0.8 + 0.4 * random())

  return {
    history: Number.MAX_SAFE_INTEGER,
    upstream: () => ({
      ...status.status(),
      newestBuildAt: intake.newestBuildAt(),
      deliveriesMs: intake.deliveriesMs(),
    }),
    liveLog: () => ({ ...liveLog.state(), follower: status.follower() }),
    hears: () => ['live', 'polling'].includes(status.status().upstream),
    follows: () => status.follower() === 'this',
    untilStatus: statusChange.wait,
    handle: (request, outgoing) => {
      if (outgoing.destroyed) return
      const full = closing ? 'closing' : readers.full(request.session.holder)
      if (full !== undefined) {
        counts.refused++
        refuseReader(outgoing, full)
        return
      }
      counts.readers++
      const reader: LiveReader = openReader(parts, {
        request,
        outgoing,
        gzip: settings.gzip && request.gzip,
        endsAt: Math.min(clock.now() + lifetime(), request.session.expiresAt),
        onGone: () => {
          readers.remove(reader)
        },
      })
      readers.add(reader)
    },
    metrics: () => ({
      gauges: {
        readers: readers.readers.size,
        kept_builds: journal.builds(),
        upstream_live: status.status().upstream === 'live' ? 1 : 0,
        log_reachable: liveLog.state().isReachable ? 1 : 0,
        facts_kept: known.size(),
        ...follower.gauges(),
      },
      counters: {
        ...intake.counters(),
        readers_opened: counts.readers,
        readers_refused: counts.refused,
        readers_stalled: departures.stalled,
        readers_lagging: departures.lagging,
        readers_overtaken: departures.overtaken,
        readers_ended: departures.ended,
        ...follower.counters(),
        malformed_messages: (follower.counters().malformed_messages ?? 0) + counts.malformed,
      },
    }),
    close: async () => {
      closing = true
      // Nobody else can follow for readers of this process' own log.
      if (liveLog.state().kind !== 'memory') void follower.close()
      await readers.drain(random)
      cancelFlush?.()
      isClosed = true
      intake.close()
      status.close()
      await follower.close()
    },
  }
}

/** A stream that was cut comes back sooner, as a rule. */
const lostMs = 3000

/** More than this between two flushes is no everyday traffic but an outage that is made up for. */
const burstEntries = 1000
/** How long a burst waits for readers that are blocked; some never read again. */
const burstPatienceMs = 500

/** What came out of the live log so far. */
export interface LogIntake {
  /** Whether all that stood in the log when it was reached is in the journal. */
  readonly isCaughtUp: () => boolean
  /** Resolves when it is, or when the signal aborts. */
  readonly untilCaughtUp: (signal: AbortSignal) => Promise<void>
  /** See `LiveUpstream`. */
  readonly newestBuildAt: () => number | null
  readonly deliveriesMs: () => readonly number[]
  readonly counters: () => { readonly builds: number; readonly gaps: number }
  /** Takes nothing more. */
  readonly close: () => void
}

export interface LogIntakeOptions {
  readonly log: Pick<LiveLog, 'read'>
  readonly clock: Pick<Clock, 'now'>
  readonly clockSkewMs: () => number
  readonly journal: Journal
  readonly known: KnownFacts
  /** The journal has a new entry. */
  readonly onEntry: () => void
  /** Something was learned of a build after the log was caught up with. */
  readonly onLearned: ((facts: Facts) => void) | undefined
  readonly onState: (state: LogState) => void
}

/** Fills the journal and what is known of builds from the live log, as every process does. */
export function takeFromLog(options: LogIntakeOptions): LogIntake {
  const { clock, clockSkewMs, journal, known } = options
  const counts = { builds: 0, gaps: 0 }
  const waiters = createWaiters()
  let isCaughtUp = false
  let isClosed = false
  let newestBuildAt: number | null = null
  let deliveriesMs: readonly number[] = []

  const learned = (json: string): void => {
    if (options.onLearned === undefined) return
    const read = LiveFacts.safeParse(parsedJson(json))
    if (read.success) options.onLearned(read.data.facts)
  }
  const take = (entry: Entry): void => {
    if (!journal.append(entry)) return
    options.onEntry()
    switch (entry.kind) {
      case 'build':
        counts.builds++
        // One that is dated ahead came now at the latest.
        newestBuildAt = Math.max(
          newestBuildAt ?? 0,
          Math.min(entry.timestamp, clock.now() + clockSkewMs()),
        )
        if (isCaughtUp) {
          deliveriesMs = [...deliveriesMs.slice(1 - keptDeliveries), clock.now() - entry.timestamp]
        }
        break
      case 'facts':
        known.add(entry.id, entry.json)
        if (isCaughtUp) learned(entry.json)
        break
      case 'gap':
        counts.gaps++
        break
    }
  }
  options.log.read({
    onEntries: (entries) => {
      if (!isClosed) for (const { entry } of entries) take(entry)
    },
    onCaughtUp: () => {
      isCaughtUp = true
      waiters.wake()
    },
    onState: options.onState,
  })

  return {
    isCaughtUp: () => isCaughtUp,
    untilCaughtUp: waiters.wait,
    newestBuildAt: () => newestBuildAt,
    deliveriesMs: () => deliveriesMs,
    counters: () => counts,
    close: () => {
      isClosed = true
    },
  }
}

/** As many builds say how long builds take to come here. */
const keptDeliveries = 100
