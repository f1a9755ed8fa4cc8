import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type PlainServer, signedToken, startPlainServer } from '../plain-server.test-support.ts'
import { type AccessTokens, createAccessTokens } from './access-token.ts'
import { createCredentialRecord, type CredentialRecord } from './credential-record.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'

const start = Date.UTC(2026, 0, 5)
const minute = 60_000
interface World {
  readonly tokens: AccessTokens
  readonly server: PlainServer
  readonly clock: ManualClock
  readonly learnt: string[]
  readonly notices: string[]
  readonly record: CredentialRecord
}

/** Tokens from a server that answers the n-th request for one as told. */
async function world(answer: (count: number, response: ServerResponse) => unknown): Promise<World> {
  const clock = createManualClock(start)
  const server: PlainServer = await startPlainServer((_request, response) => {
    answer(server.received.length, response)
  })
  const client = createUpstreamClient({
    baseUrl: server.url,
    name: 'build server',
    urlSetting: 'URL',
    userAgent: 'test',
    clock,
  })
  onTestFinished(() => server.close())
  onTestFinished(() => client.close())
  const learnt: string[] = []
  const notices: string[] = []
  const record = createCredentialRecord('access-key', clock)
  const tokens = createAccessTokens({
    client,
    record,
    accessKey: 'the-key',
    clock,
    learn: (token) => learnt.push(token),
    notice: (sentence) => notices.push(sentence),
  })
  return { tokens, server, clock, learnt, notices, record }
}

/** A token as a server makes it, with its own clock `skewMs` off. */
const jwt = (count: number, lifetimeMinutes: number, skewMs = 0): Promise<string> =>
  signedToken(start + skewMs, lifetimeMinutes * minute, { count })

const opaque: Parameters<typeof world>[0] = (count, response) =>
  response.end(`opaque-token-${count}`)

describe('a token', () => {
  test('is made from the key by POST, once for all concurrent requests', async () => {
    const { tokens, server, learnt } = await world((_count, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('token-one\n')
    })
    const bearers = await Promise.all([tokens.bearer(), tokens.bearer(), tokens.bearer()])
    expect(bearers).toEqual(['token-one', 'token-one', 'token-one'])
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        url: '/api/auth/token?permissions=exportData&permissions=accessBuildDataViaApi&permissions=accessDataWithoutAssociatedProject',
        headers: { authorization: 'Bearer the-key' },
      },
    ])
    expect(learnt).toEqual(['token-one'])
  })

  test('may come in the quotes of JSON', async () => {
    const { tokens } = await world((_count, response) => response.end('"token-one"'))
    expect(await tokens.bearer()).toBe('token-one')
  })

  test.each([
    ['its own words, where the clocks differ by a day', 24 * 60 * minute],
    ['its own words', 0],
  ])('is renewed before it expires by %s, and nobody waits for that', async (_name, skewMs) => {
    const { tokens, server, clock } = await world(async (count, response) =>
      response.end(await jwt(count, 60, skewMs)),
    )
    const first = await tokens.bearer()
    expect(first).toBe(await jwt(1, 60, skewMs))
    clock.advance(47 * minute)
    expect(await tokens.bearer()).toBe(first)
    expect(server.received).toHaveLength(1)
    clock.advance(2 * minute)
    expect(await tokens.bearer()).toBe(first)
    await expect.poll(() => tokens.bearer()).toBe(await jwt(2, 60, skewMs))
    expect(server.received).toHaveLength(2)
  })

  test('that says nothing of its life is taken to live for two hours', async () => {
    const { tokens, server, clock } = await world(opaque)
    await tokens.bearer()
    clock.advance(95 * minute)
    await tokens.bearer()
    expect(server.received).toHaveLength(1)
    clock.advance(26 * minute)
    expect(await tokens.bearer()).toBe('opaque-token-2')
  })

  test('that was refused is forgotten once, however many requests noticed it', async () => {
    const { tokens, server, clock } = await world(opaque)
    await tokens.bearer()
    clock.advance(5 * minute)
    expect(tokens.refused('opaque-token-1')).toBe(true)
    expect(await tokens.bearer()).toBe('opaque-token-2')
    expect(tokens.refused('opaque-token-1')).toBe(true)
    expect(await tokens.bearer()).toBe('opaque-token-2')
    expect(server.received).toHaveLength(2)
  })

  test('that is refused as soon as it is made is not made again and again', async () => {
    const { tokens, server } = await world(opaque)
    for (let round = 0; round < 5; round++) tokens.refused(await tokens.bearer())
    expect(await tokens.bearer()).toBe('the-key')
    expect(server.received).toHaveLength(1)
  })
})

describe('the key itself serves', () => {
  const answers: [string, number, string, Record<string, string>, number][] = [
    ['a server without tokens', 404, '', {}, 10],
    ['a server that forbids them', 403, '', {}, 10],
    ['a server that takes no POST there', 405, '', {}, 10],
    ['a redirect to a sign-in page', 302, '', { location: '/login' }, 10],
    ['a page in place of a token', 200, '<html><body>Sign in</body></html>', {}, 10],
    ['an empty answer', 200, '', {}, 10],
    ['an endless answer', 200, 'a'.repeat(100_000), {}, 10],
    ['a refused key', 401, '', {}, 1],
    ['a busy server that names a time', 503, '', { 'retry-after': '120' }, 2],
    ['a failing server', 500, '', {}, 0.5],
  ]
  test.each(answers)(
    'with %s, and the server is left alone for a while',
    async (_name, status, body, headers, waitMinutes) => {
      // A refusal may be one of the permissions alone: then all of the key are requested.
      const requests = status === 403 ? 2 : 1
      const { tokens, server, clock, notices } = await world((_count, response) => {
        response.writeHead(status, headers).end(body)
      })
      for (let round = 0; round < 10; round++) expect(await tokens.bearer()).toBe('the-key')
      clock.advance(waitMinutes * minute - 1)
      await tokens.bearer()
      expect(server.received).toHaveLength(requests)
      clock.advance(1)
      await tokens.bearer()
      expect(server.received).toHaveLength(2 * requests)
      expect(notices).toHaveLength(2)
      expect(notices.join()).not.toContain('the-key')
    },
  )

  test('while the server cannot be reached', async () => {
    const { tokens, server } = await world((_count, response) => response.end())
    await server.close()
    expect(await tokens.bearer()).toBe('the-key')
    expect(tokens.refused('the-key')).toBe(false)
  })

  test('and a token that is still good is used on while no new one can be had', async () => {
    const { tokens, server, clock } = await world(async (count, response) => {
      if (count === 1) response.end(await jwt(1, 60))
      else response.writeHead(503).end()
    })
    const first = await tokens.bearer()
    clock.advance(50 * minute)
    await tokens.bearer()
    await expect.poll(() => server.received.length).toBe(2)
    expect(await tokens.bearer()).toBe(first)
    clock.advance(11 * minute)
    expect(await tokens.bearer()).toBe('the-key')
  })
})
