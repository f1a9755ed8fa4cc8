import { SignJWT } from 'jose'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Session } from '../../protocol/session.ts'
import { SessionReport } from '../../protocol/sign-in.ts'
import { exchangeRaw } from '../raw-request.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from './proxy-on-socket.test-support.ts'

let proxy: ProxyOnSocket
beforeEach(async () => {
  proxy = await startProxyOnSocket()
})
afterEach(() => proxy.close())

const behindTheSession = [
  '/config',
  '/readyz',
  '/metrics',
  '/live/builds',
  '/live/other',
  '/upstream/build-data/api/version',
  '/upstream/governor/packages',
  '/upstream/nothing',
]

describe('a session', () => {
  test('is given to everyone, for twelve hours, with a name and roles', async () => {
    const response = await fetch(`${proxy.url}/session`, { method: 'POST' })
    const session = Session.parse(await response.json())
    expect(session.expiresAt).toBe(proxy.clock.now() + 12 * 60 * 60 * 1000)
    expect(session.user).toEqual({ name: 'local user', roles: ['viewer', 'releaser', 'admin'] })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('is a new one each time, whatever is sent along', async () => {
    const response = await proxy.ask('/session', { method: 'POST', headers: { cookie: 'a=b' } })
    expect(Session.parse(await response.json()).token).not.toBe(proxy.token)
  })

  test('is begun by POST, shown by GET and ended by DELETE', async () => {
    expect((await fetch(`${proxy.url}/session`)).status).toBe(401)
    const shown = SessionReport.parse(await (await proxy.ask('/session')).json())
    expect([shown.user.name, shown.mode, shown.endsAt]).toEqual(['local user', 'none', null])
    const ended = await proxy.ask('/session', { method: 'DELETE' })
    expect([ended.status, await ended.json()]).toEqual([200, {}])
    const response = await fetch(`${proxy.url}/session`, { method: 'PUT' })
    expect([response.status, response.headers.get('allow')]).toEqual([
      405,
      'GET, HEAD, POST, DELETE',
    ])
  })

  test.each(behindTheSession)('is needed for %s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const response = await fetch(`${proxy.url}${path}`, { method })
      expect([method, response.status]).toEqual([method, 401])
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(proxy.live).toEqual([])
    expect(proxy.buildData.received).toEqual([])
  })

  test('that is forged, for others, unsigned or broken is none', async () => {
    const key = createHash('sha256').update('a secret of the tests, long enough').digest()
    const claims = { name: 'eve', roles: ['admin'], jti: '1' }
    const signed = (iss: string, secret: Uint8Array, alg = 'HS256'): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg })
        .setIssuer(iss)
        .setAudience('sightline')
        .setExpirationTime(proxy.clock.now() / 1000 + 60)
        .sign(secret)
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`
    const [head, body] = proxy.token.split('.')
    for (const token of [
      await signed('sightline', new TextEncoder().encode('another secret of at least 32 byte')),
      await signed('elsewhere', key),
      await signed('sightline', createHash('sha512').update('x').digest(), 'HS512'),
      unsigned.replaceAll('=', ''),
      `${head ?? ''}.${body ?? ''}.`,
      `${proxy.token}x`,
      'x',
    ]) {
      const response = await proxy.ask('/config', { headers: { authorization: `Bearer ${token}` } })
      expect(response.status).toBe(401)
      expect(await response.text()).toContain(
        'In a browser, reload the page. In a script, send a valid token',
      )
    }
  })

  test('ends after twelve hours', async () => {
    proxy.clock.advance(12 * 60 * 60 * 1000 - 1000)
    expect((await proxy.ask('/config')).status).toBe(200)
    proxy.clock.advance(1000)
    expect((await proxy.ask('/config')).status).toBe(401)
  })
})

describe("another site's page", () => {
  const foreign: [string, Record<string, string>][] = [
    ['with its Origin', { origin: 'https://evil.example' }],
    ['without one', { origin: 'null' }],
    ['on another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['as its script', { 'sec-fetch-site': 'cross-site' }],
    ['as its script from a sister name', { 'sec-fetch-site': 'same-site' }],
  ]
  test.each(foreign)('is refused %s, on everything but pages', async (_name, headers) => {
    for (const [path, method] of [
      ['/session', 'POST'],
      ['/session', 'OPTIONS'],
      ['/live/builds', 'GET'],
      ['/upstream/build-data/api/version', 'GET'],
      ['/config', 'GET'],
    ] as const) {
      const response = await proxy.ask(path, { method, headers })
      expect([path, response.status]).toEqual([path, 403])
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })

  test.each([
    ['the own page', () => ({ origin: proxy.url, 'sec-fetch-site': 'same-origin' })],
    ['an address that was typed', () => ({ 'sec-fetch-site': 'none' })],
    ['the own page behind another name', () => ({ origin: 'https://dash.example' })],
  ])('%s is no other site', async (_name, headers) => {
    expect((await proxy.ask('/config', { headers: headers() })).status).toBe(200)
  })
})

describe('the host name of a request', () => {
  test.each([
    ['localhost', 200],
    ['LOCALHOST:9', 200],
    ['127.0.0.1:8080', 200],
    ['127.8.8.8', 200],
    ['[::1]:8080', 200],
    ['dash.example', 200],
    ['Dash.Example:443', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example', 421],
    ['10.0.0.1', 421],
  ])('%s is answered with %i', async (host, status) => {
    for (const path of ['/healthz', '/']) {
      const answer = await exchangeRaw(
        proxy.port,
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      )
      // There is no built page here: what is allowed gets as far as being told so.
      const expected = status === 200 && path === '/' ? 404 : status
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${expected} `))
    }
  })
})
