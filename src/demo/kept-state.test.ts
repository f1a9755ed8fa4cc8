import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { createSeededRandom } from '../server/embedded/content/seeded-random.ts'
import { createEmbedded } from '../server/embedded/embedded.ts'
import { listBuilds } from '../server/store/build-listing.ts'
import { type Database, databaseOn } from '../server/store/database.ts'
import { startDemoBuilds } from './demo-server.ts'
import { isKept, readTables, restoreTables } from './kept-state.ts'
import { openSqliteWasm } from './sqlite.ts'

const sqlite = join(
  import.meta.dirname,
  '../../node_modules/@sqlite.org/sqlite-wasm/sqlite-wasm/jswasm',
)
const now = Date.UTC(2026, 10, 18, 14, 30)

async function open(written?: (table: string) => void): Promise<Database> {
  const { buffer } = new Uint8Array(await readFile(join(sqlite, 'sqlite3.wasm')))
  return databaseOn(await openSqliteWasm(buffer, written))
}

/** The demo's builds at a moment, newest first. */
async function builds(at: number) {
  const database = await open()
  const clock = createManualClock(at)
  const random = createSeededRandom('demo')
  const embedded = createEmbedded({ database, clock, random, credentials: [] })
  const pace = { seed: 1, ratePerSecond: 0.25, begun: now - 3_600_000 }
  const logger = {
    error: (fault: unknown) => {
      expect(fault).toBeUndefined()
    },
  }
  await startDemoBuilds({ embedded, database, clock, logger, pace })
  const ids = async (): Promise<readonly string[]> =>
    (await listBuilds(database, { newestFirst: true }, 1000)).map(({ buildId }) => buildId)
  return { clock, ids }
}

test('what people did is put back into a new database, and what is made again is not kept', async () => {
  const written = new Set<string>()
  const before = await open((table) => written.add(table))
  written.clear()
  await before.kysely.insertInto('seeds').values({ name: 'mine', is_whole: 1 }).execute()
  expect([...written].filter(isKept)).toEqual(['seeds'])
  expect(isKept('builds')).toBe(false)
  const after = await open()
  await restoreTables(after, await readTables(before))
  expect(await readTables(after)).toEqual(await readTables(before))
})

test('the past comes behind the newest builds, and new ones before them; a later start has the same', async () => {
  const { clock, ids } = await builds(now)
  const newest = await ids()
  expect(newest.length).toBeGreaterThan(60)
  await expect
    .poll(async () => {
      clock.advance(1_000)
      const all = await ids()
      return all[0] !== newest[0] && all.at(-1) !== newest.at(-1)
    })
    .toBe(true)
  const all = await ids()
  expect(all.join(' ')).toContain(newest.join(' '))
  expect(all.indexOf(newest[0] ?? '')).toBeGreaterThan(0)
  expect(all.at(-1)).not.toBe(newest.at(-1))
  const later = await (await builds(clock.now())).ids()
  const known = later.filter((id) => all.includes(id))
  expect(known.length).toBeGreaterThan(60)
  expect(all.join(' ')).toContain(known.join(' '))
})
