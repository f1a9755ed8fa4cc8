import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  type ActionFilter,
  addAction,
  earliestId,
  listActions,
  type NewAction,
  sortableId,
} from './actions.ts'
import { sweepHistory } from './history-sweep.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { samplePerson } from './sample-history.test-support.ts'

const time = fc.integer({ min: 0, max: 2 ** 50 - 2 })

test('ids sort as their times do, and behind the earliest of their time', () => {
  fc.assert(
    fc.property(time, time, (one, other) => {
      const [first, second] = [sortableId(one), sortableId(other)]
      if (one !== other) expect(first < second).toBe(one < other)
      expect(first > earliestId(one)).toBe(true)
      expect(first < earliestId(one + 1)).toBe(true)
    }),
  )
})

test('ids of one time are all different, and of letters and digits', () => {
  const ids = Array.from({ length: 1000 }, () => sortableId(1_780_000_000_000))
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{26}$/)
})

onEachDatabase((open) => {
  const database = openForEachTest(open)

  function add(at: number, change: Partial<NewAction> = {}): Promise<void> {
    return addAction(database.kysely, {
      ...samplePerson(),
      at,
      action: 'evaluated',
      subject: 'one',
      detail: `at ${at}`,
      ...change,
    })
  }

  async function times(filter: ActionFilter, limit = 99): Promise<number[]> {
    return (await listActions(database, filter, limit)).map(({ at }) => at)
  }

  test('actions are listed by their subject in pages, the newest first', async () => {
    for (let n = 0; n < 5; n += 1) await add(n, { subject: n === 2 ? 'other' : 'one' })
    const page = await listActions(database, { subject: 'one' }, 2)
    expect(page.map(({ at }) => at)).toEqual([4, 3])
    expect(await times({ subject: 'one', before: page[1]?.id })).toEqual([1, 0])
  })

  test('each filter narrows the list by itself, and all of them together', async () => {
    const token = { actor: { kind: 'token', name: 'ci' }, from: null } as const
    await add(1)
    await add(2, { ...token, action: 'access-refused', outcome: 'refused' })
    await add(3, { ...samplePerson('bob'), action: 'waiver-given' })
    await add(4, { ...token, outcome: 'failed' })
    expect(await times({ kind: 'token' })).toEqual([4, 2])
    expect(await times({ by: 'bob' })).toEqual([3])
    expect(await times({ actions: ['waiver-given', 'access-refused'] })).toEqual([3, 2])
    expect(await times({ outcome: 'done' })).toEqual([3, 1])
    expect(await times({ from: 2, until: 4 })).toEqual([3, 2])
    expect(await times({ kind: 'token', by: 'ci', outcome: 'failed', from: 4 })).toEqual([4])
    expect(await times({ kind: 'token', by: 'bob' })).toEqual([])
  })

  test('a long detail is cut between two characters', async () => {
    await add(7, { detail: `${'x'.repeat(3998)}🚀🚀` })
    expect((await listActions(database, {}, 9))[0]?.detail).toBe(`${'x'.repeat(3998)}…`)
  })

  test('a long subject in any script is recorded, cut at 800 characters', async () => {
    const long = Array.from({ length: 1000 }, (_, n) =>
      String.fromCharCode(0x4e00 + ((n * 7919) % 20_000)),
    ).join('')
    await add(7, { subject: long })
    expect((await listActions(database, {}, 9))[0]?.subject).toBe(`${long.slice(0, 799)}…`)
  })

  test('an action written again under its id counts how often it happened, and changes nothing else', async () => {
    const id = sortableId(7)
    await add(7, { id, outcome: 'refused' })
    await add(7, { id, outcome: 'done', subject: 'forged', repeated: { times: 5, lastAt: 90 } })
    expect(await listActions(database, {}, 9)).toMatchObject([
      { at: 7, outcome: 'refused', subject: 'one', times: 5, lastAt: 90 },
    ])
    await add(7, { id, subject: 'forged' })
    expect(await listActions(database, {}, 9)).toMatchObject([{ subject: 'one', times: 5 }])
  })

  test('the database refuses to change an action, and to remove one outside a sweep', async () => {
    await add(7)
    await add(8000)
    const { kysely } = database
    for (const column of ['at', 'by_user', 'detail', 'outcome', 'from_address'] as const) {
      await expect(kysely.updateTable('actions').set(column, '1').execute()).rejects.toThrow(
        /never changed/,
      )
    }
    await expect(kysely.deleteFrom('actions').execute()).rejects.toThrow(/by its age only/)
    if (database.dialect === 'postgres') {
      await expect(sql`truncate actions`.execute(kysely)).rejects.toThrow(/by its age only/)
    }
    expect(await times({})).toEqual([8000, 7])
    await sweepHistory(database, { keepFrom: 8000, keepPerScan: 9 })
    expect(await times({})).toEqual([8000])
    // The sweep is over: its word no longer holds.
    await expect(kysely.deleteFrom('actions').execute()).rejects.toThrow(/by its age only/)
  })

  test('sweeps any number of old actions, and keeps every younger one', async () => {
    for (let at = 0; at < 170; at += 1) await add(at)
    await Promise.all([
      sweepHistory(database, { keepFrom: 160, keepPerScan: 9 }),
      sweepHistory(database, { keepFrom: 150, keepPerScan: 9 }),
      add(200),
    ])
    expect(await times({})).toEqual([200, 169, 168, 167, 166, 165, 164, 163, 162, 161, 160])
  })
})
