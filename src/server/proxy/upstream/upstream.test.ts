import type { ServerResponse } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem } from '../../../protocol/problem.ts'
import type { UpstreamCredential } from './credentials.ts'
import {
  type PlainServer,
  type ReceivedRequest,
  startPlainServer,
} from '../plain-server.test-support.ts'
import { createBuildDataUpstream, createGovernorUpstream, type Upstream } from './upstream.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'
import { readBounded } from './upstream-client.ts'

const key: UpstreamCredential = { kind: 'bearer', token: { reveal: () => 'the-key' } }
const account: UpstreamCredential = {
  kind: 'basic',
  userAndPassword: { reveal: () => 'ada:pässword' },
}
const accountHeader = `Basic ${Buffer.from('ada:pässword').toString('base64')}`

async function upstreamOf(
  make: (url: URL) => Upstream,
  answer: (request: ReceivedRequest, response: ServerResponse) => void = (_request, response) => {
    response.end()
  },
): Promise<{ upstream: Upstream; server: PlainServer }> {
  const server = await startPlainServer(answer)
  const upstream = make(server.url)
  onTestFinished(() => server.close())
  onTestFinished(() => upstream.client.close())
  return { upstream, server }
}

function buildData(credential: UpstreamCredential, exportBearer: 'raw' | 'base64' = 'raw') {
  return (url: URL) =>
    createBuildDataUpstream({
      kind: 'server',
      url,
      credential,
      exportBearer,
      exportVersion: 'v2',
      ...common,
    })
}
const common = {
  connect: createUpstreamClient,
  clock: createManualClock(),
  version: '1',
  notice: () => undefined,
}

async function ask(upstream: Upstream, path: string): Promise<number> {
  const answer = await upstream.client.request({
    path,
    headers: { authorization: 'Bearer theirs' },
  })
  answer.cancel()
  return answer.status
}

function sent(server: PlainServer): (string | undefined)[] {
  return server.received
    .filter(({ url }) => !url.startsWith('/api/auth/token'))
    .map(({ headers }) => headers.authorization)
}

function token(request: ReceivedRequest, response: ServerResponse, then: () => void): void {
  if (request.url.startsWith('/api/auth/token')) response.end('fresh-token')
  else then()
}

test('the pages of a server below a path are linked below it', async () => {
  const below = (path: string) => (url: URL) => buildData(key)(new URL(path, url))
  for (const path of ['/builds', '/builds/']) {
    const { upstream, server } = await upstreamOf(below(path))
    expect(upstream.origin).toBe(`${server.url.origin}/builds`)
  }
  const { upstream, server } = await upstreamOf(buildData(key))
  expect(upstream.origin).toBe(server.url.origin)
})

describe('the build server is called', () => {
  test('with a token made from the access key, for lists and for the export stream', async () => {
    const { upstream, server } = await upstreamOf(buildData(key), (request, response) => {
      token(request, response, () => response.end())
    })
    await ask(upstream, '/api/builds')
    await ask(upstream, '/build-export/v2/builds/since/now?stream')
    expect(sent(server)).toEqual(['Bearer fresh-token', 'Bearer fresh-token'])
  })

  test('with the access key in base64 for the export stream where that is configured', async () => {
    const { upstream, server } = await upstreamOf(buildData(key, 'base64'), (request, response) => {
      token(request, response, () => response.end())
    })
    await ask(upstream, '/build-export/v2/builds/since/now?stream')
    await ask(upstream, '/api/builds')
    expect(sent(server)).toEqual([
      `Bearer ${Buffer.from('the-key').toString('base64')}`,
      'Bearer fresh-token',
    ])
  })

  test('with user and password as they are, without tokens', async () => {
    const { upstream, server } = await upstreamOf(buildData(account))
    await ask(upstream, '/api/builds')
    await ask(upstream, '/build-export/v2/builds/since/now')
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      accountHeader,
      accountHeader,
    ])
  })

  test('once more with a new token when a token is refused, and no third time', async () => {
    let made = 0
    const { upstream, server } = await upstreamOf(buildData(key), (request, response) => {
      if (request.url.startsWith('/api/auth/token')) response.end(`token-number-${++made}`)
      else response.writeHead(made < 2 ? 401 : 200).end()
    })
    await ask(upstream, '/api/builds')
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer the-key',
      'Bearer token-number-1',
      // A token that is refused at once would be refused again: the key itself is next.
      'Bearer the-key',
    ])
  })

  test('once when the key itself is refused', async () => {
    const { upstream, server } = await upstreamOf(buildData(key), (_request, response) =>
      response.writeHead(401).end(),
    )
    expect(await ask(upstream, '/api/builds')).toBe(401)
    expect(sent(server)).toEqual(['Bearer the-key'])
  })
})

describe('the policy service is called', () => {
  test('with user and password, or with a bearer token, as they are', async () => {
    for (const [credential, header] of [
      [account, accountHeader],
      [key, 'Bearer the-key'],
    ] as const) {
      const { upstream, server } = await upstreamOf((url) =>
        createGovernorUpstream({ kind: 'server', url, credential, ...common }),
      )
      await ask(upstream, '/packages/oci/app/1/attestations')
      expect(server.received.map(({ headers }) => headers.authorization)).toEqual([header])
    }
  })
})

test('no credential in any spelling is left in a text that was redacted', async () => {
  const { upstream } = await upstreamOf(buildData(key), (request, response) => {
    token(request, response, () => response.end())
  })
  await ask(upstream, '/api/builds')
  const { upstream: other } = await upstreamOf(buildData(account))
  const text = [
    'the-key',
    Buffer.from('the-key').toString('base64'),
    'fresh-token',
    'Authorization: Bearer something-else',
    'https://someone:else@host/',
    'ada:pässword',
    'pässword',
    encodeURIComponent('pässword'),
    accountHeader.slice(6),
  ].join(' | ')
  const redacted = other.redact(upstream.redact(text))
  for (const secret of [
    'the-key',
    'dGhlLWtleQ',
    'fresh-token',
    'something-else',
    'someone',
    'ssword',
    accountHeader.slice(6, 14),
  ]) {
    expect(redacted).not.toContain(secret)
  }
})

test.each([500, 503])(
  "what is wrong with Sightline's own database is no answer of the embedded services (%i)",
  async (status) => {
    const damaged = problem(status, 'database-unusable', 'Database unavailable', 'Damaged.')
    const other = problem(status, 'other', 'Other', 'Other.')
    const { upstream } = await upstreamOf(
      (url) =>
        createBuildDataUpstream({
          kind: 'embedded',
          url,
          credential: key,
          exportBearer: 'raw',
          exportVersion: 'v2',
          ...common,
        }),
      ({ url }, response) => {
        response.writeHead(status, { 'content-type': 'application/problem+json' })
        response.end(JSON.stringify(url === '/api/builds' ? damaged : other))
      },
    )
    await expect(upstream.client.request({ path: '/api/builds' })).rejects.toThrow('Damaged.')
    const answer = await upstream.client.request({ path: '/api/version' })
    expect([answer.status, JSON.parse(String(await readBounded(answer, 1000)))]).toEqual([
      status,
      other,
    ])
  },
)
