import { afterEach, beforeEach, expect, test } from 'vitest'
import { addBuilds } from './build-writing.ts'
import { lastPosition } from './build-listing.ts'
import type { Database } from './database.ts'
import { onEachDatabase } from './on-each-database.test-support.ts'
import { forgetBuilds } from './retention.ts'
import { build } from './sample-builds.test-support.ts'
import { type Seed, seedOnce } from './seed-once.ts'

onEachDatabase((open) => {
  let database: Database
  beforeEach(async () => {
    database = await open()
  })
  afterEach(() => database.close())

  const builds = Array.from({ length: 3 }, (_, index) => build(index + 1))
  const stored = async (): Promise<number> =>
    (await database.kysely.selectFrom('builds').select('seq').execute()).length
  const seed = (make: Seed['make']): Seed => ({
    name: 'builds',
    isThere: async () => (await lastPosition(database)) > 0,
    make,
    undo: () => forgetBuilds(database),
  })
  const addAll = (): Promise<void> => addBuilds(database, builds)

  test('a history that was cut off half way is made anew, whole', async () => {
    const killed = seed(async () => {
      await addBuilds(database, builds.slice(0, 2))
      throw new Error('killed')
    })
    await expect(seedOnce(database, killed)).rejects.toThrow('killed')
    expect(await stored()).toBe(2)
    await seedOnce(database, seed(addAll))
    expect(await stored()).toBe(3)
  })

  test('two that start at once make it once, and both go on', async () => {
    let made = 0
    const counting = seed(async () => {
      made += 1
      await addAll()
    })
    const starts = [seedOnce(database, counting)]
    if (database.dialect === 'postgres') starts.push(seedOnce(database, counting))
    await Promise.all(starts)
    await seedOnce(database, counting)
    expect([made, await stored()]).toEqual([1, 3])
  })

  test('builds of somebody else are neither removed nor added to', async () => {
    await addBuilds(database, builds.slice(0, 1))
    await seedOnce(database, seed(addAll))
    expect(await stored()).toBe(1)
  })
})
