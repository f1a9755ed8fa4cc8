import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { onLoopback } from '../free-port.test-support.ts'
import {
  type Browser,
  createBrowser,
  databaseFolder,
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
/** What the token endpoint refuses with, if it does; `$SENT` is the Authorization header it was sent. */
let refusal: Payload | undefined
let callbackError: string | undefined
let prompts: unknown
let callbackCode = 'access_denied'
let userInfoStatus = 200
/** What is at the address of the tokens instead of an answer; undefined: an answer. */
let outage: ((response: ServerResponse) => void) | undefined
let userInfo: Payload = {}
/** Each refresh token is good once, and undefined where the provider gives none. */
let refreshToken: string | undefined
let jwks: { keys: unknown[] }
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
  jwks = { keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'ES256' }] }
  const answerToken = async (
    request: IncomingMessage,
    response: ServerResponse,
    json: (value: unknown) => void,
  ): Promise<void> => {
    const form = new URLSearchParams((await request.toArray()).join(''))
    const used = form.get('refresh_token')
    const sent = request.headers.authorization ?? ''
    const refused = used === null || used === refreshToken ? refusal : { error: 'invalid_grant' }
    if (refused !== undefined) {
      response.statusCode = 400
      json(JSON.parse(JSON.stringify(refused).replaceAll('$SENT', sent)))
      return
    }
    if (refreshToken !== undefined) refreshToken = `${refreshToken}+`
    const id_token = await sign({ nonce: used === null ? nonce : undefined, ...claims })
    json({ access_token: 'a', token_type: 'bearer', id_token, refresh_token: refreshToken })
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', issuer)
    const json = (value: unknown): void => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(value))
    }
    if (pathname.endsWith('/.well-known/openid-configuration')) {
      json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        id_token_signing_alg_values_supported: ['ES256'],
        prompt_values_supported: prompts,
      })
    } else if (pathname === '/jwks') json(jwks)
    else if (pathname === '/authorize') {
      nonce = searchParams.get('nonce') ?? ''
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      if (callbackError === undefined) back.searchParams.set('code', 'x')
      else {
        back.searchParams.set('error', callbackCode)
        back.searchParams.set('error_description', callbackError)
      }
      back.searchParams.set('state', searchParams.get('state') ?? '')
      response.writeHead(303, { location: back.href }).end()
    } else if (pathname === '/userinfo') {
      response.statusCode = userInfoStatus
      json({ sub: claims.sub, ...userInfo })
    } else if (outage === undefined) void answerToken(request, response, json)
    else outage(response)
  })
  const { url, close } = await onLoopback(server)
  ends.push(close)
  issuer = url
  product = await startTeam({
    issuer,
    roles:
      '    - {claim: groups, value: engineers, role: viewer}\n    - {claim: groups, value: owners, role: admin}',
  })
  ends.push(product.close)
  await vi.waitFor(async () => {
    expect((await renew(createBrowser(product.url))).status).toBe(401)
  })
})
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})
beforeEach(() => {
  refusal = callbackError = refreshToken = outage = undefined
  callbackCode = 'access_denied'
  userInfoStatus = 200
  userInfo = {}
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

  test('that is refused for a claim is logged with its name; of clocks that differ the page says so', async () => {
    claims = { ...claims, aud: 'other' }
    await signIn()
    expect(product.log.join('')).toContain('"aud')
    claims = { ...claims, aud: 'sightline', iat: now() - 900, exp: now() - 300 }
    expect((await renew(await signIn())).body.failure).toMatchObject({
      detail:
        "The identity provider's answer couldn't be verified: it has expired or isn't valid yet. The clocks of the provider and of Sightline may be more than 2.5 minutes apart. Ask an administrator to check both.",
    })
  })
})

test.each([
  [
    'access_denied',
    'Closed.',
    'The identity provider refused the sign-in: Closed. Sign in again, or ask an administrator for access.',
  ],
  [
    'access_denied',
    'Grüße:\u202e\nZu',
    'The identity provider refused the sign-in: Grüße: Zu. Sign in again, or ask an administrator for access.',
  ],
  [
    'login_required',
    '',
    'The identity provider refused the sign-in: login_required. Sign in again.',
  ],
  [
    'invalid_scope',
    'Unknown scope: groups',
    'The identity provider refused the sign-in: Unknown scope: groups. Ask an administrator to check signIn.oidc.scopes in the configuration file.',
  ],
  [
    'temporarily_unavailable',
    'Closed.',
    "The identity provider couldn't complete the sign-in: Closed. Sign in again in a few seconds.",
  ],
])(
  'a browser that comes back with %s (%s) is told what became of its sign-in',
  async (code, said, detail) => {
    callbackCode = code
    callbackError = said
    const browser = await signIn()
    expect((await renew(browser)).body.failure).toMatchObject({ detail })
  },
)

describe('what the provider says of a sign-in that it refuses', () => {
  const basic = `sightline:${clientSecret}`
  const encoded = `sightline:${clientSecret.replaceAll('-', '%2D')}`
  test.each([
    ['the header', '$SENT'],
    ['the secret', clientSecret],
    ['the pair', basic],
    ['the pair as it is sent', encoded],
    ['the pair in base64', Buffer.from(basic).toString('base64')],
    ['the secret in base64', Buffer.from(`it is ${clientSecret}!`).toString('base64')],
  ])('reaches no browser and no log with %s in it', async (_what, text) => {
    for (const body of [
      { error: 'invalid_client', error_description: `Bad: ${text}` },
      { error: `x_${text}` },
    ]) {
      refusal = body
      const { body: answer } = await renew(await signIn())
      const detail = JSON.stringify(answer.failure)
      expect(detail).toContain('[secret]')
      const told = JSON.stringify([detail, product.log, await refusals()])
      for (const secret of [clientSecret, encoded, Buffer.from(encoded).toString('base64')]) {
        expect(told).not.toContain(secret)
      }
      expect(told).not.toContain(text.slice(0, 24).replace('$SENT', 'never'))
    }
  })

  test('is told apart in the audit log, but not what stands in the address of the browser', async () => {
    refusal = { error: 'invalid_client', error_description: 'First reason' }
    await signIn()
    refusal = { error: 'invalid_client', error_description: 'Second reason' }
    await signIn()
    callbackError = 'typed by a visitor'
    const { body } = await renew(await signIn())
    expect(JSON.stringify(body.failure)).toContain('typed by a visitor')
    await expect.poll(async () => JSON.stringify(await refusals())).toContain('came back')
    const told = JSON.stringify(await refusals())
    expect(told).toContain('First reason')
    expect(told).toContain('Second reason')
    expect(told).not.toContain('typed by')
  })

  async function refusals(): Promise<unknown> {
    refusal = callbackError = undefined
    claims = { ...claims, groups: ['owners'] }
    const { session } = await renew(await signIn())
    const headers = { authorization: `Bearer ${session?.token ?? ''}` }
    const path = `${product.url}/history/actions?scope=all&action=sign-in-refused`
    return (await fetch(path, { headers })).json()
  }
})

describe('a renewal', () => {
  const later = 9 * 60_000
  test('keeps the newest refresh token, whatever fails after it came', async () => {
    refreshToken = 'refresh-1'
    claims = { ...claims, groups: undefined }
    userInfo = { groups: ['engineers'] }
    const browser = await signIn()
    expect((await renew(browser)).status).toBe(200)
    for (const status of [503, 403, 200, 200]) {
      userInfoStatus = status
      product.clock.shift(later)
      expect([status, (await renew(browser)).status]).toEqual([status, 200])
    }
    product.clock.shift(-4 * later)
  })

  test('is not taken where it is for somebody else', async () => {
    refreshToken = 'refresh-1'
    const browser = await signIn()
    claims = { ...claims, sub: 'mallory', groups: ['owners'] }
    product.clock.shift(later)
    expect((await renew(browser)).session?.user).toEqual({ name: 'eve', roles: ['viewer'] })
    product.clock.shift(-later)
  })

  test('follows the rules of today, also where the provider cannot be asked', async () => {
    const folder = databaseFolder()
    const start = (role: string): Promise<Team> =>
      startTeam({
        issuer,
        databaseUrl: folder.url,
        roles: `    - {claim: groups, value: engineers, role: viewer}\n    - {claim: acr, value: gold, role: ${role}}`,
      })
    const signInAt = async (team: Team): Promise<Browser> => {
      const browser = createBrowser(team.url)
      await vi.waitFor(async () => {
        await browser.open('/session/sign-in')
        expect((await renew(browser)).status).toBe(200)
      })
      return browser
    }
    claims = { ...claims, acr: 'gold' }
    const before = await start('admin')
    const browser = await signInAt(before)
    const one = await signInAt(before)
    await before.close()
    const after = await start('releaser')
    after.clock.shift(20_000)
    const { session } = await renew(createBrowser(after.url, browser.cookies))
    expect(session?.user.roles).toEqual(['releaser'])
    await after.close()
    const last = await startTeam({
      issuer,
      databaseUrl: folder.url,
      roles: '    - {claim: groups, value: others, role: viewer}',
    })
    last.clock.shift(40_000)
    const { status, body } = await renew(createBrowser(last.url, one.cookies))
    expect([status, body.detail]).toEqual([401, expect.stringContaining('has no role')])
    await last.close()
    folder.remove()
  })
})

describe('a provider that fails while somebody signs in', () => {
  const answering =
    (status: number, type: string, headers = {}) =>
    (response: ServerResponse): void => {
      response.writeHead(status, { 'content-type': type, ...headers }).end('<html>')
    }
  const basic = { 'www-authenticate': 'Basic realm="x"' }
  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    [
      'is busy',
      answering(503, 'text/html'),
      /couldn't complete the sign-in \(status 503 at [\d.:]+\/token\)\. Sign in again in a few seconds/,
    ],
    [
      'answers a page',
      answering(200, 'text/html'),
      /can't be used \(text\/html instead of JSON at [\d.:]+\/token\)/,
    ],
    ['has moved', answering(404, 'text/html'), /can't be used \(status 404 at [\d.:]+\/token\)/],
    [
      'closes the connection',
      (response) => response.destroy(),
      /isn't responding\. Sign in again in a few seconds/,
    ],
    [
      'refuses the secret of the client',
      answering(401, 'application/json', basic),
      /refused Sightline \(status 401 at .*\)\. .*check .*SIGHTLINE_OIDC_CLIENT_SECRET/,
    ],
  ])('that %s is not said to be one whose answer is false', async (_what, answer, words) => {
    outage = answer
    const { status, body } = await renew(await signIn())
    expect([status, JSON.stringify(body.failure)]).toEqual([401, expect.stringMatching(words)])
  })
})

test('a provider that calls itself something else answers, but its answer is not used', async () => {
  const team = await startTeam({ issuer: `${issuer}/acme` })
  await vi.waitFor(async () => {
    const { status, body } = await renew(createBrowser(team.url))
    expect([status, body.detail]).toEqual([
      503,
      expect.stringMatching(
        /^The answer .* can't be used \(it calls itself http:.*\), so nobody can sign in right now/,
      ),
    ])
  })
  await team.close()
})

test('keys that the provider has changed a moment ago are read anew', async () => {
  expect((await renew(await signIn())).status).toBe(200)
  const next = await generateKeyPair('ES256')
  jwks = { keys: [...jwks.keys, { ...(await exportJWK(next.publicKey)), kid: 'k9', alg: 'ES256' }] }
  sign = (payload) => byKey(payload, next.privateKey, 'k9')
  await expect.poll(async () => (await renew(await signIn())).status, { timeout: 9000 }).toBe(200)
}, 15_000)

test('keys without names that the provider has changed are read anew, and of several one fits', async () => {
  const [before, next] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
  const named = jwks
  const unnamed = async (pair: CryptoKeyPair) => ({
    ...(await exportJWK(pair.publicKey)),
    alg: 'ES256',
  })
  jwks = { keys: [await unnamed(before), await unnamed(next)] }
  for (const { privateKey } of [next, before]) {
    sign = (payload) => jwt(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
    await expect.poll(async () => (await renew(await signIn())).status, { timeout: 9000 }).toBe(200)
  }
  jwks = named
  sign = (payload) => byKey(payload, keys.own)
  await expect.poll(async () => (await renew(await signIn())).status, { timeout: 9000 }).toBe(200)
}, 30_000)

test.each([
  ['a\nb\u0000\u202Ec', 'a b c'],
  ['  ', 'e@x'],
  ['\u200b', 'e@x'],
  [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
])('the name %j is shown as %j', async (preferred_username, name) => {
  claims = { ...claims, preferred_username, email: 'e@x' }
  expect((await renew(await signIn())).session?.user.name).toBe(name)
})

test.each([
  [undefined, 'login'],
  ['select_account', 'login'],
  [['none', 'login', 'select_account'], 'select_account'],
])('a provider that says it can %j is asked for another account by %s', async (said, prompt) => {
  prompts = said
  onTestFinished(() => {
    prompts = undefined
  })
  const team = await startTeam({ issuer })
  onTestFinished(team.close)
  const browser = createBrowser(team.url)
  const promptOf = async (search: string): Promise<string | null> => {
    const { headers } = await browser.send(`/session/sign-in?to=/${search}`)
    return new URL(headers.get('location') ?? '').searchParams.get('prompt')
  }
  await vi.waitFor(async () => {
    expect(await promptOf('&account=other')).toBe(prompt)
  })
  expect(await promptOf('')).toBeNull()
})

test('however many sign-ins others begin, and while one is under way, it can end', async () => {
  const browser = createBrowser(product.url)
  const begun = []
  for (let at = 0; at < 12; at++) {
    const to = `/builds?query=${'x'.repeat(at * 150)}`
    begun.push(await browser.send(`/session/sign-in?to=${encodeURIComponent(to)}`))
  }
  expect(begun.every(({ headers }) => headers.getSetCookie().join().length < 4096)).toBe(true)
  const last = begun.pop()?.headers.get('location') ?? ''
  const { url } = await browser.open(last)
  expect(url).toContain('/builds?query=xxx')
  expect((await renew(browser)).status).toBe(200)
  // The one that went first is not known any more.
  const first = await browser.open(begun[0]?.headers.get('location') ?? '')
  expect(first.url).toBe(`${publicUrl}/`)
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

  test('with a name that the provider never gave the session ends it by the person', async () => {
    const other = await signIn()
    claims = { ...claims, sid: undefined }
    const unnamed = await signIn()
    expect(await send(await make({ ...good(), sid: 's9', sub: 'eve' }))).toBe(200)
    expect([(await renew(other)).status, (await renew(unnamed)).status]).toEqual([200, 401])
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
