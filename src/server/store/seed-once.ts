import { type Clock, wait } from '../../protocol/clock.ts'
import type { Database } from './database.ts'
import { takeLock } from './process-lock.ts'

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
 * Makes a seed once, however many processes start on the database at once: the others wait. What a
 * killed process left half made is removed and made anew.
 */
export async function seedOnce(database: Database, clock: Clock, seed: Seed): Promise<void> {
  while ((await noted(database, seed))?.is_whole !== 1) {
    const lock = await takeLock(database, 'seed')
    if (lock === undefined) {
      await wait(clock, lookMs)
      continue
    }
    try {
      await seedUnlessWhole(database, seed)
      return
    } finally {
      await lock.release()
    }
  }
}

const lookMs = 100

async function seedUnlessWhole(database: Database, seed: Seed): Promise<void> {
  const { kysely } = database
  const begun = await noted(database, seed)
  if (begun?.is_whole === 1) return
  if (begun !== undefined) await seed.undo()
  else if (await seed.isThere()) return
  else await kysely.insertInto('seeds').values({ name: seed.name, is_whole: 0 }).execute()
  await seed.make()
  await kysely.updateTable('seeds').set({ is_whole: 1 }).where('name', '=', seed.name).execute()
}

function noted(
  { kysely }: Database,
  { name }: Seed,
): Promise<{ readonly is_whole: number } | undefined> {
  return kysely.selectFrom('seeds').select('is_whole').where('name', '=', name).executeTakeFirst()
}
