import { expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { createSeededRandom } from './embedded/content/seeded-random.ts'
import { openCompany, startLivingPresent } from './embedded-company.ts'
import { listBuilds } from './store/build-listing.ts'
import { messageOf } from './store/build-rows.ts'
import { memoryDatabase } from './store/memory-database.test-support.ts'

const start = Date.parse('2026-11-20T09:00:00Z')

function setUp(ratePerSecond: number, store = (): Promise<void> => Promise.resolve()) {
  const clock = createManualClock(start)
  const stored: { readonly id: string; readonly at: number }[] = []
  const failures: unknown[] = []
  const random = createSeededRandom(7, 'test')
  const present = startLivingPresent({
    clock,
    random: () => random(),
    seed: 1,
    ratePerSecond,
    store: (builds) => {
      for (const { message } of builds) stored.push({ id: message.buildId, at: message.timestamp })
      return store()
    },
    failed: (error) => failures.push(error),
  })
  const advance = async (ms: number, stepMs: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(stepMs)
      // Storing is asynchronous: the next turn is set once it is done.
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve()
    }
  }
  return { clock, stored, failures, present, advance }
}

test.each([
  [2, 100],
  [100, 20],
])('builds arrive at %i per second, in order of receipt', async (rate, stepMs) => {
  const { stored, present, advance } = setUp(rate)
  const seconds = 400 / rate
  await advance(seconds * 1000, stepMs)
  await present.stop()
  expect(stored.length).toBeGreaterThan(rate * seconds * 0.8)
  expect(stored.length).toBeLessThan(rate * seconds * 1.2)
  expect(stored.map(({ at }) => at)).toEqual(stored.map(({ at }) => at).sort((a, b) => a - b))
  expect(new Set(stored.map(({ id }) => id)).size).toBe(stored.length)
})

test('after a sleep of the machine it goes on with the present, not with the gap', async () => {
  const { clock, stored, present, advance } = setUp(1)
  await advance(10_000, 100)
  const before = stored.length
  clock.advance(8 * 3_600_000)
  await advance(10_000, 100)
  await present.stop()
  expect(stored.length - before).toBeLessThan(40)
  expect(stored.at(-1)?.at).toBeGreaterThan(start + 8 * 3_600_000)
})

test('a batch that cannot be stored is reported, and the next ones are still built', async () => {
  const { stored, failures, present, advance } = setUp(5, () => Promise.reject(new Error('full')))
  await advance(10_000, 50)
  await present.stop()
  expect(failures.length).toBeGreaterThan(1)
  expect(stored.length).toBeGreaterThan(1)
})

test('a database that takes no builds is logged once, until it has taken some', async () => {
  const database = await memoryDatabase()
  const clock = createManualClock(start)
  const random = createSeededRandom(7, 'full')
  const logged: unknown[] = []
  const company = await openCompany({
    settings: { builds: 0, rate: 5, seed: 1, stores: [], models: false },
    accessKey: { reveal: () => 'a-key' },
    credentials: [],
    database,
    clock,
    random,
    logger: { error: (what: unknown) => logged.push(what) },
  })
  const present = company.startPresent()
  const builds = async (): Promise<number> => (await listBuilds(database, {}, 100)).length
  const rename = (from: string, to: string) =>
    database.kysely.schema.alterTable(from).renameTo(to).execute()
  const later = (): number => {
    clock.advance(500)
    return logged.length
  }
  await rename('builds', 'away')
  await expect.poll(later).toBe(1)
  for (let turn = 0; turn < 10; turn += 1) {
    later()
    await new Promise(setImmediate)
  }
  expect(logged).toEqual([{ reason: expect.stringContaining('no such table') as unknown }])
  await rename('away', 'builds')
  await expect.poll(async () => [later(), await builds()].at(-1)).toBeGreaterThan(0)
  await rename('builds', 'away')
  await expect.poll(later).toBe(2)
  await present.stop()
  await company.embedded.close()
  await database.close()
})

test('nothing arrives and no timer is left after it was stopped', async () => {
  const { clock, stored, present, advance } = setUp(5)
  await advance(2_000, 50)
  await present.stop()
  const before = stored.length
  expect(clock.pending()).toBe(0)
  await advance(2_000, 50)
  expect(stored.length).toBe(before)
})

test('started again the next day, the last hour is as busy as ever, and what was there is not added again', async () => {
  const database = await memoryDatabase()
  const clock = createManualClock(start)
  const random = createSeededRandom(7, 'again')
  const open = (builds: number) =>
    openCompany({
      settings: { builds, rate: 0.1, seed: 1, stores: [], models: false },
      accessKey: { reveal: () => 'a-key' },
      credentials: [],
      database,
      clock,
      random,
      logger: { error: () => undefined },
    })
  const receipts = async (from: number): Promise<number[]> =>
    (await listBuilds(database, { receivedFrom: from }, 10_000)).map(
      (build) => messageOf(build).timestamp,
    )
  const first = await open(50)
  const before = await receipts(0)
  clock.advance(60_000)
  const soon = await open(2000)
  expect((await receipts(0)).length - before.length).toBeLessThan(20)
  clock.advance(24 * 3_600_000)
  const nextDay = await open(2000)
  const added = await receipts(start + 120_000)
  expect(added.length).toBeGreaterThan(250)
  expect(added.length).toBeLessThan(470)
  expect(added).toEqual(added.toSorted((a, b) => a - b))
  expect(added[0]).toBeGreaterThan(clock.now() - 3_600_000)
  expect(added.at(-1)).toBeLessThan(clock.now())
  for (const { embedded } of [first, soon, nextDay]) await embedded.close()
  await database.close()
})
