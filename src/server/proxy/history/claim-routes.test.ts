import { expect, test } from 'vitest'
import { ClaimList, claimEndPath, claimsPath, type TileClaim } from '../../../protocol/claim.ts'
import { postJson } from '../proxy-on-socket.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'

const hour = 60 * 60 * 1000

const post = (proxy: HistoryServer, body: unknown, path = claimsPath): Promise<Response> =>
  postJson(proxy, path, body)

async function listed(proxy: HistoryServer): Promise<readonly TileClaim[]> {
  return ClaimList.parse(await (await proxy.ask(claimsPath)).json()).claims
}

test('a tile is claimed and released, however its query is written', async () => {
  const proxy = await historyServer(undefined, { user: 'ann', roles: ['releaser'] })
  const query = 'project:shop   AND buildOutcome:failed'
  expect((await post(proxy, { query, kind: 'claim' })).status).toBe(201)
  const tile = 'project:shop and buildOutcome:failed'
  expect(await listed(proxy)).toMatchObject([
    { tile, kind: 'claim', by: 'ann', failingSince: null, until: null },
  ])
  expect((await post(proxy, { query: tile, kind: 'claim' }, claimEndPath)).status).toBe(200)
  expect(await listed(proxy)).toEqual([])
  expect((await post(proxy, { query: tile, kind: 'claim' }, claimEndPath)).status).toBe(409)
})

test('of a claim that somebody has taken over meanwhile, the newer one stays', async () => {
  const proxy = await historyServer(undefined, { user: 'ann', roles: ['releaser'] })
  const tile = { query: 'project:shop', kind: 'claim' }
  await post(proxy, tile)
  const [{ createdAt } = { createdAt: 0 }] = await listed(proxy)
  proxy.clock.advance(1000)
  // The same one, sent again, would be said once.
  await post(proxy, { ...tile, failingSince: createdAt })
  const late = await post(proxy, { ...tile, createdAt }, claimEndPath)
  expect(late.status).toBe(409)
  expect(await late.text()).toContain('ann has claimed this tile since.')
  const body = { ...tile, createdAt: createdAt + 1000 }
  expect((await post(proxy, body, claimEndPath)).status).toBe(200)
})

test('of two who claim a tile at the same moment the first stays, and the second reads who was faster', async () => {
  const ann = await historyServer(undefined, { user: 'ann', roles: ['releaser'] })
  const { database } = ann
  const ben = await historyServer(undefined, { user: 'ben', roles: ['releaser'], database })
  const tile = { query: 'project:shop', kind: 'claim', failingSince: 7, inPlaceOf: null }
  const both = await Promise.all([post(ann, tile), post(ben, tile)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
  const [{ by, createdAt } = { by: '', createdAt: 0 }] = await listed(ann)
  const [late, slower] = by === 'ann' ? [both[1], ben] : [both[0], ann]
  expect(await late.text()).toContain(`${by} has claimed this tile since. Look again.`)
  // Who has read that takes it over, and nothing is left of it for the next failure.
  expect((await post(slower, { ...tile, inPlaceOf: createdAt })).status).toBe(201)
  expect(await listed(ann)).toMatchObject([{ by: slower === ben ? 'ben' : 'ann' }])
  for (const proxy of [ann, ben]) proxy.clock.advance(hour)
  const next = { ...tile, failingSince: ann.clock.now() }
  expect([(await post(ann, next)).status, (await post(ann, next)).status]).toEqual([201, 201])
  expect((await post(ben, { ...next, kind: 'claim' })).status).toBe(409)
})

test('a tile sleeps until its time; of another branch it is another tile', async () => {
  const proxy = await historyServer()
  const until = proxy.clock.now() + hour
  const failingSince = until - 5 * hour
  const tile = { query: 'project:shop', branch: 'next', failingSince }
  const sleep = { ...tile, kind: 'sleep', reason: ' flaky ', until }
  expect((await post(proxy, sleep)).status).toBe(201)
  expect(await listed(proxy)).toMatchObject([
    { tile: 'project:shop\nnext', kind: 'sleep', failingSince, reason: 'flaky', until },
  ])
  const other = { query: 'project:shop', kind: 'sleep' }
  expect((await post(proxy, other, claimEndPath)).status).toBe(409)
  proxy.clock.advance(hour)
  expect(await listed(proxy)).toEqual([])
})

test.each<[string, object, string]>([
  ['no reason', { reason: ' ' }, 'reason is empty.'],
  ['a time in the past', { until: 1 }, 'until must be in the future.'],
  ['a time too far ahead', { until: 8e15 }, 'until must be within 30 days.'],
  ['a time of the failure that is none', { failingSince: -1 }, 'failingSince must be a time'],
  ['no query', { query: '' }, 'query is empty.'],
  ['a query that is wrong', { query: 'projct:a' }, 'projct'],
  ['a kind that nobody knows', { kind: 'x' }, 'kind must be claim, or sleep'],
])('one with %s is refused by the name of the field', async (_what, more, words) => {
  const proxy = await historyServer()
  const until = proxy.clock.now() + hour
  const body = { query: 'project:shop', kind: 'sleep', reason: 'r', until, ...more }
  const response = await post(proxy, body)
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(words)
})
