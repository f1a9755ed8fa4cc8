import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EveryModeServer, modes, startInMode } from './proxy/every-mode.test-support.ts'
import { canary, canaryAccount } from './proxy/proxy-on-socket.test-support.ts'
import type { PlainAnswer } from './proxy/plain-server.test-support.ts'
import { exchangeRaw } from './raw-request.test-support.ts'

// What somebody may send who means harm, in every mode, with controls that must pass. What takes
// time (slow senders, readers that do not read, thousands of connections) is tried once, beside the
// part that stands it: listen.test.ts and the tests of the live hub.

const build = 'k3j7a2b9c4d5e'
const list = '/upstream/build-data/api/builds'
const scan = '/upstream/governor/packages/npm/ui/1/policy-scans/release'

/** An upstream that shows what it was sent, and does what `since` asks for. */
const upstream: PlainAnswer = (request, response) => {
  const kind = /since=(\d+)/.exec(request.url)?.[1] ?? '200'
  const { authorization = '' } = request.headers
  if (kind === '302') {
    response.writeHead(302, { location: 'http://169.254.169.254/', 'set-cookie': 'a=b' }).end()
  } else if (kind === '401' || kind === '403' || kind === '500') {
    response
      .writeHead(Number(kind), { 'www-authenticate': `Bearer ${authorization}` })
      .end(`<h1>${authorization}</h1>`)
  } else if (kind === '1') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<script>alert(1)</script>')
  } else {
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'set-cookie': 'a=b',
        server: 'x',
        'access-control-allow-origin': '*',
        'clear-site-data': '"*"',
        refresh: '0; url=https://evil.example',
      })
      .end('[]')
  }
}

describe.each(modes)('in the mode %s', (mode) => {
  let server: EveryModeServer
  let auth = ''
  beforeAll(async () => {
    server = await startInMode(mode, { buildData: upstream, governor: upstream })
    auth = server.headersOf('admin').authorization ?? ''
  })
  afterAll(() => server.close())

  /** Everything that a client was answered, but for what a session begins with. */
  const shown: string[] = []
  const show = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(`${server.url}${path}`, init)
    const text = await response.clone().text()
    const isSession = path === '/session' && response.ok
    shown.push(JSON.stringify([...response.headers]), isSession ? '' : text)
    return response
  }
  const send = async (line: string, ...headers: readonly string[]): Promise<string> => {
    const answer = await exchangeRaw(
      server.port,
      [
        `${line} HTTP/1.1`,
        ...(headers.some((header) => /^host:/i.test(header)) ? [] : ['Host: localhost']),
        `Authorization: ${auth}`,
        ...headers,
        'Connection: close',
        '\r\n',
      ].join('\r\n'),
    )
    shown.push(answer)
    return answer
  }
  const statusOf = (answer: string): number => Number(answer.slice(9, 12))

  test('nothing of a target that others may read differently is served or sent on', async () => {
    const before = server.buildData.received.length
    const targets = [
      ...['/live/../config', '/live/./builds', '/live//builds', '//evil/x', '/\\evil', '/live/\tx'],
      ...['/live/%2e%2e/config', '/live/.%2e/config', '/live%2Fbuilds', '/live/%5Cx', '/%00'],
      ...['/live/%252e%252e/config', '/config#frag', 'http://evil/', '/%0d%0aX:%20y', '*'],
      ...[`${list}/../version`, `${list}/%2e%2e/version`, `/healthz/../config`],
      '/upstream/governor/packages/npm/%2e%2e%2f/1/policy-scans/x',
      '/upstream/governor/packages/npm/a%252fb/1/policy-scans/x',
    ]
    const answers = await Promise.all(targets.map((target) => send(`GET ${target}`)))
    expect(answers.map((answer, at) => [targets[at], statusOf(answer)])).toEqual(
      targets.map((target) => [target, 400]),
    )
    expect(server.buildData.received.length).toBe(before)
  })

  test('other methods, other operations and other queries than the known ones are refused', async () => {
    const requests: readonly (readonly [string, number])[] = [
      ['TRACE /config', 405],
      ['CONNECT evil:443', 405],
      ['OPTIONS *', 400],
      ['PROPFIND /config', 405],
      [`PUT ${list}`, 405],
      [`DELETE ${list}`, 405],
      [`GET ${scan}`, 405],
      ['GET /upstream/build-data/build-export/v2/builds/since/0x', 404],
      [`GET ${list}/${build}x`, 404],
      [`GET ${list}/${build.slice(1)}`, 404],
      ['GET /upstream/build-data/api/auth/token', 404],
      ['GET /upstream/build-data/admin', 404],
      [`GET ${list}?unknown=1`, 400],
      [`GET ${list}?since=1&since=2`, 400],
      [`GET ${list}?since=1%0d%0aX:y`, 400],
      [`GET ${list}?query=${'a'.repeat(5000)}`, 400],
      [`GET /upstream/build-data/build-export/v2/build/${build}/events?eventTypes=a%0d%0ab`, 400],
      [`GET /x${'a'.repeat(9000)}`, 414],
      [`GET /x${'a'.repeat(17_000)}`, 431],
    ]
    const answers = await Promise.all(requests.map(([line]) => send(line)))
    expect(answers.map((answer, at) => [requests[at]?.[0], statusOf(answer)])).toEqual(requests)
  })

  test('what hides one request in another is refused, and what stands behind it is not served', async () => {
    const behind = `GET /config HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${auth}\r\n\r\n`
    const head = `POST /session HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${auth}\r\n`
    const answers = await Promise.all(
      [
        `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
        `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
        `${head}X-A: b\r\n c\r\n\r\n`,
        `${head}Content-Length : 4\r\n\r\n`,
        head.replaceAll('\r\n', '\n') + '\n',
        `GET /config HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nabcd`,
      ].map((request) => exchangeRaw(server.port, request + behind)),
    )
    for (const answer of answers) {
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400'])
      expect(answer).not.toContain('"upstreams"')
    }
  })

  test("only the headers of the allow-list are sent on, and the server's own credential once", async () => {
    const from = server.buildData.received.length
    const answer = await send(
      `GET ${list}`,
      'Cookie: a=b; __Host-sightline=x',
      'X-Api-Key: k',
      'Proxy-Authorization: Basic eDp5',
      'X-DS-Authorization: d',
      'X-Forwarded-User: root',
      'X_Forwarded_User: root',
      'X-Forwarded-For: 1.2.3.4',
      'Forwarded: for=1.2.3.4',
      'X-Original-URL: /admin',
      'X-Rewrite-URL: /admin',
      'X-HTTP-Method-Override: DELETE',
      'Connection: authorization, x-a',
      'TE: trailers',
      'Keep-Alive: 5',
      'X-A: b',
    )
    expect(statusOf(answer)).toBe(200)
    const received = server.buildData.received.slice(from).find(({ url }) => url === '/api/builds')
    expect(Object.keys(received?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'host',
      'user-agent',
    ])
    expect(received?.headers.authorization).toBe(`Bearer ${canary}`)
    const ids = ['a\tb', 'é', 'x'.repeat(1024), '../x', `${build},`]
    const answers = await Promise.all(ids.map((id) => send(`GET ${list}`, `Last-Event-ID: ${id}`)))
    expect(answers.map(statusOf)).toEqual(ids.map(() => 400))
    expect(statusOf(await send(`GET ${list}`, `Last-Event-ID: ${build}`))).toBe(200)
  })

  test('what is too large is refused by its own word', async () => {
    const large = await Promise.all([
      send('GET /config', `X-A: ${'b'.repeat(17_000)}`),
      send('GET /config', ...Array.from({ length: 200 }, (_, at) => `X-${at}: b`)),
      send('POST /session', 'Content-Length: 1000000000'),
      send('POST /history/waivers', 'Content-Length: 1000000000'),
      send(`POST ${scan}`, 'Content-Length: 1000000000'),
    ])
    expect(large.map(statusOf)).toEqual([431, 431, 413, 413, 413])
  })

  test("another host name, another site's page and a script of another site get nothing", async () => {
    const hosts = ['evil.example', '127.0.0.1.evil.example', '[::ffff:127.0.0.1]', '10.0.0.1']
    for (const host of hosts) {
      expect([host, statusOf(await send('GET /config', `Host: ${host}`))]).toEqual([host, 421])
    }
    expect(statusOf(await send('GET /config', 'Host: localhost', 'Host: evil'))).toBe(400)
    expect(statusOf(await send('GET /config', 'Host: a@localhost'))).toBe(400)
    const foreign = [
      'Origin: https://evil.example',
      'Origin: null',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: same-site',
    ]
    for (const header of foreign) {
      for (const line of [
        'GET /config',
        'GET /live/builds',
        'POST /session',
        'DELETE /session',
        'OPTIONS /config',
        `POST ${scan}`,
        'POST /session/activation',
      ]) {
        const answer = await send(line, header)
        expect([line, header, statusOf(answer)]).toEqual([line, header, 403])
        expect(answer).not.toMatch(/access-control-allow/i)
      }
    }
    const own = await send('GET /config', `Origin: http://localhost`, 'Sec-Fetch-Site: same-origin')
    expect(statusOf(own)).toBe(200)
  })

  test("an upstream's redirect, refusal, page and headers stay behind", async () => {
    for (const [kind, status] of [
      [302, 502],
      [401, 502],
      [403, 502],
      [500, 502],
      [1, 502],
      [200, 200],
    ] as const) {
      const answer = await send(`GET ${list}?since=${kind}`)
      expect([kind, statusOf(answer) === status || statusOf(answer) >= 500]).toEqual([kind, true])
      expect(answer).not.toMatch(
        /^(?:location|set-cookie|server|refresh|clear-site-data|access-control-allow-origin):|<h1>|<script>/im,
      )
      expect(answer).toMatch(/^x-content-type-options: nosniff/im)
      expect(answer).toMatch(/^cache-control: no-store/im)
    }
  })

  test('nothing leads to another origin, and no file but those of the build is served', async () => {
    const pages = [
      '/?next=//evil',
      '/?to=/%5Cevil',
      '/builds?next=https://evil.example',
      '/%2F/evil',
    ]
    for (const page of pages) {
      expect(await send(`GET ${page}`)).not.toMatch(/^location:/im)
    }
    const files = [
      '/.env',
      '/package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/main.js.map',
      '/ASSETS/x.js',
      '/.git/config',
    ]
    const answers = await Promise.all(files.map((file) => send(`GET ${file}`)))
    for (const answer of answers) expect([400, 404]).toContain(statusOf(answer))
  })

  test('a health check opens nothing else, whoever says they are one', async () => {
    const without = (path: string): Promise<string> =>
      exchangeRaw(
        server.port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-probe/1.29\r\nConnection: close\r\n\r\n`,
      )
    expect(statusOf(await without('/healthz'))).toBe(200)
    expect(statusOf(await without('/config'))).toBe(401)
    expect(statusOf(await without('/healthz/../config'))).toBe(400)
    for (const path of ['/healthz/', '/healthz.', '/healthz/config']) {
      expect(await without(path)).not.toContain('"upstreams"')
    }
  })

  test('a range is ignored, HEAD of a stream ends, and data is never stored on the way', async () => {
    const range = await send('GET /config', 'Range: bytes=0-1')
    expect([statusOf(range), /^cache-control: no-store/im.test(range)]).toEqual([200, true])
    const head = await send('HEAD /live/builds')
    expect([statusOf(head), head.endsWith('\r\n\r\n')]).toEqual([200, true])
  })

  test('a credential in an address is none, and is not logged', async () => {
    const token = auth.replace('Bearer ', '')
    const encoded = encodeURIComponent(token)
    for (const path of [
      `/config?token=${encoded}`,
      `/config?access_token=${encoded}`,
      `/live/builds?authorization=${encodeURIComponent(auth)}`,
      `${list}?token=${encoded}`,
      `/session?token=${encoded}`,
    ]) {
      const response = await fetch(`${server.url}${path}`)
      expect([path, response.status]).toEqual([path, 401])
      expect(await response.text()).not.toContain(token)
    }
    // Also with a session: what is in the query is refused by name, and not repeated.
    const refused = await send(`GET ${list}?token=${encoded}`)
    expect([statusOf(refused), refused.includes(token)]).toEqual([400, false])
    expect(server.log.join('\n')).not.toContain(token)
  })

  test('a line of the log stays one line, whatever a request holds', async () => {
    await send('GET /x%1b%5b31m', 'User-Agent: a\u001b[31m', `X-A: ${auth}`)
    await send('GET /builds/%22%2C%22level%22%3A60', 'User-Agent: "}')
    for (const line of server.log) {
      expect(() => {
        JSON.parse(line)
      }).not.toThrow()
      expect(line.trimEnd()).not.toContain('\n')
    }
  })

  test.runIf(mode !== 'none')(
    'a forged, foreign, changed or empty credential is none',
    async () => {
      const token = auth.replace('Bearer ', '')
      const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`
      for (const value of [
        '',
        'Bearer',
        'Bearer ',
        `Bearer ${changed}`,
        `Basic ${token}`,
        `Bearer ${token} x`,
        `Bearer slt_${randomBytes(32).toString('base64url')}`,
        'Bearer slt_',
        `Bearer screen_${'0'.repeat(16)}_x`,
        `Bearer ${'a'.repeat(9000)}`,
      ]) {
        const response = await fetch(`${server.url}/config`, { headers: { authorization: value } })
        expect([value, response.status]).toEqual([value, 401])
        expect(response.headers.get('www-authenticate')).toBe('Bearer')
      }
    },
  )

  test.runIf(mode === 'session by token' || mode === 'header')(
    "a session's cookie is a new one, whatever came along, and is out of reach of scripts",
    async () => {
      const fixed = '__Host-sightline=fixed-by-somebody-else'
      const init = server.signInOf('viewer')
      const headers = { ...Object.fromEntries(new Headers(init.headers)), cookie: fixed }
      const cookies = await Promise.all(
        [1, 2].map(async () => {
          const response = await fetch(`${server.url}/session`, { ...init, headers })
          expect(response.status).toBe(200)
          return response.headers.get('set-cookie') ?? ''
        }),
      )
      expect(cookies[0]).not.toBe(cookies[1])
      for (const cookie of cookies) {
        expect(cookie).toMatch(/^__Host-sightline=(?!fixed)[\w.-]{40,}; Path=\/; /)
        expect(cookie).toMatch(/; Secure; HttpOnly; SameSite=Lax$/)
      }
      const value = /^[^;]+/.exec(cookies[0] ?? '')?.[0] ?? ''
      // The cookie opens nothing by itself.
      expect((await fetch(`${server.url}/config`, { headers: { cookie: value } })).status).toBe(401)
    },
  )

  test.runIf(mode === 'header')(
    'a name in a header counts only from the proxy that knows the secret',
    async () => {
      const [, ...pairs] = [...new Headers(server.signInOf('viewer').headers)].reduce<string[]>(
        (lines, [name, value]) => [...lines, `${name}: ${value}`],
        [''],
      )
      const without = (name: string): string[] => pairs.filter((line) => !line.startsWith(name))
      const signIn = async (lines: readonly string[]): Promise<number> =>
        statusOf(
          await exchangeRaw(
            server.port,
            [
              'POST /session HTTP/1.1',
              'Host: localhost',
              ...lines,
              'Content-Length: 0',
              'Connection: close',
              '\r\n',
            ].join('\r\n'),
          ),
        )
      expect(await signIn(pairs)).toBe(200)
      const refused: readonly (readonly string[])[] = [
        [],
        without('x-auth-proof'),
        [...without('x-auth-proof'), 'X-Auth-Proof: guessed'],
        [...without('x-auth-proof'), 'X-Auth-Proof: '],
        [...pairs, 'X-Auth-Proof: guessed'],
        [...pairs, 'X_Auth_Proof: guessed'],
        without('x-auth-user'),
        [...pairs, 'X-Auth-User: admin'],
        ['X-Auth-User: admin', ...pairs],
        [...pairs, 'X_Auth_User: admin'],
        [...pairs, 'X-Auth_User: admin'],
        [...pairs, 'X-Auth-Groups: admins'],
        [...pairs, 'X_Auth_Groups: admins'],
        ...['', ' ', 'ann,admin', 'ann, admin', 'änn', 'a'.repeat(201)].map((name) => [
          ...without('x-auth-user'),
          `X-Auth-User: ${name}`,
        ]),
      ]
      const answers = await Promise.all(refused.map(async (lines) => [lines, await signIn(lines)]))
      expect(answers).toEqual(refused.map((lines) => [lines, 401]))
      // Known, but in no group that gives a role.
      const stranger = [
        ...without('x-auth-groups'),
        'X-Auth-Groups: everybody, Viewers, viewers;admins',
      ]
      expect(await signIn(stranger)).toBe(403)
      expect(server.log.join('')).toContain('does not hold the secret')
    },
  )

  test.runIf(mode === 'header')(
    'a page whose requests name somebody else by now gets nothing more as the one before, an access token and a screen go on',
    async () => {
      const statusAs = async (name: string, headers: Readonly<Record<string, string>>) =>
        (await show('/config', { headers: { ...headers, 'X-Auth-User': name } })).status
      expect(await statusAs('admin', server.headersOf('admin'))).toBe(200)
      expect(await statusAs('viewer', server.headersOf('admin'))).toBe(401)
      expect(await statusAs('viewer', server.headersOf('screen'))).toBe(200)
      const authorization = `Bearer ${server.tokenOf('admin')}`
      expect(await statusAs('viewer', { authorization })).toBe(200)
    },
  )

  test.runIf(mode !== 'none')(
    'a script signs in with its token alone, until it expires',
    async () => {
      const headers = { authorization: `Bearer ${server.tokenOf('viewer')}` }
      expect((await show('/config', { headers })).status).toBe(200)
      expect((await show(scan, { method: 'POST', headers })).status).toBe(403)
      const list = await show('/session/tokens', { headers: { authorization: auth } })
      expect(await list.json()).toMatchObject({
        tokens: [{ name: 'viewer', roles: ['viewer'], lastUsedAt: server.clock.now() }, {}, {}, {}],
      })
      server.clock.advance(31 * 24 * 60 * 60_000)
      const expired = await show('/config', { headers })
      expect([expired.status, await expired.json()]).toEqual([
        401,
        expect.objectContaining({
          type: 'urn:sightline:problem:expired-token',
          detail: expect.stringContaining('expired on Feb 1, 2026, 00:00 UTC.') as unknown,
        }),
      ])
      expect(
        (
          await show('/session', {
            method: 'POST',
            body: JSON.stringify({ token: server.tokenOf('viewer') }),
          })
        ).status,
      ).toBe(401)
    },
  )

  test('no secret has left the server, whatever went wrong', async () => {
    const json = { authorization: auth, 'content-type': 'application/json' }
    for (const path of [
      '/metrics',
      '/readyz',
      '/upstream/report',
      '/history/actions?scope=all',
      '/session',
    ]) {
      await show(path, { headers: json })
    }
    for (const body of [
      '',
      '{',
      '{"token":1}',
      '{"token":"slt_x"}',
      JSON.stringify({ token: server.tokenOf('admin').slice(0, -1) }),
    ]) {
      await show('/session', { method: 'POST', body })
      await show('/history/waivers', { method: 'POST', headers: json, body })
      await show('/upstream/board', { method: 'POST', headers: json, body })
      await show('/screens', { method: 'POST', headers: json, body })
    }
    await server.database.close()
    await server.buildData.close()
    await server.governor.close()
    for (const path of ['/session', '/history/evaluations', '/screens', '/readyz', list]) {
      await show(path, { headers: json })
      await show(path, server.signInOf('admin'))
    }
    const everything = [...shown, ...server.log].join('\n')
    expect(everything).toContain('problem:')
    const secrets = [canary, canaryAccount, ...server.secrets].flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    ])
    expect(secrets.length).toBeGreaterThan(20)
    for (const secret of secrets) expect(everything.includes(secret)).toBe(false)
  })
})
