import { expect, test } from 'vitest'
import { listActions } from './actions.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { endQuarantine, listQuarantined, quarantineTest } from './quarantine.ts'
import { samplePerson } from './sample-history.test-support.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number) => ({ ...samplePerson('ada'), at, detail: 'x' })
  const adds = { project: 'checkout', task: ':test', className: null, name: 'adds\0' }

  test('what is sent again, as its answer was lost, is done and noted once', async () => {
    const asked = { test: adds, reason: 'one', until: 50 }
    const first = await quarantineTest(database, asked, act(1))
    expect(await quarantineTest(database, asked, act(2))).toEqual(first)
    expect(await listActions(database, {}, 9)).toHaveLength(1)
  })

  test('what is sent again while it is being written is done and noted once', async () => {
    const asked = { test: adds, reason: 'one', until: 50 }
    const done = await atOnce(
      database,
      [1, 2, 3].map((at) => () => quarantineTest(database, asked, act(at))),
    )
    expect(done).toEqual([done[0], done[0], done[0]])
    expect(await listQuarantined(database, 10)).toHaveLength(1)
    expect(await listActions(database, {}, 9)).toHaveLength(1)
  })

  test('a test is quarantined until its time or until it is ended, and each time it is noted', async () => {
    const first = await quarantineTest(database, { test: adds, reason: 'one', until: 50 }, act(1))
    const other = { ...adds, project: null, name: 'other' }
    await quarantineTest(database, { test: other, reason: 'two', until: 20 }, act(2))
    const again = await quarantineTest(database, { test: adds, reason: 'new', until: 90 }, act(3))
    expect(await listQuarantined(database, 10)).toMatchObject([
      { test: other, until: 20, by: 'ada', createdAt: 2 },
      { test: { ...adds, name: 'adds\ufffd' }, reason: 'new' },
    ])
    expect(await listQuarantined(database, 20)).toHaveLength(1)
    // Whoever saw the first one ends no other.
    for (const id of [first?.id ?? '', 'none\0']) {
      expect(await endQuarantine(database, id, act(29))).toBeUndefined()
    }
    expect(await listQuarantined(database, 30)).toHaveLength(1)
    expect(await endQuarantine(database, again?.id ?? '', act(30))).toMatchObject({ until: 90 })
    expect(await endQuarantine(database, again?.id ?? '', act(31))).toBeUndefined()
    expect(await listQuarantined(database, 31)).toEqual([])
    const actions = await listActions(database, {}, 9)
    expect(actions.map(({ action }) => action)).toEqual([
      'quarantine-ended',
      ...Array.from({ length: 3 }, () => 'test-quarantined'),
    ])
  })
})
