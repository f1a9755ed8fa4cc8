import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { accessKey, serve, type Serving } from './serving.test-support.ts'

const hour = 3_600_000
/** Tokens end on a whole second, so the clock of these tests begins on one. */
const start = 1_000_000

let serving: Serving
let byProject: Serving
beforeEach(async () => {
  const projects = ['a', 'b', 'c']
  const ada = {
    user: 'ada',
    accessKey,
    permissions: ['exportData', 'accessBuildDataViaApi', 'publishScan'] as const,
    projects,
  }
  const ending = { ...ada, accessKey: 'ending', accessKeyExpiresAt: start + hour }
  const noPermissions = { user: 'eve', accessKey: 'nothing', permissions: [] }
  const credentials = [ada, ending, noPermissions]
  serving = await serve({ credentials })
  byProject = await serve({ credentials, projectAccessControl: true })
})
afterEach(() => Promise.all([serving.stop(), byProject.stop()]))

const Claims = z.looseObject({
  username: z.string(),
  permissions: z.array(z.string()),
  projects: z.record(z.string(), z.number()),
  exp: z.number(),
})

function requestToken(query: string, bearer = accessKey, from = serving): Promise<Response> {
  const headers = { Authorization: `Bearer ${bearer}` }
  return from.request(`/api/auth/token${query}`, { method: 'POST', headers })
}

async function token(query: string, bearer = accessKey, from = serving): Promise<string> {
  const answer = await requestToken(query, bearer, from)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('Content-Type')).toContain('text/plain')
  return answer.text()
}

function claims(jwt: string) {
  return Claims.parse(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()))
}

async function refusal(query: string, bearer = accessKey, from = serving): Promise<string> {
  const answer = await requestToken(query, bearer, from)
  const problem = z.object({ status: z.number(), title: z.string() }).parse(await answer.json())
  expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
  expect(problem.status).toBe(answer.status)
  return `${answer.status} ${problem.title}`
}

function status(path: string, bearer: string): Promise<number> {
  const headers = { Authorization: `Bearer ${bearer}` }
  return serving.request(path, { headers }).then((answer) => answer.status)
}

test('a token carries all permissions of its maker, for two hours', async () => {
  const made = claims(await token(''))
  expect(made.username).toBe('ada')
  expect(new Set(made.permissions)).toEqual(
    new Set([
      'exportData',
      'accessBuildDataViaApi',
      'publishScan',
      'accessDataWithoutAssociatedProject',
    ]),
  )
  expect(made.exp * 1000).toBe(start + 2 * hour)
})

test('a token is usable wherever a key is, as it is or in base64 where that is', async () => {
  const made = await token('')
  expect(await status('/api/version', made)).toBe(200)
  expect(await status('/build-export/v2/builds/since/0', made)).toBe(204)
  expect(await status('/build-export/v2/builds/since/0', btoa(made))).toBe(204)
})

test('a token with fewer permissions may do less', async () => {
  const made = await token('?permissions=accessBuildDataViaApi')
  expect(await status('/build-export/v2/builds/since/0', made)).toBe(403)
  expect(await status('/api/builds?reverse=true', made)).toBe(200)
})

test('permissions come in a list, in repeated parameters, or both', async () => {
  const made = await token('?permissions=exportData,publishScan&permissions=accessBuildDataViaApi')
  expect(claims(made).permissions).toHaveLength(4)
})

test('permissions that the caller lacks are refused by name', async () => {
  const answer = await requestToken('?permissions=exportData,administerGe')
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({
    title: 'Missing requested permission.',
    detail: expect.stringMatching(/^The permissions \[administerGe\] were requested/) as unknown,
  })
  expect(await refusal('?permissions=madeUp')).toBe('403 Missing requested permission.')
})

test('anybody who is known may make a token, nobody else', async () => {
  expect(claims(await token('', 'nothing')).permissions).toEqual([
    'accessDataWithoutAssociatedProject',
  ])
  expect(await refusal('', 'unknown')).toBe('401 Something was wrong with the request')
})

test('projects are granted where access control is by project', async () => {
  const all = claims(await token('', accessKey, byProject))
  expect(Object.keys(all.projects)).toEqual(['a', 'b', 'c'])
  expect(all.permissions).not.toContain('accessDataWithoutAssociatedProject')
  const some = claims(await token('?projectIds=a,b&projectIds=c', accessKey, byProject))
  expect(Object.keys(some.projects)).toEqual(['a', 'b', 'c'])
  const one = await token('?projectIds=b', accessKey, byProject)
  expect(Object.keys(claims(one).projects)).toEqual(['b'])
  const refused = await refusal('?projectIds=a', one, byProject)
  expect(refused).toBe('403 Missing requested projects.')
})

test('projects are not looked at where access control is not by project', async () => {
  expect(claims(await token('?projectIds=nowhere')).projects).toEqual({})
})

test.each([
  ['0.5', 0.5],
  ['24', 24],
])('expiresInHours=%s is the lifetime', async (value, hours) => {
  const made = await token(`?expiresInHours=${value}`)
  expect(claims(made).exp * 1000).toBe(start + hours * hour)
})

test.each(['25', '0', '-1', 'soon', ''])('expiresInHours=%s is refused', async (value) => {
  const answer = await requestToken(`?expiresInHours=${value}`)
  expect(answer.status).toBe(400)
  expect(await answer.text()).toContain('expiresInHours')
})

test('a token does not outlast the key that made it', async () => {
  expect(claims(await token('', 'ending')).exp * 1000).toBe(start + hour)
  expect(await refusal('?expiresInHours=1.1', 'ending')).toBe(
    '403 Requested expiration exceeds current.',
  )
  expect(claims(await token('?expiresInHours=1', 'ending')).exp * 1000).toBe(start + hour)
})

test('a token does not outlast the token that made it, nor gain permissions by it', async () => {
  const first = await token('?expiresInHours=3&permissions=exportData')
  expect(await refusal('?expiresInHours=4', first)).toBe(
    '403 Requested expiration exceeds current.',
  )
  expect(await refusal('?permissions=publishScan', first)).toBe('403 Missing requested permission.')
  serving.clock.advance(2 * hour)
  expect(claims(await token('', first)).exp * 1000).toBe(start + 3 * hour)
})

test('a token that has ended is no credential any more, nor is a key', async () => {
  const made = await token('?expiresInHours=1', 'ending')
  serving.clock.advance(hour - 1)
  expect(await status('/api/version', made)).toBe(200)
  expect(await status('/api/version', 'ending')).toBe(200)
  serving.clock.advance(1)
  expect(await status('/api/version', made)).toBe(401)
  expect(await status('/api/version', 'ending')).toBe(401)
})

test('a token of another instance, or one that was changed, is no credential', async () => {
  expect(await status('/api/version', await token('', accessKey, byProject))).toBe(401)
  const [head = '', body = '', signature = ''] = (await token('')).split('.')
  const more = { ...claims(`${head}.${body}`), username: 'root' }
  const changed = Buffer.from(JSON.stringify(more)).toString('base64url')
  expect(await status('/api/version', `${head}.${changed}.${signature}`)).toBe(401)
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  expect(await status('/api/version', `${unsigned}.${body}.`)).toBe(401)
})

test('damage of the database that a query meets is said in words', async () => {
  const { kysely } = serving.database
  await sql`pragma writable_schema = on`.execute(kysely)
  await sql`update sqlite_master set rootpage = 99999 where tbl_name = 'builds'`.execute(kysely)
  await sql`pragma schema_version = 4711`.execute(kysely)
  const answer = await serving.request('/api/builds?since=0')
  expect([answer.status, await answer.json()]).toMatchObject([
    500,
    {
      detail:
        "Sightline can't use its database. The database is damaged: test it with --check, and restore a backup.",
    },
  ])
})
