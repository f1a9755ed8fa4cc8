import { expect, test } from 'vitest'
import { listActions } from './actions.ts'
import { assign, listAssignments } from './assignments.ts'
import { atOnce, onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { samplePerson } from './sample-history.test-support.ts'

onEachDatabase((open) => {
  const database = openForEachTest(open)

  const act = (at: number) => ({ ...samplePerson('ada'), at, detail: `at ${at}` })
  const asked = { board: 'release', cells: ['a', 'b', 'a'], assignee: 'Grace', note: '', dueAt: 9 }

  test('cells are assigned at once, changed, and taken back; each time it is noted', async () => {
    await assign(database, asked, act(1))
    await assign(database, { ...asked, board: 'other', cells: ['a'] }, act(2))
    await assign(database, { ...asked, cells: ['b'], note: 'soon\0', dueAt: null }, act(3))
    expect(await listAssignments(database, 'release')).toMatchObject([
      { cell: 'a', assignee: 'Grace', note: '', dueAt: 9, by: 'ada', changedAt: 1 },
      { cell: 'b', assignee: 'Grace', note: 'soon\ufffd', dueAt: null, changedAt: 3 },
    ])
    await assign(database, { ...asked, assignee: '', dueAt: null }, act(4))
    expect(await listAssignments(database, 'release')).toEqual([])
    expect(await listAssignments(database, 'other')).toHaveLength(1)
    const actions = await listActions(database, {}, 9)
    expect(actions.map(({ action, subject }) => [action, subject])).toEqual([
      ['assigned', 'release'],
      ['assigned', 'release'],
      ['assigned', 'other'],
      ['assigned', 'release'],
    ])
  })

  test('of several who assign a cell at once one is last, and nothing is lost of the others', async () => {
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, at) =>
        assign(database, { ...asked, assignee: name, cells: ['x', name] }, act(at + 1)),
      ),
    )
    expect(await listAssignments(database, 'release')).toHaveLength(5)
    expect(await listActions(database, {}, 9)).toHaveLength(4)
  })

  test('what is sent again while it is being written is noted once', async () => {
    await atOnce(
      database,
      [1, 2, 3].map((at) => () => assign(database, asked, act(at))),
    )
    expect(await listAssignments(database, 'release')).toHaveLength(2)
    expect(await listActions(database, {}, 9)).toHaveLength(1)
  })

  test('what somebody else has changed meanwhile is not replaced unseen', async () => {
    await assign(database, { ...asked, seenAt: 0 }, act(1))
    await assign(database, { ...asked, cells: ['b'], note: 'on it', seenAt: 1 }, act(2))
    const late = assign(database, { ...asked, assignee: 'Ada', seenAt: 1 }, act(3))
    await expect(late).rejects.toThrow('assigned to Grace, with the note “on it”')
    expect(await listAssignments(database, 'release')).toMatchObject([
      { cell: 'a', assignee: 'Grace', changedAt: 1 },
      { cell: 'b', note: 'on it' },
    ])
    await assign(database, { ...asked, assignee: 'Ada', seenAt: 2 }, act(4))
    expect(await listAssignments(database, 'release')).toMatchObject([
      { assignee: 'Ada' },
      { assignee: 'Ada' },
    ])
  })
})
