import { monitorEventLoopDelay } from 'node:perf_hooks'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Clock } from '../../src/protocol/clock.ts'
import { createEmbedded } from '../../src/server/embedded/embedded.ts'
import type { Database } from '../../src/server/store/database.ts'
import { branches, projects, randomOf } from './made-up-facts.ts'

/** What searches of one kind took for their first page, ms. */
export interface Searched {
  readonly name: string
  readonly p50: number
  readonly p95: number
  /** Of the processor of this process, on average. */
  readonly processor: number
  /** How many builds their pages had on average. */
  readonly found: number
}

/** How fast all builds were looked through. */
export interface Scanned {
  readonly name: string
  /** Builds per second, by the clock and by the processor time of this process. */
  readonly rate: number
  readonly processorRate: number
  /** The longest time that nothing else could run in the process. */
  readonly longestPauseMs: number | undefined
}

const searches = Number(process.env.BENCH_SEARCHES ?? 200)
const Page = z.array(z.looseObject({ id: z.string() }))

/** First pages of 100, newest first, through the handler of the embedded service. */
export async function measureSearches(database: Database, now: number): Promise<Searched[]> {
  const random = randomOf(1)
  const one = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? ''
  const kinds: Readonly<Record<string, () => string>> = {
    'any project, any tag': () => `project:${one(projects)} tag:${one(branches)}`,
    'rare project, common tag': () => `project:${one(projects.slice(100))} tag:CI`,
    'common project, rare tag': () => `project:project-0 tag:${one(branches.slice(200))}`,
    'that no build has together': () => `project:project-0 tag:${one(branches)} -tag:LOCAL -tag:CI`,
    'project, tag and time': () =>
      `project:${one(projects)} tag:CI buildStartTime>-30d buildOutcome:failed`,
  }
  const ask = asking(database, now)
  const results: Searched[] = []
  for (const [name, query] of Object.entries(kinds)) {
    const times: number[] = []
    let found = 0
    const before = process.cpuUsage()
    for (let n = 0; n < searches; n += 1) {
      const text = query()
      const startedAt = performance.now()
      found += await ask(text)
      times.push(performance.now() - startedAt)
    }
    const { user, system } = process.cpuUsage(before)
    const processor = (user + system) / 1000 / searches
    times.sort((a, b) => a - b)
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? NaN
    results.push({
      name,
      p50: at(0.5),
      p95: at(0.95),
      processor,
      found: Math.round(found / searches),
    })
  }
  return results
}

/** Searches that nothing matches, so that every build is looked at, and the same by the database alone. */
export async function measureScans(
  database: Database,
  now: number,
  size: number,
): Promise<Scanned[]> {
  const { kysely } = database
  const ask = asking(database, now)
  const scanned = async (
    name: string,
    work: () => Promise<unknown>,
    isOurs: boolean,
  ): Promise<Scanned> => {
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const startedAt = performance.now()
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    const seconds = (performance.now() - startedAt) / 1000
    delay.disable()
    return {
      name,
      rate: size / seconds,
      processorRate: (size / (user + system)) * 1e6,
      longestPauseMs: isOurs ? delay.max / 1e6 : undefined,
    }
  }
  const longest = 1e9
  return [
    await scanned(
      'scan by duration, in the database alone',
      () => sql`select count(*) from builds where duration_ms > ${longest}`.execute(kysely),
      false,
    ),
    await scanned('the same, searched', () => ask('buildDuration>1000d'), true),
    await scanned(
      'all facts, read from the database alone',
      async () => {
        for (let from = 0; from < size; from += 500) {
          await sql`select facts from build_facts where build_seq > ${from} order by build_seq limit 500`.execute(
            kysely,
          )
        }
      },
      false,
    ),
    await scanned('the same, searched', () => ask('buildToolVersion:"*no such*"'), true),
  ]
}

function asking(database: Database, now: number): (query: string) => Promise<number> {
  const clock: Clock = { now: () => now, after: () => () => undefined }
  const { app } = createEmbedded({
    database,
    clock,
    random: () => 0,
    credentials: [
      {
        user: 'bench',
        accessKey: 'bench',
        password: 'bench',
        permissions: ['accessBuildDataViaApi'],
      },
    ],
  })
  return async (query) => {
    const path = `/api/builds?reverse=true&maxBuilds=100&query=${encodeURIComponent(query)}`
    const answer = await app.request(path, { headers: { Authorization: 'Bearer bench' } })
    return Page.parse(await answer.json()).length
  }
}
