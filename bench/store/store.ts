/**
 * Search in the embedded service over 100,000 and 1,000,000 builds, in one run, on SQLite and, where
 * `BENCH_POSTGRES_URL` names an empty database, on PostgreSQL. A selective search (project and tag)
 * for its first page, newest first; then scans of all builds, beside what the database alone takes
 * for the same rows. Needs about 2 GB in the folder for temporary files, which is freed at the end.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Database } from '../../src/server/store/database.ts'
import { openDatabase } from '../../src/server/store/open-database.ts'
import { createFill } from './fill.ts'
import { madeUpFacts } from './made-up-facts.ts'
import { measureScans, measureSearches, type Searched } from './measure.ts'

const sizes = (process.env.BENCH_SIZES ?? '100000,1000000').split(',').map(Number)
const most = Math.max(...sizes)
const now = Date.now()

const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'))
try {
  say('SQLite', 'a file')
  await measureOn(`file:${join(folder, 'bench.db')}`)
  const url = process.env.BENCH_POSTGRES_URL
  say('PostgreSQL', url === undefined ? 'LEFT OUT: BENCH_POSTGRES_URL names no database' : '')
  if (url !== undefined) await measureOn(url)
} finally {
  await rm(folder, { recursive: true })
}

async function measureOn(url: string): Promise<void> {
  const database = await openDatabase(url)
  const fill = createFill(database)
  const searched: Searched[][] = []
  let filled = 0
  for (const size of sizes) {
    const startedAt = performance.now()
    await fill(madeUp(filled, size))
    await settle(database)
    filled = size
    say(
      `${size.toLocaleString('en-US')} builds`,
      `stored in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    )
    const results = await measureSearches(database, now)
    searched.push(results)
    for (const { name, p50, p95, processor, found } of results) {
      say(
        `  ${name}`,
        `p50 ${ms(p50)}, p95 ${ms(p95)}, processor ${ms(processor)}, ${found} builds found on average`,
      )
      if (p95 > 50) process.exitCode = 1
    }
    for (const scan of await measureScans(database, now, size)) {
      const { name, rate, processorRate, longestPauseMs } = scan
      const pause =
        longestPauseMs === undefined ? '' : `, others waited ${ms(longestPauseMs)} at most`
      const here =
        database.dialect === 'sqlite' ? `, ${whole(processorRate)} by processor time` : ''
      say(`  ${name}`, `${whole(rate)} builds/s${here}${pause}`)
    }
  }
  const [few = [], many = []] = [searched[0], searched.at(-1)]
  // By processor time where the database is in this process, whatever else the machine does.
  const by = database.dialect === 'sqlite' ? 'processor' : 'p50'
  for (const [index, before] of few.entries()) {
    const growth = (many[index]?.[by] ?? NaN) / before[by]
    // Where the page of the smaller database is not full there is less to read and to answer.
    const isComparable = before.found >= 50
    say(
      `growth, ${before.name}`,
      `${growth.toFixed(2)} times for ${most / (sizes[0] ?? most)} times the builds${isComparable ? '   goal: 2' : ''}`,
    )
    if (isComparable && growth > 2) process.exitCode = 1
  }
  await database.close()
}

function* madeUp(from: number, to: number) {
  for (let n = from; n < to; n += 1) yield madeUpFacts(n, most, now)
}

/** PostgreSQL learns by itself within a minute what it has stored; here it is told to at once. */
async function settle({ kysely, dialect }: Database): Promise<void> {
  await (dialect === 'postgres' ? sql`analyze` : sql`pragma wal_checkpoint(truncate)`).execute(
    kysely,
  )
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(44)}${text}`)
}
