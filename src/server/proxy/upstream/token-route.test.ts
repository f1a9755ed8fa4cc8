import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { runs } from '../../../property-runs.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { personOf } from '../sessions.ts'
import { startProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { createBuildDataUpstream } from './upstream.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'
import { signedToken } from '../plain-server.test-support.ts'

const key = 'canary-key-9d41'
const start = Date.UTC(2026, 0, 5)
const path = '/upstream/build-data/api/auth/token'
type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A proxy before a build server that answers each request for a token as given. */
async function world(
  answer: Answer,
  isOn = true,
  options: Parameters<typeof startProxyOnSocket>[1] = {},
) {
  const received: { method?: string; url?: string; authorization?: string }[] = []
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    received.push({
      ...(method === undefined ? {} : { method }),
      ...(url === undefined ? {} : { url }),
      ...(headers.authorization === undefined ? {} : { authorization: headers.authorization }),
    })
    request.resume()
    answer(request, response)
  })
  const { url, close } = await onLoopback(server)
  const clock = createManualClock(start)
  const buildData = createBuildDataUpstream({
    kind: 'server',
    connect: createUpstreamClient,
    url: new URL(url),
    credential: { kind: 'bearer', token: { reveal: () => key } },
    exportBearer: 'raw',
    exportVersion: 'v2',
    clock,
    version: '1',
    notice: () => undefined,
  })
  const proxy = await startProxyOnSocket(
    {},
    { clock, createTokens: isOn, upstreams: { buildData }, ...options },
  )
  onTestFinished(close)
  onTestFinished(() => proxy.close())
  const create = async (query = '') => {
    const response = await proxy.ask(`${path}${query}`, { method: 'POST' })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: readJson(text) }
  }
  return { create, received, proxy }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const token = (hours: number): Promise<string> => signedToken(start + 86_400_000, hours * 3_600_000)

describe('an access token for somebody', () => {
  test('is made from the key itself, with the parameters as the server takes them', async () => {
    const { create, received } = await world((_request, response) => response.end('made-for-ada'))
    const { status, headers, body } = await create(
      '?permissions=exportData,readCache&permissions=viewScan&projectIds=a%20b&expiresInHours=0.5',
    )
    expect([status, body]).toEqual([200, { token: 'made-for-ada', expiresAt: null }])
    expect(headers.get('cache-control')).toContain('no-store')
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/api/auth/token?permissions=exportData&permissions=readCache&permissions=viewScan&projectIds=a+b&expiresInHours=0.5',
        authorization: `Bearer ${key}`,
      },
    ])
  })

  test('that never ends, as its time is beyond every date, is given without one', async () => {
    const claims = Buffer.from('{"exp":9223372036854775807}').toString('base64url')
    const made = `eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln`
    const { create } = await world((_request, response) => response.end(made))
    const { status, body } = await create()
    expect([status, body]).toEqual([200, { token: made, expiresAt: null }])
  })

  test('may come in the quotes of JSON, and ends when it says, whatever the clock of the server', async () => {
    const made = await token(3)
    const { create } = await world((_request, response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(made))
    })
    expect((await create()).body).toEqual({ token: made, expiresAt: start + 3 * 3_600_000 })
  })

  test('is not to be had where that is off', async () => {
    const { create, received } = await world(
      (_request, response) => response.end('a-token-1'),
      false,
    )
    const { status, text } = await create()
    expect(status).toBe(404)
    expect(text).toContain('SIGHTLINE_CREATE_TOKENS=on')
    expect(received).toEqual([])
  })

  test.each([
    '?expiresInHours=25',
    '?expiresInHours=0',
    '?expiresInHours=-1',
    '?expiresInHours=1&expiresInHours=2',
    '?permissions=a%20b',
    '?permissions=',
    '?projectIds=%0A',
    '?name=x',
  ])('is refused for %s before the server is contacted', async (query) => {
    const { create, received } = await world((_request, response) => response.end('a-token-1'))
    expect((await create(query)).status).toBe(400)
    expect(received).toEqual([])
  })
})

describe('the audit log says', () => {
  async function audited(answer: Answer, query: string, text: string) {
    const database = await memoryDatabase()
    const settings = { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 }
    onTestFinished(() => database.close())
    const { create } = await world(answer, true, { history: { database, settings } })
    await create(query)
    const list = async (): Promise<string> =>
      JSON.stringify(await database.kysely.selectFrom('actions').selectAll().execute())
    await expect.poll(list, { interval: 5 }).toContain(text)
    return list()
  }

  test('who created a token with which limits, and nothing of the token', async () => {
    const made = await token(2)
    const entry = await audited(
      (_request, response) => response.end(made),
      '?permissions=exportData,readCache&projectIds=shop&expiresInHours=2',
      'permissions exportData, readCache; projects shop; 2 h.',
    )
    expect(entry).toContain('Created an access token until 2026-01-05T02:00:00.000Z.')
    expect(entry).toContain('"by_user":"local user"')
    expect(entry).toContain('"outcome":"done"')
    for (const part of made.split('.').slice(1)) expect(entry).not.toContain(part)
  })

  test('who was refused one by the server', async () => {
    const entry = await audited(
      (_request, response) => response.writeHead(403).end('no viewScan'),
      '?permissions=viewScan',
      'No access token was created:',
    )
    expect(entry).toContain('"outcome":"failed"')
    expect(entry).toContain('Requested: permissions viewScan; all projects; default lifetime.')
  })
})

test('somebody who is no admin creates no token', async () => {
  const user = { name: 'ada', roles: ['releaser' as const] }
  const signIn = { mode: 'none' as const, signIn: () => Promise.resolve(personOf(user)) }
  const { create, received } = await world(
    (_request, response) => response.end('a-token-1'),
    true,
    {
      signIn,
    },
  )
  const { status, text } = await create()
  expect(status).toBe(403)
  expect(text).toContain('Requires the role admin.')
  expect(received).toEqual([])
})

describe('a refusal of the server says in words', () => {
  const everything = '?permissions=viewScan,readCache&projectIds=bank&expiresInHours=24'
  const problem = (detail: string) => JSON.stringify({ status: 403, title: 'No', detail })
  test.each([
    [
      'that a permission is not held',
      everything,
      problem('The permissions [viewScan] were requested, but not granted.'),
      { reason: 'permission', names: ['viewScan'] },
      "doesn't have the permission viewScan",
    ],
    [
      'that permissions are not held',
      everything,
      'viewScan and readCache!',
      { reason: 'permission', names: ['viewScan', 'readCache'] },
      "doesn't have the permissions viewScan and readCache",
    ],
    [
      'that a project is not held',
      everything,
      problem('The projects [bank] were requested, but not assigned.'),
      { reason: 'project', names: ['bank'] },
      "doesn't have access to the project bank",
    ],
    [
      'that it would be longer than the key',
      everything,
      problem('The credential expires at 2026-01-05T03:00:00Z, sooner than requested.'),
      { reason: 'lifetime', names: [] },
      "would outlast Sightline's access key",
    ],
    [
      'what it must be where only one thing was requested',
      '?expiresInHours=24',
      '',
      { reason: 'lifetime', names: [] },
      'Choose a shorter lifetime',
    ],
    [
      'all that it may be where the server does not say',
      everything,
      '<html>Forbidden</html>',
      { reason: 'unknown', names: [] },
      'without saying why',
    ],
  ])('%s', async (_name, query, answer, refusal, words) => {
    const { create } = await world((_request, response) => response.writeHead(403).end(answer))
    const { status, body, text } = await create(query)
    expect(status).toBe(403)
    expect(body).toMatchObject(refusal)
    expect(text).toContain('token-refused')
    expect(text).toContain(words)
  })

  test('that the key itself is rejected, or that there are no tokens', async () => {
    for (const [given, expected, words] of [
      [401, 502, 'rejects Sightline'],
      [404, 404, ''],
      [503, 503, ''],
      [302, 502, ''],
    ] as const) {
      const { create } = await world((_request, response) => response.writeHead(given).end('no'))
      const { status, text } = await create()
      expect(status).toBe(expected)
      expect(text).toContain(words)
    }
  })
})

test('whatever the server sends back, nobody sees the key, and a log has no token', async () => {
  const encoded = Buffer.from(key).toString('base64')
  const echoes = [
    key,
    encoded,
    encodeURIComponent(key),
    `Bearer ${key}`,
    'a-fine-token',
    `x${key}y`,
  ]
  let send: (response: ServerResponse) => void = (response) => response.end()
  const { create, proxy } = await world((_request, response) => {
    send(response)
  })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(200, 201, 204, 302, 400, 401, 403, 404, 429, 500),
      fc.constantFrom(...echoes),
      fc.constantFrom('text/plain', 'application/json', 'application/problem+json', 'text/html'),
      fc.constantFrom(
        (text: string) => text,
        (text: string) => JSON.stringify(text),
        (text: string) => JSON.stringify({ title: text, detail: text, [text]: [text] }),
        (text: string) => `permissions ${text} expire`,
      ),
      fc.constantFrom('', '?permissions=exportData', '?projectIds=a&expiresInHours=3'),
      async (status, text, type, body, query) => {
        send = (response) => {
          response.writeHead(status, { 'content-type': type, 'x-debug': text, etag: `"${text}"` })
          response.end(status === 204 ? undefined : body(text))
        }
        const answer = await create(query)
        const shown = `${JSON.stringify([...answer.headers])} ${answer.text}`
        expect(shown).not.toContain(key)
        expect(shown).not.toContain(encoded.replace(/=+$/, ''))
        if (answer.status !== 200) expect(shown).not.toContain('a-fine-token')
        else expect(answer.body).toEqual({ token: 'a-fine-token', expiresAt: null })
      },
    ),
    { numRuns: runs(150) },
  )
  const log = proxy.log.join('\n')
  expect(log).toContain(path)
  for (const secret of [key, encoded, 'a-fine-token']) expect(log).not.toContain(secret)
})
