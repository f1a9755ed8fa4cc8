import { expect, test } from 'vitest'
import { ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import { AssignmentList, assignmentsPath } from '../../../protocol/assignment.ts'
import { postJson } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from '../history/history-server.test-support.ts'

const post = (proxy: HistoryServer, body: unknown): Promise<Response> =>
  postJson(proxy, assignmentsPath, body)

const asked = {
  board: 'release',
  cells: ['a', 'b'],
  assignee: ' Grace ',
  note: '',
  dueAt: 86_400_000,
}

test('cells of a board are assigned by who is signed in, for all to read, and noted', async () => {
  const proxy = await historyServer(undefined, { user: 'ada', roles: ['releaser'] })
  const { assignments } = AssignmentList.parse(await (await post(proxy, asked)).json())
  expect(assignments).toMatchObject([
    { cell: 'a', assignee: 'Grace', by: 'ada', dueAt: 86_400_000 },
    { cell: 'b', assignee: 'Grace' },
  ])
  const read = await proxy.ask(`${assignmentsPath}?board=release`)
  expect(AssignmentList.parse(await read.json()).assignments).toEqual(assignments)
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions).toMatchObject([
    {
      action: 'assigned',
      subject: 'release',
      detail: 'Assigned 2 cells of the board release to Grace, due Jan 2, 1970, 00:00 UTC.',
    },
  ])
})

test('what is sent again, as its answer was lost, is done and noted once', async () => {
  const proxy = await historyServer(undefined, { user: 'ada', roles: ['releaser'] })
  const first = { ...asked, seenAt: 0 }
  const nobodys = { ...asked, assignee: '', dueAt: null, seenAt: proxy.clock.now() }
  for (const [body, count] of [
    [first, 2],
    [nobodys, 0],
  ] as const) {
    for (let time = 0; time < 2; time++) {
      const { assignments } = AssignmentList.parse(await (await post(proxy, body)).json())
      expect(assignments).toHaveLength(count)
    }
  }
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions).toHaveLength(2)
})

test.each<[string, unknown, string]>([
  ['no cells', { ...asked, cells: [] }, 'cells must be a list of 1 to 2000 keys.'],
  ['too many cells', { ...asked, cells: Array(2001).fill('a') }, 'cells must be a list'],
  ['no board', { ...asked, board: ' ' }, 'board is empty.'],
  ['a note too long', { ...asked, note: 'a'.repeat(2001) }, 'note has more than 2000'],
  ['a date that is text', { ...asked, dueAt: 'soon' }, 'dueAt must be a time'],
  ['nothing', undefined, 'The body must be a JSON object'],
])('an assignment with %s is refused by the name of the field', async (_what, body, words) => {
  const proxy = await historyServer()
  const response = await post(proxy, body ?? 7)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(words)
})
