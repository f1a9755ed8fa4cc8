import { createServer, get, type IncomingMessage } from 'node:http'
import type { EventSourceMessage } from 'eventsource-parser'
import { pino } from 'pino'
import { createGunzip } from 'node:zlib'
import { onLoopback } from '../../../free-port.test-support.ts'
import { decodeBuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { LiveBuilds } from '../../../protocol/live-feed.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { createUpstreamClient } from '../upstream/undici-upstream-client.ts'
import type { HubSettings } from './reader-list.ts'
import { createLiveHub, type LiveHub, type LiveHubOptions } from './live-hub.ts'

/** A hub behind a plain server, as the proxy would mount it. */
export interface HubOnSocket {
  readonly hub: LiveHub
  /** Where it is, such as `http://127.0.0.1:4000`. */
  readonly origin: string
  /** A counter or gauge of the hub. */
  readonly metric: (name: string) => number
  readonly stop: () => Promise<void>
}

/** The real client for an upstream without a credential. */
export function clientOf(baseUrl: URL, clock: Clock): UpstreamClient {
  return createUpstreamClient({
    baseUrl,
    name: 'build server',
    urlSetting: 'SIGHTLINE_BUILD_DATA_URL',
    userAgent: 'test',
    clock,
  })
}

/** Starts a hub for an upstream; the query says what a reader wants: since, batch, session, gzip. */
export async function startHub(
  upstream: URL,
  clock: Clock,
  settings: Partial<HubSettings> = {},
  more: Partial<Pick<LiveHubOptions, 'log' | 'liveLog' | 'clockSkewMs'>> = {},
): Promise<HubOnSocket> {
  const client = clientOf(upstream, clock)
  const hub = createLiveHub({
    client,
    clock,
    random: () => 0,
    logger: pino({ level: 'silent' }),
    liveLog: createMemoryLog(clock),
    ...more,
    settings: {
      flushMs: 0,
      facts: false,
      drainMs: 0,
      lifetimeMs: 1e9,
      upstreamIdleMs: 1e9,
      ...settings,
    },
  })
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://hub.invalid')
    const since = searchParams.get('since') ?? 'now'
    const lastEventId = request.headers['last-event-id']
    hub.handle(
      {
        since: since === 'now' ? 'now' : Number(since),
        batch: searchParams.has('batch'),
        gzip: searchParams.has('gzip'),
        lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
        lastEventIdMalformed: searchParams.has('malformed'),
        session: {
          holder: searchParams.get('session') ?? 'someone',
          expiresAt: Number(searchParams.get('expires') ?? Number.MAX_SAFE_INTEGER),
          ended: new AbortController().signal,
        },
      },
      response,
    )
  })
  const { url: origin, close } = await onLoopback(server)
  return {
    hub,
    origin,
    metric: (name) => {
      const { gauges, counters } = hub.metrics()
      return gauges[name] ?? counters[name] ?? Number.NaN
    },
    stop: async () => {
      const closed = hub.close()
      server.closeAllConnections()
      await closed
      await client.close()
      await close()
    },
  }
}

/** A reader of a hub: what it got so far, and its end. */
export interface TestReader {
  readonly status: () => number | undefined
  readonly headers: () => IncomingMessage['headers']
  readonly messages: EventSourceMessage[]
  /** The ids of all builds so far, in the order in which they came. */
  readonly ids: string[]
  /** How many comments came. */
  readonly comments: () => number
  /** The raw bytes so far. */
  readonly bytes: Buffer[]
  readonly ended: () => boolean
  /** Stops reading, as a sleeping machine does. */
  readonly stall: () => void
  readonly resume: () => void
  readonly leave: () => void
}

/** Opens the feed at `path` (query included) of a hub. */
export function readHub(origin: string, path: string, lastEventId?: string): TestReader {
  const messages: EventSourceMessage[] = []
  const ids: string[] = []
  const bytes: Buffer[] = []
  let comments = 0
  let ended = false
  let stalled = false
  let answer: IncomingMessage | undefined
  const reader = createSseReader({
    onMessage: (message) => {
      messages.push(message)
      if (message.event === 'Build') ids.push(decodeBuildMessage(JSON.parse(message.data)).buildId)
      if (message.event === 'Builds') {
        for (const { buildId } of LiveBuilds.parse(JSON.parse(message.data))) ids.push(buildId)
      }
    },
    onComment: () => {
      comments++
    },
  })
  const end = (): void => {
    ended = true
  }
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const request = get(`${origin}${path}`, { headers, agent: false }, (response) => {
    answer = response
    response.on('data', (chunk: Buffer) => bytes.push(chunk))
    response.on('close', end)
    response.on('error', end)
    if (response.statusCode !== 200) return
    const zipped = response.headers['content-encoding'] === 'gzip'
    const plain = zipped ? response.pipe(createGunzip()) : response
    plain.on('error', end)
    plain.on('data', (chunk: Buffer) => {
      reader.feed(chunk)
    })
    if (stalled) response.pause()
  })
  request.on('error', end)
  return {
    messages,
    ids,
    bytes,
    status: () => answer?.statusCode,
    headers: () => answer?.headers ?? {},
    comments: () => comments,
    ended: () => ended,
    stall: () => {
      stalled = true
      answer?.pause()
    },
    resume: () => {
      stalled = false
      answer?.resume()
    },
    leave: () => {
      request.destroy()
    },
  }
}

/** Resolves when `condition` holds; looks after every turn of the event loop, for ever. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
}

/** A clock that knows how many callbacks wait. */
export interface SwiftClock extends Clock {
  readonly pending: () => number
}

/**
 * A clock on which waits of seconds take milliseconds, for tests in which only the order counts. It
 * is `speed` times as fast as the real one, but a turn of the event loop is never long on it: where
 * the machine keeps this process waiting, that may not use up what others have for their answers.
 */
export function createSwiftClock(now: () => number, speed = 50): SwiftClock {
  const clock = createManualClock(now())
  let isRunning = false
  const run = (since: number): void => {
    isRunning = clock.pending() > 0
    if (!isRunning) return
    setImmediate(() => {
      const real = performance.now()
      clock.advance(Math.min((real - since) * speed, longestTurnMs))
      run(real)
    })
  }
  return {
    // Whole, as real clocks have it.
    now: () => Math.floor(clock.now()),
    pending: clock.pending,
    after: (ms, callback) => {
      const cancel = clock.after(ms, callback)
      if (!isRunning) run(performance.now())
      return cancel
    },
  }
}

/** An exchange with a server of this process takes about ten turns, and has 10 s for them. */
const longestTurnMs = 100
