import { expect, test } from 'vitest'
import { addAction, listActions } from './actions.ts'
import { assign, listAssignments } from './assignments.ts'
import { findInsights, keepInsight } from './build-insights.ts'
import { listClaims, sayOfTile } from './claims.ts'
import { addEvaluation, findEvaluation, listEvaluations } from './evaluations.ts'
import { sweepHistory } from './history-sweep.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import {
  addWaiver,
  endWaiver,
  sampleEvaluation,
  samplePerson,
  sampleWaiver,
} from './sample-history.test-support.ts'
import { listWaivers } from './waivers.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number) => ({ ...samplePerson(), at, detail: '' })

  async function started(): Promise<number[]> {
    return (await listEvaluations(database, {}, 1000)).map(({ startedAt }) => startedAt)
  }

  test('removes evaluations that are older than is kept, with what was answered', async () => {
    for (const at of [998, 999, 1000, 1001]) await addEvaluation(database, sampleEvaluation(at))
    expect(await sweepHistory(database, { keepFrom: 1000, keepPerScan: 10 })).toBe(2)
    expect(await started()).toEqual([1001, 1000])
    const answers = await database.kysely.selectFrom('evaluation_answers').selectAll().execute()
    expect(answers).toHaveLength(2)
    expect(await sweepHistory(database, { keepFrom: 1000, keepPerScan: 10 })).toBe(0)
  })

  test('keeps the newest of each scan of each version', async () => {
    const add = async (count: number, change: Parameters<typeof sampleEvaluation>[1]) => {
      for (let at = 1; at <= count; at += 1) {
        await addEvaluation(database, sampleEvaluation(at, change))
      }
    }
    await add(5, {})
    await add(2, { scan: 'audit' })
    await add(3, { packagePath: '/packages/npm/@acme/app/2.0.0' })
    expect(await sweepHistory(database, { keepFrom: 0, keepPerScan: 2 })).toBe(4)
    expect(await started()).toEqual([5, 4, 3, 2, 2, 1])
  })

  test('keeps the newest of each scan where there are many scans', async () => {
    const versions = Array.from({ length: 120 }, (_, at) => `/packages/npm/@acme/app/${at}.0.0`)
    for (const packagePath of versions) {
      for (const at of [1, 2, 3])
        await addEvaluation(database, sampleEvaluation(at, { packagePath }))
    }
    expect(await sweepHistory(database, { keepFrom: 0, keepPerScan: 1 })).toBe(240)
    expect(await started()).toEqual(versions.map(() => 3))
  })

  test('removes what was read of builds by when it was read', async () => {
    const failures = { name: 'failures', version: 1 }
    const keep = (buildId: string, readAt: number) =>
      keepInsight(database, failures, { buildId, body: `["${buildId}"]` }, readAt)
    for (let at = 1; at <= 120; at += 1) await keep(`build-${at}`, at)
    await keep('build-1', 200)
    await sweepHistory(database, { keepFrom: 120, keepPerScan: 10 })
    const ids = Array.from({ length: 120 }, (_, at) => `build-${at + 1}`)
    const left = await findInsights(database, failures, ids)
    expect(left.toSorted((a, b) => a.buildId.localeCompare(b.buildId))).toEqual([
      { buildId: 'build-1', body: '["build-1"]' },
      { buildId: 'build-120', body: '["build-120"]' },
    ])
    expect(await findInsights(database, { ...failures, version: 2 }, ids)).toEqual([])
    expect(await findInsights(database, { ...failures, name: 'tests' }, ids)).toEqual([])
  })

  test('never removes a waiver in force, nor what was noted of one that is kept', async () => {
    const inForce = await addWaiver(database, sampleWaiver(5000), act(10))
    const ended = await addWaiver(database, sampleWaiver(5000, { reason: 'over' }), act(11))
    await endWaiver(database, ended.id, act(20))
    await addWaiver(database, sampleWaiver(900), act(12))
    const lately = await addWaiver(database, sampleWaiver(1100), act(13))
    await addAction(database.kysely, { ...act(14), action: 'evaluated', subject: 'old' })
    await addAction(database.kysely, { ...act(1000), action: 'evaluated', subject: 'new' })
    await sweepHistory(database, { keepFrom: 1000, keepPerScan: 2 })
    const left = await listWaivers(database, { now: 2000 })
    expect(left.map(({ id }) => id)).toEqual([lately.id, inForce.id])
    expect((await listActions(database, {}, 99)).map(({ at }) => at)).toEqual([1000, 13, 10])
  })

  test('keeps what sleeps and what is due until that is over for as long', async () => {
    const sleeps = (tile: string, until: number | null) =>
      sayOfTile(database, { tile, kind: 'sleep', reason: 'later', until }, act(10))
    await sleeps('long', 1500)
    await sleeps('over', 900)
    await sleeps('open', null)
    const due = (cell: string, dueAt: number | null) =>
      assign(database, { board: 'b', cells: [cell], assignee: 'ann', note: '', dueAt }, act(10))
    await due('soon', 1500)
    await due('past', 900)
    await due('some day', null)
    await sweepHistory(database, { keepFrom: 1000, keepPerScan: 2 })
    expect((await listClaims(database, 1000)).map(({ tile }) => tile)).toEqual(['long'])
    expect((await listAssignments(database, 'b')).map(({ cell }) => cell)).toEqual(['soon'])
  })

  test('is no trouble for those who read and write meanwhile, nor for a second one', async () => {
    for (let at = 1; at <= 1200; at += 1) await addEvaluation(database, sampleEvaluation(at))
    const ids = (await listEvaluations(database, {}, 1200)).map(({ id }) => id)
    const limits = { keepFrom: 1100, keepPerScan: 50 }
    const [removed, again, ...read] = await Promise.all([
      sweepHistory(database, limits),
      sweepHistory(database, limits),
      ...ids.filter((_, n) => n % 40 === 0).map((id) => findEvaluation(database, id)),
      ...[1, 2, 3].map((n) => addEvaluation(database, sampleEvaluation(2000 + n))),
    ])
    expect(removed + again).toBeGreaterThanOrEqual(1150)
    for (const one of read) if (one !== undefined) expect(one.body.length).toBeGreaterThan(0)
    await sweepHistory(database, limits)
    expect(await started()).toHaveLength(50)
  })
})
