import { expect, test } from 'vitest'
import { realClock } from '../real-clock.test-support.ts'
import { lastPosition } from './build-listing.ts'
import { addBuilds, forgetBuilds } from './build-writing.ts'
import { openDatabase } from './open-database.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { build, id, listed } from './sample-builds.test-support.ts'
import { type Seed, seedOnce } from './seed-once.ts'

onEachDatabase((open, address) => {
  const database = openForEachTest(open)

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
    await expect(seedOnce(database, realClock, killed)).rejects.toThrow('killed')
    expect(await stored()).toBe(2)
    await seedOnce(database, realClock, seed(addAll))
    expect(await stored()).toBe(3)
  })

  test('processes that start at once make it once, and all of them go on', async () => {
    const url = await address()
    const processes = await Promise.all([openDatabase(url), openDatabase(url), openDatabase(url)])
    let made = 0
    const starts = processes.map((process) =>
      seedOnce(process, realClock, {
        name: 'builds',
        isThere: async () => (await lastPosition(process)) > 0,
        make: async () => {
          made += 1
          for (const one of builds) await addBuilds(process, [one])
        },
        undo: () => forgetBuilds(process),
      }),
    )
    await Promise.all(starts)
    const found = await Promise.all(processes.map((process) => listed(process)))
    expect([made, found]).toEqual([1, processes.map(() => [id(1), id(2), id(3)])])
    await Promise.all(processes.map((process) => process.close()))
  })

  test('builds of somebody else are neither removed nor added to', async () => {
    await addBuilds(database, builds.slice(0, 1))
    await seedOnce(database, realClock, seed(addAll))
    expect(await stored()).toBe(1)
  })
})
