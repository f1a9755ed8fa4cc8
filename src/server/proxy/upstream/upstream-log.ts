import type { ExportVersion } from '../../../protocol/build-export.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type {
  DeprecatedEndpoint,
  Latency,
  Loss,
  StatusReport,
} from '../../../protocol/status-report.ts'
import { type AllowList, patternOf } from './allow-list.ts'
import type { UpstreamClient, UpstreamResponse } from './upstream-client.ts'

/** What was noticed about the servers behind the proxy, by whatever was requested from them. */
export interface UpstreamLog {
  /** Something could not be read. */
  readonly lost: (loss: Omit<Loss, 'at'>) => void
  /** An answer came: looked through for announcements that its operation will end. */
  readonly answered: (server: string, endpoint: string, response: UpstreamResponse) => void
  /** The export stream was answered in this version. */
  readonly spoke: (version: ExportVersion) => void
  /** A request came to its end, or the response to it began. */
  readonly exchanged: (exchange: Exchange) => void
  /** What the requests to a server, by its name, say of it. */
  readonly observed: (server: string) => Observations
  /** See `Exchanges.skewOf`. */
  readonly clockSkewMs: (server: string) => number
  /** Calls back after each request. */
  readonly onExchange: (listener: (exchange: Exchange) => void) => void
  readonly report: () => Pick<StatusReport, 'deprecated' | 'losses'> & {
    readonly spoken: ExportVersion | null
  }
}

const keptLosses = 100
const keptEndpoints = 200

/** Knows nothing yet; keeps the last 100 losses and 200 endpoints at most. */
export function createUpstreamLog(clock: Clock): UpstreamLog {
  let count = 0
  let losses: readonly Loss[] = []
  const deprecated = new Map<string, DeprecatedEndpoint>()
  let spoken: ExportVersion | null = null
  const exchanges = createExchanges(clock)
  const listeners: ((exchange: Exchange) => void)[] = []
  return {
    lost: (loss) => {
      count += 1
      const build = loss.build === null ? null : printable(loss.build, 40)
      losses = [
        {
          ...loss,
          build,
          endpoint: asSpoken(loss.endpoint),
          reason: printable(loss.reason, 200),
          at: clock.now(),
        },
        ...losses.slice(0, keptLosses - 1),
      ]
    },
    answered: (server, endpoint, response) => {
      const told = announcement(response)
      if (told === undefined) return
      const key = `${server} ${endpoint}`
      const known = deprecated.get(key)
      if (known === undefined && deprecated.size === keptEndpoints) return
      const seen = { lastAt: clock.now(), count: (known?.count ?? 0) + 1 }
      deprecated.set(key, { server, endpoint, ...told, ...seen })
    },
    spoke: (version) => {
      spoken = version
    },
    exchanged: (exchange) => {
      exchanges.add(exchange)
      for (const listener of listeners) listener(exchange)
    },
    observed: exchanges.of,
    clockSkewMs: exchanges.skewOf,
    onExchange: (listener) => {
      listeners.push(listener)
    },
    report: () => ({
      spoken,
      deprecated: [...deprecated.values()],
      losses: { count, last: [...losses] },
    }),
  }

  function asSpoken(endpoint: string): string {
    return endpoint.replace('/build-export/v2/', `/build-export/${spoken ?? 'v2'}/`)
  }
}

/** A text without what a terminal or a page could stumble over. */
function printable(text: string, longest: number): string {
  return text.replace(/[^\x20-\x7e]/g, '\ufffd').slice(0, longest)
}

/** What an answer announces of its operation; undefined for most. */
function announcement(
  response: UpstreamResponse,
): Pick<DeprecatedEndpoint, 'since' | 'until' | 'links'> | undefined {
  const since = response.header('deprecation') ?? response.header('deprecated')
  const until = response.header('sunset')
  // `false` was a value of the early drafts.
  const isDeprecated = since !== null && since.trim().toLowerCase() !== 'false'
  if (!isDeprecated && until === null) return undefined
  return {
    since: timeOf(since),
    until: timeOf(until),
    links: linksOf(response.header('link') ?? '', response.url),
  }
}

/** `@seconds` (RFC 9745), or a date as the drafts and Sunset (RFC 8594) have it. */
function timeOf(header: string | null): number | null {
  const text = header?.trim() ?? ''
  const seconds = /^@(\d{1,11})$/.exec(text)?.[1]
  const time =
    seconds === undefined ? Date.parse(/[a-z]/i.test(text) ? text : '') : Number(seconds) * 1000
  return Number.isNaN(time) || time < 0 ? null : time
}

/**
 * The addresses that explain why an operation ends, by their relation (RFC 8288): http(s) only, absolute, and relative ones of a
 * response to `url`.
 */
export function linksOf(header: string, url: string): string[] {
  const links = [
    ...header.matchAll(/<([^<>\s]{1,500})>((?:\s*;\s*[\w-]+\s*=\s*(?:"[^"]*"|[^\s",;]+))*)/g),
  ]
  return links
    .filter(([, , parameters = '']) =>
      /\brel\s*=\s*"?[^"]*\b(?:deprecation|sunset|successor-version|latest-version)\b/i.test(
        parameters,
      ),
    )
    .map(([, target = '']) => (URL.canParse(target, url) ? new URL(target, url).href : ''))
    .filter((target) => /^https?:\/\/[^\s@]+$/i.test(target))
    .slice(0, 5)
}

/** Looks through every answer of a client, whoever asked for it. */
export function withLog(
  client: UpstreamClient,
  log: UpstreamLog,
  allowList: AllowList,
  clock: Clock,
): UpstreamClient {
  return {
    request: async (request) => {
      const method = request.method ?? 'GET'
      const server = allowList.name
      const endpoint = `${method} ${patternOf(allowList, method, request.path)}`
      const isHeld = request.path.includes('maxWaitSecs=')
      const sentAt = clock.now()
      const exchange = { server, endpoint, sentAt, isHeld }
      try {
        const response = await client.request(request)
        const date = response.header('age') === null ? response.header('date') : null
        const { status } = response
        log.exchanged({ ...exchange, at: clock.now(), status, date, reason: null })
        log.answered(server, endpoint, response)
        return response
      } catch (error) {
        // Who gave up says nothing of the server.
        if (request.signal?.aborted !== true) {
          const reason = error instanceof ProblemError ? error.message : null
          log.exchanged({ ...exchange, at: clock.now(), status: null, date: null, reason })
        }
        throw error
      }
    },
    close: () => client.close(),
  }
}

/** One request to a server, and how it went. */
export interface Exchange {
  readonly server: string
  /** The operation, such as `GET /api/builds`. */
  readonly endpoint: string
  /** Null where no response came. */
  readonly status: number | null
  /** Why none came, without secrets. */
  readonly reason: string | null
  /** Epoch ms, by this machine's clock: when it was sent, and when its response began. */
  readonly sentAt: number
  readonly at: number
  /** The `Date` header, where the response comes from the server itself and not from a cache. */
  readonly date: string | null
  /** The server was free to wait before it responds, so that its time says nothing. */
  readonly isHeld: boolean
}

/** What the requests to one server say of it, whoever made them. */
export interface Observations {
  readonly lastResponse: Pick<Exchange, 'at' | 'status'> | undefined
  readonly lastFailure: Pick<Exchange, 'at' | 'reason'> | undefined
  readonly latency: Latency | null
  /** How far its clock is ahead, ms, as last known; 0 within what can be measured, null before the first response. */
  readonly clockSkewMs: number | null
  /** The last status of an operation, and when that was. */
  readonly statusOf: (endpoint: string) => Pick<Exchange, 'at' | 'status'> | undefined
}

/** Keeps what the newest requests to each server show. */
interface Exchanges {
  readonly add: (exchange: Exchange) => void
  readonly of: (server: string) => Observations
  /** `Observations.clockSkewMs`, 0 while nothing is known. As of a second ago at most: it may be asked for each build. */
  readonly skewOf: (server: string) => number
}

/** How far back latency and clock are looked at, and how many requests at most. */
const windowMs = 10 * 60_000
const keptRequests = 500
const skewEveryMs = 1000

interface Known {
  readonly times: Exchange[]
  lastResponse: Observations['lastResponse']
  lastFailure: Observations['lastFailure']
  readonly statuses: Map<string, Pick<Exchange, 'at' | 'status'>>
}

/** Knows nothing yet; keeps the requests of the last ten minutes, 500 of each server at most. */
export function createExchanges(clock: Clock): Exchanges {
  const servers = new Map<string, Known>()
  const knownOf = (server: string): Known => {
    const known = servers.get(server) ?? {
      times: [],
      lastResponse: undefined,
      lastFailure: undefined,
      statuses: new Map(),
    }
    servers.set(server, known)
    return known
  }
  const skews = new Map<string, { readonly at: number; readonly ms: number }>()
  const recentOf = ({ times }: Known): readonly Exchange[] =>
    times.filter(({ at }) => clock.now() - at <= windowMs)
  return {
    add: (exchange) => {
      const { server, endpoint, status, at, reason } = exchange
      const known = knownOf(server)
      if (status === null) {
        known.lastFailure = { at, reason }
        return
      }
      known.lastResponse = { at, status }
      if (known.statuses.size < keptEndpoints || known.statuses.has(endpoint)) {
        known.statuses.set(endpoint, { at, status })
      }
      known.times.push(exchange)
      if (known.times.length > keptRequests) known.times.shift()
    },
    of: (server) => {
      const known = knownOf(server)
      const { lastResponse, lastFailure, statuses } = known
      const recent = recentOf(known)
      return {
        lastResponse,
        lastFailure,
        latency: latencyOf(recent),
        clockSkewMs: clockSkewOf(known.times),
        statusOf: (endpoint) => statuses.get(endpoint),
      }
    },
    skewOf: (server) => {
      const now = clock.now()
      const known = skews.get(server)
      if (known !== undefined && Math.abs(now - known.at) < skewEveryMs) return known.ms
      const ms = clockSkewOf(knownOf(server).times)
      if (ms !== null) skews.set(server, { at: now, ms })
      return ms ?? 0
    },
  }
}

function latencyOf(recent: readonly Exchange[]): Latency | null {
  const times = recent.filter(({ isHeld }) => !isHeld).map(({ sentAt, at }) => at - sentAt)
  const sorted = times.toSorted((a, b) => a - b)
  const last = times.at(-1)
  const median = sorted[Math.floor(sorted.length / 2)]
  const slowest = sorted.at(-1)
  return last === undefined || median === undefined || slowest === undefined
    ? null
    : { lastMs: last, medianMs: median, slowestMs: slowest, requests: times.length }
}

/**
 * A `Date` header has whole seconds and was written between sending and receiving, which bounds the
 * difference of the clocks. The request with the narrowest bounds counts, the newest one of several, of
 * the last ten minutes in which there were any: a stream may be all that is open for days. What seems to be later
 * than the last one was measured before this machine's clock was set back.
 */
function clockSkewOf(requests: readonly Exchange[]): number | null {
  const bounds = requests.flatMap(({ date, sentAt, at }) => {
    const second = Date.parse(date ?? '')
    // The clock was set back while it waited.
    if (at < sentAt) return []
    return Number.isNaN(second) ? [] : [{ at, low: second - at, high: second + 1000 - sentAt }]
  })
  const last = bounds.at(-1)?.at ?? 0
  const [best] = bounds
    .filter(({ at }) => at >= last - windowMs && at <= last)
    .toReversed()
    .toSorted((a, b) => a.high - a.low - (b.high - b.low))
  if (best === undefined) return null
  const { low, high } = best
  return low <= 0 && high >= 0 ? 0 : Math.round((low + high) / 2)
}
