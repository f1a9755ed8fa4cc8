import { expect, test } from 'vitest'
import { listActions } from './actions.ts'
import { type Waiver, waiverStanding } from '../../protocol/waiver.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import {
  addWaiver,
  endWaiver,
  findWaiver,
  samplePackage,
  samplePerson,
  sampleWaiver,
} from './sample-history.test-support.ts'
import {
  addWaivers,
  approveWaivers,
  endWaivers,
  findWaivers,
  listWaivers,
  waiversOfScan,
} from './waivers.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number, by = 'ada') => ({ ...samplePerson(by), at, detail: `at ${at}` })

  test('what is sent again, as its answer was lost, is given once', async () => {
    const first = await addWaiver(database, sampleWaiver(9e12), act(100))
    const give = (expiresAt: number, by = 'ada') =>
      addWaiver(database, sampleWaiver(expiresAt), act(200, by))
    expect(await give(9e12)).toEqual(first)
    const renewal = { ...sampleWaiver(9e12 + 1), renews: first.id }
    const renewed = await addWaiver(database, renewal, act(300))
    expect(await addWaiver(database, renewal, act(400))).toEqual(renewed)
    const others = [await give(9e12 + 1), await give(9e12, 'ben'), await give(9e12)]
    expect(new Set([first, renewed, ...others].map(({ id }) => id)).size).toBe(5)
    expect(await listActions(database, {}, 9)).toHaveLength(5)
  })

  test('what is sent again while it is being written is given once', async () => {
    const asked = ['/policies/a/one', '/policies/a/two'].map((policyUri) => ({
      waiver: { ...sampleWaiver(9e12), policyUri },
      needsApproval: false,
      detail: 'x',
    }))
    const given = await atOnce(
      database,
      [1, 2, 3].map((at) => () => addWaivers(database, asked, act(at))),
    )
    const ids = given.map((waivers) => waivers?.map(({ id }) => id))
    expect(ids).toEqual([ids[0], ids[0], ids[0]])
    expect(await listActions(database, {}, 9)).toHaveLength(2)
  })

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
      versions: null,
      ticket: null,
      group: null,
      renews: null,
      renewedBy: null,
      needsApproval: false,
      approvedAt: null,
      approvedBy: null,
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

  const asked = (change: Parameters<typeof sampleWaiver>[1] = {}, needsApproval = false) => ({
    waiver: sampleWaiver(500, change),
    needsApproval,
    detail: 'given',
  })

  test('several are given under one group, ended and approved at once, or none of them', async () => {
    const given =
      (await addWaivers(database, [asked(), asked({ scan: 'audit' }, true)], act(100))) ?? []
    const [one, waiting] = given
    if (one === undefined || waiting === undefined) throw new Error('not given')
    expect(one.group).toBe(waiting.group)
    expect(one.group).not.toBeNull()
    const ids = given.map(({ id }) => ({ id, detail: () => 'x' }))
    expect(await approveWaivers(database, ids, act(101, 'bob'))).toBeUndefined()
    expect(await findWaivers(database, [one.id, waiting.id])).toEqual(given)
    expect(await endWaiver(database, one.id, act(102))).toBeDefined()
    expect(await endWaivers(database, ids, act(103, 'bob'))).toBeUndefined()
    expect(await findWaiver(database, waiting.id)).toMatchObject({ endedAt: null })
    expect(await endWaivers(database, ids, act(103))).toMatchObject([
      { endedAt: 102 },
      { endedAt: 103 },
    ])
  })

  test('what is ended or approved again by the same person, as the answer was lost, is done, and noted once', async () => {
    const given = (await addWaivers(database, [asked({}, true)], act(100))) ?? []
    const change = given.map(({ id }) => ({ id, detail: () => 'x' }))
    const approved = await approveWaivers(database, change, act(101, 'bob'))
    expect(approved).toBeDefined()
    expect(await approveWaivers(database, change, act(102, 'bob'))).toEqual(approved)
    expect(await approveWaivers(database, change, act(102, 'cyd'))).toBeUndefined()
    const ended = await endWaivers(database, change, act(103, 'bob'))
    expect(ended).toMatchObject([{ endedAt: 103 }])
    expect(await endWaivers(database, change, act(104, 'bob'))).toEqual(ended)
    expect(await approveWaivers(database, change, act(104, 'bob'))).toBeUndefined()
    expect(await listActions(database, {}, 9)).toHaveLength(3)
  })

  test('who renewed a waiver has not ended it', async () => {
    const old = await addWaiver(database, sampleWaiver(500), act(100))
    await addWaivers(database, [asked({ renews: old.id })], act(200))
    expect(await endWaiver(database, old.id, act(201))).toBeUndefined()
  })

  test('of two who end or approve the same ones at once in another order, one does', async () => {
    const given =
      (await addWaivers(
        database,
        Array.from({ length: 40 }, (_, at) => asked({ scan: `s${at}` }, true)),
        act(100),
      )) ?? []
    const changes = given.map(({ id }) => ({ id, detail: () => 'x' }))
    for (const change of [approveWaivers, endWaivers]) {
      const all = await atOnce(database, [
        () => change(database, changes, act(200, 'bob')),
        () => change(database, changes.toReversed(), act(200, 'cyd')),
      ])
      expect(all.filter((one) => one !== undefined)).toHaveLength(1)
    }
  })

  test('an approval stands before what ended the waiver, also by a clock that is behind, and the reason is of the waiver as it was', async () => {
    const [given] = (await addWaivers(database, [asked({}, true)], act(100))) ?? []
    const change = [
      { id: given?.id ?? '', detail: (of: Waiver) => `by ${of.approvedBy ?? 'none'}` },
    ]
    expect(await approveWaivers(database, change, act(99, 'bob'))).toMatchObject([
      { approvedAt: 101 },
    ])
    expect(await endWaivers(database, change, act(90, 'cyd'))).toMatchObject([{ endedAt: 102 }])
    const actions = (await listActions(database, {}, 9)).map(({ at, by, detail }) => [
      at,
      by,
      detail,
    ])
    expect(actions).toEqual([
      [102, 'cyd', 'by bob'],
      [101, 'bob', 'by none'],
      [100, 'ada', expect.anything()],
    ])
  })

  test('one that needs approval counts once somebody else has approved it, and is approved once', async () => {
    const [given] = (await addWaivers(database, [asked({}, true)], act(100))) ?? []
    const change = [{ id: given?.id ?? '', detail: () => 'x' }]
    const scan = { packagePath: samplePackage, sha256: 'ab'.repeat(32), scan: 'release' }
    expect(await waiversOfScan(database, scan, 200)).toEqual([])
    expect(await approveWaivers(database, change, act(200, 'ada'))).toBeUndefined()
    // A directory takes a name as it is typed.
    expect(await approveWaivers(database, change, act(200, ' ADA'))).toBeUndefined()
    const all = await Promise.all(
      ['bob', 'cyd'].map((by) => approveWaivers(database, change, act(201, by))),
    )
    expect(all.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await waiversOfScan(database, scan, 202)).toMatchObject([{ approvedAt: 201 }])
    const actions = (await listActions(database, {}, 9)).map(({ action }) => action)
    expect(actions).toEqual(['waiver-approved', 'waiver-given'])
  })

  test('who gave a waiver is who has the same subject, whatever the name; without one the name decides', async () => {
    const subject = (name: string) => ({ person: `subject ${name}` })
    const [given] =
      (await addWaivers(database, [asked({}, true)], { ...act(100, 'Ann'), ...subject('1') })) ?? []
    const change = [{ id: given?.id ?? '', detail: () => 'x' }]
    const isOwn = async (name: string, person?: string) =>
      (await findWaivers(database, [given?.id ?? ''], { name, person }))[0]?.isOwn
    expect(await isOwn('Ann', 'subject 1')).toBe(true)
    expect(await isOwn('Ann Miller', 'subject 1')).toBe(true)
    expect(await isOwn('Ann', 'subject 2')).toBe(false)
    // Of a session of an earlier release, or another way to sign in, only the name is comparable.
    expect([await isOwn('Ann'), await isOwn('Ann', 'name Ann'), await isOwn('Bob')]).toEqual([
      true,
      true,
      false,
    ])
    const renamed = { ...act(200, 'Ann Miller'), ...subject('1') }
    expect(await approveWaivers(database, change, renamed)).toBeUndefined()
    const namesake = { ...act(201, 'Ann'), ...subject('2') }
    expect(await approveWaivers(database, change, namesake)).toMatchObject([{ approvedBy: 'Ann' }])
    const [listed] = await listWaivers(database, {
      now: 202,
      reader: { name: 'Ann', ...subject('1') },
    })
    expect(listed?.isOwn).toBe(true)
  })

  test('a renewal ends what it renews and names it; of two at once, one does', async () => {
    const old = await addWaiver(database, sampleWaiver(500), act(100))
    const all = await Promise.all(
      [900, 901].map((end) =>
        addWaivers(
          database,
          [{ ...asked({ renews: old.id }), waiver: sampleWaiver(end, { renews: old.id }) }],
          act(200, 'bob'),
        ),
      ),
    )
    const done = all.filter((one) => one !== undefined).flat()
    expect(done).toHaveLength(1)
    expect(await findWaiver(database, old.id)).toMatchObject({
      endedAt: 200,
      endedBy: 'bob',
      renewedBy: done[0]?.id,
    })
    const scan = { packagePath: samplePackage, sha256: 'ab'.repeat(32), scan: 'release' }
    expect(await waiversOfScan(database, scan, 300)).toEqual(done)
    expect(await listWaivers(database, { now: 300 })).toHaveLength(2)
  })

  test('one that somebody ended is not renewed', async () => {
    const old = await addWaiver(database, sampleWaiver(500), act(100))
    await endWaivers(database, [{ id: old.id, detail: () => 'x' }], act(150, 'cat'))
    expect(await addWaivers(database, [asked({ renews: old.id })], act(200))).toBeUndefined()
    expect(await findWaiver(database, old.id)).toMatchObject({ endedBy: 'cat', renewedBy: null })
    expect(await listWaivers(database, { now: 300 })).toHaveLength(1)
  })

  test('what a renewal is to renew counts until that is approved, and again if it is declined', async () => {
    const old = await addWaiver(database, sampleWaiver(500), act(100))
    const renewal = async () => {
      const [given] =
        (await addWaivers(database, [asked({ renews: old.id }, true)], act(200))) ?? []
      return [{ id: given?.id ?? '', detail: () => 'x' }]
    }
    await endWaivers(database, await renewal(), act(201, 'bob'))
    expect(await findWaiver(database, old.id)).toMatchObject({ endedAt: null, renewedBy: null })
    const change = await renewal()
    expect(await findWaiver(database, old.id)).toMatchObject({ endedAt: null })
    await approveWaivers(database, change, act(202, 'bob'))
    expect(await findWaiver(database, old.id)).toMatchObject({ endedAt: 202 })
  })

  test('one that was ended while its renewal waits was not renewed, and the renewal counts once it is approved', async () => {
    const old = await addWaiver(database, sampleWaiver(500), act(100))
    const [renewal] =
      (await addWaivers(database, [asked({ renews: old.id }, true)], act(200))) ?? []
    const [ended] =
      (await endWaivers(database, [{ id: old.id, detail: () => 'x' }], act(201, 'bob'))) ?? []
    expect(ended && waiverStanding(ended, 300)).toBe('ended early')
    await approveWaivers(database, [{ id: renewal?.id ?? '', detail: () => 'x' }], act(202, 'bob'))
    const [newest, oldest] = await listWaivers(database, { now: 300 })
    expect(newest && waiverStanding(newest, 300)).toBe('in force')
    expect(oldest).toMatchObject({ endedAt: 201, renewedBy: null })
  })

  test('one for versions counts for every artifact of them, and is listed with each', async () => {
    const versions = { from: '1.0.0', until: '1.2' }
    const given = await addWaiver(database, sampleWaiver(500, { versions }), act(100))
    const of = (version: string) => ({
      packagePath: `/packages/npm/@acme/app/${version}`,
      sha256: 'cd'.repeat(32),
      scan: 'release',
    })
    expect(await waiversOfScan(database, of('1.1.7'), 200)).toEqual([given])
    expect(await waiversOfScan(database, of('1.3'), 200)).toEqual([])
    expect(await waiversOfScan(database, { ...of('1.1'), scan: 'audit' }, 200)).toEqual([])
    expect(await listWaivers(database, { path: of('1.1').packagePath, now: 200 })).toEqual([given])
  })
})
