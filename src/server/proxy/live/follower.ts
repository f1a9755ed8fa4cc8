import type { Logger } from 'pino'
import { z } from 'zod'
import { BuildId, BuildMessage } from '../../../protocol/build-message.ts'
import { aborted, type Clock, wait } from '../../../protocol/clock.ts'
import type { BuildFailure } from '../../../protocol/facts.ts'
import type { LiveGap } from '../../../protocol/live-feed.ts'
import type { Entry, Lease, LiveLog } from '../../live-log/live-log.ts'
import type { InsightReader } from '../insight/insights.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { type BuildFacts, createBuildFacts, type KnownFacts, noFacts } from './build-facts.ts'
import type { KnownPosition } from './build-list.ts'
import type { OnLoss } from './build-reader.ts'
import { buildEntry, buildOf, type Journal } from './journal.ts'
import type { HubSettings } from './reader-list.ts'
import type { SharedStatus } from './shared-status.ts'
import { openUpstreamStream, type UpstreamStreamOptions } from './upstream-stream.ts'
import { createWaiters } from './waiters.ts'

/** This process' part in following the upstream: one process of the installation does. */
export interface UpstreamFollower {
  /** Has the facts of a build of the history learned, by whoever follows. */
  readonly want: (build: BuildMessage, previous: string | undefined) => void
  readonly gauges: () => Record<string, number>
  /** Since the start, over all times that this process followed. */
  readonly counters: () => Record<string, number>
  /** Lets another process take over at once. */
  readonly close: () => Promise<void>
}

export interface FollowerOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  /** How far the upstream's clock is ahead of it, ms. */
  readonly clockSkewMs?: (() => number) | undefined
  readonly spoken?: UpstreamStreamOptions['spoken']
  readonly random: () => number
  readonly logger: Logger
  readonly onLoss: OnLoss
  readonly settings: Pick<HubSettings, 'upstreamIdleMs' | 'streamRetryMs' | 'facts'>
  readonly log: LiveLog
  /** What stands in the log. */
  readonly journal: Journal
  readonly known: KnownFacts
  /** Where it is read why builds failed; without it that is not learned. */
  readonly failures?: InsightReader<BuildFailure[]> | undefined
  /** From when on builds are read where nobody has followed before, epoch ms; from now on by default. */
  readonly since?: number | undefined
  readonly status: SharedStatus
  /** Waited for between reads: lets a burst pass no faster than its readers can take it. */
  readonly pace: () => Promise<void>
}

/**
 * Waits for the lease, and while it is ours reads the upstream from after the newest build of the log
 * and appends builds and their facts. When it is lost, what was not appended is dropped: whoever has it
 * next reads it again. Never throws.
 */
export function followUpstream(options: FollowerOptions): UpstreamFollower {
  const { log, clock, journal, known } = options
  const closing = new AbortController()
  const wanted = createWantedFacts(log, clock, (build, previous) => {
    facts.want(build, { previous, isOld: true })
  })
  const totals = { duplicate_builds: 0, malformed_messages: 0, upstream_connections: 0 }
  let pastFacts: Readonly<Record<string, number>> = noFacts.counters()
  let facts: BuildFacts = noFacts
  let isHere = false
  let unappended = (): number => 0

  const follow = async (lease: Lease): Promise<void> => {
    const queue = createAppendQueue({ log, lease, clock })
    const learning = !options.settings.facts
      ? noFacts
      : createBuildFacts({
          ...options,
          onFacts: (id, json) => {
            queue.add({ kind: 'facts', id, json })
          },
        })
    let previous = lease.resumeAfter
    const taken = new Set<string>()
    let malformed = 0
    let connections = 0
    let firstDropped: BuildMessage | undefined
    /** Builds that were read and may never be appended are read again by whoever follows next. */
    const anchor = (): number | undefined => {
      const first = queue.firstBuild() ?? firstDropped
      // A millisecond earlier, as some servers leave out what they received at that very time.
      return first === undefined ? upstream.anchor() : first.timestamp - 1
    }
    const upstream = openUpstreamStream({
      ...options,
      idleMs: options.settings.upstreamIdleMs,
      streamRetryMs: options.settings.streamRetryMs,
      from: positionAfter(lease, journal, options.status.upstream().anchor ?? options.since),
      onBuild: (build) => {
        if (queue.over.aborted) {
          firstDropped ??= build
          return true
        }
        const { buildId } = build
        const isNew = !journal.holds(buildId) && !taken.has(buildId)
        if (!isNew) totals.duplicate_builds++
        if (taken.has(buildId)) return false
        remember(taken, buildId)
        // Also what the journal has: an engine that failed may have lost what was given to some. The
        // log leaves out what it holds.
        queue.add(buildEntry(build))
        learning.want(build, { previous, isOld: isOld(build, clock.now()) })
        previous = buildId
        return isNew
      },
      onGap: (from) => {
        const gap: LiveGap = { from, oldest: null }
        queue.add({ kind: 'gap', json: JSON.stringify(gap) })
      },
      onStatus: () => {
        totals.malformed_messages += upstream.status().malformed - malformed
        malformed = upstream.status().malformed
        totals.upstream_connections += upstream.connections() - connections
        connections = upstream.connections()
        options.status.changed()
      },
      pace: async () => {
        queue.flush()
        await queue.room()
        await options.pace()
      },
    })
    isHere = true
    facts = learning
    unappended = queue.size
    const endStatus = options.status.follow(() => ({
      status: upstream.status(),
      anchor: anchor(),
    }))
    wantMissing(journal, known, clock.now(), learning)
    await aborted(AbortSignal.any([queue.over, closing.signal]))
    isHere = false
    facts = noFacts
    unappended = () => 0
    endStatus()
    // What others were not given must not count as known here.
    for (const entry of queue.end()) if (entry.kind === 'facts') known.forget(entry.id)
    await Promise.all([lease.release(), upstream.close(), learning.close()])
    pastFacts = sum(pastFacts, learning.counters())
  }

  const run = async (): Promise<void> => {
    for (;;) {
      const lease = await log.lease('follower', closing.signal)
      if (lease === undefined) return
      await follow(lease)
    }
  }
  const running = run()

  return {
    want: (build, previous) => {
      if (isHere) facts.want(build, { previous, isOld: true })
      else if (options.settings.facts) wanted.send(build, previous)
    },
    gauges: () => ({ follows: isHere ? 1 : 0, unappended: unappended(), ...facts.gauges() }),
    counters: () => ({ ...totals, ...sum(pastFacts, facts.counters()) }),
    close: async () => {
      closing.abort()
      wanted.close()
      await running
    },
  }
}

function remember(taken: Set<string>, buildId: string): void {
  taken.add(buildId)
  if (taken.size > rememberedBuilds) taken.delete(taken.values().next().value ?? '')
}

/** More than a server repeats. */
const rememberedBuilds = 20_000

/** Where to go on; undefined: with what is to come. */
function positionAfter(
  { resumeAfter: id }: Lease,
  journal: Journal,
  anchor: number | undefined,
): KnownPosition | undefined {
  if (id === undefined) return anchor === undefined ? undefined : { kind: 'instant', at: anchor }
  const entry = journal.entry(journal.numberOf(id) ?? 0)
  return entry?.kind === 'build'
    ? { kind: 'after', id, timestamp: entry.timestamp }
    : { kind: 'after', id }
}

/** Whoever followed before may not have learned of the newest builds in time. */
function wantMissing(journal: Journal, known: KnownFacts, now: number, facts: BuildFacts): void {
  const missing: Parameters<BuildFacts['want']>[] = []
  let previous: string | undefined
  for (let number = journal.tail() + 1; number <= journal.head(); number++) {
    const entry = journal.entry(number)
    if (entry?.kind !== 'build') continue
    if (known.get(entry.id) === undefined) {
      const build = buildOf(entry)
      if (build !== undefined) missing.push([build, { previous, isOld: isOld(build, now) }])
    }
    previous = entry.id
  }
  for (const [build, how] of missing.slice(-mostMissing)) facts.want(build, how)
}

/** What is learned of a build is news for so long. */
const newForMs = 60 * 60_000
/** Those of which nothing could be learned are among them again and again. */
const mostMissing = 1000

function isOld({ timestamp }: BuildMessage, now: number): boolean {
  return now - timestamp > newForMs
}

function sum(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

/** Wants of facts on their way to the process that learns them. */
interface WantedFacts {
  /** Sends a want, with others that come soon. */
  readonly send: (build: BuildMessage, previous: string | undefined) => void
  readonly close: () => void
}

/**
 * Sends wants by notice, a batch at a time, and takes those of all processes. When too many wait, the
 * oldest give way.
 */
function createWantedFacts(
  log: Pick<LiveLog, 'notify' | 'onNotice'>,
  clock: Clock,
  onWant: (build: BuildMessage, previous: string | undefined) => void,
): WantedFacts {
  const waiting = new Map<string, z.output<typeof Want>>()
  let cancel: (() => void) | undefined

  const sendBatch = (): void => {
    const batch = [...waiting.values()].slice(0, mostAtOnce)
    for (const { build } of batch) waiting.delete(build.buildId)
    log.notify(topic, batch)
    cancel = waiting.size === 0 ? undefined : clock.after(apartMs, sendBatch)
  }
  const stop = log.onNotice(topic, (value) => {
    const read = Wants.safeParse(value)
    if (!read.success) return
    for (const { build, previous } of read.data) onWant(build, previous ?? undefined)
  })

  return {
    send: (build, previous) => {
      waiting.set(build.buildId, { build, previous: previous ?? null })
      if (waiting.size > mostWaiting) waiting.delete(waiting.keys().next().value ?? '')
      cancel ??= clock.after(apartMs, sendBatch)
    },
    close: () => {
      cancel?.()
      stop()
    },
  }
}

const topic = 'facts-wanted'
/** Some 60 kB. */
const mostAtOnce = 250
const apartMs = 200
const mostWaiting = 5000

const Want = z.object({ build: BuildMessage, previous: z.nullable(BuildId) })
const Wants = z.array(Want)

/** What is on its way into the live log. */
interface AppendQueue {
  /** Takes an entry; it is appended with what comes in the same turn. */
  readonly add: (entry: Entry) => void
  readonly size: () => number
  /** The oldest build that is not known to be appended. */
  readonly firstBuild: () => BuildEntry | undefined
  /** Appends at once, unless something is being appended. */
  readonly flush: () => void
  /** Resolves when not too much is on its way, or the lease was lost. */
  readonly room: () => Promise<void>
  /** Aborts when nothing can be appended any more: the lease was lost, or the queue ended. */
  readonly over: AbortSignal
  /** Takes nothing more; gives what was not appended, as far as that is known. */
  readonly end: () => readonly Entry[]
}

type BuildEntry = Entry & { kind: 'build' }

interface AppendQueueOptions {
  readonly log: Pick<LiveLog, 'append' | 'state'>
  readonly lease: Lease
  readonly clock: Clock
}

/**
 * Appends in order, a batch at a time: at once while nothing is on its way, and what comes meanwhile
 * together, until the lease is lost.
 */
function createAppendQueue({ log, lease, clock }: AppendQueueOptions): AppendQueue {
  // A log of this process takes no time, so nothing is gained by waiting.
  const betweenMs = log.state().kind === 'memory' ? 0 : batchesApartMs
  const ended = new AbortController()
  const over = AbortSignal.any([lease.lost, ended.signal])
  let waiting: Entry[] = []
  let working = false
  let batchAt = -Infinity
  const room = createWaiters()

  const appended = (batch: readonly Entry[]): void => {
    waiting = waiting.slice(batch.length)
    if (waiting.length < mostInQueue) room.wake()
  }
  const work = async (): Promise<void> => {
    working = true
    while (waiting.length > 0 && !over.aborted) {
      const restMs = batchAt + betweenMs - clock.now()
      if (restMs > 0 && waiting.length < mostInBatch) await wait(clock, restMs, over)
      if (isAborted(over)) break
      const batch = waiting.slice(0, mostInBatch)
      batchAt = clock.now()
      try {
        await log.append(batch, lease)
        appended(batch)
      } catch {
        ended.abort()
      }
    }
    working = false
  }
  const flush = (): void => {
    if (!working) void work()
  }

  return {
    add: (entry) => {
      if (over.aborted) return
      if (waiting.length === 0) queueMicrotask(flush)
      waiting.push(entry)
    },
    over,
    size: () => waiting.length,
    firstBuild: () => waiting.find((entry): entry is BuildEntry => entry.kind === 'build'),
    flush,
    room: async () => {
      while (waiting.length >= mostInQueue && !over.aborted) await room.wait(over)
    },
    end: () => {
      ended.abort()
      return waiting
    },
  }
}

/** Asked anew after each wait: a signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** More often, a database would work more than readers gain. */
const batchesApartMs = 20
/** So many entries go in one batch: some 300 kB. */
const mostInBatch = 1000
/** With so many waiting, the upstream is not read on. */
const mostInQueue = 2000
