import { constants, gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openRaw } from '../../raw-request.test-support.ts'
import { answering, type PlainAnswer } from '../plain-server.test-support.ts'
import { canary, problemOf, type ProxyOnSocket } from '../proxy-on-socket.test-support.ts'
import { proxySetup } from '../proxy.test-support.ts'

const build = 'k3j7a2b9c4d5e'
const events = `/upstream/build-data/build-export/v2/build/${build}/events`
const list = '/upstream/build-data/api/builds?since=0'
const scan = '/upstream/governor/packages/oci/checkout/2.4.0/policy-scans/release'
const json = { 'content-type': 'application/json' }

describe('what the browser gets', () => {
  test('is the data as it came, with the headers of an allow-list', async () => {
    const proxy = await proxySetup(
      answering(
        200,
        {
          ...json,
          'access-control-allow-origin': '*',
          'cache-control': 'public, max-age=600',
          'clear-site-data': '"*"',
          'content-length': '13',
          'content-security-policy': 'default-src *',
          deprecation: 'true',
          etag: '"e"',
          link: '</x>; rel=preload',
          location: 'https://evil.example/',
          refresh: '0; url=https://evil.example/',
          server: 'upstream/1.0',
          'set-cookie': 'a=b',
          sunset: 'Sat, 31 Dec 2026 23:59:59 GMT',
          'www-authenticate': 'Basic',
          'x-powered-by': 'x',
        },
        '[{"id":"é"}]',
      ),
    )
    const response = await proxy.ask(list)
    expect(await response.text()).toBe('[{"id":"é"}]')
    const {
      date: _date,
      connection: _connection,
      'keep-alive': _keepAlive,
      ...headers
    } = Object.fromEntries(response.headers)
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-length': '13',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-type': 'application/json',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      deprecation: 'true',
      etag: '"e"',
      'permissions-policy': expect.stringContaining('camera=()') as unknown,
      'referrer-policy': 'no-referrer',
      sunset: 'Sat, 31 Dec 2026 23:59:59 GMT',
      vary: 'Origin',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
  })

  test('is zipped where it came zipped, also a bomb, of which nobody holds more than a piece', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000, ' '))
    const proxy = await proxySetup(
      answering(
        200,
        { ...json, 'content-encoding': 'gzip', 'content-length': String(bomb.length) },
        bomb,
      ),
    )
    const connection = openRaw(proxy.port)
    connection.write(
      `GET ${list} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${proxy.token}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`,
    )
    const answer = await connection.closed
    expect(answer).toMatch(/content-encoding: gzip/i)
    expect(answer.length).toBeLessThan(500_000)
  })

  const rows = JSON.stringify(
    Array.from({ length: 100 }, (_row, index) => ({ id: `row ${index}` })),
  )

  test.each([
    ['long JSON', 'GET', json, rows, true],
    ['short JSON', 'GET', { ...json, 'content-length': '2' }, '[]', false],
    ['an evaluation', 'POST', json, rows, false],
    ['a stream', 'GET', { 'content-type': 'text/event-stream' }, ': beat\n\n'.repeat(500), false],
  ])('is %s, zipped or not, that came plain', async (_name, method, headers, body, isZipped) => {
    const proxy = await proxySetup(answering(200, headers, body))
    const path = method === 'POST' ? scan : list
    const text = method === 'POST' ? '{}' : ''
    const connection = openRaw(proxy.port)
    connection.write(
      `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${proxy.token}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n${text}`,
    )
    const answer = await connection.closed
    expect(/content-encoding: gzip/i.test(answer)).toBe(isZipped)
    const response = await proxy.ask(path, {
      method,
      ...(method === 'POST' ? { headers: json, body: text } : {}),
    })
    expect(await response.text()).toBe(body)
  })

  test('is each message of a stream as soon as it comes', async () => {
    let say: (text: string) => void = () => undefined
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      say = (text) => response.write(text)
    })
    const response = await proxy.ask(events)
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (const text of ['id: 1\n', 'data: {}\n\n', ': beat\n\n']) {
      say(text)
      expect(await reader?.read()).toEqual({ done: false, value: text })
    }
    await reader?.cancel()
  })

  test('is nothing for 204 and 304, with the ETag', async () => {
    for (const status of [204, 304]) {
      const proxy = await proxySetup(answering(status, { etag: '"e"' }))
      const response = await proxy.ask(list)
      expect([response.status, await response.text()]).toEqual([status, ''])
      expect(response.headers.get('etag')).toBe('"e"')
    }
  })

  test('is the headers alone for HEAD, also of an endless stream, which is given up', async () => {
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': beat\n\n')
    })
    const response = await proxy.ask(events, { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream',
    ])
    expect(await response.text()).toBe('')
    await expect.poll(() => proxy.buildData.open()).toBe(0)
  })
})

describe('an answer that is no data becomes a problem in words', () => {
  test.each([
    ['a page', { 'content-type': 'text/html' }, '<script>alert(1)</script>'],
    ['a picture that can hold scripts', { 'content-type': 'image/svg+xml' }, '<svg/>'],
    ['a script', { 'content-type': 'text/javascript' }, 'alert(1)'],
    ['something without a type', {}, '{}'],
    ['brotli that was not asked for', { ...json, 'content-encoding': 'br' }, 'x'],
    ['gzip in gzip', { ...json, 'content-encoding': 'gzip, gzip' }, 'x'],
  ])('%s', async (_name, headers, body) => {
    const proxy = await proxySetup(answering(200, headers, body))
    const response = await proxy.ask(list)
    expect(response.status).toBe(502)
    const problem = await problemOf(response)
    expect(problem.type).toBe('urn:sightline:problem:upstream-answer')
    expect(JSON.stringify(problem)).not.toContain('<')
  })

  const passing = '[{"policyUri":"/policies/BuildTool/a","status":"satisfied"}]'
  test.each([
    [200, {}, '', 'nothing'],
    [201, json, passing, 'an unexpected status (201)'],
    [202, json, passing, 'an unexpected status (202)'],
    [204, {}, '', 'an unexpected status (204)'],
  ])('an evaluation of %i %j %j, which no gate takes', async (status, headers, body, what) => {
    const proxy = await proxySetup(
      answering(status, { ...headers, 'content-length': String(body.length) }, body),
    )
    const response = await proxy.ask('/upstream/governor/packages/oci/a/1/policy-scans/release', {
      method: 'POST',
      headers: json,
      body: '{}',
    })
    expect(response.status).toBe(502)
    expect((await problemOf(response)).detail).toContain(`policy service responded with ${what}.`)
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i), which is not followed', async (status) => {
    const target = await proxySetup()
    const proxy = await proxySetup(answering(status, { location: target.buildData.url.href }))
    const response = await proxy.ask(list, { redirect: 'manual' })
    expect(response.status).toBe(502)
    expect(response.headers.get('location')).toBeNull()
    expect((await problemOf(response)).detail).toContain('SIGHTLINE_BUILD_DATA_URL')
    expect(target.buildData.received).toEqual([])
  })

  test('a proxy on the way that wants credentials (407), which a browser would call a network error', async () => {
    const proxy = await proxySetup(answering(407, { 'proxy-authenticate': 'Basic realm="x"' }))
    const response = await proxy.ask(list)
    expect([response.status, response.headers.get('proxy-authenticate')]).toEqual([502, null])
    expect((await problemOf(response)).detail).toContain('a request for proxy credentials (407)')
  })

  test.each([401, 403])(
    "a rejected credential (%i), which ends nobody's session",
    async (status) => {
      const proxy = await proxySetup(
        answering(
          status,
          { 'content-type': 'application/problem+json', 'www-authenticate': 'Basic realm="x"' },
          JSON.stringify({ title: 'No', status, detail: canary }),
        ),
      )
      const response = await proxy.ask(list)
      expect(response.status).toBe(502)
      expect(response.headers.get('www-authenticate')).toBeNull()
      expect(await problemOf(response)).toMatchObject({
        type: 'urn:sightline:problem:upstream-auth',
        upstreamStatus: status,
      })
    },
  )

  test('a problem detail keeps its status and members, without credentials and stack traces', async () => {
    const proxy = await proxySetup(
      answering(
        500,
        { 'content-type': 'application/problem+json;charset=utf-8', 'retry-after': '7' },
        JSON.stringify({
          type: 'urn:other:problem',
          title: 'Partial',
          status: 200,
          detail: `Could not call https://robot:pw@store.example with Bearer ${canary}`,
          successes: [{ storeUri: '/x', note: canary }],
          errors: [{ [canary]: [Buffer.from(canary).toString('base64')] }],
          trace: 'at com.example.Main',
        }),
      ),
    )
    const response = await proxy.ask(list)
    expect([response.status, response.headers.get('retry-after')]).toEqual([500, '7'])
    expect(await problemOf(response)).toEqual({
      type: 'urn:other:problem',
      title: 'Partial',
      status: 500,
      detail: 'Could not call https://[secret]@store.example with Bearer [secret]',
      successes: [{ storeUri: '/x', note: '[secret]' }],
      errors: [{ '[secret]': ['[secret]'] }],
    })
  })

  test("a problem detail loses what looks like somebody else's credential, and what was stored stays as it is", async () => {
    const uri = '/packages/oci/a/1/sha256:0/attestations/s3:x/eyJhbGciOiJub25lIn0.e30.x'
    const detail =
      'Reaching https://svc:p4ssw0rd@repo.example/x failed; X-Api-Key: 8f2a9c77aa01bb22.'
    const proxy = await proxySetup(
      answering(
        500,
        { 'content-type': 'application/problem+json' },
        JSON.stringify({ title: 'x', status: 500, detail, successes: [{ attestationUri: uri }] }),
      ),
    )
    expect(await problemOf(await proxy.ask(list))).toMatchObject({
      detail: 'Reaching https://[secret]@repo.example/x failed; X-Api-Key: [secret]',
      successes: [{ attestationUri: uri }],
    })
  })

  test('a failure without a problem detail keeps what it says was stored, and nothing else', async () => {
    const proxy = await proxySetup(
      answering(
        500,
        { 'content-type': 'application/json' },
        JSON.stringify({ successes: [{ note: canary }], errors: [{ b: 1 }], trace: 'at com.x' }),
      ),
    )
    const response = await proxy.ask(list)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    const told = await problemOf(response)
    expect(told).toMatchObject({
      status: 500,
      successes: [{ note: '[secret]' }],
      errors: [{ b: 1 }],
    })
    expect(told).not.toHaveProperty('trace')
  })

  test('a zipped problem detail is read, and a bomb of one is not', async () => {
    const zipped = { 'content-type': 'application/problem+json', 'content-encoding': 'gzip' }
    const said = JSON.stringify({
      title: 'Not found',
      status: 404,
      detail: 'Policy scan not found',
    })
    const proxy = await proxySetup(answering(404, zipped, gzipSync(said)))
    expect((await problemOf(await proxy.ask(list))).detail).toBe('Policy scan not found')
    const bombed = await proxySetup(answering(404, zipped, gzipSync(Buffer.alloc(20_000_000, ' '))))
    expect((await problemOf(await bombed.ask(list))).detail).toContain(
      'Not found on the build server',
    )
  })

  test.each([
    [400, { 'content-type': 'text/html' }, `<h1>${canary}</h1>`, 'rejected the request (400)'],
    [404, {}, '', 'Not found on the build server'],
    [429, { 'retry-after': '3' }, '', 'rejected the request (429)'],
    [500, { 'content-type': 'text/plain' }, `stack ${canary}`, 'failed (500)'],
    [
      503,
      { 'content-type': 'application/json', 'retry-after': '2' },
      '{"error":"x"}',
      'failed (503)',
    ],
    [504, json, '{"title":', 'failed (504)'],
    [500, json, `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'failed (500)'],
    [500, json, `{"title":"t","status":500,"x":${'['.repeat(5000)}${']'.repeat(5000)}}`, 't'],
  ])('an error (%i) of another kind keeps its status: %#', async (status, headers, body, words) => {
    const proxy = await proxySetup(answering(status, headers, body))
    const response = await proxy.ask(list)
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe(new Headers(headers).get('retry-after'))
    const problem = await problemOf(response)
    expect(problem.detail ?? problem.title).toContain(words)
    expect(JSON.stringify(problem)).not.toContain(canary)
  })

  test('an upstream that cannot be reached', async () => {
    const proxy = await proxySetup()
    await proxy.buildData.close()
    const response = await proxy.ask(list)
    expect(response.status).toBe(502)
    expect((await problemOf(response)).detail).toContain('refused the connection')
  })
})

describe('lines that may have been cut', () => {
  const line = '{"policyUri":"/policies/A/a","status":"satisfied"}\n'
  const lines = 'content-type: application/x-ndjson'
  const asJson = 'content-type: application/json'
  const zipped = 'content-encoding: gzip'
  const old = 'HTTP/1.0 200 OK'
  const now = 'HTTP/1.1 200 OK'
  let end: () => void = () => undefined

  /** A proxy before a service whose response has these bytes; the connection ends behind them. */
  function before(head: readonly string[], body: string | Buffer): Promise<ProxyOnSocket> {
    return proxySetup(undefined, (_request, response) => {
      response.socket?.write(`${head.join('\r\n')}\r\n\r\n`)
      response.socket?.end(body)
    })
  }

  async function passed(head: readonly string[], body: string | Buffer): Promise<string> {
    const proxy = await before(head, body)
    const headers = { 'content-type': 'application/json' }
    return (await proxy.ask(scan, { method: 'POST', body: '{}', headers })).text()
  }

  test.each([
    ['a line', [lines], line],
    ['half a line', [lines], line.slice(0, 20)],
    ['nothing', [lines], ''],
    ['lines that are announced as one JSON text', [asJson], line + line],
    ['one line that is', [asJson], line],
    ['lines that are announced as a stream', ['content-type: application/stream+json'], line],
    ['lines in another coding', [lines, 'transfer-encoding: identity'], line],
  ])(
    'are followed by a problem where only the connection ends them: behind %s',
    async (_, head, body) => {
      const text = await passed([old, ...head], body)
      expect(text.startsWith(`${body}\n`)).toBe(true)
      expect(JSON.parse(text.slice(body.length))).toMatchObject({
        type: 'urn:sightline:problem:open-ended',
        status: 502,
        detail: expect.stringContaining('so it may have been cut') as unknown,
      })
    },
  )

  test('are, zipped, where another member may have been to come', async () => {
    const text = await passed([old, lines, 'content-encoding: gzip'], gzipSync(line))
    expect(text).toContain('urn:sightline:problem:open-ended')
    const zip = gzipSync(line)
    const whole = [old, lines, 'content-encoding: gzip', `content-length: ${zip.length}`]
    expect(await passed(whole, zip)).toBe(line)
  })

  test('pass as they are where their length is known, and one array or object always', async () => {
    expect(await passed([old, lines, `content-length: ${line.length}`], line)).toBe(line)
    for (const text of ['[]', ` [${line}]`, '{"results": []}']) {
      expect(await passed([old, asJson], text)).toBe(text)
    }
  })

  test.each([
    ['', [lines]],
    [' as JSON', [asJson]],
    [' zipped', [lines, zipped]],
    [' cut by Sightline, which ends', [lines], 'by Sightline'],
    [' zipped and cut by Sightline, which ends', [lines, zipped], 'by Sightline'],
  ])(
    'and were%s, end with a problem for a reverse proxy that takes any end for a good one',
    async (_, head, how = '') => {
      const isZipped = head.length > 1
      const stopping = new AbortController()
      const answer: PlainAnswer = (_request, response) => {
        const begun = { finishFlush: constants.Z_SYNC_FLUSH }
        const bytes = isZipped ? gzipSync(line, begun) : Buffer.from(line)
        const chunked = [
          now,
          ...head,
          'transfer-encoding: chunked',
          '',
          bytes.length.toString(16),
          '',
        ]
        response.socket?.write(chunked.join('\r\n'))
        response.socket?.write(bytes)
        // Nothing is said before something was passed on.
        end = () => {
          if (how === '') response.socket?.end()
          else stopping.abort()
        }
      }
      const proxy = await proxySetup(undefined, answer, { stopping: stopping.signal })
      const connection = openRaw(proxy.port)
      connection.write(
        `POST ${scan} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ${proxy.token}\r\nContent-Type: application/json\r\nAccept-Encoding: ${isZipped ? 'gzip' : 'identity'}\r\nContent-Length: 2\r\n\r\n{}`,
      )
      await connection.until(/\r\n\r\n[^]/)
      end()
      const got = Buffer.from(await connection.closed, 'latin1')
      const body = got.subarray(got.indexOf('\r\n\r\n') + 4)
      const text = String(
        isZipped ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body,
      )
      expect(text.startsWith(line)).toBe(true)
      expect(JSON.parse(text.slice(line.length))).toMatchObject({
        type: 'urn:sightline:problem:answer-broke-off',
        status: 502,
      })
    },
  )
})
