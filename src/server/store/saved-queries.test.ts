import { expect, test } from 'vitest'
import { listActions } from './actions.ts'
import { sweepHistory } from './history-sweep.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { samplePerson } from './sample-history.test-support.ts'
import {
  changeQuery,
  clearQueryRuns,
  deleteQuery,
  listQueryRuns,
  listSavedQueries,
  recordQueryRuns,
  restoreQuery,
  saveQuery,
  type SavingResult,
} from './saved-queries.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const by = (name: string, mayShare = true, at = 1) => ({
    ...samplePerson(name),
    person: `name ${name}`,
    at,
    mayShare,
  })
  const asked = { name: 'Failed', query: 'buildOutcome:failed', zone: null, shared: false }
  const save = async (change: Partial<typeof asked>, who: string) =>
    savedIn(await saveQuery(database, { ...asked, ...change }, by(who)))
  /** So many like the one of this id. */
  const fill = async (id: string, count: number) => {
    const row = await database.kysely
      .selectFrom('saved_queries')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: count }, (_, at) => {
      const name = `more-${at}`
      return { ...row, id: name, name, name_key: name }
    })
    for (let at = 0; at < rows.length; at += 50) {
      await database.kysely
        .insertInto('saved_queries')
        .values(rows.slice(at, at + 50))
        .execute()
    }
  }
  const seen = async (who: string) =>
    (await listSavedQueries(database, `name ${who}`)).map(({ name, mine }) => [name, mine])

  test("everybody sees their own queries and the shared ones, and no one else's", async () => {
    await save({}, 'ada')
    await save({ query: 'tag:CI\0' }, 'ben')
    await save({ name: 'all', shared: true }, 'ben')
    expect(await seen('ada')).toEqual([
      ['all', false],
      ['Failed', true],
    ])
    expect(await seen('ben')).toEqual([
      ['all', true],
      ['Failed', true],
    ])
    expect(await seen('eve')).toEqual([['all', false]])
    const actions = await listActions(database, {}, 9)
    expect(actions.map(({ action, by: who, detail }) => [action, who, detail]).sort()).toEqual([
      ['query-saved', 'ada', 'Saved the query Failed.'],
      ['query-saved', 'ben', 'Saved the query Failed.'],
      ['query-saved', 'ben', 'Saved the query all, shared with everyone: buildOutcome:failed'],
    ])
  })

  test('a name is given once, in any case of letters, also by many at once', async () => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd'].map((who) =>
        saveQuery(database, { ...asked, name: 'Same', shared: true }, by(who)),
      ),
    )
    expect(results.map(({ is }) => is).sort()).toEqual([
      'name-taken',
      'name-taken',
      'name-taken',
      'saved',
    ])
    const other = await save({ name: 'other', shared: true }, 'ada')
    const renamed = await changeQuery(database, other.id, { version: 1, name: 'SAME' }, by('ada'))
    expect(renamed.is).toBe('name-taken')
    const again = await changeQuery(database, other.id, { version: 1, name: 'Other' }, by('ada'))
    expect(again).toMatchObject({ is: 'saved', query: { name: 'Other', version: 2 } })
  })

  test('there are at most 1,000 of a person, also where several are saved at once, one is restored, or one is no longer shared', async () => {
    const { id } = await save({}, 'ada')
    await fill(id, 998)
    const last = await atOnce(
      database,
      ['a', 'b', 'c'].map((name) => () => saveQuery(database, { ...asked, name }, by('ada'))),
    )
    expect(last.map(({ is }) => is).sort()).toEqual(['full', 'full', 'saved'])
    expect(await save({}, 'ben')).toBeDefined()

    expect((await deleteQuery(database, id, 1, by('ada'))).is).toBe('saved')
    const shared = await save({ name: 'shared', shared: true }, 'ada')
    expect((await save({ name: 'instead' }, 'ada')).mine).toBe(true)
    expect((await restoreQuery(database, id, by('ada'))).is).toBe('full')
    const change = { version: 1, shared: false }
    expect((await changeQuery(database, shared.id, change, by('ada'))).is).toBe('full')
    const renamed = await changeQuery(database, 'more-0', { version: 1, name: 'New' }, by('ada'))
    expect(renamed.is).toBe('saved')
  })

  test('there are at most 1,000 that are shared, also where one is shared later', async () => {
    const { id } = await save({ shared: true }, 'ada')
    const own = await save({ name: 'own' }, 'ada')
    await fill(id, 999)
    const sharing = { version: 1, shared: true }
    expect((await changeQuery(database, own.id, sharing, by('ada'))).is).toBe('full')
    expect((await deleteQuery(database, 'more-0', 1, by('ada'))).is).toBe('saved')
    expect((await changeQuery(database, own.id, sharing, by('ada'))).is).toBe('saved')
  })

  test('what is sent again, as its answer was lost, is done once', async () => {
    const all = { ...asked, shared: true }
    const { id } = await save(all, 'ada')
    const steps = [
      () => saveQuery(database, all, by('ada')),
      () => changeQuery(database, id, { version: 1, name: 'Red' }, by('ada')),
      () => deleteQuery(database, id, 2, by('ada')),
    ]
    for (const step of steps) {
      const first = await step()
      expect(first).toMatchObject({ is: 'saved', query: { id } })
      expect(await step()).toEqual(first)
    }
    expect(await listActions(database, {}, 9)).toHaveLength(3)
    await restoreQuery(database, id, by('ada'))
    expect(await saveQuery(database, { ...all, name: 'Red' }, by('ben'))).toMatchObject({
      is: 'name-taken',
    })
    expect(await deleteQuery(database, id, 2, by('ada'))).toMatchObject({ is: 'changed' })
  })

  test('of two who change one query the second is shown what the first made of it', async () => {
    const { id } = await save({ shared: true }, 'ada')
    const change = (who: string, query: string) =>
      changeQuery(database, id, { version: 1, query }, by(who))
    const [first, second] = [await change('ben', 'tag:b'), await change('eve', 'tag:e')]
    expect(first).toMatchObject({ is: 'saved', query: { version: 2, changedBy: 'ben' } })
    expect(second).toMatchObject({ is: 'changed', current: { query: 'tag:b', changedBy: 'ben' } })
    expect(await deleteQuery(database, id, 1, by('eve'))).toMatchObject({ is: 'changed' })
    expect((await listSavedQueries(database, 'name ada'))[0]?.query).toBe('tag:b')
  })

  test("what is shared takes the permission, what is one's own nobody else reaches", async () => {
    const own = await save({}, 'ada')
    const shared = await save({ name: 'all', shared: true }, 'ada')
    const may = (result: Promise<SavingResult>) => result.then(({ is }) => is)
    const change = { version: 1, query: 'tag:x' }
    expect(await may(changeQuery(database, own.id, change, by('ben')))).toBe('gone')
    expect(await may(deleteQuery(database, own.id, 1, by('ben')))).toBe('gone')
    expect(await may(saveQuery(database, { ...asked, shared: true }, by('ben', false)))).toBe(
      'refused',
    )
    expect(await may(changeQuery(database, shared.id, change, by('ben', false)))).toBe('refused')
    expect(await may(deleteQuery(database, shared.id, 1, by('ben', false)))).toBe('refused')
    const mine = { version: 1, shared: false }
    expect(await may(changeQuery(database, shared.id, mine, by('ben')))).toBe('refused')
    expect(await may(changeQuery(database, shared.id, mine, by('ada')))).toBe('saved')
    expect(await seen('ben')).toEqual([])
  })

  test('a deletion is taken back, unless the name has gone to another or it was swept', async () => {
    const { id } = await save({}, 'ada')
    await deleteQuery(database, id, 1, by('ada', true, 50))
    expect(await seen('ada')).toEqual([])
    expect(await restoreQuery(database, id, by('ben'))).toEqual({ is: 'gone' })
    expect(await restoreQuery(database, id, by('ada'))).toMatchObject({ is: 'saved' })
    await deleteQuery(database, id, 3, by('ada', true, 50))
    await save({ query: 'tag:new' }, 'ada')
    expect(await restoreQuery(database, id, by('ada'))).toMatchObject({ is: 'name-taken' })
    await sweepHistory(database, { keepFrom: 51, keepPerScan: 9 })
    expect(await restoreQuery(database, id, by('ada'))).toEqual({ is: 'gone' })
    expect(await seen('ada')).toEqual([['Failed', true]])
  })

  const run = (key: string, at: number, matches: number | null = null) => ({
    ...{ key, query: `tag:${key}`, zone: 'UTC', at, matches, isComplete: matches !== null },
  })
  const runsOf = async (who: string) =>
    (await listQueryRuns(database, `name ${who}`)).map(({ query, at, matches }) => [
      query,
      at,
      matches,
    ])

  test("searches are one's own, each once, the newest first, and forgotten at once", async () => {
    await recordQueryRuns(database, 'name ada', [run('a', 1), run('b', 2, 7)])
    await recordQueryRuns(database, 'name ada', [run('a', 3, 12)])
    await recordQueryRuns(database, 'name ada', [run('a', 2)])
    await recordQueryRuns(database, 'name ben', [run('c', 1)])
    expect(await runsOf('ada')).toEqual([
      ['tag:a', 3, 12],
      ['tag:b', 2, 7],
    ])
    await clearQueryRuns(database, 'name ada')
    expect(await runsOf('ada')).toEqual([])
    expect(await runsOf('ben')).toHaveLength(1)
    await sweepHistory(database, { keepFrom: 51, keepPerScan: 9 })
    expect(await runsOf('ben')).toEqual([])
  })

  test('the newest 200 are kept', async () => {
    const many = Array.from({ length: 230 }, (_, at) => run(`k${at}`, at + 1))
    await recordQueryRuns(database, 'name ada', many)
    const kept = await runsOf('ada')
    expect(kept).toHaveLength(200)
    expect([kept[0]?.[1], kept.at(-1)?.[1]]).toEqual([230, 31])
  })
})

function savedIn(result: SavingResult) {
  if (result.is !== 'saved') throw new Error(`not saved: ${result.is}`)
  return result.query
}
