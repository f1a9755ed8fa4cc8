import { Kysely, Migrator, sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { unpreparedBuilds } from '../store/backfill.ts'
import { packEvents } from '../store/build-events.ts'
import type { OpenDialect } from '../store/database.ts'
import { openDatabase, openPostgres, openSqlite } from '../store/open-database.ts'
import { migrations } from '../store/migrate.ts'
import { findPostgres, startPostgres } from '../store/throwaway-postgres.test-support.ts'
import { createEmbedded } from './embedded.ts'
import { startSearchPreparation } from './search-preparation.ts'
import { event } from './seed.test-support.ts'

const programs = await findPostgres()

describe('a database of the first release', () => {
  describe('on SQLite', () => {
    let folder = ''
    let made = 0
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sightline-first-release-'))
    })
    afterAll(() => rm(folder, { recursive: true }))
    suite(() => Promise.resolve(`file:${folder}/${(made += 1)}.db`), openSqlite)
  })

  describe.skipIf(programs === undefined)(
    programs === undefined ? 'PostgreSQL: LEFT OUT, no /usr/lib/postgresql found' : 'on PostgreSQL',
    () => {
      let cluster: Awaited<ReturnType<typeof startPostgres>>
      beforeAll(async () => {
        cluster = await startPostgres(programs ?? '')
      })
      afterAll(() => cluster.stop())
      suite(() => cluster.emptyDatabase(), openPostgres)
    },
  )
})

function suite(place: () => Promise<string>, open: (url: string) => Promise<OpenDialect>): void {
  let url = ''
  beforeEach(async () => {
    url = await place()
  })

  test('is searched like a new one once it was opened, also when it was interrupted', async () => {
    await makeFirstRelease(await open(url), 130)
    const interrupted = await openDatabase(url)
    await startSearchPreparation(interrupted, createManualClock(0), fail).stop()
    expect((await unpreparedBuilds(interrupted, 1000)).builds.length).toBeGreaterThan(0)
    await interrupted.close()

    const database = await openDatabase(url)
    const embedded = createEmbedded({
      database,
      clock: createManualClock(1_000_000),
      random: () => 0.5,
      credentials: [
        { user: 'ada', accessKey: 'key', password: 'x', permissions: ['accessBuildDataViaApi'] },
      ],
    })
    const attributes = { rootProjectName: 'shop', hasFailed: false, tags: ['Tag 131'] }
    await embedded.add({ message: message(131), attributes, events: [] })
    const found = async (query: string): Promise<string[]> => {
      const path = `/api/builds?reverse=true&maxBuilds=1000&query=${encodeURIComponent(query)}`
      const answer = await embedded.app.request(path, { headers: { Authorization: 'Bearer key' } })
      return Ids.parse(await answer.json()).map(({ id: one }) => one)
    }
    expect(await found('buildTool:gradle')).toHaveLength(131)
    expect(await found('project:shop tag:"tag 7"')).toEqual([id(7)])
    expect(await found('tag:"tag 131"')).toEqual([id(131)])
    expect(await found('project:shop -buildOutcome:failed')).toHaveLength(130)
    // Known by its events alone.
    expect(await found('user:ada buildStartTime:1970-01-01')).toEqual([id(1)])
    await embedded.close()
    await database.close()
  })

  test('is not searched before it is ready: 503 after the time to wait', async () => {
    await makeFirstRelease(await open(url), 130)
    const database = await openDatabase(url)
    const clock = createManualClock(0)
    const failures: unknown[] = []
    const preparation = startSearchPreparation(database, clock, (error) => failures.push(error))
    const early = preparation.ready(1000, new AbortController().signal)
    clock.advance(1000)
    await expect(early).rejects.toMatchObject({ status: 503, retryAfterMs: 2000 })
    await preparation.ready(1000, new AbortController().signal)
    expect(clock.pending()).toBe(0)
    expect(failures).toEqual([])
    await preparation.stop()
    await database.close()
  })
}

/** Builds as the first release stored them: the first is known by its events, the rest by attributes. */
async function makeFirstRelease(
  { dialect, kyselyDialect }: OpenDialect,
  count: number,
): Promise<void> {
  const kysely = new Kysely<unknown>({ dialect: kyselyDialect })
  const all = await migrations(dialect).getMigrations()
  const first = { '0001-builds': all['0001-builds'] ?? { up: () => Promise.reject(new Error()) } }
  const provider = { getMigrations: () => Promise.resolve(first) }
  await new Migrator({ db: kysely, provider }).migrateToLatest()
  for (let n = 1; n <= count; n += 1) {
    await sql`insert into builds (build_id, received_at, tool_type, tool_version, agent_version, readable, project, message)
      values (${id(n)}, ${n}, 'gradle', '9.1', '4.0', 1, 'shop', ${JSON.stringify(message(n))})`.execute(
      kysely,
    )
    const attributes = { rootProjectName: 'shop', hasFailed: false, tags: [`Tag ${n}`] }
    if (n > 1) {
      await sql`insert into build_attributes values (${n}, ${JSON.stringify(attributes)})`.execute(
        kysely,
      )
    }
  }
  const agent = event('BuildAgent', '{"username":"Ada","publicHostname":null,"localHostname":null}')
  const [chunk] = await packEvents([event('BuildStarted', '{}'), agent], 1)
  await sql`insert into event_chunks values (1, 1, 2, ${JSON.stringify(chunk?.types)}, ${chunk?.body})`.execute(
    kysely,
  )
  await kysely.destroy()
}

const Ids = z.array(z.looseObject({ id: z.string() }))

function fail(error: unknown): void {
  throw error
}

const id = (n: number): string => `b${n.toString(36).padStart(12, '0')}`

const message = (n: number) => ({
  buildId: id(n),
  timestamp: n,
  toolType: 'gradle',
  toolVersion: '9.1',
  agentVersion: '4.0',
})
