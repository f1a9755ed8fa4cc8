import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { WriterState } from './history/history-writer.ts'
import type { LiveMetrics } from './live/live-route.ts'

/** What the proxy counts. Labels hold patterns and statuses, never what somebody has typed. */
export interface Metrics {
  readonly requestAnswered: (route: string, method: string, status: number, seconds: number) => void
  /** `status` is `none` where the upstream gave no answer. */
  readonly upstreamAnswered: (upstream: string, status: string) => void
  readonly sessionCreated: () => void
  /** All of it in the text format of Prometheus, with the numbers of the live feed as they are now. */
  readonly text: () => Promise<string>
  readonly contentType: string
}

/**
 * Counters in a registry of their own, so that several proxies can live in one process. `history` is
 * left out where nothing is recorded.
 */
export function createMetrics(live: () => LiveMetrics, history?: () => WriterState): Metrics {
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
  const liveNumbers = createLiveNumbers(registry)
  if (history !== undefined) registerHistory(registry, history)
  return {
    requestAnswered: (route, method, status, seconds) => {
      requests.inc({ route, method, status: String(status) })
      durations.observe({ route }, seconds)
    },
    upstreamAnswered: (name, status) => {
      upstream.inc({ upstream: name, status })
    },
    sessionCreated: () => {
      sessions.inc()
    },
    text: () => {
      liveNumbers(live())
      return registry.metrics()
    },
    contentType: registry.contentType,
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
