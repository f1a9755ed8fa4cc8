import { pino } from 'pino'
import { z } from 'zod'
import { createManualClock, type ManualClock } from '../../protocol/manual-clock.test-support.ts'
import { problemJson } from '../../protocol/problem.ts'
import { Session } from '../../protocol/session.ts'
import { listen } from '../listen.ts'
import { realClock } from '../real-clock.test-support.ts'
import type { Notices } from '../live-log/live-log.ts'
import { createMemoryLog } from '../live-log/memory-log.ts'
import { evidenceBundle } from './bundle/bundle-route.ts'
import { createChanges } from './changes/changes.ts'
import { createHistory, type HistoryOptions } from './history/history.ts'
import { createBuildInsights } from './insight/insight-routes.ts'
import type { LiveEndpoint, LiveRequest } from './live/live-route.ts'
import {
  answering,
  type PlainAnswer,
  type PlainServer,
  startPlainServer,
} from './plain-server.test-support.ts'
import { createProxy, type Proxy, type ProxyOptions } from './proxy.ts'
import { signInAsLocalUser } from './sessions.ts'
import { createUpstreamClient } from './upstream/undici-upstream-client.ts'
import { createUpstreamLog } from './upstream/upstream-log.ts'
import { createBuildDataUpstream, createGovernorUpstream } from './upstream/upstream.ts'
import { createWalls } from './walls/wall-routes.ts'

/** What no answer, header, log line or metric may ever show. */
export const canary = 'canary-7f3a91c2d4e8'
/** The account of the second upstream, which may not be shown either. */
export const canaryAccount = 'robot:canary-b81f6e035a27'

/** The proxy on a socket before plain servers. */
export interface ProxyOnSocket {
  readonly url: string
  readonly port: number
  /** For the proxy; the server's own timers are real. */
  readonly clock: ManualClock
  readonly buildData: PlainServer
  readonly governor: PlainServer
  /** Lines of the log. */
  readonly log: string[]
  /** What the live feed was handed. */
  readonly live: LiveRequest[]
  /** A request with a session, unless the headers say otherwise. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>
  readonly token: string
  /** For a listener of operators. */
  readonly ops: Proxy['ops']
  /** Asked without a socket: what only its signal tells is told at once. */
  readonly request: Proxy['app']['request']
  /** What is registered, by method and path. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  readonly close: () => Promise<void>
}

/** Starts it; `/api/auth/token` of the build data server answers 404 unless `answers` takes it. */
export async function startProxyOnSocket(
  answers: { readonly buildData?: PlainAnswer; readonly governor?: PlainAnswer } = {},
  {
    history: kept,
    notices,
    keyExpiresAt,
    ...options
  }: Partial<Omit<ProxyOptions, 'history' | 'clock'>> & {
    readonly clock?: ManualClock
    /** When the access key expires, epoch ms. */
    readonly keyExpiresAt?: number
    readonly history?: Pick<HistoryOptions, 'database' | 'settings'>
    /** What proxies notify each other by; one of its own unless given. */
    readonly notices?: Notices
  } = {},
): Promise<ProxyOnSocket> {
  const clock = options.clock ?? createManualClock(Date.UTC(2026, 0, 5))
  const log: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) })
  const nothing = answering(404)
  const answerBuildData = answers.buildData ?? nothing
  const buildData = await startPlainServer((request, response, raw) => {
    if (request.url.startsWith('/api/auth/token')) response.writeHead(404).end()
    else answerBuildData(request, response, raw)
  })
  const governor = await startPlainServer(answers.governor ?? nothing)
  const live: LiveRequest[] = []
  const upstreamLog = options.status?.log ?? createUpstreamLog(clock)
  const common = {
    log: upstreamLog,
    kind: 'server',
    connect: createUpstreamClient,
    clock,
    version: '1.2.3',
    notice: (text: string) => {
      logger.warn(text)
    },
  } as const
  const redact = (text: string): string =>
    text.replaceAll(canary, '[secret]').replaceAll(canaryAccount, '[secret]')
  const random = (): number => 0.5
  const changes = createChanges({ log: notices ?? createMemoryLog(clock), clock, random })
  const history = kept && createHistory({ ...kept, clock, logger, redact, changes })
  const upstream = createBuildDataUpstream({
    ...common,
    url: buildData.url,
    credential: { kind: 'bearer', token: { reveal: () => canary }, expiresAt: keyExpiresAt },
    exportBearer: 'raw',
    exportVersion: 'v2',
  })
  const { client } = upstream
  const proxy = createProxy({
    ...(history === undefined ? {} : { history }),
    evidenceBundle,
    ...(kept === undefined
      ? {}
      : {
          walls: createWalls({
            file: options.shared?.walls ?? [],
            demo: [],
            database: kept.database,
            logger,
          }),
        }),
    insights: createBuildInsights({ client, clock, random, logger, database: kept?.database }),
    upstreams: {
      buildData: upstream,
      governor: createGovernorUpstream({
        ...common,
        url: governor.url,
        credential: { kind: 'basic', userAndPassword: { reveal: () => canaryAccount } },
      }),
    },
    live: liveEndpoint(live),
    clock,
    random,
    changes,
    logger,
    version: '1.2.3',
    signIn: signInAsLocalUser,
    sessionSecret: 'a secret of the tests, long enough',
    allowedHosts: ['dash.example'],
    status: { log: upstreamLog, exportVersion: 'v2', warnings: [] },
    ...options,
  })
  // The server's lingering must end by itself.
  const listening = await listen({ app: proxy.app, host: '127.0.0.1', port: 0, clock: realClock })
  const begun = await fetch(`${listening.url}/session`, { method: 'POST' })
  // Where people have to sign in, each test does so by itself.
  const token = begun.ok ? Session.parse(await begun.json()).token : ''
  return {
    url: listening.url,
    port: Number(new URL(listening.url).port),
    clock,
    buildData,
    governor,
    log,
    live,
    token,
    ops: proxy.ops,
    request: proxy.app.request,
    routes: proxy.app.routes,
    ask: (path, init = {}) =>
      fetch(`${listening.url}${path}`, {
        ...init,
        headers: {
          authorization: `Bearer ${token}`,
          ...Object.fromEntries(new Headers(init.headers)),
        },
      }),
    close: async () => {
      listening.server.closeAllConnections()
      await listening.close()
      await proxy.close()
      await history?.close()
      await Promise.all([buildData.close(), governor.close()])
    },
  }
}

/** Posts JSON by somebody with a session; a text is sent as it is. */
export function postJson(
  { ask }: Pick<ProxyOnSocket, 'ask'>,
  path: string,
  body?: unknown,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
    signal,
  })
}

/** The problem detail of an answer. Throws where it is none. */
export async function problemOf(response: Response): Promise<Record<string, unknown>> {
  z.literal(problemJson).parse(response.headers.get('content-type'))
  return z.record(z.string(), z.unknown()).parse(await response.json())
}

/** A live feed that says one thing and ends. */
function liveEndpoint(handed: LiveRequest[]): LiveEndpoint {
  return {
    handle: (request, outgoing) => {
      handed.push(request)
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      outgoing.end(': hello\n\n')
    },
    metrics: () => ({ gauges: { readers: 3 }, counters: { messages: handed.length } }),
    history: 10_000,
  }
}
