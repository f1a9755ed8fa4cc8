import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { packagePath } from '../protocol/package-address.ts'
import { openCompany } from './embedded-company.ts'
import { createSeededRandom } from './embedded/content/seeded-random.ts'
import { seedEvaluations, seedWaivers } from './demo-history.ts'
import { memoryDatabase } from './store/memory-database.test-support.ts'
import { waiverStanding } from '../protocol/waiver.ts'
import { listEvaluations } from './store/evaluations.ts'
import { listWaivers } from './store/waivers.ts'

const now = Date.UTC(2026, 10, 20, 15)

test('the demo begins with packages that a pipeline evaluated, once, and one that the broken project holds back, and with waivers', async () => {
  const database = await memoryDatabase()
  const clock = createManualClock(now)
  const logger = pino({ level: 'silent' })
  const key = 'a-key'
  const company = await openCompany({
    settings: { builds: 300, rate: 0, seed: 1, stores: ['af:evidence'], models: true },
    accessKey: { reveal: () => key },
    credentials: [],
    database,
    clock,
    random: createSeededRandom('demo'),
    logger,
  })
  expect(company.offered.tips).toBe(false)
  await company.publishPackages('http://127.0.0.1')
  const seed = (): Promise<void> =>
    seedEvaluations({
      database,
      clock,
      logger,
      scans: ['build', 'release', 'production'],
      evaluate: async (path, body) =>
        company.embedded.app.request(`http://127.0.0.1${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${key}`,
            'Content-Type': 'application/json',
            Accept: 'application/x-ndjson',
          },
          body,
        }),
    })
  await seed()
  await seed()
  const all = await listEvaluations(database, {}, 100)
  expect(all).toHaveLength(36)
  expect(new Set(all.map(({ by, ended }) => `${by} ${ended}`))).toEqual(
    new Set(['release-pipeline complete']),
  )
  expect(all.every(({ endedAt }) => endedAt < now)).toBe(true)
  const path = packagePath({ type: 'oci', name: 'checkout', version: '2.5.0' })
  const blocked = all.find(({ packagePath, scan }) => packagePath === path && scan === 'release')
  expect(blocked?.verdict).toBe('not-releasable')
  expect(blocked?.failing).toEqual([expect.stringContaining('provenance-present')])

  await seedWaivers(database, clock)
  await seedWaivers(database, clock)
  const waivers = await listWaivers(database, { now })
  expect(waivers.map((waiver) => waiverStanding(waiver, now)).sort()).toEqual([
    'expired',
    'in force',
    'waiting for approval',
  ])
  // Each accepts what its scan really reports: none would match nothing.
  for (const { packagePath, scan, policyUri } of waivers) {
    const run = all.find((one) => one.packagePath === packagePath && one.scan === scan)
    expect(run?.failing).toContain(policyUri)
  }
  await company.embedded.close()
  await database.close()
})
