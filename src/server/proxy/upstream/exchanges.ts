import type { Clock } from '../../../protocol/clock.ts'
import type { Latency } from '../../../protocol/status-report.ts'

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
  /** How far its clock is ahead, ms; 0 within what can be measured, null while nothing is known. */
  readonly clockSkewMs: number | null
  /** The last status of an operation, and when that was. */
  readonly statusOf: (endpoint: string) => Pick<Exchange, 'at' | 'status'> | undefined
}

/** Keeps what the newest requests to each server show. */
export interface Exchanges {
  readonly add: (exchange: Exchange) => void
  readonly of: (server: string) => Observations
}

/** How far back latency and clock are looked at, and how many requests at most. */
const windowMs = 10 * 60_000
const keptRequests = 500
const keptEndpoints = 200

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
      const { times, lastResponse, lastFailure, statuses } = knownOf(server)
      const recent = times.filter(({ at }) => clock.now() - at <= windowMs)
      return {
        lastResponse,
        lastFailure,
        latency: latencyOf(recent),
        clockSkewMs: clockSkewOf(recent),
        statusOf: (endpoint) => statuses.get(endpoint),
      }
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
 * difference of the clocks. The request with the narrowest bounds counts, the newest one of several.
 */
function clockSkewOf(recent: readonly Exchange[]): number | null {
  const bounds = recent.flatMap(({ date, sentAt, at }) => {
    const second = Date.parse(date ?? '')
    return Number.isNaN(second) ? [] : [{ low: second - at, high: second + 1000 - sentAt }]
  })
  const [best] = bounds.toReversed().toSorted((a, b) => a.high - a.low - (b.high - b.low))
  if (best === undefined) return null
  const { low, high } = best
  return low <= 0 && high >= 0 ? 0 : Math.round((low + high) / 2)
}
