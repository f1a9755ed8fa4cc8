import { expect, test } from 'vitest'
import { ActionList, actionsPath } from '../../../protocol/audit-log.ts'
import {
  QueryRunList,
  queryRunsPath,
  savedQueriesPath,
  SavedQueryConflict,
  savedQueryImportPath,
  StoredQuery,
  StoredQueryList,
} from '../../../protocol/saved-query.ts'
import { postJson as post } from '../proxy-on-socket.test-support.ts'
import { historyServer } from './history-server.test-support.ts'

const asked = { name: ' Failed on main ', query: 'buildOutcome:failed', zone: null, shared: true }

test('one shares a query, the other changes it, and the first is told so', async () => {
  const ada = await historyServer(undefined, { user: 'ada', roles: ['releaser'] })
  const ben = await historyServer(undefined, {
    user: 'ben',
    roles: ['releaser'],
    database: ada.database,
  })
  const created = await post(ada, savedQueriesPath, asked)
  expect(created.status).toBe(201)
  const saved = StoredQuery.parse(await created.json())
  expect(saved).toMatchObject({ name: 'Failed on main', mine: true, by: 'ada', version: 1 })
  const { queries } = StoredQueryList.parse(await (await ben.ask(savedQueriesPath)).json())
  expect(queries).toMatchObject([{ id: saved.id, mine: false, shared: true }])

  const path = `${savedQueriesPath}/${saved.id}`
  expect((await post(ben, path, { version: 1, query: 'tag:ben' })).status).toBe(200)
  const late = await post(ada, path, { version: 1, query: 'tag:ada' })
  expect(late.status).toBe(409)
  const conflict: unknown = await late.json()
  expect(conflict).toMatchObject({
    detail: "ben changed Failed on main in the meantime. Your change wasn't saved.",
  })
  expect(SavedQueryConflict.parse(conflict).current).toMatchObject({ query: 'tag:ben', version: 2 })

  expect((await post(ada, `${path}/delete`, { version: 2 })).status).toBe(200)
  expect(await (await ben.ask(savedQueriesPath)).json()).toEqual({ queries: [] })
  expect((await post(ada, `${path}/restore`, {})).status).toBe(200)
  const listed = StoredQueryList.parse(await (await ben.ask(savedQueriesPath)).json())
  expect(listed.queries).toHaveLength(1)
})

test('a viewer saves for themselves and is refused what is for everybody', async () => {
  const proxy = await historyServer(undefined, { user: 'vi', roles: ['viewer'] })
  expect((await post(proxy, savedQueriesPath, { ...asked, shared: false })).status).toBe(201)
  const refused = await post(proxy, savedQueriesPath, { ...asked, name: 'x' })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('requires the role releaser or admin')
  // What one saves for oneself is not among what everybody sees of the audit log.
  const { actions } = ActionList.parse(await (await proxy.ask(actionsPath)).json())
  expect(actions).toEqual([])
})

test('somebody changes their queries 120 times a minute, so that no log is drowned', async () => {
  const proxy = await historyServer(undefined, { user: 'vi', roles: ['viewer'] })
  const created = await post(proxy, savedQueriesPath, { ...asked, shared: false })
  const { id } = StoredQuery.parse(await created.json())
  const rename = (version: number): Promise<Response> =>
    post(proxy, `${savedQueriesPath}/${id}`, { version, name: `name ${version}` })
  for (let version = 1; version < 120; version++) expect((await rename(version)).status).toBe(200)
  const refused = await rename(120)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await proxy.ask(savedQueriesPath)).status).toBe(200)
})

test('what browsers kept is taken over once: nothing is lost, nothing comes twice', async () => {
  const proxy = await historyServer()
  await post(proxy, savedQueriesPath, { ...asked, name: 'Mine', query: 'tag:new', shared: false })
  await post(proxy, queryRunsPath, { query: 'tag:a', zone: null, matches: 3, isComplete: true })
  const kept = {
    queries: [
      { name: 'Mine', query: 'tag:old', zone: 'UTC' },
      { name: 'mine', query: 'tag:new', zone: null },
    ],
    runs: ['tag:b', ' tag:a ', 'tag:c'],
  }
  await post(proxy, savedQueryImportPath, kept)
  const answer = await post(proxy, savedQueryImportPath, kept)
  const { queries } = StoredQueryList.parse(await answer.json())
  expect(queries.map(({ name, query, zone }) => [name, query, zone])).toEqual([
    ['Mine', 'tag:new', null],
    ['Mine (2)', 'tag:old', 'UTC'],
  ])
  const { runs } = QueryRunList.parse(await (await proxy.ask(queryRunsPath)).json())
  expect(runs.map(({ query, matches }) => [query, matches])).toEqual([
    ['tag:a', 3],
    ['tag:b', null],
    ['tag:c', null],
  ])
})

test.each<[string, unknown, string]>([
  ['no name', { ...asked, name: ' ' }, 'name is empty.'],
  ['a name too long', { ...asked, name: 'a'.repeat(101) }, 'name has more than 100 characters.'],
  ['no query', { ...asked, query: ' ' }, 'query is empty.'],
  ['a query too long', { ...asked, query: 'a'.repeat(20_001) }, 'query has more than 20000'],
  ['a zone that is a number', { ...asked, zone: 1 }, 'zone must be text.'],
  ['nothing', 7, 'The body must be a JSON object'],
])('a query with %s is refused by the name of the field', async (_what, body, words) => {
  const proxy = await historyServer()
  const response = await post(proxy, savedQueriesPath, body)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(words)
})

test('while the database is away it is said so', async () => {
  const proxy = await historyServer()
  await proxy.database.close()
  const response = await post(proxy, savedQueriesPath, asked)
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('history database')
})
