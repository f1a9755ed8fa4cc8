import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import pino from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { onLoopback } from '../../../free-port.test-support.ts'
import { credentialText } from '../../../protocol/credential-state.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { watchCredentials } from './credential-watch.ts'
import type { UpstreamCredential } from './credentials.ts'
import { createBuildDataUpstream, createGovernorUpstream, type Upstream } from './upstream.ts'
import { createUpstreamClient } from './undici-upstream-client.ts'
import { signedToken } from '../plain-server.test-support.ts'

const start = Date.UTC(2026, 0, 5)
const hour = 3_600_000
const day = 24 * hour
type Answer = (request: IncomingMessage, response: ServerResponse) => void

interface Received {
  readonly url: string
  readonly authorization: string | undefined
}

async function serverOf(answer: Answer): Promise<{ url: URL; received: Received[] }> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    received.push({ url: request.url ?? '', authorization: request.headers.authorization })
    request.resume()
    answer(request, response)
  })
  const { url, close } = await onLoopback(server)
  onTestFinished(close)
  return { url: new URL(url), received }
}

const containing = (text: string): unknown => expect.stringContaining(text)

const isTokenRequest = ({ url }: Pick<IncomingMessage, 'url'>): boolean =>
  url?.startsWith('/api/auth/token') === true

function parameters(url: string | undefined): URLSearchParams {
  return new URL(url ?? '', 'http://x').searchParams
}

function json(response: ServerResponse, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end('[]')
}

/** A file whose text a test replaces. */
function secretFile(text: string) {
  const file = { text: text as string | undefined }
  return {
    file,
    reread: () =>
      file.text === undefined
        ? ({ ok: false, mistake: "can't read k (ENOENT)." } as const)
        : ({ ok: true, secret: { reveal: () => file.text ?? '' } } as const),
  }
}

function upstreamOf(
  url: URL,
  credential: UpstreamCredential,
  kind: 'build-data' | 'governor' = 'build-data',
) {
  const clock = createManualClock(start)
  const notices: string[] = []
  const options = {
    kind: 'server',
    connect: createUpstreamClient,
    url,
    credential,
    clock,
    version: '1',
    notice: (sentence: string) => notices.push(sentence),
  } as const
  const upstream: Upstream =
    kind === 'governor'
      ? createGovernorUpstream(options)
      : createBuildDataUpstream({ ...options, exportBearer: 'raw', exportVersion: 'v2' })
  onTestFinished(() => upstream.client.close())
  const ask = async (path = '/api/builds'): Promise<number> => {
    const answer = await upstream.client.request({ path })
    answer.cancel()
    return answer.status
  }
  return { upstream, clock, notices, ask }
}

const keyOf = (text: string, more: object = {}): UpstreamCredential => ({
  kind: 'bearer',
  token: { reveal: () => text },
  ...more,
})

/** A token of the server's, whose clock is a day ahead. */
const jwt = (lifetimeMs: number): Promise<string> => signedToken(start + day, lifetimeMs)

describe('access tokens have the least permissions', () => {
  const wanted = ['exportData', 'accessBuildDataViaApi', 'accessDataWithoutAssociatedProject']
  const scopes = (received: readonly Received[]): string[][] =>
    received.filter(isTokenRequest).map(({ url }) => parameters(url).getAll('permissions'))

  test('that Sightline needs, where the server grants them', async () => {
    const { url, received } = await serverOf((_request, response) => response.end('a-token-1'))
    const { upstream, notices } = upstreamOf(url, keyOf('the-key'))
    await upstream.checkCredential()
    expect(scopes(received)[0]).toEqual(wanted)
    expect(upstream.credential()).toMatchObject({
      kind: 'access-key',
      state: 'valid',
      checkedAt: start,
      permissions: { granted: wanted, missing: [] },
      notice: null,
    })
    expect(notices).toEqual([])
  })

  test('without those that the server says are missing', async () => {
    const { url, received } = await serverOf((request, response) => {
      const requested = parameters(request.url).getAll('permissions')
      const missing = requested.filter((one) => one !== 'exportData')
      if (missing.length === 0) response.end('a-token-1')
      else response.writeHead(403).end(JSON.stringify({ detail: `No [${missing.join(', ')}].` }))
    })
    const { upstream, ask } = upstreamOf(url, keyOf('the-key'))
    await ask()
    expect(scopes(received)).toEqual([wanted, ['exportData']])
    expect(upstream.credential().permissions).toEqual({
      granted: ['exportData'],
      missing: wanted.slice(1),
    })
  })

  test('or all of the key, which is said, where the server refuses less without a reason', async () => {
    const { url, received } = await serverOf((request, response) => {
      if (parameters(request.url).has('permissions')) response.writeHead(403).end()
      else response.end('a-token-1')
    })
    const { upstream, notices, ask } = upstreamOf(url, keyOf('the-key'))
    await Promise.all([ask(), ask(), ask()])
    expect(scopes(received)).toEqual([wanted, []])
    expect(upstream.credential().notice).toContain('they have all permissions of the access key')
    expect(notices).toEqual([upstream.credential().notice])
  })

  test('and a key whose user lacks the one for the live feed is said to', async () => {
    const { url } = await serverOf((request, response) => {
      if (parameters(request.url).has('permissions')) response.writeHead(403).end('no exportData')
      else response.end('a-token-1')
    })
    const { upstream } = upstreamOf(url, keyOf('the-key'))
    await upstream.checkCredential()
    expect(upstream.credential()).toMatchObject({
      permissions: { granted: null, missing: ['exportData'] },
      notice: containing('"Export API"'),
    })
  })
})

describe('when an access key ends', () => {
  const textAfterCheck = async (upstream: Upstream, now = start): Promise<string> => {
    await upstream.checkCredential()
    return credentialText(upstream.credential(), now)
  }

  test('is in a key that is a JWT, or in the configuration', async () => {
    const { url } = await serverOf((_request, response) => response.end('a-token-1'))
    const exp = Math.floor((start + 6.5 * day) / 1000)
    const claims = Buffer.from(JSON.stringify({ exp })).toString('base64url')
    const { upstream } = upstreamOf(url, keyOf(`eyJhbGciOiJIUzI1NiJ9.${claims}.c2ln`))
    expect(await textAfterCheck(upstream)).toBe(
      'The access key is valid. The access key expires in 6 days.',
    )
    const dated = upstreamOf(url, keyOf('the-key', { expiresAt: start + 3 * day }))
    expect(await textAfterCheck(dated.upstream)).toContain('expires in 3 days.')
  })

  test.each([
    ['a refusal names', 'It expires at 2026-01-05T05:00:00Z.', 2 * hour, 'in 5 hours.'],
    ['a short token shows', 'No.', hour, 'in 1 hour.'],
    ['no one says, but it is soon', 'No.', 2 * hour, 'within 24 hours.'],
  ])('within a day is what %s', async (_name, refusal, tokenLifetime, words) => {
    const made = await jwt(tokenLifetime)
    const { url } = await serverOf((request, response) => {
      if (parameters(request.url).has('expiresInHours')) response.writeHead(403).end(refusal)
      else response.end(made)
    })
    const { upstream } = upstreamOf(url, keyOf('the-key'))
    const text = (await textAfterCheck(upstream)).replace('60 minutes', '1 hour')
    expect(text).toContain(words)
  })

  test('is unknown where a token may live for a day, also if tokens are short there', async () => {
    const made = await jwt(hour / 2)
    const { url, received } = await serverOf((_request, response) => response.end(made))
    const { upstream, clock } = upstreamOf(url, keyOf('the-key'))
    for (let n = 0; n < 11; n++) {
      await upstream.checkCredential()
      clock.advance(hour)
    }
    expect(upstream.credential().expiresAt).toBeNull()
    const long = received.filter(({ url: asked }) => parameters(asked).has('expiresInHours'))
    expect(long).toHaveLength(1)
  })
})

describe('how a credential stands', () => {
  test.each([
    [401, 'refused'],
    [503, 'unreachable'],
  ] as const)('after a %i in response to the key is %s', async (status, state) => {
    const { url } = await serverOf((_request, response) => response.writeHead(status).end())
    const { upstream } = upstreamOf(url, keyOf('the-key'))
    await upstream.checkCredential()
    expect(upstream.credential().state).toBe(state)
  })

  test('is found out by the build list where a server has no tokens', async () => {
    for (const [status, state] of [
      [200, 'valid'],
      [403, 'valid'],
      [401, 'refused'],
      [502, 'unchecked'],
    ] as const) {
      const { url, received } = await serverOf((request, response) => {
        json(response, isTokenRequest(request) ? 404 : status)
      })
      const { upstream } = upstreamOf(url, keyOf('the-key'))
      await upstream.checkCredential()
      expect(upstream.credential().state).toBe(state)
      expect(received.at(-1)).toEqual({
        url: `/api/builds?since=${start}&maxBuilds=1`,
        authorization: 'Bearer the-key',
      })
    }
  })

  test.each([
    [
      'basic',
      { kind: 'basic', userAndPassword: { reveal: (): string => 'ada:word' } },
      'Basic YWRhOndvcmQ=',
    ],
    ['bearer', keyOf('a-token'), 'Bearer a-token'],
  ] as const)('of the policy service (%s) is what it answers', async (kind, credential, sent) => {
    let status = 404
    const { url, received } = await serverOf((_request, response) => {
      json(response, status)
    })
    const { upstream, ask } = upstreamOf(url, credential, 'governor')
    expect(upstream.credential()).toMatchObject({ kind, state: 'unchecked' })
    await upstream.checkCredential()
    expect(received[0]?.authorization).toBe(sent)
    expect(upstream.credential().state).toBe('valid')
    status = 401
    await ask('/packages/oci/app/1/attestations')
    expect(upstream.credential().state).toBe('refused')
  })

  test('is not valid because a sign-in page was sent', async () => {
    const { url } = await serverOf((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<form>'),
    )
    const { upstream } = upstreamOf(url, keyOf('a-token'), 'governor')
    await upstream.checkCredential()
    expect(upstream.credential().state).toBe('unchecked')
  })

  test('is unreachable while nothing responds', async () => {
    const { upstream } = upstreamOf(new URL('http://127.0.0.1:1'), keyOf('the-key'))
    await upstream.checkCredential()
    expect(credentialText(upstream.credential(), start)).toBe(
      "The access key was not checked: the server can't be reached.",
    )
  })
})

describe('a secret file that is replaced', () => {
  test('counts at once when the old secret is rejected, and within a second else', async () => {
    let accepted = 'old-key'
    const { url, received } = await serverOf((request, response) => {
      const isAccepted = request.headers.authorization === `Bearer ${accepted}`
      json(response, isTokenRequest(request) ? 404 : isAccepted ? 200 : 401)
    })
    const { file, reread } = secretFile('old-key')
    const { upstream, clock, ask } = upstreamOf(url, keyOf('old-key', { reread }))
    expect(await ask()).toBe(200)
    file.text = accepted = 'new-key'
    expect(await ask()).toBe(200)
    file.text = 'next-key'
    clock.advance(1000)
    await ask()
    expect(received.at(-1)?.authorization).toBe('Bearer next-key')
    for (const secret of ['old-key', 'new-key', 'next-key']) {
      expect(upstream.redact(`x ${secret} y`)).toBe('x [secret] y')
    }
  })

  test('is used by the policy service, too', async () => {
    const { url, received } = await serverOf((request, response) => {
      json(response, request.headers.authorization === 'Basic YWRhOm5ldw==' ? 200 : 401)
    })
    const { file, reread } = secretFile('ada:old')
    const userAndPassword = { reveal: () => 'ada:old' }
    const { ask } = upstreamOf(url, { kind: 'basic', userAndPassword, reread }, 'governor')
    expect(await ask('/packages/oci/app/1/attestations')).toBe(401)
    file.text = 'ada:new'
    expect(await ask('/packages/oci/app/1/attestations')).toBe(200)
    expect(received).toHaveLength(3)
  })

  test('that cannot be read leaves the old secret in use, and is said once', async () => {
    const { url } = await serverOf((request, response) => {
      json(response, isTokenRequest(request) ? 404 : 200)
    })
    const { file, reread } = secretFile('old-key')
    const { clock, notices, ask } = upstreamOf(url, keyOf('old-key', { reread }))
    file.text = undefined
    for (let n = 0; n < 3; n++) {
      clock.advance(1000)
      expect(await ask()).toBe(200)
    }
    expect(notices.filter((text) => text.includes('ENOENT'))).toEqual([
      "can't read k (ENOENT). Using the last one that was read.",
    ])
  })
})

describe('the watch over credentials', () => {
  /** Waits for what a check does over the network. */
  const settled = (upstream: Upstream, state: string) =>
    expect.poll(() => upstream.credential().state, { interval: 5 }).toBe(state)

  function watchOf(upstream: Upstream, clock: ReturnType<typeof createManualClock>): string[] {
    const log: string[] = []
    const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) })
    const watch = watchCredentials({ upstreams: [upstream], clock, logger })
    onTestFinished(() => {
      watch.close()
      return Promise.resolve()
    })
    return log
  }
  const messages = (log: readonly string[]): unknown[] =>
    log.map((line) => z.object({ msg: z.string() }).parse(JSON.parse(line)).msg)

  test('checks at start and hourly, and every minute while a credential is rejected', async () => {
    let status = 200
    const { url, received } = await serverOf((_request, response) => {
      json(response, status)
    })
    const { upstream, clock } = upstreamOf(url, keyOf('a-token'), 'governor')
    const log = watchOf(upstream, clock)
    await settled(upstream, 'valid')
    clock.advance(hour - 2000)
    expect(received).toHaveLength(1)
    status = 401
    clock.advance(2000)
    await settled(upstream, 'refused')
    clock.advance(58_000)
    expect(received).toHaveLength(2)
    status = 200
    clock.advance(2000)
    await settled(upstream, 'valid')
    expect(received).toHaveLength(3)
    expect(messages(log)).toEqual([
      containing('Policy service: The server rejects the bearer token. Replace it in '),
      'Policy service: The bearer token is valid.',
    ])
  })

  test('warns 14, 7, 3 and 1 days before a key expires, and when it has', async () => {
    const { url } = await serverOf((_request, response) => response.end('a-token-1'))
    const { upstream, clock } = upstreamOf(url, keyOf('the-key', { expiresAt: start + 20 * day }))
    const log = watchOf(upstream, clock)
    await settled(upstream, 'valid')
    for (let n = 0; n <= 41; n++) clock.advance(day / 2)
    expect(messages(log)).toEqual(
      [
        'The access key expires in 14 days.',
        'The access key expires in 7 days.',
        'The access key expires in 3 days.',
        'The access key expires in 24 hours.',
        'The access key has expired.',
      ].map((sentence) => containing(`Build server: ${sentence} Replace it in `)),
    )
  })

  test('checks a replaced secret at once, also while the old one is being checked', async () => {
    const { url, received } = await serverOf((_request, response) => response.end('a-token-1'))
    const { file, reread } = secretFile('old-key')
    const { upstream, clock, notices } = upstreamOf(url, keyOf('old-key', { reread }))
    const log = watchOf(upstream, clock)
    await settled(upstream, 'valid')
    file.text = 'new-key'
    const newest = (): string | undefined => {
      clock.advance(2000)
      return received.at(-1)?.authorization
    }
    await expect.poll(newest, { interval: 5 }).toBe('Bearer new-key')
    await settled(upstream, 'valid')
    expect(notices).toEqual(['A secret file has changed. Using the new secret.'])
    expect(log).toEqual([])
  })
})
