import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { dayMs } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Database } from '../../store/database.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { addEvaluation, listEvaluations } from '../../store/evaluations.ts'
import { sampleEvaluation } from '../../store/sample-history.test-support.ts'
import { startHistoryKeeper } from './history.ts'

const now = Date.UTC(2026, 0, 5)
let database: Database
beforeEach(async () => {
  database = await memoryDatabase()
})
afterEach(() => database.close())

function start() {
  const clock = createManualClock(now)
  const log: string[] = []
  const keeper = startHistoryKeeper({
    database,
    clock,
    logger: pino({ level: 'info' }, { write: (line) => log.push(line) }),
    settings: { keepDays: 30, keepPerScan: 500, longestWaiverDays: 90 },
  })
  return { clock, log, keeper }
}

async function ages(): Promise<number[]> {
  const kept = await listEvaluations(database, {}, 100)
  return kept.map(({ startedAt }) => (now - startedAt) / dayMs)
}

test('what is too old goes at the start, and every day from then on', async () => {
  for (const days of [40, 31, 29, 28, 1]) {
    await addEvaluation(database, sampleEvaluation(now - days * dayMs))
  }
  const { clock, keeper, log } = start()
  await expect.poll(ages).toEqual([1, 28, 29])
  await expect.poll(() => clock.pending()).toBe(1)
  clock.advance(dayMs)
  await expect.poll(() => clock.pending()).toBe(1)
  expect(await ages()).toEqual([1, 28, 29])
  clock.advance(dayMs)
  await expect.poll(ages).toEqual([1, 28])
  await keeper.close()
  expect(clock.pending()).toBe(0)
  expect(log).toHaveLength(2)
})

test('a database that fails is reported, and cleaned up the next day', async () => {
  await database.close()
  const { clock, log, keeper } = start()
  await expect.poll(() => clock.pending()).toBe(1)
  expect(log.join('')).toContain('failed')
  database = await memoryDatabase()
  await keeper.close()
})
