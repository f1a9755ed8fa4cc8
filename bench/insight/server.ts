/**
 * Trends and groups of the embedded services over 100,000 and 1,000,000 builds of the same year, on
 * SQLite and, where `BENCH_POSTGRES_URL` names an empty database, on PostgreSQL. By processor time
 * where the database is in this process, whatever else the machine does; growth is that of medians, as
 * at some ms a pause of the garbage collector is most of a 95th percentile.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuildTrends } from '../../src/protocol/insight.ts'
import { parse } from '../../src/search/parse.ts'
import { createBuildStatistics } from '../../src/server/embedded/build-statistics.ts'
import { type CountedBuild, insertPoints } from '../../src/server/store/build-points.ts'
import type { Database } from '../../src/server/store/database.ts'
import { openDatabase } from '../../src/server/store/open-database.ts'
import { inOrder } from '../../src/server/store/term-writing.ts'
import { madeUpFacts } from '../store/made-up-facts.ts'

const sizes = (process.env.BENCH_SIZES ?? '100000,1000000').split(',').map(Number)
const rounds = Number(process.env.BENCH_ROUNDS ?? 60)
const now = Date.UTC(2026, 10, 22, 19, 30, 17)
const day = 86_400_000
const longestMs = 200
const batchSize = 2000

interface Asked {
  readonly name: string
  readonly query: string
  readonly days: number
  readonly by?: 'project' | 'branch'
}

const asked: readonly Asked[] = [
  { name: 'all builds of a year', query: '', days: 365 },
  { name: 'a year by project', query: '', days: 365, by: 'project' },
  { name: 'a quarter by branch', query: '', days: 90, by: 'branch' },
  { name: 'a month by project, failed', query: 'buildOutcome:failed', days: 30, by: 'project' },
  { name: 'a week by project', query: '', days: 7, by: 'project' },
  { name: 'branches of a project', query: 'project:project-3', days: 90, by: 'branch' },
  { name: 'one person', query: 'user:ci', days: 365 },
  { name: 'main by project', query: 'value:"Git branch=main"', days: 90, by: 'project' },
]

interface Measured {
  readonly p50: number
  readonly p95: number
  /** Of the processor. */
  readonly p50Processor: number
  readonly p95Processor: number
  readonly builds: number
}

/** Whether all stayed within the goals. */
export async function measureServer(): Promise<boolean> {
  const urls = [
    { name: 'SQLite', url: undefined },
    { name: 'PostgreSQL', url: process.env.BENCH_POSTGRES_URL },
  ]
  let isGood = true
  for (const { name, url } of urls) {
    if (name === 'PostgreSQL' && url === undefined) {
      say(name, 'LEFT OUT: BENCH_POSTGRES_URL names no database')
      continue
    }
    const results: Measured[][] = []
    for (const size of sizes) {
      const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'))
      const database = await openDatabase(url ?? `file:${join(folder, 'bench.db')}`)
      try {
        say(name, `${size.toLocaleString('en-US')} builds`)
        await fill(database, size)
        await settle()
        results.push(await measure(database))
        if (results.at(-1)?.some((one) => limited(database, one) > longestMs)) isGood = false
      } finally {
        for (const table of ['build_points', 'build_rollups', 'point_texts'] as const) {
          await database.kysely.deleteFrom(table).execute()
        }
        await database.close()
        await rm(folder, { recursive: true })
      }
    }
    const [few = [], many = []] = [results[0], results.at(-1)]
    for (const [place, { name: what }] of asked.entries()) {
      const [before, after] = [few[place], many[place]]
      if (before === undefined || after === undefined) continue
      const growth =
        url === undefined ? after.p50Processor / before.p50Processor : after.p50 / before.p50
      say(`growth, ${what}`, `${growth.toFixed(2)} times for ten times the builds   goal: 2`)
      if (growth > 2) isGood = false
    }
  }
  return isGood
}

function limited({ dialect }: Database, { p95, p95Processor }: Measured): number {
  return dialect === 'sqlite' ? p95Processor : p95
}

async function measure(database: Database): Promise<Measured[]> {
  const statistics = createBuildStatistics({ database, isWhole: () => true, now: Date.now })
  const { signal } = new AbortController()
  const results: Measured[] = []
  for (const { name, query, days, by } of asked) {
    const times: number[] = []
    const processor: number[] = []
    let last: BuildTrends | undefined
    for (let round = 0; round < rounds; round += 1) {
      const to = now - round * 7 * 60_000
      const used = process.cpuUsage()
      const began = performance.now()
      last = await statistics.trends({
        ...{ query: parse(query), now, signal, by },
        ...{ from: to - days * day, to },
      })
      times.push(performance.now() - began)
      const { user, system } = process.cpuUsage(used)
      processor.push((user + system) / 1000)
    }
    const one = {
      p50: at(times, 0.5),
      p95: at(times, 0.95),
      p50Processor: at(processor, 0.5),
      p95Processor: at(processor, 0.95),
      builds: last?.builds ?? 0,
    }
    results.push(one)
    say(
      `  trends, ${name}`,
      `p50 ${ms(one.p50)}, p95 ${ms(one.p95)}, processor p50 ${ms(one.p50Processor)}, p95 ${ms(one.p95Processor)}, ${one.builds.toLocaleString('en-US')} builds   goal: ${longestMs} ms`,
    )
  }
  const began = performance.now()
  const groups = await statistics.groups({ query: parse(''), by: 'project', now, signal })
  say(
    '  groups of all builds by project',
    `${ms(performance.now() - began)}, ${groups.builds.toLocaleString('en-US')} builds`,
  )
  return results
}

async function fill(database: Database, size: number): Promise<void> {
  const began = performance.now()
  let batch: CountedBuild[] = []
  const store = (): Promise<void> =>
    inOrder(database, (transaction) => insertPoints(transaction, database.dialect, batch))
  for (let n = 0; n < size; n += 1) {
    const counts = {
      cacheHits: n % 7,
      cacheable: 9,
      failures:
        n % 50 === 0 ? [`kind ${n % 30}`, ...(n % 100 === 0 ? [`kind ${(n + 7) % 30}`] : [])] : [],
    }
    batch.push({ position: n + 1, facts: madeUpFacts(n, size, now), counts })
    if (batch.length < batchSize && n < size - 1) continue
    await store()
    batch = []
  }
  const seconds = (performance.now() - began) / 1000
  say('  counted', `${Math.round(size / seconds).toLocaleString('en-US')} builds/s`)
}

/** Filling leaves hundreds of thousands of statements behind, which are freed one by one. */
async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? NaN
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(44)} ${text}`)
}
