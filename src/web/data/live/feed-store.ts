import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { SessionKeeper, Tabs } from '../core/session.ts'
import { createStore } from '../core/store.ts'
import { createFeedRows, createMinuteCounts, endingOf } from './feed-rows.ts'
import {
  type Feed,
  type FeedEvent,
  type FeedRow,
  type FeedState,
  type FeedView,
  idleFeed,
  reduceFeed,
} from './feed-state.ts'
import {
  createLiveSource,
  decodeLiveMessage,
  type OpenStream,
  type SourceEvent,
  type StreamSink,
  type StreamSource,
  type StreamStart,
} from './stream-source.ts'
import type { StreamMessage } from '../core/event-source.ts'

/** How a feed is made; times in ms. */
export interface FeedOptions {
  readonly source: StreamSource
  readonly clock: Clock
  /** How many builds are kept: 100,000. */
  readonly limit?: number
  /** At most one snapshot is published in this time: 200 ms. */
  readonly flushMs?: number
  /** How long the stream outlives its last listener, as pages change and React mounts twice: 5 s. */
  readonly graceMs?: number
  /** How much of the past the first opening requests: an hour. */
  readonly historyMs?: number
}

const tickMs = 1000

/** Makes a feed that is closed until someone listens; it keeps what it holds and goes on from there. */
export function createFeed(options: FeedOptions): Feed {
  const { source, clock, flushMs = 200, graceMs = 5000 } = options
  const content = createFeedContent(options.limit ?? 100_000, options.historyMs ?? 3_600_000)
  const store = createStore(content.view(clock.now()), { clock, open, graceMs })
  let stream: OpenStream | undefined
  let flushDue: number | undefined
  let publishedAt = -Infinity

  function newView(): FeedView {
    flushDue = undefined
    publishedAt = clock.now()
    return content.view(publishedAt)
  }

  /** Something changed: it is published soon, together with what else changes until then. */
  function changed(): void {
    const now = clock.now()
    if (flushDue === undefined) {
      // The server's clock is learned with the first session, and may be behind this browser's.
      flushDue = Math.max(now, Math.min(now, publishedAt) + flushMs)
      store.setSoon(flushDue - now, newView)
    } else if (now > flushDue + flushMs) {
      // Timers of hidden tabs come late, up to a minute; what arrives does not.
      store.set(newView())
    }
  }

  function open(): () => void {
    let cancelTick = tick()
    /** What time alone changes: the minutes go on. */
    function tick(): () => void {
      return clock.after(tickMs, () => {
        if (minuteOf(clock.now()) !== minuteOf(publishedAt)) changed()
        cancelTick = tick()
      })
    }
    const opened = source({
      emit: (event) => {
        content.apply(event)
        changed()
      },
      start: () => content.start(clock.now()),
      state: content.state,
      rowsAfter: content.rowsAfter,
      withoutFacts: content.withoutFacts,
      factsOf: content.factsOf,
    })
    stream = opened
    return () => {
      opened.close()
      stream = undefined
      cancelTick()
      content.apply({ type: 'closed' })
      store.set(newView())
    }
  }

  return {
    subscribe: store.subscribe,
    getSnapshot: store.getSnapshot,
    reconnect: () => {
      stream?.reconnect()
    },
    skipToNow: () => {
      stream?.skipToNow()
    },
  }
}

function minuteOf(time: number): number {
  return Math.floor(time / 60_000)
}

/** All that a feed knows; changes as things happen, and is read as a whole by `view`. */
export interface FeedContent {
  readonly apply: (event: SourceEvent | { readonly type: 'closed' }) => void
  /** How all stands at `now` (epoch ms), with what changed since the last view. */
  readonly view: (now: number) => FeedView
  readonly state: () => FeedState
  /** Where a stream has to begin, or to go on; see `StreamStart`. */
  readonly start: (now: number) => StreamStart
  /** See `StreamSink`. */
  readonly rowsAfter: StreamSink['rowsAfter']
  readonly withoutFacts: StreamSink['withoutFacts']
  readonly factsOf: StreamSink['factsOf']
}

interface Viewed {
  readonly newest: number
  readonly version: number
  readonly changed: readonly number[]
}

/** Keeps the newest `limit` builds; the first start requests the last `historyMs`. */
function createFeedContent(limit: number, historyMs: number): FeedContent {
  const rows = createFeedRows(limit)
  let minutes = createMinuteCounts()
  let state = idleFeed
  /** Where the stream began, and where it goes on. */
  let first: StreamStart | undefined
  let start: StreamStart | undefined
  /** What is kept makes way for what comes, as all of it comes again. */
  let isAnew = false
  let viewed: Viewed = { newest: 0, version: 0, changed: [] }
  let changed = new Set<number>()

  const reduce = (event: FeedEvent): void => {
    state = reduceFeed(state, event)
  }

  function takeMessage(message: StreamMessage, at: number): void {
    const decoded = decodeLiveMessage(message)
    switch (decoded.type) {
      case 'builds':
        if (decoded.malformed > 0) reduce({ type: 'malformed', count: decoded.malformed })
        takeBuilds(decoded.builds, at)
        break
      case 'facts':
        takeFacts(decoded.facts.facts)
        break
      case 'status':
        reduce({ type: 'status', status: decoded.status, at })
        break
      case 'gap':
        reduce(decoded)
        break
      case 'malformed':
        reduce({ type: 'malformed', count: 1 })
        break
      case 'other':
        break
    }
  }

  function takeBuilds(builds: readonly BuildMessage[], at: number): void {
    if (isAnew) {
      isAnew = false
      rows.clear()
      minutes = createMinuteCounts()
    }
    for (const build of builds) {
      if (rows.add(build)) minutes.add(build.timestamp)
    }
    const newest = builds.at(-1)
    if (newest === undefined) return
    start = { lastId: newest.buildId, since: at }
    reduce({ type: 'builds', count: builds.length, newestTimestamp: newest.timestamp, at })
  }

  function takeFacts(facts: Facts): void {
    const before = rows.join(facts)
    if (before === undefined) return
    minutes.move(before.build.timestamp, endingOf(before.facts), endingOf(facts))
    if (before.arrival <= viewed.newest) changed.add(before.arrival)
  }

  return {
    apply: (event) => {
      if (event.type === 'message') {
        takeMessage(event.message, event.at)
        return
      }
      if (event.type === 'opened') isAnew ||= state.isPartial
      reduce(event)
      if (event.type === 'skipped') start = { lastId: undefined, since: event.at }
    },
    view: (now) => {
      const oldest = rows.oldest()
      const newest = rows.newest()
      const touched = [...changed].filter((arrival) => arrival >= oldest)
      // A view in which no row moved has the version of the one before, and so its changes too.
      if (newest !== viewed.newest || touched.length > 0) {
        viewed = { newest, version: viewed.version + 1, changed: touched }
      }
      changed = new Set()
      return {
        ...state,
        malformed: state.malformed + (state.upstream?.malformed ?? 0),
        oldest,
        newest,
        dropped: rows.dropped(),
        perMinute: minutes.last(now + state.clockDifference),
        version: viewed.version,
        row: rows.row,
        changed: viewed.changed,
      }
    },
    state: () => state,
    start: (now) => {
      first ??= { lastId: undefined, since: now - historyMs }
      return state.isPartial || isAnew ? first : (start ?? first)
    },
    rowsAfter: (buildId, count) => {
      const known = buildId === undefined ? undefined : rows.arrivalOf(buildId)
      const from = known === undefined ? rows.oldest() : known + 1
      const found: FeedRow[] = []
      for (let arrival = from; found.length < count; arrival++) {
        const row = rows.row(arrival)
        if (row === undefined) break
        found.push(row)
      }
      const missing = buildId !== undefined && known === undefined && rows.oldest() > 1
      return { rows: found, missing }
    },
    withoutFacts: (count) => {
      const found: string[] = []
      for (let arrival = rows.newest(); found.length < count; arrival--) {
        const row = rows.row(arrival)
        if (row === undefined) break
        if (row.facts === undefined) found.push(row.build.buildId)
      }
      return found
    },
    factsOf: (buildIds) => buildIds.flatMap((id) => rows.row(rows.arrivalOf(id) ?? 0)?.facts ?? []),
  }
}

/** What the page's feed is made with; the entry alone touches the real clock. */
export interface BrowserFeedOptions {
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly random: () => number
  readonly tabs: Tabs | undefined
  /** The page is a wall, which hangs for weeks and lists nothing. */
  readonly isWall: boolean
}

/** What a wall keeps of the builds: its tiles keep those they need, and little memory is quickly tidied. */
const keptOnWall = 10_000

/**
 * The feed of this page, over one stream for all tabs of the browser. Where the browser cannot
 * share (plain HTTP to another host has no Web Locks), each tab reads a stream of its own; so does a
 * wall, as it keeps too little to serve the others.
 */
export function createBrowserFeed(options: BrowserFeedOptions): Feed {
  const { session, clock, random, tabs, isWall } = options
  const own = createLiveSource({
    fetch: async (input, init) => session.heard(await fetch(input, init)),
    clock,
    random,
    isOnline: () => navigator.onLine,
    session,
  })
  const feed = createFeed({
    clock,
    ...(isWall ? { limit: keptOnWall } : {}),
    source:
      isWall || tabs === undefined
        ? own
        : loadedSource(
            import('./shared-stream.ts').then(
              ({ createSharedSource }) =>
                createSharedSource({ ...tabs, own, clock, tabId: random().toString(36).slice(2) }),
              // Where that can't be loaded, this tab reads a stream of its own.
              () => own,
            ),
          ),
  })
  // No reason to sit out a back-off once the network is there again.
  window.addEventListener('online', () => {
    if (feed.getSnapshot().connection.state === 'retrying') feed.reconnect()
  })
  return feed
}

/** A source whose code is on its way, beside the session and ahead of the first stream. */
function loadedSource(loading: Promise<StreamSource>): StreamSource {
  return (sink) => {
    let stream: OpenStream | undefined
    let isClosed = false
    void loading.then((source) => {
      if (!isClosed) stream = source(sink)
    })
    return {
      reconnect: () => stream?.reconnect(),
      skipToNow: () => stream?.skipToNow(),
      close: () => {
        isClosed = true
        stream?.close()
      },
    }
  }
}
