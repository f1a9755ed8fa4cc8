import { sql } from 'kysely'
import type { Database } from './database.ts'

/** What a database is begun with, and how that is undone. */
export interface Seed {
  readonly name: string
  /** Whether what it would make is there already, from before anything was noted here. */
  readonly isThere: () => Promise<boolean>
  readonly make: () => Promise<void>
  /** Removes what a process that was killed has made of it. */
  readonly undo: () => Promise<void>
}

/**
 * Makes a seed once, however many processes start on the database at once: on PostgreSQL the others
 * wait. What a killed process left half made is removed and made anew.
 */
export async function seedOnce(database: Database, seed: Seed): Promise<void> {
  const { kysely, dialect } = database
  if (dialect === 'sqlite') return seedUnlessWhole(database, seed)
  // The lock is the connection's, so that it ends with a process that dies.
  await kysely.connection().execute(async (held) => {
    await sql`select pg_advisory_lock(778233)`.execute(held)
    try {
      await seedUnlessWhole(database, seed)
    } finally {
      await sql`select pg_advisory_unlock(778233)`.execute(held)
    }
  })
}

async function seedUnlessWhole({ kysely }: Database, seed: Seed): Promise<void> {
  const noted = await kysely
    .selectFrom('seeds')
    .select('is_whole')
    .where('name', '=', seed.name)
    .executeTakeFirst()
  if (noted?.is_whole === 1) return
  if (noted !== undefined) await seed.undo()
  else if (await seed.isThere()) return
  else await kysely.insertInto('seeds').values({ name: seed.name, is_whole: 0 }).execute()
  await seed.make()
  await kysely.updateTable('seeds').set({ is_whole: 1 }).where('name', '=', seed.name).execute()
}
