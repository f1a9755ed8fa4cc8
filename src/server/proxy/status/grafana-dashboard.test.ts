import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { historyServer } from '../history/history-server.test-support.ts'

const Target = z.object({ expr: z.string() })
const Panel = z.object({
  title: z.string(),
  type: z.string(),
  gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
  targets: z.array(Target).optional(),
})
const Dashboard = z.object({
  panels: z.array(Panel),
  templating: z.object({ list: z.array(z.object({ query: z.unknown() })) }),
})

const { panels } = Dashboard.parse(
  JSON.parse(
    readFileSync(new URL('../../../../docs/grafana-dashboard.json', import.meta.url), 'utf8'),
  ),
)
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

let database: Database | undefined
afterEach(() => database?.close())

/** A metric and the labels that a query matches or groups by. */
interface Used {
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
  readonly hasError: boolean
}

/** Grafana's variables are no PromQL: they stand for a duration and for text in a matcher. */
function usedBy(query: string): Used {
  const text = query.replaceAll('$__rate_interval', '5m')
  const metrics: string[] = []
  const labels: string[] = []
  let hasError = false
  parser.parse(text).iterate({
    enter: ({ name, from, to, type, node }) => {
      if (type.isError) hasError = true
      // A metric, as opposed to a function or a label.
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        metrics.push(text.slice(from, to))
      if (name === 'LabelName') labels.push(text.slice(from, to))
    },
  })
  return { metrics, labels, hasError }
}

test('every query of the dashboard can be read and uses metrics and labels that exist', async () => {
  database = await memoryDatabase()
  const proxy = await historyServer(undefined, { database })
  await (await proxy.ask('/upstream/governor/packages/oci/a/1/policy-scans/x')).text()
  const text = await (await proxy.ask('/metrics')).text()
  const exposed = new Set<string>()
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    exposed.add(name)
    if (type === 'histogram')
      for (const part of ['bucket', 'sum', 'count']) exposed.add(`${name}_${part}`)
  }
  // Those of the live feed are made by the hub, which is another one here.
  const intake = readFileSync(new URL('../live/live-hub.ts', import.meta.url), 'utf8')
  expect(intake).toMatch(/const counts = \{ builds: 0,/)
  exposed.add('sightline_live_builds_total')
  const known = [
    'instance',
    'le',
    'upstream',
    'status',
    'state',
    'route',
    'version',
    'project',
    'outcome',
    'branch_kind',
  ]
  expect(queries.length).toBeGreaterThan(20)
  for (const query of queries) {
    const { metrics, labels, hasError } = usedBy(query)
    expect(hasError, query).toBe(false)
    expect(metrics.length, query).toBeGreaterThan(0)
    for (const metric of metrics) expect(exposed, query).toContain(metric)
    for (const label of labels) expect(known, query).toContain(label)
  }
})

test('the test itself notices a metric that is none, and a query that is none', () => {
  expect(usedBy('sum by (x) (rate(nothing_total{y="1"}[$__rate_interval]))')).toEqual({
    metrics: ['nothing_total'],
    labels: ['x', 'y'],
    hasError: false,
  })
  expect(usedBy('sum(').hasError).toBe(true)
})

test('the panels of the dashboard fill rows without lying on each other', () => {
  const taken = new Set<string>()
  for (const { title, gridPos } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(taken.has(`${x} ${y}`), title).toBe(false)
        taken.add(`${x} ${y}`)
      }
    }
  }
})
