import { afterAll, beforeAll, describe } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import {
  findPostgres,
  startPostgres,
  type ThrowawayPostgres,
} from './throwaway-postgres.test-support.ts'

const programs = await findPostgres()

/** Runs a suite on SQLite in memory and on PostgreSQL; `open` gives it an empty database each time. */
export function onEachDatabase(suite: (open: () => Promise<Database>) => void): void {
  describe('on SQLite', () => {
    suite(() => openDatabase('memory:'))
  })

  describe.skipIf(programs === undefined)(
    programs === undefined ? 'PostgreSQL: LEFT OUT, no /usr/lib/postgresql found' : 'on PostgreSQL',
    () => {
      let cluster: ThrowawayPostgres
      beforeAll(async () => {
        cluster = await startPostgres(programs ?? '')
      })
      afterAll(() => cluster.stop())
      suite(async () => openDatabase(await cluster.emptyDatabase()))
    },
  )
}
