import { afterEach, beforeEach, expect, test } from 'vitest'
import { listActions } from './actions.ts'
import type { Database } from './database.ts'
import { onEachDatabase } from './on-each-database.test-support.ts'
import { samplePackage, samplePerson, sampleWaiver } from './sample-history.test-support.ts'
import { addWaiver, endWaiver, findWaiver, listWaivers, waiversOfScan } from './waivers.ts'

onEachDatabase((open) => {
  let database: Database
  beforeEach(async () => {
    database = await open()
  })
  afterEach(() => database.close())

  const act = (at: number, by = 'ada') => ({ ...samplePerson(by), at, detail: `at ${at}` })

  test('a waiver is found as it was given, and who gave it is noted', async () => {
    const given = await addWaiver(database, sampleWaiver(500, { carriedFrom: 'other' }), act(100))
    expect(given).toEqual({
      ...sampleWaiver(500),
      carriedFrom: 'other',
      id: given.id,
      by: 'ada',
      createdAt: 100,
      endedAt: null,
      endedBy: null,
    })
    expect(await findWaiver(database, given.id)).toEqual(given)
    expect(await findWaiver(database, 'other')).toBeUndefined()
    expect(await listActions(database, { subject: samplePackage }, 9)).toEqual([
      {
        id: expect.any(String) as unknown,
        at: 100,
        by: 'ada',
        kind: 'person',
        action: 'waiver-given',
        subject: samplePackage,
        detail: 'at 100',
        outcome: 'done',
        from: '192.0.2.7',
        session: 's1',
        times: 1,
        lastAt: null,
      },
    ])
  })

  test('only what is in force counts for a scan, and nothing of another one', async () => {
    await addWaiver(database, sampleWaiver(500), act(100))
    for (const change of [
      { scan: 'audit' },
      { sha256: 'cd'.repeat(32) },
      { packagePath: '/packages/npm/@acme/app/1.0.1' },
    ]) {
      await addWaiver(database, sampleWaiver(500, change), act(100))
    }
    const scan = { packagePath: samplePackage, sha256: 'ab'.repeat(32), scan: 'release' }
    expect(await waiversOfScan(database, scan, 499)).toHaveLength(1)
    expect(await waiversOfScan(database, scan, 500)).toHaveLength(0)
  })

  test('lists those of a version or of all, the newest first, whether in force or over', async () => {
    const one = await addWaiver(database, sampleWaiver(500), act(100))
    const two = await addWaiver(database, sampleWaiver(300), act(101))
    const packagePath = '/packages/npm/@acme/app/1.0.1'
    const three = await addWaiver(database, sampleWaiver(500, { packagePath }), act(102))
    await endWaiver(database, one.id, act(103))
    const ids = async (path?: string) =>
      (await listWaivers(database, { path, now: 400 })).map(({ id }) => id)
    expect(await ids(samplePackage)).toEqual([two.id, one.id])
    expect(await ids('/packages/npm/@acme/app/*')).toEqual([three.id, two.id, one.id])
    expect(await ids()).toHaveLength(3)
    expect(await ids('/packages/npm/@acme/*')).toEqual([])
  })

  test('of several who end one at once, one does, and it is noted once', async () => {
    const { id } = await addWaiver(database, sampleWaiver(500), act(100))
    const people = ['a', 'b', 'c', 'd']
    const ends = await Promise.all(people.map((by) => endWaiver(database, id, act(200, by))))
    const done = ends.filter((end) => end !== undefined)
    expect(done).toHaveLength(1)
    expect(await findWaiver(database, id)).toEqual(done[0])
    const noted = await listActions(database, {}, 9)
    expect(noted.map(({ action, by }) => [action, by])).toEqual([
      ['waiver-ended', done[0]?.endedBy],
      ['waiver-given', 'ada'],
    ])
  })

  test('what has expired, or never was, cannot be ended', async () => {
    const { id } = await addWaiver(database, sampleWaiver(500), act(100))
    expect(await endWaiver(database, id, act(500))).toBeUndefined()
    expect(await endWaiver(database, 'nothing', act(200))).toBeUndefined()
    expect(await findWaiver(database, id)).toMatchObject({ endedAt: null })
  })

  test('several may waive the same at once, while others read and end', async () => {
    const scan = { packagePath: samplePackage, sha256: 'ab'.repeat(32), scan: 'release' }
    const rounds = Array.from({ length: 12 }, async (_, n) => {
      const given = await addWaiver(database, sampleWaiver(500 + n), act(100, `p${n}`))
      const [listed] = await Promise.all([
        listWaivers(database, { now: 200 }),
        waiversOfScan(database, scan, 200),
        n % 2 === 0 ? endWaiver(database, given.id, act(150)) : undefined,
      ])
      expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
    })
    await Promise.all(rounds)
    expect(await waiversOfScan(database, scan, 200)).toHaveLength(6)
    expect(await listWaivers(database, { now: 200 })).toHaveLength(12)
  })
})
