import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Hono } from 'hono'
import { pino } from 'pino'
import { z } from 'zod'
import { BoardRunLine } from '../../protocol/board-run.ts'
import { Waiver } from '../../protocol/waiver.ts'
import { accessTable, buildDataPrefix, enforceAccess, governorPrefix } from './access.ts'
import { type EveryModeServer, modes, startInMode, type Who } from './every-mode.test-support.ts'
import { answering } from './plain-server.test-support.ts'
import { errorCatcher } from './problem-response.ts'
import { problemOf } from './proxy-on-socket.test-support.ts'
import type { ProxyEnv } from './sessions.ts'
import { buildDataAllowList, governorAllowList } from './upstream/routes.ts'

const build = 'k3j7a2b9c4d5e'
const maven = '/upstream/governor/packages/maven/com.acme/shop/1.2'
const short = '/upstream/governor/packages/npm/ui/1.2'
const json = { 'content-type': 'application/json' }

/** What each route takes at least, and what it answers then, written down apart from the code. */
const routes: readonly (readonly [least: Who, method: string, path: string, status: number])[] = [
  ['nobody', 'GET', '/healthz', 200],
  ['nobody', 'GET', '/', 404],
  ['nobody', 'GET', '/builds', 404],
  ['nobody', 'POST', '/session/activation', 200],
  ['nobody', 'POST', '/session/activation/claim', 400],
  ['nobody', 'GET', '/session/activation/x', 404],

  ['screen', 'GET', '/config', 200],
  ['screen', 'HEAD', '/config', 200],
  ['screen', 'GET', '/live/builds', 200],
  ['screen', 'GET', '/live/search?query=a', 200],

  ['screen', 'GET', '/live/changes', 200],
  ['screen', 'GET', '/history/claims', 200],

  ['viewer', 'GET', '/session/other', 404],
  ['viewer', 'GET', '/live/other', 404],
  ['viewer', 'POST', '/live/builds', 405],
  ['viewer', 'POST', '/config', 405],
  ['viewer', 'GET', '/readyz', 200],
  ['viewer', 'GET', '/metrics', 200],
  ['viewer', 'GET', '/upstream/report', 200],
  ['viewer', 'GET', '/upstream/other', 404],
  ['viewer', 'GET', '/history/evaluations', 200],
  ['viewer', 'GET', '/history/evaluations/x', 404],
  ['viewer', 'POST', '/history/evaluations/latest', 400],
  ['viewer', 'GET', '/history/bundle', 400],
  ['viewer', 'POST', '/history/bundle', 400],
  ['viewer', 'GET', '/history/waivers', 200],
  ['viewer', 'GET', '/history/waivers/unmatched', 200],
  ['viewer', 'GET', '/history/assignments?board=a', 200],
  ['viewer', 'GET', '/history/queries', 200],
  ['viewer', 'POST', '/history/queries', 400],
  ['viewer', 'POST', '/history/queries/x', 400],
  ['viewer', 'POST', '/history/queries/x/delete', 400],
  ['viewer', 'POST', '/history/queries/x/restore', 404],
  ['viewer', 'POST', '/history/query-import', 400],
  ['viewer', 'GET', '/history/query-runs', 200],
  ['viewer', 'POST', '/history/query-runs', 400],
  ['viewer', 'POST', '/history/query-runs/clear', 200],
  ['viewer', 'GET', '/history/other', 404],
  ['viewer', 'DELETE', '/history/waivers', 405],
  ['viewer', 'GET', '/screens/x/y', 404],
  ['viewer', 'POST', '/insight/failures', 400],
  ['viewer', 'GET', '/insight/failures', 405],
  ['viewer', 'POST', '/insight/caches', 400],
  ['viewer', 'GET', '/insight/caches', 405],
  ['viewer', 'POST', '/insight/facts', 400],
  ['viewer', 'GET', '/insight/facts', 405],
  ['viewer', 'GET', '/insight/earlier-builds', 400],
  ['viewer', 'POST', '/insight/earlier-builds', 405],
  ['viewer', 'POST', '/insight/tests', 200],
  ['viewer', 'GET', '/insight/tests', 405],
  ['viewer', 'GET', '/insight/other', 404],
  ['viewer', 'GET', '/upstream/build-data/build-export/v2/builds/since/now?stream', 204],
  ['viewer', 'GET', `/upstream/build-data/build-export/v1/builds/sinceBuild/${build}`, 204],
  ['viewer', 'GET', `/upstream/build-data/build-export/v2/build/${build}/events`, 204],
  ['viewer', 'GET', '/upstream/build-data/api/builds', 204],
  ['viewer', 'GET', '/upstream/build-data/api/builds/groups?by=project', 204],
  ['viewer', 'GET', '/upstream/build-data/api/builds/trends?by=branch&from=0&to=9', 204],
  ['viewer', 'GET', `/upstream/build-data/api/builds/${build}`, 204],
  ['viewer', 'GET', `/upstream/build-data/api/builds/${build}/gradle-attributes`, 204],
  ['viewer', 'GET', '/upstream/build-data/api/version', 204],
  ['viewer', 'POST', '/upstream/build-data/api/builds', 405],
  ['viewer', 'GET', `${maven}/sha256:ab/attestations/s3:x/id`, 200],
  ['viewer', 'GET', `${short}/sha256:ab/attestations/s3:x/id`, 200],
  ['viewer', 'GET', `${maven}/policy-scans/release`, 405],

  ['releaser', 'POST', `${maven}/policy-scans/release`, 200],
  ['releaser', 'POST', `${short}/policy-scans/release`, 200],
  ['releaser', 'POST', `${maven}/attestations`, 204],
  ['releaser', 'POST', `${short}/attestations`, 204],
  ['releaser', 'POST', '/upstream/board', 400],
  ['viewer', 'GET', '/history/quarantine?format=gradle', 200],
  ['releaser', 'POST', '/history/quarantine', 400],
  ['releaser', 'POST', '/history/quarantine/x/end', 409],
  ['releaser', 'POST', '/history/claims', 400],
  ['releaser', 'POST', '/history/claims/end', 400],
  ['viewer', 'GET', '/history/walls', 200],
  ['viewer', 'GET', '/history/walls/x', 404],
  ['releaser', 'POST', '/history/walls/x', 400],
  ['releaser', 'POST', '/history/walls/x/delete', 400],
  ['releaser', 'POST', '/history/walls/x/restore', 400],
  ['viewer', 'GET', '/history/decisions', 200],
  ['viewer', 'GET', '/history/decisions/x', 404],
  ['releaser', 'POST', '/history/decisions', 400],
  ['viewer', 'GET', '/history/deliveries', 200],
  ['viewer', 'GET', '/history/deliveries?board=a', 200],
  ['releaser', 'POST', '/history/deliveries/x/retry', 409],
  ['releaser', 'POST', '/history/waivers', 400],
  ['releaser', 'POST', '/history/waivers/x/end', 404],
  ['releaser', 'POST', '/history/waivers/bulk', 400],
  ['releaser', 'POST', '/history/assignments', 400],
  ['releaser', 'POST', '/history/waivers/end', 400],
  ['releaser', 'POST', '/history/waivers/approve', 400],
  ['releaser', 'GET', '/screens', 200],
  ['releaser', 'POST', '/screens', 400],
  ['releaser', 'DELETE', '/screens/x', 404],

  ['screen', 'GET', '/session', 200],
  ['viewer', 'GET', '/history/actions', 200],
  // Off unless it is configured.
  ['admin', 'POST', '/upstream/build-data/api/auth/token', 404],
  ['admin', 'GET', '/session/tokens', 200],
  ['admin', 'GET', '/history/actions?scope=all', 200],
  ['admin', 'GET', '/history/actions/export?format=csv', 200],
]

const ranks: readonly Who[] = ['nobody', 'screen', 'viewer', 'releaser', 'admin']

/** What somebody is answered: without a session 401, without the role 403. */
function expected(who: Who, least: Who, status: number): number {
  if (ranks.indexOf(who) >= ranks.indexOf(least)) return status
  return who === 'nobody' ? 401 : 403
}

describe.each(modes)('in the mode %s', (mode) => {
  // Once with a token that is sent along, once with a session that has a row.
  const isLimited = mode === 'tokens' || mode === 'header'
  let server: EveryModeServer
  beforeAll(async () => {
    server = await startInMode(mode, {
      buildData: answering(204),
      governor: ({ url }, response) => {
        const needsData = /\/(?:policy-scans|attestations)\//.test(url)
        if (!needsData) response.writeHead(204).end()
        else response.writeHead(200, json).end('[]')
      },
    })
  })
  afterAll(() => server.close())

  const ask = (who: Who, method: string, path: string, body = '{}'): Promise<Response> =>
    fetch(`${server.url}${path}`, {
      method,
      headers: { ...server.headersOf(who), ...(method === 'POST' ? json : {}) },
      ...(method === 'POST' ? { body } : {}),
    })

  // Whoever has no session in the mode `none` gets one for the asking, and it is an administrator's.
  const roles = mode === 'none' ? (['nobody', 'screen', 'admin'] as const) : ranks
  test.each(roles)('%s may use the routes of the role and no others', async (who) => {
    const answers = await Promise.all(
      routes.map(async ([, method, path]) => {
        const response = await ask(who, method, path)
        await response.body?.cancel()
        return `${method} ${path} ${response.status}`
      }),
    )
    expect(answers).toEqual(
      routes.map(
        ([least, method, path, status]) => `${method} ${path} ${expected(who, least, status)}`,
      ),
    )
  })

  test('every route and every forwarded operation has a row, and every row is tried here', () => {
    const rows = accessTable.map(({ method, path }) => `${method} ${path}`)
    const registered = server.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/*')
      .map(({ method, path }) => `${method} ${path}`)
    const forwarded = [
      ...buildDataAllowList.routes.map(
        ({ method, pattern }) => `${method} ${buildDataPrefix}${pattern}`,
      ),
      ...governorAllowList.routes.map(
        ({ method, pattern }) => `${method} ${governorPrefix}${pattern}`,
      ),
    ]
    expect(rows).toEqual(expect.arrayContaining([...registered, ...forwarded]))
    const tried = new Set(
      server.log.flatMap((line) => {
        const { method, route } = Request.parse(JSON.parse(line))
        return [`${method} ${route}`, `ALL ${route}`]
      }),
    )
    expect(rows.filter((row) => !tried.has(row) && !elsewhere.has(row))).toEqual([])
  })

  test.runIf(mode !== 'none')('who may not is told which roles may', async () => {
    const refused = await ask('viewer', 'POST', `${maven}/attestations`)
    expect(await problemOf(refused)).toMatchObject({
      type: 'urn:sightline:problem:no-permission',
      status: 403,
      requires: 'publish',
      detail:
        'Requires the role releaser or admin. Your role is viewer. Ask your administrator for access.',
    })
    expect(await problemOf(await ask('screen', 'GET', '/history/evaluations'))).toMatchObject({
      title: 'Not available to screens',
    })
  })

  /** What is sent to waive a policy of a scan for a minute. */
  const waiver = (packagePath: string, scan: string): string =>
    JSON.stringify({
      ...{ packagePath, scan, sha256: 'ab'.repeat(32), policyUri: 'urn:p' },
      ...{ reason: 'r', person: 'p', expiresAt: server.clock.now() + 60_000 },
    })

  test.runIf(isLimited)('limits are those of the packages and the scans', async () => {
    const other = '/upstream/governor/packages/maven/com.acmeevil/shop/1.2'
    const answers = await Promise.all(
      (
        [
          [`${maven}/policy-scans/release`, '{}', 200],
          [`${maven}/attestations`, '{}', 204],
          [`${maven}/policy-scans/nightly`, '{}', 403],
          [`${other}/policy-scans/release`, '{}', 403],
          [`${other}/attestations`, '{}', 403],
          [`${short}/attestations`, '{}', 403],
          // Encoded in another way, it is the same package.
          ['/upstream/governor/packages/maven/com.acme%2Fx/shop/1.2/attestations', '{}', 204],
          ['/upstream/governor/packages/MAVEN/com.acme/shop/1.2/attestations', '{}', 403],
          // Publishing for com.acme/1, or a scan called attestations of com.acme: both must be allowed.
          ['/upstream/governor/packages/maven/com.acme/1/policy-scans/attestations', '{}', 403],
          ['/history/waivers', waiver('/packages/maven/com.acme/shop/1.2', 'release'), 201],
          ['/history/waivers', waiver('/packages/maven/com.acme/shop/1.2', 'nightly'), 403],
          ['/history/waivers', waiver('/packages/npm/ui/1.2', 'release'), 403],
        ] as const
      ).map(async ([path, body, status]) => {
        const response = await ask('limited', 'POST', path, body)
        const text = await response.text()
        return [`${path} ${body} ${response.status}`, `${path} ${body} ${status}`, text] as const
      }),
    )
    expect(answers.map(([got]) => got)).toEqual(answers.map(([, wanted]) => wanted))
    expect(JSON.parse(answers[3]?.[2] ?? '')).toMatchObject({
      type: 'urn:sightline:problem:outside-limits',
      requires: 'evaluate',
      detail: 'Your roles cover the packages maven/com.acme/*. Ask your administrator for access.',
    })
    // Reading is not limited.
    expect((await ask('limited', 'GET', `${short}/sha256:ab/attestations/s3:x/id`)).status).toBe(
      200,
    )
  })

  test.runIf(isLimited)('a waiver outside the limits is not ended either', async () => {
    const body = waiver('/packages/npm/ui/1.2', 'release')
    const given = await ask('releaser', 'POST', '/history/waivers', body)
    const { id } = Waiver.parse(await given.json())
    expect((await ask('limited', 'POST', `/history/waivers/${id}/end`)).status).toBe(403)
    for (const path of ['end', 'approve']) {
      const body = JSON.stringify({ ids: [id] })
      expect((await ask('limited', 'POST', `/history/waivers/${path}`, body)).status).toBe(403)
    }
    expect((await ask('releaser', 'POST', `/history/waivers/${id}/end`)).status).toBe(200)
  })

  test.runIf(isLimited)(
    'a board evaluates the cells within the limits, and says why not the others',
    async () => {
      const artifact = { sha256: 'ab'.repeat(32), repositoryUrl: 'r.example/x' }
      const run = await ask(
        'limited',
        'POST',
        '/upstream/board',
        JSON.stringify({
          packages: [
            {
              address: { type: 'maven', namespace: 'com.acme', name: 'shop', version: '1' },
              ...artifact,
            },
            { address: { type: 'npm', name: 'ui', version: '1' }, ...artifact },
          ],
          scans: ['release', 'nightly'],
          cells: [
            [0, 0],
            [0, 1],
            [1, 0],
          ],
          mostInFlight: 1,
          begunMsAgo: null,
        }),
      )
      const lines = (await run.text())
        .trim()
        .split('\n')
        .map((line) => BoardRunLine.parse(JSON.parse(line)))
      expect(
        lines.flatMap((line) =>
          line.is === 'done'
            ? [[line.cell, 'done']]
            : line.is === 'refused'
              ? [[line.cell, line.problem.type]]
              : [],
        ),
      ).toEqual([
        [0, 'done'],
        [1, 'urn:sightline:problem:outside-limits'],
        [2, 'urn:sightline:problem:outside-limits'],
      ])
    },
  )
})

test('a route without a row is refused to everybody, and logged', async () => {
  const app = new Hono<ProxyEnv>()
  const log: string[] = []
  const free = new AbortController().signal
  app.onError(errorCatcher({ logger: pino({ level: 'silent' }), redact: (text) => text }))
  app.use(
    enforceAccess({
      verify: () =>
        Promise.resolve({
          id: 'x',
          user: { name: 'ann', roles: ['admin'] },
          person: 'name ann',
          holder: 'name ann',
          kind: 'person',
          expiresAt: 1,
          ended: free,
        }),
      requireSameOrigin: () => undefined,
      onRefused: () => undefined,
      logger: pino({ level: 'error' }, { write: (line) => log.push(line) }),
    }),
  )
  app.get('/new', (c) => c.text('secret'))
  app.all('/new/*', (c) => c.text('secret'))
  app.post('/config', (c) => c.text('secret'))
  app.get('/*', (c) => c.text('a page'))
  for (const [method, path] of [
    ['GET', '/new'],
    ['HEAD', '/new'],
    ['DELETE', '/new/x'],
    ['POST', '/config'],
  ] as const) {
    const response = await app.request(path, { method })
    expect([method, path, response.status]).toEqual([method, path, 403])
    expect(await response.text()).not.toContain('secret')
  }
  expect(await (await app.request('/builds')).text()).toBe('a page')
  expect(
    log.map((line) => z.looseObject({ path: z.string() }).parse(JSON.parse(line)).path),
  ).toEqual(['/new', '/new', '/new/x', '/config'])
})

/** A line of the log about a request. */
const Request = z.object({ method: z.string().default(''), route: z.string().default('') })

/** Rows whose routes only an identity provider makes, and what ends the session that asks. */
const elsewhere: ReadonlySet<string> = new Set([
  'GET /*',
  'POST /session',
  'DELETE /session',
  'GET /session/sign-in',
  'GET /session/callback',
  'POST /session/logout',
])
