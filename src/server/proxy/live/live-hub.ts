import type { Logger } from 'pino'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { liveEvents, type LiveGap, type LiveStatus } from '../../../protocol/live-feed.ts'
import { encodeSse } from '../../../protocol/sse.ts'
import type { LiveEndpoint } from './live-route.ts'
import { buildDataAllowList } from '../upstream/routes.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { UpstreamLog } from '../upstream/upstream-log.ts'
import { type Block, createBlock, createPages } from './blocks.ts'
import { createBuildFacts, noFacts } from './build-facts.ts'
import type { OnLoss } from './build-reader.ts'
import { createHistory } from './history.ts'
import {
  createReaderList,
  defaultHubSettings,
  type HubSettings,
  refuseReader,
} from './reader-list.ts'
import { createJournal } from './journal.ts'
import { createLimit } from './limit.ts'
import { type LiveReader, openReader, type ReaderParts, type StatusDetail } from './live-reader.ts'
import { openUpstreamStream, type UpstreamStatus } from './upstream-stream.ts'

export interface LiveHubOptions {
  /** The build data server, with its credential. */
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** Told what could not be read. */
  readonly log?: Pick<UpstreamLog, 'lost'>
  /** Told what became known of a build, beside the readers. */
  readonly onLearned?: (facts: Facts) => void
  /** Told how the hub stands with the upstream, at every change. */
  readonly onStatus?: (status: UpstreamStatus) => void
  readonly settings?: Partial<HubSettings>
}

/** The live feed, and its end. */
export interface LiveHub extends LiveEndpoint {
  /** Whether builds arrive, streamed or polled. */
  readonly hears: () => boolean
  /** Takes no more readers and ends the present ones, spread over `drainMs`; then lets go of all. */
  readonly close: () => Promise<void>
}

/**
 * One upstream stream for any number of readers (docs/design.md#live-hub), connected from
 * the start. Each reader gets every build exactly once and in the upstream's order, across its own
 * reconnects and the upstream's; where that cannot be, a `Gap` says so.
 */
export function createLiveHub(options: LiveHubOptions): LiveHub {
  const { client, clock, random, logger } = options
  const onLoss: OnLoss = (loss) => options.log?.lost({ ...loss, server: buildDataAllowList.name })
  const settings = { ...defaultHubSettings, ...options.settings }
  const counts = { builds: 0, duplicates: 0, gaps: 0, readers: 0, malformed: 0, refused: 0 }
  const departures = { stalled: 0, lagging: 0, overtaken: 0, ended: 0 }
  const journal = createJournal(settings.ringSize)
  const readers = createReaderList(clock, settings, (departure) => {
    departures[departure]++
  })
  let closing = false
  let anchorWaiters: (() => void)[] = []

  let cancelFlush: (() => void) | undefined
  let statusIsNew = false
  let flushed = 0
  const flushSoon = (): void => {
    // A burst must not push out of the ring what nobody has been sent yet.
    if (journal.head() - flushed >= settings.ringSize / 2) flush()
    else cancelFlush ??= clock.after(settings.flushMs, flush)
  }
  const flush = (): void => {
    cancelFlush?.()
    cancelFlush = undefined
    flushed = journal.head()
    const news = statusIsNew ? status() : undefined
    statusIsNew = false
    for (const reader of readers.readers) {
      if (news !== undefined) reader.client.send(news)
      reader.advance()
    }
    readers.dropLagging()
  }

  const facts = !settings.facts
    ? noFacts
    : createBuildFacts({
        ...options,
        onLoss,
        keep: settings.ringSize,
        onFacts: (id, json) => {
          journal.append({ kind: 'facts', id, json })
          flushSoon()
        },
      })

  let previous: string | undefined
  let newestBuildAt: number | null = null
  let deliveriesMs: readonly number[] = []
  const upstream = openUpstreamStream({
    client,
    clock,
    random,
    logger,
    onLoss,
    idleMs: settings.upstreamIdleMs,
    streamRetryMs: settings.streamRetryMs,
    onBuild: (build) => {
      const isNew = journal.appendBuild(build)
      counts[isNew ? 'builds' : 'duplicates']++
      if (!isNew) return false
      newestBuildAt = Math.max(newestBuildAt ?? 0, build.timestamp)
      deliveriesMs = [...deliveriesMs.slice(1 - keptDeliveries), clock.now() - build.timestamp]
      facts.want(build, { previous, isOld: false })
      previous = build.buildId
      flushSoon()
      return true
    },
    onGap: (from) => {
      const gap: LiveGap = { from, oldest: null }
      journal.append({ kind: 'gap', json: JSON.stringify(gap) })
      counts.gaps++
      flushSoon()
    },
    pace: async () => {
      if (journal.head() - flushed < burstEntries) return
      flush()
      const patience = clock.now() + burstPatienceMs
      while (readers.mostAreBlocked() && clock.now() < patience) await wait(clock, settings.flushMs)
    },
    onStatus: () => {
      options.onStatus?.(upstream.status())
      statusIsNew = true
      flushSoon()
      const woken = anchorWaiters
      anchorWaiters = []
      for (const resolve of woken) resolve()
    },
  })

  const status = ({ backlog, id }: StatusDetail = {}): Block => {
    const told: LiveStatus = {
      ...upstream.status(),
      now: clock.now(),
      ...(backlog === undefined ? {} : { backlog }),
    }
    return createBlock(encodeSse({ id, event: liveEvents.status, data: JSON.stringify(told) }))
  }

  const parts: ReaderParts = {
    clock,
    random,
    journal,
    pages: createPages(journal),
    facts,
    replays: createLimit(settings.maxReplays),
    history: createHistory({
      client,
      clock,
      polling: () => upstream.status().upstream === 'polling',
      onLoss,
      onMalformed: () => {
        counts.malformed++
        logger.warn('a message of the build history was skipped')
      },
    }),
    status,
    anchored: () => upstream.anchored(),
    isLost: () => {
      const { upstream: state, since } = upstream.status()
      return (state === 'retrying' || state === 'refused') && clock.now() - since >= lostMs
    },
    untilAnchored: async (signal) => {
      await new Promise<void>((resolve) => {
        anchorWaiters.push(resolve)
        signal.addEventListener(
          'abort',
          () => {
            resolve()
          },
          { once: true },
        )
      })
    },
  }

  /** A fifth more or less, so that readers that came together do not come back together. */
  const lifetime = (): number => settings.lifetimeMs * (0.8 + 0.4 * random())

  return {
    history: Number.MAX_SAFE_INTEGER,
    upstream: () => ({ ...upstream.status(), newestBuildAt, deliveriesMs }),
    hears: () => ['live', 'polling'].includes(upstream.status().upstream),
    handle: (request, outgoing) => {
      if (outgoing.destroyed) return
      const full = closing ? 'closing' : readers.full(request.session.id)
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
        upstream_live: upstream.status().upstream === 'live' ? 1 : 0,
        ...facts.gauges(),
      },
      counters: {
        builds: counts.builds,
        duplicate_builds: counts.duplicates,
        malformed_messages: upstream.status().malformed + counts.malformed,
        gaps: counts.gaps,
        upstream_connections: upstream.connections(),
        readers_opened: counts.readers,
        readers_refused: counts.refused,
        readers_stalled: departures.stalled,
        readers_lagging: departures.lagging,
        readers_overtaken: departures.overtaken,
        readers_ended: departures.ended,
        ...facts.counters(),
      },
    }),
    close: async () => {
      closing = true
      await readers.drain(random)
      cancelFlush?.()
      await Promise.all([upstream.close(), facts.close()])
    },
  }
}

/** As many builds say how long builds take to come here. */
const keptDeliveries = 100

/** A stream that was cut comes back sooner, as a rule. */
const lostMs = 3000

/** More than this between two flushes is no everyday traffic but an outage that is made up for. */
const burstEntries = 1000
/** How long a burst waits for readers that are blocked; some never read again. */
const burstPatienceMs = 500
