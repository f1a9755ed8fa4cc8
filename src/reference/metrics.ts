import { createMetrics } from '../server/proxy/metrics.ts'
import { codeOf, pageOf, tableOf } from './markdown-page.ts'

/** Every metric that the proxy registers, by name (docs/reference/metrics.md). */
export function metricsPage(): string {
  const nothing = { waiting: 0, written: 0, lost: 0, isFailing: false, lastProblemAt: null }
  const metrics = createMetrics(
    () => ({ gauges: {}, counters: {} }),
    { since: 0, defaultBranches: {} },
    () => nothing,
  )
  return pageOf(
    'Metrics',
    'What `GET /metrics` answers, in the text format of Prometheus. Labels hold words of Sightline, patterns of paths, names of projects and statuses, never what people typed. A metric whose value is unknown has no sample.',
    tableOf(
      ['Metric', 'Type', 'Labels', 'What it is'],
      metrics
        .described()
        .map(({ name, type, labels, help }) => [
          codeOf(name),
          type,
          labels.map(codeOf).join(', '),
          help,
        ]),
    ),
    'Beside these, metrics whose names begin with `sightline_live_` are the live feed’s own counts and gauges, for those who look into it; their names may change.',
  )
}
