import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { z } from 'zod'
import type { Facts } from '../../protocol/facts.ts'
import { statusHeadline, type StatusReport } from '../../protocol/status-report.ts'
import { type BuildMetricsOptions, registerBuilds } from './build-metrics.ts'
import type { WriterState } from './history/history-writer.ts'
import type { LiveMetrics } from './live/live-route.ts'
import type { Exchange } from './upstream/upstream-log.ts'

/** What the proxy counts. Labels hold patterns and statuses, never what somebody has typed. */
export interface Metrics {
  readonly requestAnswered: (route: string, method: string, status: number, seconds: number) => void
  /** `status` is `none` where the upstream gave no answer. */
  readonly upstreamAnswered: (upstream: string, status: string) => void
  /** Any request to an upstream, also those that nobody made by hand. */
  readonly exchanged: (exchange: Exchange) => void
  readonly sessionCreated: () => void
  /** What the live feed has learned of a build. */
  readonly learn: (facts: Facts) => void
  /** All of it in the text format of Prometheus: the live feed as it is now, the rest by `report`. */
  readonly text: (report: StatusReport) => Promise<string>
  readonly contentType: string
  /** The metrics that are registered from the start, by name. */
  readonly described: () => readonly MetricDescription[]
}

/** A metric as its reference lists it. */
const MetricDescription = z.pipe(
  z.looseObject({
    name: z.string(),
    type: z.string(),
    help: z.string(),
    labelNames: z.array(z.string()),
  }),
  z.transform(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames })),
)
type MetricDescription = z.infer<typeof MetricDescription>

/**
 * Counters in a registry of their own, so that several proxies can live in one process. `history` is
 * left out where nothing is recorded.
 */
export function createMetrics(
  live: () => LiveMetrics,
  builds: BuildMetricsOptions,
  history?: () => WriterState,
): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'sightline_requests_total',
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'sightline_request_seconds',
    help: 'Time to first byte by route.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  })
  const upstream = new Counter({
    name: 'sightline_upstream_requests_total',
    help: 'Upstream requests by upstream and status (none: no response).',
    labelNames: ['upstream', 'status'],
    registers,
  })
  const sessions = new Counter({
    name: 'sightline_sessions_total',
    help: 'Sessions issued.',
    registers,
  })
  const latencies = new Histogram({
    name: 'sightline_upstream_request_seconds',
    help: 'Time to first byte of upstream requests, without those that wait for builds.',
    labelNames: ['upstream'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers,
  })
  const learn = registerBuilds(registry, builds)
  const liveNumbers = createLiveNumbers(registry)
  const statusNumbers = createStatusNumbers(registry)
  if (history !== undefined) registerHistory(registry, history)
  return {
    requestAnswered: (route, method, status, seconds) => {
      requests.inc({ route, method, status: String(status) })
      durations.observe({ route }, seconds)
    },
    upstreamAnswered: (name, status) => {
      upstream.inc({ upstream: name, status })
    },
    exchanged: ({ server, status, sentAt, at, isHeld }) => {
      if (status !== null && !isHeld) latencies.observe({ upstream: server }, (at - sentAt) / 1000)
    },
    sessionCreated: () => {
      sessions.inc()
    },
    learn,
    text: (report) => {
      liveNumbers(live())
      statusNumbers(report)
      return registry.metrics()
    },
    contentType: registry.contentType,
    described: () =>
      z
        .array(MetricDescription)
        .parse(registry.getMetricsAsArray())
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
  }
}

/** Read when they are asked for. */
function registerHistory(registry: Registry, state: () => WriterState): void {
  const registers = [registry]
  const counter = (name: string, help: string, value: () => number): Counter =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value())
      },
    })
  counter(
    'sightline_history_written_total',
    'Evaluations and actions recorded.',
    () => state().written,
  )
  counter(
    'sightline_history_lost_total',
    'Evaluations and actions that failed to record.',
    () => state().lost,
  )
  new Gauge({
    name: 'sightline_history_waiting',
    help: 'Evaluations and actions waiting to be recorded.',
    registers,
    collect() {
      this.set(state().waiting)
    },
  })
}

/** A number of the report: by its labels; null where it isn't known, and then there is no sample. */
interface StatusNumber {
  readonly help: string
  readonly labels?: readonly string[]
  readonly values: (
    report: StatusReport,
  ) => readonly (readonly [labels: Readonly<Record<string, string>>, value: number | null])[]
}

const alone = (value: number | null) => [[{}, value]] as const
const seconds = (ms: number | null | undefined): number | null =>
  typeof ms === 'number' ? ms / 1000 : null
const up = (health: string): number | null =>
  health === 'off' || health === 'unknown' ? null : health === 'failed' ? 0 : 1

/** A value of each server that is configured. */
function byServer(
  valueOf: (server: StatusReport['policyService'], report: StatusReport) => number | null,
): Pick<StatusNumber, 'labels' | 'values'> {
  return {
    labels: ['upstream'],
    values: (report) => [
      [{ upstream: 'build server' }, valueOf(report.buildServer, report)],
      [{ upstream: 'policy service' }, valueOf(report.policyService, report)],
    ],
  }
}

const gaugesOfStatus: Readonly<Record<string, StatusNumber>> = {
  sightline_info: {
    help: 'Always 1; the version is a label.',
    labels: ['version'],
    values: ({ product: { version } }) => [[{ version }, 1]],
  },
  sightline_start_time_seconds: {
    help: 'When this process started, in seconds since 1970.',
    values: ({ product }) => alone(seconds(product.startedAt)),
  },
  sightline_healthy: {
    help: '1 if everything that is configured works, 0 if something fails.',
    values: (report) => alone(up(statusHeadline(report).health)),
  },
  sightline_config_warnings: {
    help: 'Configuration warnings; see the status page.',
    values: ({ product }) => alone(product.warnings.length),
  },
  sightline_upstream_up: {
    help: '1 if the server can be used, 0 if not.',
    ...byServer(({ health }) => up(health)),
  },
  sightline_upstream_clock_skew_seconds: {
    help: "How far the server's clock is ahead of this machine's.",
    ...byServer(({ clockSkewMs }) => seconds(clockSkewMs)),
  },
  sightline_upstream_credential_expiry_seconds: {
    help: "Time until Sightline's credential for the server expires, where that is known.",
    ...byServer(({ credential }, { at }) =>
      typeof credential?.expiresAt === 'number' ? seconds(credential.expiresAt - at) : null,
    ),
  },
  sightline_upstream_missing_permissions: {
    help: 'Permissions of the server that Sightline needs and does not have.',
    ...byServer(({ kind, permissions }) =>
      kind === 'none' ? null : permissions.filter(({ state }) => state === 'missing').length,
    ),
  },
  sightline_build_delivery_seconds: {
    help: 'How long the last build took from the build server to here.',
    values: ({ buildServer }) => alone(seconds(buildServer.deliveryMs?.last)),
  },
  sightline_newest_build_age_seconds: {
    help: 'Time since the newest build that came live was received by the build server.',
    values: ({ buildServer: { newestBuildAt }, at }) =>
      alone(newestBuildAt === null ? null : seconds(Math.max(0, at - newestBuildAt))),
  },
  sightline_deprecated_endpoints: {
    help: 'Operations in use whose server announces their end.',
    values: ({ deprecated }) => alone(deprecated.length),
  },
  sightline_database_up: {
    help: '1 if the database can be written, 0 if not.',
    values: ({ database }) => alone(database === null ? null : up(database.health)),
  },
  sightline_database_write_seconds: {
    help: 'How long a small write takes.',
    values: ({ database }) => alone(seconds(database?.latencyMs)),
  },
  sightline_database_size_bytes: {
    help: 'Size of the database.',
    values: ({ database }) => alone(database?.sizeBytes ?? null),
  },
  sightline_sessions: {
    help: 'Open sessions, where people sign in.',
    values: ({ people }) => alone(people?.sessions ?? null),
  },
  sightline_streams: {
    help: 'Open connections of the live feed.',
    values: ({ people }) => alone(people?.streams ?? null),
  },
  sightline_screens: {
    help: 'Paired wall screens, and those seen within 20 minutes.',
    labels: ['state'],
    values: ({ people }) => [
      [{ state: 'paired' }, people?.screens?.paired ?? null],
      [{ state: 'seen' }, people?.screens?.seen ?? null],
    ],
  },
  sightline_alerts: {
    help: 'Alerts that wait, and those given up or sent within 24 hours.',
    labels: ['state'],
    values: ({ alerts }) => [
      [{ state: 'waiting' }, alerts?.waiting ?? null],
      [{ state: 'failed' }, alerts?.failed ?? null],
      [{ state: 'sent' }, alerts?.sent ?? null],
    ],
  },
}

/** Sets the numbers of a report; labels hold words of this program and nothing else. */
function createStatusNumbers(registry: Registry): (report: StatusReport) => void {
  const registers = [registry]
  const unreadable = new Counter({
    name: 'sightline_unreadable_fields_total',
    help: 'Fields and messages of the servers that could not be read.',
    registers,
  })
  const gauges = Object.entries(gaugesOfStatus).map(([name, { help, labels = [], values }]) => {
    const gauge = new Gauge({ name, help, labelNames: labels, registers })
    return { gauge, values }
  })
  return (report) => {
    unreadable.reset()
    unreadable.inc(report.losses.count)
    for (const { gauge, values } of gauges) {
      gauge.reset()
      // Without labels, a gauge that was reset shows a 0 that nobody measured.
      gauge.remove({})
      for (const [labels, value] of values(report)) if (value !== null) gauge.set(labels, value)
    }
  }
}

/** Sets one metric per number of the live feed, made when a name is first seen. */
function createLiveNumbers(registry: Registry): (numbers: LiveMetrics) => void {
  const gauges = new Map<string, Gauge>()
  const counters = new Map<string, Counter>()
  const registers = [registry]
  const help = 'Live feed metric.'
  return (numbers) => {
    for (const [name, value] of Object.entries(numbers.gauges)) {
      const gauge =
        gauges.get(name) ?? new Gauge({ name: `sightline_live_${name}`, help, registers })
      gauges.set(name, gauge)
      gauge.set(value)
    }
    for (const [name, value] of Object.entries(numbers.counters)) {
      const counter =
        counters.get(name) ?? new Counter({ name: `sightline_live_${name}_total`, help, registers })
      counters.set(name, counter)
      // The feed counts by itself: its total replaces what was shown before.
      counter.reset()
      counter.inc(value)
    }
  }
}
