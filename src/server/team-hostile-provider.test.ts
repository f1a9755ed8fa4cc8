import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Browser,
  createBrowser,
  publicUrl,
  renew,
  startTeam,
  type Team,
} from './team.test-support.ts'

// The other side is written by hand here: a provider that signs whatever a test wants.

const now = (): number => Math.floor(Date.now() / 1000)
const clientSecret = 'canary-client-secret-0a1b2c3d'
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

type Payload = Readonly<Record<string, unknown>>

let issuer: string
let product: Team
let keys: { readonly own: CryptoKey; readonly other: CryptoKey }
/** What the next ID token is made of, and how it is signed. */
let claims: Payload
let sign: (claims: Payload) => Promise<string>
let nonce = ''
const ends: (() => unknown)[] = []

/** What is undefined is left out. */
function jwt(payload: Payload): SignJWT {
  return new SignJWT(Object.fromEntries(Object.entries(payload)))
}

async function byKey(payload: Payload, key: CryptoKey, kid = 'k1'): Promise<string> {
  return jwt(payload).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).sign(key)
}

beforeAll(async () => {
  const [own, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  keys = { own: own.privateKey, other: other.privateKey }
  const jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256' }] }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const json = (value: unknown): void => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(value))
    }
    if (pathname === '/.well-known/openid-configuration') {
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['ES256'],
      })
    } else if (pathname === '/jwks') json(jwks)
    else if (pathname === '/authorize') {
      nonce = searchParams.get('nonce') ?? ''
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', 'x')
      back.searchParams.set('state', searchParams.get('state') ?? '')
      response.writeHead(303, { location: back.href }).end()
    } else {
      void sign({ nonce, ...claims }).then((token) => {
        json({ access_token: 'a', token_type: 'bearer', id_token: token })
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  issuer = `http://127.0.0.1:${String(typeof address === 'object' ? address?.port : 0)}`
  product = await startTeam({ issuer })
  ends.push(product.close)
  await vi.waitFor(async () => {
    expect((await renew(createBrowser(product.url))).status).toBe(401)
  })
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})
beforeEach(() => {
  const time = { iat: now(), exp: now() + 300 }
  claims = { iss: issuer, aud: 'sightline', sub: 'eve', sid: 's1', groups: ['engineers'], ...time }
  sign = (payload) => byKey(payload, keys.own)
})

async function signIn(): Promise<Browser> {
  const browser = createBrowser(product.url)
  await browser.open('/session/sign-in')
  return browser
}

describe('an ID token', () => {
  test('that is good in everything signs in', async () => {
    expect((await renew(await signIn())).session?.user).toEqual({ name: 'eve', roles: ['viewer'] })
  })

  test.each<[string, () => void]>([
    ['for another client', () => (claims = { ...claims, aud: 'other' })],
    ['for several, by another', () => (claims = { ...claims, aud: ['sightline', 'o'], azp: 'o' })],
    ['of another issuer', () => (claims = { ...claims, iss: 'https://evil.example' })],
    ['of another sign-in', () => (claims = { ...claims, nonce: 'other' })],
    ['without a nonce', () => (claims = { ...claims, nonce: undefined })],
    ['that has expired', () => (claims = { ...claims, iat: now() - 900, exp: now() - 300 })],
    ['from the future', () => (claims = { ...claims, nbf: now() + 300 })],
    ['without an end', () => (claims = { ...claims, exp: undefined })],
    ['without a subject', () => (claims = { ...claims, sub: undefined })],
    ['signed by another key', () => (sign = (payload) => byKey(payload, keys.other))],
    ['of an unknown key', () => (sign = (payload) => byKey(payload, keys.own, 'k2'))],
    [
      'signed with the secret of the client',
      () =>
        (sign = (payload) =>
          jwt(payload)
            .setProtectedHeader({ alg: 'HS256' })
            .sign(new TextEncoder().encode(clientSecret))),
    ],
    [
      'that is not signed',
      () =>
        (sign = (payload) => {
          const part = (value: unknown): string =>
            Buffer.from(JSON.stringify(value)).toString('base64url')
          return Promise.resolve(`${part({ alg: 'none' })}.${part(payload)}.`)
        }),
    ],
  ])('%s is refused', async (_what, spoil) => {
    spoil()
    const browser = await signIn()
    expect(browser.cookies.has('__Host-sightline')).toBe(false)
    const { status, body } = await renew(browser)
    expect([status, JSON.stringify(body.failure)]).toEqual([
      401,
      expect.stringMatching(/couldn't be verified|refused the sign-in/),
    ])
    expect(JSON.stringify([body, product.log])).not.toContain(clientSecret)
  })
})

describe('a logout token', () => {
  let browser: Browser
  beforeEach(async () => {
    browser = await signIn()
    expect((await renew(browser)).status).toBe(200)
  })
  let count = 0
  const good = (): Payload => ({
    iss: issuer,
    aud: 'sightline',
    sid: 's1',
    iat: now(),
    exp: now() + 120,
    jti: `j${(count += 1)}`,
    events: { [logoutEvent]: {} },
  })
  const make = (payload: Payload, { typ = 'logout+jwt', key = keys.own } = {}): Promise<string> =>
    jwt(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1', typ }).sign(key)
  const send = async (token: string): Promise<number> => {
    const response = await fetch(`${product.url}/session/logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: token }).toString(),
    })
    expect(response.headers.get('cache-control')).toContain('no-store')
    return response.status
  }

  test('ends the session that it names, and is good once', async () => {
    const token = await make(good())
    expect(await send(token)).toBe(200)
    expect((await renew(browser)).status).toBe(401)
    const again = await signIn()
    expect(await send(token)).toBe(400)
    expect((await renew(again)).status).toBe(200)
  })

  test('ends all sessions of the person that it names', async () => {
    const second = await signIn()
    expect(await send(await make({ ...good(), sid: undefined, sub: 'eve' }))).toBe(200)
    expect([(await renew(browser)).status, (await renew(second)).status]).toEqual([401, 401])
  })

  test.each<[string, (payload: Payload) => Promise<string> | string]>([
    ['for another client', (payload) => make({ ...payload, aud: 'other' })],
    ['of another issuer', (payload) => make({ ...payload, iss: 'https://evil.example' })],
    ['with a nonce', (payload) => make({ ...payload, nonce: 'n' })],
    ['without the event', (payload) => make({ ...payload, events: {} })],
    ['without events', (payload) => make({ ...payload, events: undefined })],
    ['that names nobody', (payload) => make({ ...payload, sid: undefined })],
    ['without an id', (payload) => make({ ...payload, jti: undefined })],
    ['without a time', (payload) => make({ ...payload, iat: undefined })],
    ['of an hour ago', (payload) => make({ ...payload, iat: now() - 3600 })],
    ['that has expired', (payload) => make({ ...payload, exp: now() - 300 })],
    ['of another type', (payload) => make(payload, { typ: 'at+jwt' })],
    ['signed by another key', (payload) => make(payload, { key: keys.other })],
    ['that is an ID token', () => byKey({ ...claims, nonce: 'n', jti: 'j' }, keys.own)],
    ['that is none', () => 'eyJhbGciOiJub25lIn0.e30.'],
    ['that is empty', () => ''],
  ])('%s is refused and ends nothing', async (_what, spoiled) => {
    expect(await send(await spoiled(good()))).toBe(400)
    expect((await renew(browser)).status).toBe(200)
  })
})

test("what a browser sends of another site's page is refused, but for coming back from the provider", async () => {
  const browser = await signIn()
  const site = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  for (const method of ['POST', 'GET', 'DELETE']) {
    const response = await browser.send('/session', { method, headers: site })
    expect([method, response.status]).toEqual([method, 403])
  }
  const begun = await browser.send('/session/sign-in', { headers: site })
  expect(begun.headers.get('location')).toContain(`${issuer}/authorize?`)
  expect(new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
    `${publicUrl}/session/callback`,
  )
  expect((await renew(browser)).status).toBe(200)
})

test('a token is good in the Authorization header only', async () => {
  const browser = await signIn()
  const token = (await renew(browser)).session?.token ?? ''
  for (const path of [`/config?token=${token}`, `/config?access_token=${token}`]) {
    expect((await browser.send(path)).status).toBe(401)
  }
  expect((await browser.send('/config')).status).toBe(401)
  const withToken = { headers: { authorization: `Bearer ${token}` } }
  expect((await browser.send('/config', withToken)).status).toBe(200)
})
