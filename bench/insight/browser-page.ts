import { failureKey } from '../../src/facts/insight/failure-key.ts'
import type { Clock } from '../../src/protocol/clock.ts'
import type { BuildFailure, Facts } from '../../src/protocol/facts.ts'
import { noSearch, searchAtRest } from '../../src/web/data/builds/build-search.ts'
import {
  type BuildInsight,
  createBuildInsights,
  startInsightWorker,
} from '../../src/web/data/insight/build-insight.ts'

declare global {
  interface Window {
    benchInsight: (count: number) => Promise<BrowserRun>
  }
}

/** One run, ms. */
export interface BrowserRun {
  readonly handedMs: number
  readonly failureGroupsMs: number
  readonly projectGroupsMs: number
  readonly plainMs: number
  /** 0 for less than 50. */
  readonly longestTaskMs: number
}

const clock: Clock = {
  now: Date.now,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}

const begin = 1_780_000_000_000

function factsOf(index: number): Facts {
  return {
    buildId: `b${String(index).padStart(12, '0')}`,
    receivedAt: begin - index * 1000,
    startTime: begin - index * 1000,
    buildTool: 'gradle',
    buildToolVersion: '9.1',
    agentVersion: '4.2',
    user: `user-${index % 120}`,
    project: `project-${(index * 7) % 90}`,
    requested: ['clean', `:module-${index % 40}:check`],
    values: [{ name: 'Git branch', value: index % 3 === 0 ? 'main' : `feature/F-${index % 900}` }],
    ...(index % 20 < 3
      ? { outcome: 'failed', failure: failureOf(index) }
      : { outcome: 'succeeded' }),
    durationMs: 60_000 + ((index * 7919) % 300_000),
  }
}

function failureOf(index: number): BuildFailure {
  return {
    task: `:module-${index % 40}:test`,
    exception: 'org.gradle.api.GradleException',
    message: `Timed out after ${index} ms waiting for agent-${index % 50}.example.com (attempt ${index % 9})`,
  }
}

window.benchInsight = async (count) => {
  const found: { readonly facts: Facts; readonly verdict: 'yes' }[] = []
  for (let index = 0; index < count; index++) {
    found.push({ facts: factsOf(index), verdict: 'yes' })
    // What is made here must not count as a task of the page.
    if (index % 2000 === 0) await new Promise((resolve) => setTimeout(resolve, 0))
  }
  await new Promise((resolve) => setTimeout(resolve, 200))
  let longestTaskMs = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration)
  })
  observer.observe({ type: 'longtask' })

  const view = { ...searchAtRest(100), found, read: count, state: { is: 'done' as const } }
  const insight = createBuildInsights({
    clock,
    startWorker: startInsightWorker,
    readFailures: () => Promise.resolve(),
    readCaches: () => Promise.resolve(),
  })({ ...noSearch, getSnapshot: () => view })

  const times = [performance.now()]
  const lap = (): void => {
    times.push(performance.now())
  }
  await until(insight, ({ builds, failures: { known, all } }) => builds === count && known === all)
  lap()
  const byFailure = await insight.query({ kind: 'groups', by: 'failure' })
  lap()
  const byProject = await insight.query({ kind: 'groups', by: 'project' })
  lap()
  await new Promise((resolve) => setTimeout(resolve, 200))
  observer.disconnect()

  const before = performance.now()
  const plain = plainly(found)
  const plainMs = performance.now() - before
  if (plain.failures !== byFailure.allGroups || plain.projects !== byProject.allGroups) {
    throw new Error('the plain loop counts other groups')
  }
  const between = (from: number): number => (times[from + 1] ?? 0) - (times[from] ?? 0)
  return {
    handedMs: between(0),
    failureGroupsMs: between(1),
    projectGroupsMs: between(2),
    plainMs,
    longestTaskMs,
  }
}

/** Views are published at most four times a second: what is there before counts. */
function until(
  insight: BuildInsight,
  isSo: (view: ReturnType<BuildInsight['getSnapshot']>) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    insight.subscribe(() => {
      if (isSo(insight.getSnapshot())) resolve()
    })
  })
}

interface Counted {
  builds: number
  failed: number
  first: number
  last: number
  readonly bars: number[]
}

/** What somebody would write who has the objects at hand. */
function plainly(found: readonly { readonly facts: Facts }[]): {
  readonly failures: number
  readonly projects: number
} {
  const keys = new Map<string, string>()
  const keyOf = ({ failure }: Facts): string | undefined => {
    if (failure === undefined || failure === null) return undefined
    const text = `${failure.task ?? ''}\n${failure.message}`
    const key = keys.get(text) ?? failureKey(failure)
    keys.set(text, key)
    return key
  }
  return {
    failures: group(found, keyOf).size,
    projects: group(found, ({ project }) => project ?? undefined).size,
  }
}

function group(
  found: readonly { readonly facts: Facts }[],
  keyOf: (facts: Facts) => string | undefined,
): ReadonlyMap<string, Counted> {
  const from = begin - found.length * 1000
  const width = Math.ceil((found.length * 1000 + 1) / 30)
  const groups = new Map<string, Counted>()
  for (const { facts } of found) {
    const key = keyOf(facts)
    if (key === undefined) continue
    const at = facts.startTime ?? facts.receivedAt
    let counted = groups.get(key)
    if (counted === undefined) {
      counted = { builds: 0, failed: 0, first: at, last: at, bars: new Array<number>(30).fill(0) }
      groups.set(key, counted)
    }
    counted.builds += 1
    if (facts.outcome === 'failed') counted.failed += 1
    counted.first = Math.min(counted.first, at)
    counted.last = Math.max(counted.last, at)
    const bar = Math.floor((at - from) / width)
    counted.bars[bar] = (counted.bars[bar] ?? 0) + 1
  }
  return groups
}
