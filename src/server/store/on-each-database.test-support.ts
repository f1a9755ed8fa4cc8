import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import type { Database } from './database.ts'
import { openDatabase } from './open-database.ts'
import { memoryDatabase } from './memory-database.test-support.ts'
import {
  findPostgres,
  startPostgres,
  type ThrowawayPostgres,
} from './throwaway-postgres.test-support.ts'

const programs = await findPostgres()

/** Several do it at once, each on a connection of its own that is open already, so that none comes late. */
export async function atOnce<T>(
  { kysely }: Database,
  works: readonly (() => Promise<T>)[],
): Promise<T[]> {
  await Promise.all(works.map(() => kysely.selectFrom('seeds').selectAll().execute()))
  return Promise.all(works.map((work) => work()))
}

/** A database that is opened before each test of a suite, and closed after it. */
export function openForEachTest(open: () => Promise<Database>): Database {
  let opened: Database
  beforeEach(async () => {
    opened = await open()
  })
  afterEach(() => opened.close())
  return {
    get kysely() {
      return opened.kysely
    },
    get dialect() {
      return opened.dialect
    },
    get file() {
      return opened.file
    },
    probe: () => opened.probe(),
    inspect: () => opened.inspect(),
    close: () => opened.close(),
  }
}

/**
 * Runs a suite on SQLite and on PostgreSQL: `open` gives it an empty database each time, on SQLite in
 * memory; `address` that of an empty one which several processes can open.
 */
export function onEachDatabase(
  suite: (open: () => Promise<Database>, address: () => Promise<string>) => void,
): void {
  describe('on SQLite', () => {
    const folders: string[] = []
    afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))
    suite(memoryDatabase, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'sightline-shared-'))
      folders.push(folder)
      return `file:${folder}/shared.db`
    })
  })

  describe.skipIf(programs === undefined)(
    programs === undefined ? 'PostgreSQL: LEFT OUT, no /usr/lib/postgresql found' : 'on PostgreSQL',
    () => {
      let cluster: ThrowawayPostgres
      beforeAll(async () => {
        cluster = await startPostgres(programs ?? '')
      })
      afterAll(() => cluster.stop())
      suite(
        async () => openDatabase(await cluster.migratedDatabase()),
        () => cluster.emptyDatabase(),
      )
    },
  )
}
