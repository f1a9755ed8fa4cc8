import { expect, test } from 'vitest'
import type { WallContent } from '../../protocol/wall.ts'
import { listActions } from './actions.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { samplePerson } from './sample-history.test-support.ts'
import {
  deleteWall,
  listWallRevisions,
  listWalls,
  restoreWall,
  saveWall,
  sweepWalls,
} from './walls.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number, name = 'ann') => ({ ...samplePerson(name), at })
  const wall = (...titles: string[]): WallContent => ({
    title: 'Release\0 night',
    tiles: titles.map((title) => ({ title, query: `project:${title}`, pinned: false })),
    order: 'stable',
    group: 'none',
  })
  const save = (base: number, content: WallContent, at = base + 1, name = 'release') =>
    saveWall(database, name, { base, wall: content, note: '' }, act(at))

  test('each change is a revision, and an undo is one more', async () => {
    expect(await save(0, wall('core'))).toMatchObject({ is: 'saved', revision: { number: 1 } })
    await saveWall(
      database,
      'release',
      { base: 1, wall: wall('core', 'web'), note: 'for the freeze' },
      act(2, 'ben'),
    )
    const undone = await restoreWall(database, 'release', { base: 2, number: 1 }, act(3))
    expect(undone).toMatchObject({ is: 'saved', revision: { number: 3, restored: 1 } })
    expect(await listWallRevisions(database, 'release', { limit: 9 })).toMatchObject([
      { number: 3, tiles: [{ title: 'core' }], by: 'ann', at: 3, restored: 1 },
      { number: 2, tiles: [{}, { title: 'web' }], by: 'ben', note: 'for the freeze' },
      { number: 1, tiles: [{ title: 'core' }], order: 'stable', restored: null },
    ])
    const older = await listWallRevisions(database, 'release', { before: 3, limit: 1 })
    expect(older.map(({ number }) => number)).toEqual([2])
    expect((await listActions(database, {}, 9)).map(({ detail }) => detail)).toEqual([
      'Restored revision 1 of the wall release, with 1 tile.',
      'Changed the wall release with 2 tiles. Note: for the freeze',
      'Saved the new wall release with 1 tile',
    ])
  })

  test('a wall that is deleted can be restored, and its name can be taken', async () => {
    await save(0, wall('core'))
    expect(await deleteWall(database, 'release', 1, act(2))).toMatchObject({ is: 'saved' })
    expect(await listWalls(database)).toMatchObject([
      { name: 'release', number: 2, deleted: true, tiles: [{ title: 'core' }] },
    ])
    expect(await deleteWall(database, 'release', 2, act(3))).toEqual({ is: 'gone' })
    await restoreWall(database, 'release', { base: 2, number: 1 }, act(3))
    expect(await listWalls(database)).toMatchObject([{ number: 3, deleted: false }])
    await deleteWall(database, 'release', 3, act(4))
    expect(await save(0, wall(), 5)).toMatchObject({ is: 'saved', revision: { number: 5 } })
  })

  test('of two who save what they made from one revision, one wins and the other gets that', async () => {
    for (let base = 0; base < 8; base++) {
      const came = await Promise.all(
        ['ann', 'ben'].map((name) =>
          saveWall(database, 'release', { base, wall: wall(name), note: '' }, act(base, name)),
        ),
      )
      const winner = came.find(({ is }) => is === 'saved')
      const loser = came.find(({ is }) => is === 'changed')
      expect(winner).toMatchObject({ revision: { number: base + 1 } })
      expect(loser).toEqual({
        is: 'changed',
        base,
        current: winner?.is === 'saved' ? winner.revision : undefined,
      })
    }
  })

  test('what is sent again, as its answer was lost, is done once', async () => {
    const steps = [
      () => save(0, wall('core')),
      () => save(1, wall('web')),
      () => restoreWall(database, 'release', { base: 2, number: 1 }, act(3)),
      () => deleteWall(database, 'release', 3, act(4)),
    ]
    for (const [before, step] of steps.entries()) {
      const first = await step()
      expect(first).toMatchObject({ is: 'saved', revision: { number: before + 1 } })
      expect(await step()).toEqual(first)
    }
    expect(await deleteWall(database, 'release', 3, act(5, 'ben'))).toMatchObject({ is: 'changed' })
    expect(await listWallRevisions(database, 'release', { limit: 9 })).toHaveLength(4)
    expect(await listActions(database, {}, 9)).toHaveLength(4)
  })

  test('a base that is older, or of a wall that was never there, changes nothing', async () => {
    expect(await save(3, wall())).toEqual({ is: 'gone' })
    await save(0, wall('core'))
    await save(1, wall('web'))
    for (const late of [
      await save(0, wall()),
      await save(1, wall()),
      await deleteWall(database, 'release', 1, act(9)),
      await restoreWall(database, 'release', { base: 1, number: 1 }, act(9)),
    ]) {
      expect(late).toMatchObject({ is: 'changed', current: { number: 2 } })
    }
    expect(await restoreWall(database, 'release', { base: 2, number: 7 }, act(9))).toEqual({
      is: 'gone',
    })
    expect(await listWalls(database)).toHaveLength(1)
  })

  test('what is swept is old, and never what an undo of late needs', async () => {
    for (let base = 0; base < 25; base++) await save(base, wall(), 1)
    await save(0, wall(), 1, 'gone')
    await deleteWall(database, 'gone', 1, act(2))
    await sweepWalls(database, 2)
    expect(await listWalls(database)).toMatchObject([
      { name: 'gone', number: 2 },
      { name: 'release', number: 25 },
    ])
    expect(await listWallRevisions(database, 'release', { limit: 50 })).toHaveLength(20)
    await sweepWalls(database, 3)
    expect(await listWalls(database)).toMatchObject([{ name: 'release' }])
  })

  test('there are at most 200 walls, also where several are saved at once, and one that is there can still be changed', async () => {
    for (let index = 0; index < 199; index++) await save(0, wall(), 1, `wall-${index}`)
    const last = await atOnce(
      database,
      ['a', 'b', 'c'].map((name) => () => save(0, wall(), 2, `last-${name}`)),
    )
    expect(last.map(({ is }) => is).sort()).toEqual(['full', 'full', 'saved'])
    expect(await save(0, wall(), 2, 'more')).toEqual({ is: 'full' })
    expect(await save(1, wall('core'), 2, 'wall-7')).toMatchObject({ is: 'saved' })
  })
})
