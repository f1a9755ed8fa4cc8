import { expect, test } from 'vitest'
import { tileKey } from '../../protocol/claim.ts'
import { listActions } from './actions.ts'
import { claimsOfTile, listClaims, sayOfTile, takeBack } from './claims.ts'
import { claimKeysMigration } from './history-migrations.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { samplePerson } from './sample-history.test-support.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number, name = 'ann') => ({ ...samplePerson(name), at })
  const claim = { tile: 'project:shop', kind: 'claim', reason: null, until: null } as const
  const sleep = { ...claim, kind: 'sleep', reason: 'known\0', until: 50 } as const

  test('a tile has one who is on it and sleeps once, the last word counts, and each is noted', async () => {
    await sayOfTile(database, claim, act(1))
    await sayOfTile(database, sleep, act(2))
    await sayOfTile(database, { ...claim, tile: 'project:cart' }, act(3))
    await sayOfTile(database, claim, act(4, 'ben'))
    expect(await listClaims(database, 10)).toMatchObject([
      { tile: 'project:shop', kind: 'claim', by: 'ben', createdAt: 4, until: null },
      { tile: 'project:cart', by: 'ann' },
      { tile: 'project:shop', kind: 'sleep', reason: 'known\ufffd', until: 50 },
    ])
    expect(await listClaims(database, 50)).toHaveLength(2)
    expect(await claimsOfTile(database, 'project:shop')).toHaveLength(2)
    expect(await takeBack(database, claim, act(5))).toBe(true)
    expect(await takeBack(database, claim, act(6))).toBe(false)
    expect(await takeBack(database, sleep, act(7))).toBe(true)
    expect(await listClaims(database, 10)).toMatchObject([{ tile: 'project:cart' }])
    const actions = await listActions(database, {}, 9)
    expect(actions.map(({ action }) => action)).toEqual([
      'tile-woken',
      'claim-released',
      'tile-claimed',
      'tile-claimed',
      'tile-sleeps',
      'tile-claimed',
    ])
  })

  test('what is said again, as its response was lost, is said and noted once', async () => {
    const named = { ...claim, failingSince: 1 }
    for (const said of [named, { ...sleep, failingSince: 1 }]) {
      const first = await sayOfTile(database, said, act(1))
      expect(await sayOfTile(database, said, act(9))).toEqual(first)
    }
    expect(await listActions(database, {}, 9)).toHaveLength(2)
    await sayOfTile(database, { ...sleep, reason: 'fixed tonight', failingSince: 1 }, act(10))
    await sayOfTile(database, { ...claim, failingSince: 5 }, act(11))
    await sayOfTile(database, { ...claim, failingSince: 5 }, act(12 + 60 * 60_000))
    expect(await listActions(database, {}, 9)).toHaveLength(5)
  })

  test('what somebody else has said of the same failure is replaced by those who have seen it alone', async () => {
    const said = { ...claim, failingSince: 5, inPlaceOf: null }
    const all = await atOnce(
      database,
      ['ann', 'ben'].map((name) => () => sayOfTile(database, said, act(6, name))),
    )
    const [first] = all.flatMap((one) => one ?? [])
    expect(all.filter((one) => one === undefined)).toHaveLength(1)
    expect(await listClaims(database, 10)).toEqual([first])
    expect(await listActions(database, {}, 9)).toHaveLength(1)
    const seen = { ...said, inPlaceOf: 6 }
    expect(await sayOfTile(database, seen, act(7, 'eve'))).toMatchObject({ by: 'eve' })
    const next = { ...said, failingSince: 8 }
    expect(await sayOfTile(database, next, act(9))).toMatchObject({ by: 'ann', createdAt: 9 })
  })

  test('what is said without its failure may be about the next one: it counts from then', async () => {
    await sayOfTile(database, claim, act(1))
    expect((await sayOfTile(database, claim, act(9)))?.createdAt).toBe(9)
    expect(await listClaims(database, 10)).toMatchObject([{ by: 'ann', createdAt: 9 }])
  })

  test('what is said again while it is being written is said and noted once', async () => {
    for (const kind of [claim, sleep]) {
      const said = { ...kind, failingSince: 1 }
      const all = await atOnce(
        database,
        [1, 2, 3].map((at) => () => sayOfTile(database, said, act(at))),
      )
      expect(all).toEqual([all[0], all[0], all[0]])
    }
    expect(await listActions(database, {}, 9)).toHaveLength(2)
  })

  test('of a project are found by any spelling, those of older releases as well', async () => {
    expect(tileKey('project:MailProj', 'Main')).toBe('project:mailproj\nMain')
    expect(tileKey('project:A buildDuration>1M', undefined)).toBe('project:A buildDuration>1M')
    for (const tile of ['project:MailProj\nMain', 'project:Web', 'project:web']) {
      await sayOfTile(database, { ...claim, tile }, act(1))
    }
    await claimKeysMigration.up(database.kysely)
    const tiles = (await listClaims(database, 2)).map(({ tile }) => tile)
    expect(tiles).toEqual(expect.arrayContaining(['project:mailproj\nMain', 'project:web']))
    expect(tiles).toHaveLength(2)
    expect(await claimsOfTile(database, 'project:mailproj\nMain')).toHaveLength(1)
  })

  test('of a project under several spellings of an older release, the newest stays', async () => {
    await sayOfTile(database, { ...claim, tile: 'project:web' }, act(1))
    await sayOfTile(database, { ...claim, tile: 'project:WEB' }, act(3))
    await sayOfTile(database, { ...claim, tile: 'project:Web' }, act(2))
    await claimKeysMigration.up(database.kysely)
    expect(await listClaims(database, 2)).toMatchObject([{ tile: 'project:web', createdAt: 3 }])
  })
})
