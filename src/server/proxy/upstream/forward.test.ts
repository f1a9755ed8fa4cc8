import { request as httpRequest } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Session } from '../../../protocol/session.ts'
import { openRaw } from '../../raw-request.test-support.ts'
import { answering, type PlainAnswer } from '../plain-server.test-support.ts'
import {
  canary,
  canaryAccount,
  problemOf,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'
import { proxySetup } from '../proxy.test-support.ts'
import { signInAsLocalUser } from '../sessions.ts'

const build = 'k3j7a2b9c4d5e'
const events = `/upstream/build-data/build-export/v2/build/${build}/events`
const list = '/upstream/build-data/api/builds?since=0'
const scan = '/upstream/governor/packages/oci/acme/app/1.2.3/policy-scans/release'
const publish = '/upstream/governor/packages/oci/acme/app/1.2.3/attestations'
const json = { 'content-type': 'application/json' }

/** What the upstreams were asked, but for tokens. */
function asked({ buildData, governor }: ProxyOnSocket): string[] {
  return [...buildData.received, ...governor.received]
    .filter(({ url }) => !url.startsWith('/api/auth/token'))
    .map(({ method, url }) => `${method} ${url}`)
}

describe('what an upstream gets to see', () => {
  test('is the headers of an allow-list, and the own credential once, whatever the browser sends', async () => {
    const proxy = await proxySetup(answering(200, json, '[]'))
    await new Promise((resolve, reject) => {
      const request = httpRequest(`${proxy.url}${list}`, {
        headers: {
          Accept: 'application/json',
          'Accept-Encoding': 'br, gzip',
          Authorization: `Bearer ${proxy.token}`,
          Connection: 'authorization, x-api-key, keep-alive',
          Cookie: 'a=b',
          Forwarded: 'for=1.2.3.4',
          'If-None-Match': '"x"',
          Origin: proxy.url,
          Prefer: 'wait=600',
          'Proxy-Authorization': 'Basic eDp5',
          Range: 'bytes=0-1',
          Referer: `${proxy.url}/builds`,
          TE: 'trailers',
          'X-Api-Key': 'k',
          'X-DS-Authorization': 'z',
          'X-Forwarded-For': '1.2.3.4',
          'X-Forwarded-Host': 'evil',
          'X-HTTP-Method-Override': 'DELETE',
          'X-Original-URL': '/admin',
          'X-Rewrite-URL': '/admin',
        },
      })
      request.on('error', reject)
      request.on('response', (response) => response.resume().on('end', resolve))
      request.end()
    })
    const [, seen] = proxy.buildData.received
    expect(seen?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      authorization: `Bearer ${canary}`,
      connection: 'keep-alive',
      host: proxy.buildData.url.host,
      'if-none-match': '"x"',
      'user-agent': 'sightline/1.2.3',
    })
    expect(seen?.rawHeaders.filter((name) => name.toLowerCase() === 'authorization')).toHaveLength(
      1,
    )
  })

  test.each([build, '17'])('is the Last-Event-ID %s', async (id) => {
    const proxy = await proxySetup(answering(204, {}))
    expect((await proxy.ask(events, { headers: { 'last-event-id': id } })).status).toBe(204)
    expect(proxy.buildData.received.at(-1)?.headers['last-event-id']).toBe(id)
  })

  test.each(['k3j7a2b9c4d5,', 'k3j7a2b9c4d5ef', '../x', 'é', 'a b', 'x'.repeat(1024)])(
    'is not the Last-Event-ID %s',
    async (id) => {
      const proxy = await proxySetup(answering(204, {}))
      const response = await proxy.ask(events, { headers: { 'last-event-id': id } })
      expect(response.status).toBe(400)
      expect(asked(proxy)).toEqual([])
    },
  )

  test.each([
    ['a path that is not documented', '/upstream/build-data/api/auth/token', 'POST', 404],
    ['another upstream', '/upstream/other/x', 'GET', 404],
    ['an unknown query key', `${list}&admin=1`, 'GET', 400],
    ['another method', list, 'DELETE', 405],
    ['a preflight', list, 'OPTIONS', 405],
  ])('is not %s', async (_name, path, method, status) => {
    const proxy = await proxySetup(answering(200, json, '[]'))
    expect((await proxy.ask(path, { method })).status).toBe(status)
    expect(asked(proxy)).toEqual([])
  })

  test('is the body of a POST with its type', async () => {
    const proxy = await proxySetup(answering(200, json, '[]'))
    const body = JSON.stringify({ sha256: '0', repositoryUrl: 'https://registry.example/é' })
    const response = await proxy.ask(scan, { method: 'POST', headers: json, body })
    expect(await response.text()).toBe('[]')
    expect(proxy.governor.received).toMatchObject([
      {
        method: 'POST',
        url: '/packages/oci/acme/app/1.2.3/policy-scans/release',
        body,
        headers: {
          ...json,
          'content-length': String(Buffer.byteLength(body)),
          authorization: `Basic ${Buffer.from(canaryAccount).toString('base64')}`,
        },
      },
    ])
  })

  test.each([undefined, 'text/plain', 'application/xml'])(
    'is not a body of type %s',
    async (type) => {
      const proxy = await proxySetup(answering(200, json, '[]'))
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      const body = new Blob(['x'])
      expect((await proxy.ask(scan, { method: 'POST', headers, body })).status).toBe(415)
      expect(asked(proxy)).toEqual([])
    },
  )

  test.each([scan, '/session'])(
    'is not a body over 4 MiB, also when it does not say its length, to %s',
    async (path) => {
      const proxy = await proxySetup(answering(200, json, '[]'))
      const connection = openRaw(proxy.port)
      connection.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${proxy.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
      )
      const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`
      const pump = (): void => {
        while (!connection.socket.destroyed && connection.socket.write(chunk));
      }
      connection.socket.on('drain', pump)
      pump()
      const answer = await connection.closed
      expect(answer).toMatch(/^HTTP\/1.1 413 /)
      expect(answer).toContain('"The request body is larger than 4 MiB."')
      expect(asked(proxy)).toEqual([])
    },
  )
})

describe('one person', () => {
  /** A proxy whose first viewer has as many requests open as one may, at a server that ends none. */
  const heldOpen = async () => {
    const proxy = await proxySetup((request, response) => {
      const isStream = request.url.includes('/build-export/')
      response.writeHead(200, isStream ? { 'content-type': 'text/event-stream' } : json)
      if (isStream) response.write(': held\n')
      else response.end('[]')
    })
    const gone = new AbortController()
    const held = await Promise.all(
      Array.from({ length: 80 }, () => proxy.ask(events, { signal: gone.signal })),
    )
    return { proxy, gone, held }
  }

  test('who has 80 requests open at a server waits 10 s for a place, and is then refused in words', async () => {
    const { proxy } = await heldOpen()
    const before = proxy.clock.pending()
    const asking = proxy.ask(list)
    await expect.poll(() => proxy.clock.pending()).toBe(before + 1)
    proxy.clock.advance(10_000)
    const response = await asking
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await problemOf(response)).detail).toContain('80 requests to the build server open')
  })

  test('takes no place from anybody else, nor at the other server', async () => {
    const { proxy } = await heldOpen()
    const begun = await fetch(`${proxy.url}/session`, { method: 'POST' })
    const { token } = Session.parse(await begun.json())
    const other = await proxy.ask(list, { headers: { authorization: `Bearer ${token}` } })
    expect([other.status, await other.text()]).toEqual([200, '[]'])
    const evaluated = await proxy.ask(scan, { method: 'POST', headers: json, body: '{}' })
    expect(evaluated.status).toBe(200)
  })

  test('gets the place of a request that ends, is left or fails, once', async () => {
    const { proxy, gone, held } = await heldOpen()
    const waiting = [proxy.ask(list), proxy.ask(list)]
    await held[0]?.body?.cancel()
    // Each gives its place back when it has been read.
    for (const one of waiting) expect(await (await one).text()).toBe('[]')
    gone.abort()
    await expect.poll(() => proxy.buildData.open()).toBe(0)
    const again = Array.from({ length: 80 }, () => proxy.ask(events))
    for (const one of again) expect((await one).status).toBe(200)
  })
})

/** A request to the policy service in a session which `end` ends. */
async function sentInSession(governor: PlainAnswer, path: string) {
  const end = new AbortController()
  const user = { name: 'ci', roles: ['releaser' as const] }
  const of = { id: 'a', person: 'name ci', holder: 'name ci', kind: 'token' } as const
  const session = { ...of, user, expiresAt: Number.MAX_SAFE_INTEGER, ended: end.signal }
  const proxy = await startProxyOnSocket(
    { governor },
    { signIn: { ...signInAsLocalUser, verify: () => Promise.resolve(session) } },
  )
  onTestFinished(() => proxy.close())
  const reader = openRaw(proxy.port)
  reader.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  )
  return { proxy, reader, end }
}

/** A scan that began to arrive in such a session. */
async function readInSession(governor: PlainAnswer) {
  const sent = await sentInSession(governor, scan)
  await sent.reader.until(/"x"/)
  return sent
}

describe('who leaves is noticed', () => {
  test('a browser that leaves in the middle ends the request upstream', async () => {
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': beat\n\n')
    })
    const gone = new AbortController()
    const response = await proxy.ask(events, { signal: gone.signal })
    await response.body?.getReader().read()
    expect(proxy.buildData.open()).toBe(1)
    gone.abort()
    await expect.poll(() => proxy.buildData.open()).toBe(0)
    expect(proxy.log.join('')).not.toMatch(/broke off|"level":50/)
  })

  test('a browser that leaves when nothing of the body was read yet ends it as well', async () => {
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, json).write('[')
    })
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${proxy.token}` }
    const response = await proxy.request(events, { headers, signal: gone.signal }, {})
    expect([response.status, proxy.buildData.open()]).toEqual([200, 1])
    gone.abort()
    await expect.poll(() => proxy.buildData.open()).toBe(0)
  })

  test('a browser that leaves before the answer ends it as well', async () => {
    const proxy = await proxySetup(() => undefined)
    const gone = new AbortController()
    const asking = proxy.ask(list, { signal: gone.signal })
    await expect.poll(() => asked(proxy)).toHaveLength(1)
    gone.abort()
    await expect(asking).rejects.toThrow()
    await expect.poll(() => proxy.buildData.open()).toBe(0)
  })

  test('an upstream that breaks off breaks the connection, so that nothing cut looks whole', async () => {
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, json)
      response.write('[1,', () => response.destroy())
    })
    await expect(proxy.ask(list).then((response) => response.text())).rejects.toThrow()
    await expect.poll(() => proxy.log.join('')).toContain('closed the connection mid-response')
  })

  test('an upstream that falls silent in the middle is given up after two minutes', async () => {
    const proxy = await proxySetup((_request, response) => {
      response.writeHead(200, json).write('[1,')
    })
    const response = await proxy.ask(list)
    const reader = response.body?.getReader()
    await reader?.read()
    const rest = reader?.read()
    await expect.poll(() => proxy.clock.pending()).toBeGreaterThan(0)
    proxy.clock.advance(119_999)
    expect(proxy.log.join('')).not.toContain('closed the connection mid-response')
    proxy.clock.advance(1)
    await expect(rest).rejects.toThrow()
  })

  test.each([
    ['two minutes where nobody says how long they wait', undefined, 120_000],
    ['as long as somebody says that they wait', 'respond-async, wait=600', 600_000],
    ['two minutes for whoever waits less', 'wait=30', 120_000],
    ['15 minutes for whoever waits longer', 'wait=86400', 900_000],
  ])('an evaluation may begin, and pause, for %s', async (_, prefer, ms) => {
    let begin = (): void => undefined
    const proxy = await proxySetup((_request, response) => {
      begin = () =>
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{}\n')
    })
    const evaluate = async (): Promise<{ readonly asking: Promise<Response> }> => {
      const before = asked(proxy).length
      const headers = { ...json, ...(prefer === undefined ? {} : { prefer }) }
      const asking = proxy.ask(scan, { method: 'POST', headers, body: '{}' })
      await expect.poll(() => asked(proxy)).toHaveLength(before + 1)
      return { asking }
    }
    const inTime = await evaluate()
    proxy.clock.advance(ms - 1)
    begin()
    const response = await inTime.asking
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    await reader?.read()
    await expect.poll(() => proxy.clock.pending()).toBeGreaterThan(0)
    proxy.clock.advance(ms - 1)
    expect(proxy.log.join('')).not.toContain('closed the connection mid-response')
    proxy.clock.advance(1)
    expect(proxy.log.join('')).toContain(`no data for ${ms / 1000} s`)

    const late = await evaluate()
    proxy.clock.advance(ms)
    const refused = await late.asking
    expect(refused.status).toBe(504)
    expect((await problemOf(refused)).detail).toContain(`${ms / 1000} s`)
  })

  test('whose session ends is rid of, though nothing more is read', async () => {
    let sent = 0
    const { proxy, reader, end } = await readInSession((_request, response) => {
      const more = (): void => {
        sent += 1
        if (response.write('"x"\n'.repeat(16_384))) more()
        else response.once('drain', more)
      }
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      more()
    })
    reader.socket.pause()
    let before = 0
    await expect
      .poll(() => {
        const isStill = sent === before
        before = sent
        return isStill
      })
      .toBe(true)
    end.abort()
    proxy.clock.advance(10_000)
    reader.socket.resume()
    expect((await reader.closed).includes('answer-broke-off')).toBe(false)
  })

  test('whose session ends in the middle reads that, and not that a connection broke', async () => {
    const { reader, end } = await readInSession((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('"x"\n')
    })
    end.abort()
    expect(await reader.closed).toContain(
      'The session or access token of the request ended before the response was complete.',
    )
  })

  test.each([
    ['publishes reads that this was cut off, as it may have been done', publish, 502],
    ['evaluates is told to sign in, and may send it again', scan, 401],
  ])('whose session ends before there is a response and %s', async (_, path, status) => {
    const { proxy, reader, end } = await sentInSession(() => undefined, path)
    await expect.poll(() => asked(proxy)).toHaveLength(1)
    end.abort()
    await reader.until(/ended/)
    expect(await reader.until(/HTTP/)).toContain(`HTTP/1.1 ${status} `)
  })

  test('an upstream that does not begin its answer is given up, a list later than the rest', async () => {
    const proxy = await proxySetup(() => undefined)
    for (const [path, ms, words] of [
      [events, 10_000, '10 s'],
      [list, 60_000, '60 s'],
    ] as const) {
      const before = asked(proxy).length
      const asking = proxy.ask(path)
      await expect.poll(() => asked(proxy)).toHaveLength(before + 1)
      proxy.clock.advance(ms)
      const response = await asking
      expect(response.status).toBe(504)
      expect((await problemOf(response)).detail).toContain(words)
    }
  })
})
