import { expect, test } from 'vitest'
import { ProxyConfig } from '../../../protocol/proxy-config.ts'
import {
  Wall,
  WallConflict,
  WallHistory,
  WallList,
  WallMistakes,
  WallRevision,
  wallsPath,
} from '../../../protocol/wall.ts'
import { postJson } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from '../history/history-server.test-support.ts'

const post = (proxy: HistoryServer, path: string, body: unknown): Promise<Response> =>
  postJson(proxy, `${wallsPath}/${path}`, body)

const tile = { title: 'Core', query: 'project:core' }
const content = { title: 'Release', tiles: [tile], order: 'stable', group: 'none' }
const configured = Wall.parse({ name: 'main', title: 'Of the file', tiles: [tile] })

async function listed(proxy: HistoryServer): Promise<WallList> {
  return WallList.parse(await (await proxy.ask(wallsPath)).json())
}

async function offered(proxy: HistoryServer): Promise<string[]> {
  const { walls } = ProxyConfig.parse(await (await proxy.ask('/config')).json())
  return walls.map(({ name, source, number }) => `${name} ${source} ${number ?? ''}`.trim())
}

test('two people edit a wall: each sees what the other saved, and nothing is overwritten', async () => {
  const ada = await historyServer(undefined, { user: 'ada', roles: ['releaser'] })
  const { database } = ada
  const ben = await historyServer(undefined, { user: 'ben', roles: ['releaser'], database })
  const created = await post(ada, 'release', { base: 0, wall: content, note: ' for the freeze ' })
  expect(WallRevision.parse(await created.json())).toMatchObject({
    name: 'release',
    number: 1,
    by: 'ada',
    note: 'for the freeze',
    tiles: [{ ...tile, pinned: false }],
  })
  expect(await offered(ben)).toEqual(['release saved 1'])
  const more = { ...content, tiles: [tile, { ...tile, title: 'Next', branch: 'next' }] }
  expect((await post(ben, 'release', { base: 1, wall: more })).status).toBe(200)
  const late = await post(ada, 'release', { base: 1, wall: { ...content, tiles: [] } })
  expect(late.status).toBe(409)
  const conflict: unknown = await late.json()
  expect(conflict).toMatchObject({
    detail: "ben changed the wall release in the meantime (revision 2). Your change wasn't saved.",
  })
  expect(WallConflict.parse(conflict).current).toMatchObject({ number: 2, tiles: [{}, {}] })

  expect((await post(ada, 'release/restore', { base: 2, number: 1 })).status).toBe(200)
  const history = WallHistory.parse(await (await ben.ask(`${wallsPath}/release`)).json())
  expect(history.revisions.map(({ number, by, restored }) => [number, by, restored])).toEqual([
    [3, 'ada', 1],
    [2, 'ben', null],
    [1, 'ada', null],
  ])
  expect((await post(ben, 'release/delete', { base: 3 })).status).toBe(200)
  expect(await offered(ada)).toEqual([])
  expect((await listed(ada)).deleted).toMatchObject([{ name: 'release', number: 4, by: 'ben' }])
  expect((await post(ada, 'release/restore', { base: 4, number: 3 })).status).toBe(200)
  expect(await offered(ben)).toEqual(['release saved 5'])
})

test('the configuration file wins its names, and says so of what was saved under them', async () => {
  const before = await historyServer()
  expect((await post(before, 'main', { base: 0, wall: content })).status).toBe(200)
  const { database } = before
  const after = await historyServer(undefined, { database, shared: { walls: [configured] } })
  expect(await offered(after)).toEqual(['main file'])
  expect(await listed(after)).toMatchObject({
    walls: [{ name: 'main', title: 'Of the file', source: 'file' }],
    hidden: [{ name: 'main', title: 'Release', number: 1 }],
  })
  const refused = await post(after, 'main', { base: 1, wall: content })
  expect(refused.status).toBe(409)
  expect(await refused.text()).toContain('comes from the configuration file')
})

test('a query with an error is refused by its tile and its place, in the words of the language', async () => {
  const proxy = await historyServer()
  const tiles = [tile, { title: 'Wrong', query: 'projct:core and tag:' }]
  const refused = await post(proxy, 'release', { base: 0, wall: { ...content, tiles } })
  expect(refused.status).toBe(400)
  const { mistakes } = WallMistakes.parse(await refused.json())
  expect(mistakes[0]).toMatchObject({ tile: 1, field: 'query', from: 0, to: 6 })
  expect(mistakes[0]?.mistake).toMatch(/^Tile 2: .*projct/)
  expect(mistakes).toHaveLength(2)
  expect((await listed(proxy)).walls).toEqual([])
})

const long = 'x'.repeat(2001)
test.each<[string, string, object, string]>([
  ['no title', 'release', { tiles: [{ ...tile, title: ' ' }] }, 'Tile 1: title is empty.'],
  [
    'a title too long',
    'release',
    { tiles: [{ ...tile, title: long }] },
    'Tile 1: title has more than 80 characters.',
  ],
  [
    'a query too long',
    'release',
    { tiles: [{ ...tile, query: long }] },
    'Tile 1: query has more than 2000 characters.',
  ],
  [
    'too many tiles',
    'release',
    { tiles: Array.from({ length: 301 }, () => tile) },
    'tiles has more than 300 entries.',
  ],
  ['another order', 'release', { order: 'x' }, 'order must be failing-first or stable.'],
  ['no tiles', 'release', { tiles: undefined }, 'tiles must be a list of tiles.'],
  ['a name no address can have', 'a%20b', {}, 'The name must start with a letter or digit'],
])('a wall with %s is refused by the name of the field', async (_what, name, more, sentence) => {
  const proxy = await historyServer()
  const refused = await post(proxy, name, { base: 0, wall: { ...content, ...more } })
  expect(refused.status).toBe(400)
  expect(await refused.text()).toContain(sentence)
})

test('what is no wall, and what is not there, is named', async () => {
  const proxy = await historyServer()
  expect((await proxy.ask(`${wallsPath}/release`)).status).toBe(404)
  expect((await proxy.ask(`${wallsPath}/release?before=x`)).status).toBe(400)
  expect((await post(proxy, 'release/delete', { base: 0 })).status).toBe(404)
  expect((await post(proxy, 'release/restore', { base: 0, number: 1 })).status).toBe(404)
  expect((await post(proxy, 'release', 7)).status).toBe(400)
  expect((await post(proxy, 'release', { base: -1, wall: content })).status).toBe(400)
})

test('a wall whose fields stand beside it, and not in it, is refused by the name of what is missing', async () => {
  const refused = await post(await historyServer(), 'release', { base: 0, ...content })
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { detail: 'wall must be an object with tiles, order and group. Its title is optional.' },
  ])
})

test('while the database is away, the walls that were known stay', async () => {
  const proxy = await historyServer()
  await post(proxy, 'release', { base: 0, wall: content })
  expect(await offered(proxy)).toEqual(['release saved 1'])
  await proxy.database.kysely.schema.dropTable('wall_revisions').execute()
  expect(await offered(proxy)).toEqual(['release saved 1'])
  expect(proxy.log.join('')).toContain('reading the saved walls failed')
})
