import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { registerBuilds } from './build-metrics.ts'

const start = Date.UTC(2026, 0, 5)
let count = 0

function build(more: Partial<Facts> = {}): Facts {
  count++
  return {
    buildId: `b${String(count).padStart(12, '0')}`,
    receivedAt: start + count,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'shop',
    outcome: 'succeeded',
    durationMs: 90_000,
    ...more,
  }
}

function branch(value: string): Pick<Facts, 'values'> {
  return { values: [{ name: 'Git branch', value }] }
}

/** The samples of a metric, as the text format has them. */
async function samples(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.metrics()
  return text
    .split('\n')
    .filter((line) => line.startsWith(name))
    .map((line) => line.slice(name.length))
}

test('builds are counted once each, when their outcome is known, by project, outcome and branch', async () => {
  const registry = new Registry()
  const learn = registerBuilds(registry, {
    since: start,
    defaultBranches: { Legacy: 'develop' },
  })
  const first = build({ outcome: undefined, durationMs: undefined, ...branch('main') })
  learn(first)
  learn({ ...first, outcome: 'failed', durationMs: 61_000 })
  learn({ ...first, outcome: 'failed', durationMs: 61_000, failure: null })
  learn(build({ ...branch('feature/x') }))
  learn(build({ tags: ['PR-12'], ...branch('feature/y') }))
  learn(build({ project: 'legacy', ...branch('develop') }))
  learn(build({ project: 'legacy', ...branch('main') }))
  learn(build({ project: null }))
  learn(build({ outcome: null }))
  learn(build({ receivedAt: start - 1 }))
  expect(await samples(registry, 'sightline_builds_total')).toEqual([
    '{project="shop",outcome="failed",branch_kind="default"} 1',
    '{project="shop",outcome="succeeded",branch_kind="other"} 1',
    '{project="shop",outcome="succeeded",branch_kind="pull_request"} 1',
    '{project="legacy",outcome="succeeded",branch_kind="default"} 1',
    '{project="legacy",outcome="succeeded",branch_kind="other"} 1',
    '{project="unknown",outcome="succeeded",branch_kind="unknown"} 1',
  ])
  expect(await samples(registry, 'sightline_build_duration_seconds_sum')).toContain(
    '{project="shop",outcome="failed"} 61',
  )
})

test.each([-3_600_000, 3_600_000])(
  'builds since the start are counted whatever the clock of the build server says (%i)',
  async (skew) => {
    const registry = new Registry()
    const options = { since: start, clockSkewMs: () => skew, defaultBranches: {} }
    const learn = registerBuilds(registry, options)
    learn(build({ receivedAt: start + skew - 1000 }))
    learn(build({ receivedAt: start + skew + 1000 }))
    expect(await samples(registry, 'sightline_builds_total')).toEqual([
      '{project="shop",outcome="succeeded",branch_kind="unknown"} 1',
    ])
  },
)

test('only so many projects have a label, however they are written, and no text breaks the format', async () => {
  const registry = new Registry()
  const learn = registerBuilds(registry, { since: 0, defaultBranches: {}, mostProjects: 2 })
  for (const project of ['Shop', 'shop', 'a"b\nc', 'third', 'fourth', 'x'.repeat(5000)]) {
    learn(build({ project, outcome: 'failed' }))
  }
  expect(await samples(registry, 'sightline_builds_total')).toEqual([
    '{project="Shop",outcome="failed",branch_kind="unknown"} 2',
    String.raw`{project="a\"b\nc",outcome="failed",branch_kind="unknown"} 1`,
    '{project="other",outcome="failed",branch_kind="unknown"} 3',
  ])
})
