import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { SignOutAnswer } from '../protocol/sign-in.ts'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.test-support.ts'
import {
  type Browser,
  createBrowser,
  createShiftedClock,
  databaseFolder,
  publicUrl,
  renew,
  startTeam,
  type Team,
} from './team.test-support.ts'

const minute = 60_000
const hour = 60 * minute

let provider: IdentityProvider
beforeEach(async () => {
  provider = await startIdentityProvider(publicUrl)
  onTestFinished(provider.close)
  provider.setGroups('ann', ['engineers'])
})
async function team(options: Partial<Parameters<typeof startTeam>[0]> = {}): Promise<Team> {
  const started = await startTeam({ issuer: provider.issuer, ...options })
  onTestFinished(started.close)
  // The provider is found in the background.
  await expect.poll(async () => (await renew(createBrowser(started.url))).status).toBe(401)
  return started
}

/** Two proxies on one database. */
async function twoProxies(buildServer?: Parameters<typeof startTeam>[0]['buildServer']) {
  const folder = databaseFolder()
  onTestFinished(folder.remove)
  const clock = createShiftedClock()
  const options = { databaseUrl: folder.url, clock, ...(buildServer && { buildServer }) }
  return { clock, one: await team(options), other: await team(options) }
}

async function signedIn(at: Team): Promise<Browser> {
  const browser = createBrowser(at.url)
  await browser.open('/session/sign-in?to=/wall')
  return browser
}

const bearer = (token = ''): RequestInit => ({ headers: { authorization: `Bearer ${token}` } })

describe('signing in with an identity provider', () => {
  test('comes back to the page, with a session whose cookie is opaque and whose roles come from the claims', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    const refused = await renew(browser)
    expect(refused).toMatchObject({
      status: 401,
      body: {
        type: 'urn:sightline:problem:signed-out',
        mode: 'oidc',
        signInUrl: '/session/sign-in',
      },
    })
    const { url } = await browser.open('/session/sign-in?to=/builds%3Fquery%3Da')
    expect(url).toBe(`${publicUrl}/builds?query=a`)
    const cookie = browser.cookies.get('__Host-sightline') ?? ''
    expect(cookie).toMatch(/^[\w-]{22}\.0\.[\w-]{43}$/)
    const { session } = await renew(browser)
    expect(session).toMatchObject({ user: { name: 'ann', roles: ['viewer'] }, mode: 'oidc' })
    const report = await browser.send('/session', bearer(session?.token))
    expect(await report.json()).toMatchObject({
      user: { name: 'ann' },
      mode: 'oidc',
      claims: { sub: 'ann', preferred_username: 'ann', groups: ['engineers'] },
      rule: 'groups contains “engineers”: viewer',
    })
    expect(JSON.stringify(product.log)).not.toMatch(/canary|refresh_token/)
  })

  test('is refused without a rule that fits, and says once which claims came', async () => {
    provider.setGroups('ann', ['marketing'])
    const product = await team()
    const browser = await signedIn(product)
    const refused = await renew(browser)
    expect(refused.body.failure).toMatchObject({
      detail: expect.stringMatching(/^ann .* has no role in Sightline/) as unknown,
      claims: { groups: ['marketing'], preferred_username: 'ann' },
    })
    expect(browser.cookies.has('__Host-sightline')).toBe(false)
    expect((await renew(browser)).body.failure).toBeUndefined()
  })

  test('changed groups change the role at the next renewal, and lost ones end the session', async () => {
    const product = await team()
    const browser = await signedIn(product)
    await renew(browser)
    provider.setGroups('ann', ['engineers', 'release-managers'])
    product.clock.shift(9 * minute)
    expect((await renew(browser)).session?.user.roles).toEqual(['releaser'])
    provider.setGroups('ann', [])
    product.clock.shift(9 * minute)
    const { body } = await renew(browser)
    expect(body.detail).toContain('has no role in Sightline')
    // What the page shows beside “Your session has ended”.
    expect(body.failure).toMatchObject({ detail: body.detail, claims: { groups: [] } })
    // Somebody else may have signed in in this browser since it was sent: what they got stays.
    const refused = await browser.send('/session', { method: 'POST' })
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []])
  })

  test('a provider that is down at the start delays nothing: the product says so, and goes on when it is there', async () => {
    const port = Number(new URL(provider.issuer).port)
    await provider.close()
    const product = await startTeam({ issuer: provider.issuer })
    onTestFinished(product.close)
    const refused = await createBrowser(product.url).send('/session', { method: 'POST' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.text()).toContain(`127.0.0.1:${port} isn't responding`)
    expect((await fetch(`${product.url}/healthz`)).status).toBe(200)
    const again = await startIdentityProvider(publicUrl, port)
    onTestFinished(again.close)
    await expect
      .poll(async () => (await renew(createBrowser(product.url))).status, { timeout: 5000 })
      .toBe(401)
  })

  test('a provider that is down later signs nobody out; one that refuses to go on does', async () => {
    const product = await team()
    const browser = await signedIn(product)
    const port = Number(new URL(provider.issuer).port)
    await provider.close()
    product.clock.shift(9 * minute)
    expect((await renew(browser)).session?.user.roles).toEqual(['viewer'])
    // Started anew it knows none of its refresh tokens: invalid_grant.
    const again = await startIdentityProvider(publicUrl, port)
    onTestFinished(again.close)
    product.clock.shift(9 * minute)
    const refused = await renew(browser)
    expect([refused.status, refused.body.detail]).toEqual([
      401,
      "Your session couldn't be renewed, as the identity provider didn't respond before. Sign in again.",
    ])
  })

  test('works while the clocks of provider and product differ by two minutes', async () => {
    for (const ahead of [2 * minute, -2 * minute]) {
      const clock = createShiftedClock()
      clock.shift(ahead)
      const product = await team({ clock })
      const browser = await signedIn(product)
      expect((await renew(browser)).status).toBe(200)
    }
  })

  test('never goes on to another place than a page of its own', async () => {
    const product = await team()
    for (const to of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      '\\\\evil.example',
      '/.//evil.example',
      '/%2e//evil.example',
      '/a/..//evil.example',
      '/\t/evil.example',
      'javascript:alert(1)',
      '/session/sign-in',
      '/session/../session/callback?error=x',
      'evil.example',
      '',
      `/${'a'.repeat(3000)}`,
    ]) {
      const browser = createBrowser(product.url)
      const { url } = await browser.open(`/session/sign-in?to=${encodeURIComponent(to)}`)
      expect([to, url]).toEqual([to, `${publicUrl}/`])
    }
  })
})

describe('what a browser comes back with', () => {
  /** The address at which the provider sends the browser back. */
  async function callback(browser: Browser): Promise<string> {
    let next = '/session/sign-in?to=/wall'
    while (!next.startsWith(`${publicUrl}/session/callback`)) {
      const location = (await browser.send(next)).headers.get('location') ?? ''
      next = new URL(location, next.startsWith('http') ? next : publicUrl).href
    }
    return next
  }
  const hasSession = (browser: Browser): boolean => browser.cookies.has('__Host-sightline')

  test('is good once', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    const url = await callback(browser)
    const thief = browser.copy()
    await browser.send(url)
    expect(hasSession(browser)).toBe(true)
    await thief.send(url)
    expect(hasSession(thief)).toBe(false)
    expect((await renew(thief)).body.failure).toMatchObject({
      detail: expect.stringMatching(/was used before|refused the sign-in/) as unknown,
    })
  })

  test('is no failure for who is signed in and goes back to it', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    const url = await callback(browser)
    await browser.send(url)
    const again = await browser.send(url)
    expect([again.status, again.headers.get('location')]).toEqual([303, '/'])
    await browser.send('/session', { method: 'DELETE' })
    expect((await renew(browser)).body).toMatchObject({ detail: 'Sign in to use Sightline.' })
    expect((await renew(browser)).body.failure).toBeUndefined()
  })

  test('is good in the browser only in which it was begun', async () => {
    const product = await team()
    const victim = createBrowser(product.url)
    const url = await callback(createBrowser(product.url))
    await victim.send(url)
    expect(hasSession(victim)).toBe(false)
    await victim.send('/session/sign-in')
    await victim.send(url)
    expect(hasSession(victim)).toBe(false)
  })

  test('is good in each of two tabs that began at the same instant', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    // Neither request has the cookie of the other.
    const begun = await Promise.all(
      ['/wall', '/builds'].map(async (to) => {
        const { headers } = await browser.copy().send(`/session/sign-in?to=${to}`)
        return { to, headers }
      }),
    )
    for (const { headers } of begun) {
      for (const line of headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        const at = pair.indexOf('=')
        browser.cookies.set(pair.slice(0, at), pair.slice(at + 1))
      }
    }
    for (const { to, headers } of begun) {
      const { url } = await browser.open(headers.get('location') ?? '')
      expect(url).toBe(`${publicUrl}${to}`)
      expect((await renew(browser)).status).toBe(200)
    }
    expect([...browser.cookies.keys()].filter((name) => name.startsWith('__Host-'))).toEqual([
      '__Host-sightline',
    ])
  })

  test('is of one sign-in: neither code nor state can be swapped', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    const [first, second] = [new URL(await callback(browser)), new URL(await callback(browser))]
    first.searchParams.set('code', second.searchParams.get('code') ?? '')
    await browser.send(first.href)
    expect(hasSession(browser)).toBe(false)
    expect((await renew(browser)).body.failure).toMatchObject({
      detail: expect.stringContaining('refused the sign-in') as unknown,
    })
  })

  test('is refused without its pair', async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    for (const query of [
      '',
      '?code=x',
      '?state=x&code=x',
      '?error=access_denied&error_description=%3Cscript%3E&state=x',
      `?state=${'x'.repeat(5000)}`,
    ]) {
      await browser.send('/session/sign-in')
      const response = await browser.send(`/session/callback${query}`)
      expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
      expect(hasSession(browser)).toBe(false)
    }
  })

  test("another issuer's answer is refused (RFC 9207)", async () => {
    const product = await team()
    const browser = createBrowser(product.url)
    const url = new URL(await callback(browser))
    url.searchParams.set('iss', 'https://evil.example')
    await browser.send(url.href)
    expect(hasSession(browser)).toBe(false)
  })
})

describe('a session', () => {
  test('is renewed by twenty tabs on two proxies with one refresh at the provider', async () => {
    const { one, other, clock } = await twoProxies()
    const browser = await signedIn(one)
    const before = provider.refreshes()
    clock.shift(9 * minute)
    const tabs = await Promise.all(
      Array.from({ length: 20 }, (_, tab) =>
        renew(browser.copy(), tab % 2 === 0 ? one.url : other.url),
      ),
    )
    expect(tabs.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(provider.refreshes() - before).toBe(1)
  })

  test('whose answer to a renewal was lost goes on with the cookie before', async () => {
    const product = await team()
    const browser = await signedIn(product)
    product.clock.shift(9 * minute)
    expect((await renew(browser.copy())).status).toBe(200)
    product.clock.shift(9 * minute)
    expect((await renew(browser)).status).toBe(200)
    product.clock.shift(9 * minute)
    expect((await renew(browser)).status).toBe(200)
  })

  test('whose cookie was stolen and is used again after it was replaced ends, for the thief and the owner', async () => {
    const product = await team()
    const browser = await signedIn(product)
    const thief = browser.copy()
    product.clock.shift(9 * minute)
    const { session } = await renew(browser)
    expect((await browser.send('/config', bearer(session?.token))).status).toBe(200)
    expect((await renew(thief.copy())).status).toBe(200)
    product.clock.shift(11_000)
    const caught = await renew(thief)
    expect([caught.status, caught.body.detail]).toEqual([
      401,
      expect.stringContaining('its cookie was used twice'),
    ])
    expect(caught.body.failure).toEqual({ detail: caught.body.detail })
    expect((await browser.send('/config', bearer(session?.token))).status).toBe(401)
    expect((await renew(browser)).status).toBe(401)
  })

  test('with a cookie that was changed is none', async () => {
    const product = await team()
    const browser = await signedIn(product)
    const cookie = browser.cookies.get('__Host-sightline') ?? ''
    const other = cookie.startsWith('A') ? 'B' : 'A'
    const changed = [cookie.slice(0, -1), cookie.replace('.0.', '.1.'), other + cookie.slice(1), '']
    for (const value of changed) {
      browser.cookies.set('__Host-sightline', value)
      expect((await renew(browser)).status).toBe(401)
    }
    browser.cookies.set('__Host-sightline', cookie)
    expect((await renew(browser)).status).toBe(200)
  })

  test('ends after twelve hours, however often it is renewed, and after four without a renewal', async () => {
    const product = await team()
    const browser = await signedIn(product)
    for (let hours = 0; hours < 9; hours += 3) {
      product.clock.shift(3 * hour)
      expect((await renew(browser)).status).toBe(200)
    }
    product.clock.shift(3 * hour)
    expect((await renew(browser)).status).toBe(401)
    const another = await signedIn(product)
    product.clock.shift(4 * hour)
    expect((await renew(another)).status).toBe(401)
  })

  test('lives on in a proxy that was started anew', async () => {
    const folder = databaseFolder()
    onTestFinished(folder.remove)
    const clock = createShiftedClock()
    const first = await team({ databaseUrl: folder.url, clock })
    const browser = await signedIn(first)
    const { session } = await renew(browser)
    await first.close()
    const second = await team({ databaseUrl: folder.url, clock })
    expect((await browser.send('/config', bearer(session?.token), second.url)).status).toBe(200)
    expect((await renew(browser, second.url)).status).toBe(200)
  })
})

describe('the end of a session', () => {
  /** A build server whose events of a build never end. */
  const endless: NonNullable<Parameters<typeof startTeam>[0]['buildServer']> = (
    request,
    response,
  ) => {
    if (!request.url.includes('/build/')) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': hello\n\n')
  }

  /** Opens a stream; `ended` resolves when it ends. */
  async function stream(browser: Browser, token: string | undefined, path: string, at: string) {
    const response = await browser.send(path, bearer(token), at)
    expect(response.status).toBe(200)
    return { ended: Promise.allSettled([response.text()]) }
  }
  const forwarded = '/upstream/build-data/build-export/v2/build/abcdefghijklm/events'

  test('ends live and forwarded streams at every proxy', async () => {
    const { one, other } = await twoProxies(endless)
    const browser = await signedIn(one)
    const token = (await renew(browser)).session?.token
    const streams = await Promise.all(
      [one.url, other.url].flatMap((at) =>
        ['/live/builds', forwarded].map((path) => stream(browser, token, path, at)),
      ),
    )
    const stranger = await signedIn(other)
    const kept = await renew(stranger)
    const signedOut = await browser.send('/session', { method: 'DELETE' })
    const { endSessionUrl } = SignOutAnswer.parse(await signedOut.json())
    expect(endSessionUrl).toMatch(/\/session\/end\?/)
    expect(endSessionUrl).not.toContain('id_token_hint')
    // Their tokens would have lasted for ten minutes.
    await Promise.all(streams.map(({ ended }) => ended))
    expect(browser.cookies.has('__Host-sightline')).toBe(false)
    for (const at of [one.url, other.url]) {
      expect((await browser.send('/config', bearer(token), at)).status).toBe(401)
    }
    expect((await stranger.send('/config', bearer(kept.session?.token))).status).toBe(200)
  })

  test("everywhere ends all sessions of the same person and nobody else's", async () => {
    const product = await team()
    const [laptop, phone] = [await signedIn(product), await signedIn(product)]
    provider.setUser('bob')
    provider.setGroups('bob', ['engineers'])
    const bob = await signedIn(product)
    await laptop.send('/session?everywhere', { method: 'DELETE' })
    expect((await renew(phone)).status).toBe(401)
    expect((await renew(bob)).status).toBe(200)
  })

  test('comes from the provider as well, at every proxy, once (back-channel logout)', async () => {
    const { one, other } = await twoProxies(endless)
    const browser = await signedIn(one)
    const token = (await renew(browser)).session?.token
    const open = await stream(browser, token, forwarded, other.url)
    provider.setLogoutTarget(one.url)
    const page = await browser.send(`${provider.issuer}/session/end?client_id=sightline`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
    expect(xsrf).not.toBe('')
    await browser.send(`${provider.issuer}/session/end/confirm`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
    })
    await open.ended
    expect((await renew(browser, other.url)).status).toBe(401)
  })
})
