import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type PlainServer, startPlainServer } from '../plain-server.test-support.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { createWaiters } from '../live/waiters.ts'
import { createBuildInsights } from '../insight/insight-routes.ts'
import { createSharedSearches, type SharedSearches } from './shared-search.ts'
import { createSearchList } from './shared-search-list.ts'
import { createUpstreamClient } from '../upstream/undici-upstream-client.ts'

/** What a build list is asked: its `query`, how many builds, and whose attributes. */
export interface ListQuestion {
  readonly query: string | null
  readonly max: number
  readonly models: readonly string[]
}

/** A build server of its own kind, with shared searches before it. */
export interface SearchSetup {
  readonly searches: SharedSearches
  /** Those of other processes. */
  readonly others: readonly SharedSearches[]
  /** Lets process 0 (`searches`), 1 (the first other) and so on follow the server; it is 0 first. */
  readonly follow: (number: number | undefined) => void
  /** Lets the live feed hear the server, or not; it does first. */
  readonly hear: (isHeard: boolean) => void
  readonly clock: ManualClock
  readonly server: PlainServer
  /** What was asked of the list so far, without what was asked to learn what the server is able to do. */
  readonly asked: () => string[]
  /** What could not be read: build, field and reason. */
  readonly losses: readonly string[]
  /** Aborts when the first process ends: what its searches are requested with. */
  readonly signal: () => AbortSignal | undefined
  /** Moves the time on in small steps, and lets what happens then reach its end. */
  readonly pass: (ms: number) => Promise<void>
}

/** The answer of the list: its elements, or a refusal. */
export type ListAnswer =
  | readonly unknown[]
  | { readonly status: number; readonly headers?: Record<string, string> }

/** Starts it; ended after the test. `answer` is the server's. */
export async function searchSetup(
  answer: (question: ListQuestion) => ListAnswer,
  {
    processes = 1,
    eventsOf,
    ...more
  }: {
    readonly most?: number
    readonly mostOfHolder?: number
    readonly processes?: number
    /** The event stream of a build; without it failures aren't read. */
    readonly eventsOf?: (buildId: string) => string
  } = {},
): Promise<SearchSetup> {
  const clock = createManualClock(Date.UTC(2026, 0, 5))
  const server = await startPlainServer((request, response) => {
    const { searchParams } = new URL(request.url, 'http://upstream.invalid')
    const [, buildId] = /\/build\/([^/]+)\/events/.exec(request.url) ?? []
    if (buildId !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(eventsOf?.(buildId))
      return
    }
    const said = answer({
      query: searchParams.get('query'),
      max: Number(searchParams.get('maxBuilds')),
      models: searchParams.getAll('models'),
    })
    if ('status' in said) response.writeHead(said.status, said.headers).end()
    else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said))
    }
  })
  const client = createUpstreamClient({
    baseUrl: server.url,
    name: 'build server',
    urlSetting: 'SIGHTLINE_BUILD_DATA_URL',
    userAgent: 'sightline/test',
    clock,
  })
  const losses: string[] = []
  const list = createSearchList(client, clock, ({ build, field, reason }) => {
    losses.push(`${build ?? '?'} ${field ?? '-'} ${reason}`)
  })
  const logger = pino({ level: 'silent' })
  const random = (): number => 0.5
  const insights = createBuildInsights({ client, clock, random, logger, database: undefined })
  let underWay = 0
  let latest: AbortSignal | undefined
  const log = createMemoryLog(clock)
  let following: number | undefined = 0
  let isHeard = true
  const changes = createWaiters()
  const [searches, ...others] = Array.from({ length: processes }, (_, number) =>
    createSharedSearches({
      log,
      hub: {
        follows: () => number === following,
        hears: () => isHeard,
        untilStatus: changes.wait,
      },
      list: {
        newest: async (query, signal) => {
          underWay++
          latest = signal
          try {
            return await list.newest(query, signal)
          } finally {
            underWay--
          }
        },
      },
      clock,
      failures: eventsOf && insights.failures,
      random,
      logger,
      ...more,
    }),
  )
  if (searches === undefined) throw new Error('no process')
  onTestFinished(async () => {
    for (const each of [searches, ...others]) each.close()
    await client.close()
    await server.close()
  })
  return {
    searches,
    others,
    follow: (number) => {
      following = number
      changes.wake()
    },
    hear: (now) => {
      isHeard = now
      changes.wake()
    },
    clock,
    server,
    losses,
    asked: () =>
      server.received
        .map(({ url }) => new URL(url, 'http://upstream.invalid').searchParams)
        .filter((query) => query.get('maxBuilds') === '50')
        .map((query) => query.get('query') ?? ''),
    signal: () => latest,
    pass: async (ms) => {
      for (let left = ms; left > 0; left -= stepMs) {
        clock.advance(Math.min(left, stepMs))
        // For what the network does, not for a time.
        do await new Promise(setImmediate)
        while (underWay > 0)
      }
    },
  }
}

/** A build of the list as servers give it. */
export function listed(number: number, more: Record<string, unknown> = {}): unknown {
  return {
    id: `b${String(number).padStart(12, '0')}`,
    availableAt: 1000 * number,
    buildToolType: 'gradle',
    buildToolVersion: '9.1',
    buildAgentVersion: '4',
    models: { gradleAttributes: { model: { hasFailed: false, ...more } } },
  }
}

const stepMs = 5000
