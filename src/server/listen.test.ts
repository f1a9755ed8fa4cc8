import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../protocol/manual-clock.test-support.ts'
import { listen, type Listening, type ListenOptions } from './listen.ts'
import { exchangeRaw, openRaw } from './raw-request.test-support.ts'
import { realClock } from './real-clock.test-support.ts'

interface World {
  readonly served: string[]
  readonly listening: Listening
  readonly port: number
}

async function world(options: Partial<ListenOptions> = {}): Promise<World> {
  const served: string[] = []
  const app = new Hono()
  // A body that does not come whole is no fault of the server's.
  app.onError((_error, c) => c.text('failed', 500))
  app.all('*', async (c) => {
    served.push(`${c.req.method} ${c.req.url}`)
    if (c.req.path === '/body') return c.text(String((await c.req.arrayBuffer()).byteLength))
    return c.text('served')
  })
  const listening = await listen({ app, host: '127.0.0.1', port: 0, clock: realClock, ...options })
  onTestFinished(() => {
    listening.server.closeAllConnections()
    return listening.close()
  })
  return { served, listening, port: Number(new URL(listening.url).port) }
}

const host = 'Host: localhost\r\n'

test('a browser that opens a misspelled or too long address gets the page, and nothing else does', async () => {
  const { served, port } = await world({ pageAddress: '/not-found' })
  const status = async (line: string, ...headers: string[]): Promise<string> => {
    const lines = [`${line} HTTP/1.1`, 'Host: localhost', ...headers, 'Connection: close', '', '']
    return (await exchangeRaw(port, lines.join('\r\n'))).slice(9, 12)
  }
  const html = 'Accept: text/html,*/*;q=0.8'
  expect(await status('GET /board/%E0%A4%A', html)).toBe('200')
  expect(await status('GET /packages/npm/%2e%2e/1', html)).toBe('200')
  const long = `/builds?query=${'a'.repeat(9000)}`
  expect(await status(`GET ${long}`, html)).toBe('200')
  expect(served).toEqual(Array.from({ length: 3 }, () => 'GET http://localhost/not-found'))
  expect(await status(`GET ${long}`, 'Accept: application/json')).toBe('414')
  expect(await status('GET /board/%E0%A4%A', 'Accept: application/json')).toBe('400')
  expect(await status('GET /board/%E0%A4%A')).toBe('400')
  expect(await status('POST /board/%E0%A4%A', html)).toBe('400')
  expect(await status('GET /board/%E0%A4%A', html, 'Content-Length: 1')).toBe('400')
  expect(served).toHaveLength(3)
})

describe('a request that others on the way may read differently is refused and its connection closed', () => {
  const rows: [string, string, number][] = [
    ['a dot segment', `GET /api/../admin HTTP/1.1\r\n${host}\r\n`, 400],
    ['an empty segment', `GET /api//x HTTP/1.1\r\n${host}\r\n`, 400],
    ['an encoded dot segment', `GET /api/%2e%2e/x HTTP/1.1\r\n${host}\r\n`, 400],
    ['an encoded slash', `GET /api%2Fx HTTP/1.1\r\n${host}\r\n`, 400],
    ['double encoding', `GET /api/%252e%252e/x HTTP/1.1\r\n${host}\r\n`, 400],
    ['an encoded NUL', `GET /%00 HTTP/1.1\r\n${host}\r\n`, 400],
    ['an encoded line break', `GET /%0d%0aX HTTP/1.1\r\n${host}\r\n`, 400],
    ['a path that names a host', `GET //evil/x HTTP/1.1\r\n${host}\r\n`, 400],
    ['a backslash', `GET /\\evil HTTP/1.1\r\n${host}\r\n`, 400],
    ['a tab in the target', `GET /\tevil HTTP/1.1\r\n${host}\r\n`, 400],
    ['an absolute address', `GET http://evil/ HTTP/1.1\r\n${host}\r\n`, 400],
    ['OPTIONS of everything', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 400],
    ['a fragment', `GET /x#frag HTTP/1.1\r\n${host}\r\n`, 400],
    ['TRACE', `TRACE / HTTP/1.1\r\n${host}\r\n`, 405],
    ['a made-up method', `PROPFIND / HTTP/1.1\r\n${host}\r\n`, 405],
    ['CONNECT', `CONNECT evil:443 HTTP/1.1\r\n${host}\r\n`, 405],
    [
      'an upgrade',
      `GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      400,
    ],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['no Host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 400],
    ['two Hosts', `GET / HTTP/1.1\r\n${host}Host: evil\r\n\r\n`, 400],
    ['a Host with a user', 'GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n', 400],
    ['a Host with a path', 'GET / HTTP/1.1\r\nHost: localhost/x\r\n\r\n', 400],
    ['a Host with a port above 65,535', 'GET / HTTP/1.1\r\nHost: 127.0.0.1:99999\r\n\r\n', 400],
    ['a Host that is no address', 'GET / HTTP/1.1\r\nHost: [::1::]\r\n\r\n', 400],
    [
      'a loopback address in another spelling',
      'GET / HTTP/1.1\r\nHost: [::ffff:127.0.0.1]\r\n\r\n',
      421,
    ],
    ['a shortened address', 'GET / HTTP/1.1\r\nHost: 127.1\r\n\r\n', 421],
    ['two spaces before the version', `GET /  HTTP/1.1\r\n${host}\r\n`, 400],
    ['two spaces before the target', `GET  / HTTP/1.1\r\n${host}\r\n`, 400],
    ['HTTP/0.9', 'GET /\r\n\r\n', 400],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    [
      'an unknown coding',
      `POST / HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['a folded header', `GET / HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`, 400],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: localhost\n\n', 400],
    ['GET with a body', `GET / HTTP/1.1\r\n${host}Content-Length: 1\r\n\r\na`, 400],
    [
      'GET with chunks',
      `GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
      400,
    ],
    ['200 headers', `GET / HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(200)}\r\n`, 431],
    ['101 headers', `GET / HTTP/1.1\r\n${host}${'X-A: b\r\n'.repeat(100)}\r\n`, 431],
    ['a header of 17 KB', `GET / HTTP/1.1\r\n${host}X-A: ${'b'.repeat(17_000)}\r\n\r\n`, 431],
    ['an address of 17 KB', `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${host}\r\n`, 431],
    ['an address of 9 KB', `GET /${'a'.repeat(9000)} HTTP/1.1\r\n${host}\r\n`, 414],
    ['a length of 1 GB', `POST /body HTTP/1.1\r\n${host}Content-Length: 1000000000\r\n\r\nab`, 413],
  ]
  test.each(rows)('%s', async (_name, request, status) => {
    const { served, port } = await world()
    const answer = await exchangeRaw(port, `${request}GET /behind HTTP/1.1\r\n${host}\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer).toMatch(/connection: close/i)
    expect(answer).toMatch(/"detail":"[A-Z].*\."/)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(served).toEqual([])
  })

  test('a hundred headers are not too many', async () => {
    const { port } = await world()
    const headers = 'X-A: b\r\n'.repeat(98)
    expect(
      await exchangeRaw(port, `GET / HTTP/1.1\r\n${host}${headers}Connection: close\r\n\r\n`),
    ).toMatch(/^HTTP\/1.1 200 /)
  })

  test('a body whose chunks are broken', async () => {
    const { port } = await world()
    const answer = await exchangeRaw(
      port,
      `POST /body HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  test('a first line that comes byte by byte is looked at as a whole', async () => {
    const { port } = await world()
    for (const [line, status] of [
      ['GET /  HTTP/1.1', 400],
      ['GET / HTTP/1.1', 200],
    ] as const) {
      const connection = openRaw(port)
      for (const byte of `${line}\r\n${host}Connection: close\r\n\r\n`) {
        connection.write(byte)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(await connection.closed).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    }
  })

  test('an idle connection stays open longer than balancers keep theirs', async () => {
    const { port } = await world()
    const connection = openRaw(port)
    connection.write(`GET / HTTP/1.1\r\n${host}\r\n`)
    expect(await connection.until(/served/)).toMatch(/keep-alive: timeout=65/i)
    connection.socket.destroy()
    const short = await world({ keepAliveMs: 7000 })
    const other = openRaw(short.port)
    other.write(`GET / HTTP/1.1\r\n${host}\r\n`)
    expect(await other.until(/served/)).toMatch(/keep-alive: timeout=7/i)
    other.socket.destroy()
  })

  test('what came before it on the same connection is still answered', async () => {
    const { served, port } = await world()
    const answer = await exchangeRaw(
      port,
      `GET /a HTTP/1.1\r\n${host}\r\nGET /../b HTTP/1.1\r\n${host}\r\nGET /c HTTP/1.1\r\n${host}\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(served).toEqual(['GET http://localhost/a'])
  })

  test('a client that sends Expect: 100-continue learns of the size limit before it sends the body', async () => {
    const { port } = await world()
    const head = (length: number): string =>
      `POST /body HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    expect(await exchangeRaw(port, head(2e9))).toMatch(/^HTTP\/1.1 413 /)
    const connection = openRaw(port)
    connection.write(head(2))
    await connection.until(/100 Continue/)
    connection.write('ab')
    expect(await connection.until(/\r\n\r\n2$/)).toMatch(/HTTP\/1.1 200 /)
    connection.socket.destroy()
  })
})

describe('who is slow is not waited for', () => {
  test.each([
    ['nothing', ''],
    ['half a request line', 'GET / HT'],
    ['headers without an end', `GET / HTTP/1.1\r\n${host}X-A:`],
    ['half a body', `POST /body HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\nabc`],
  ])('%s', async (_name, bytes) => {
    const { port } = await world({ requestTimeoutMs: 100, checkIntervalMs: 20 })
    // Where the machine has no time for this process, one that is quick is taken for slow: once more.
    await expect
      .poll(async () => {
        const slow = openRaw(port)
        slow.write(bytes)
        const quick = await exchangeRaw(port, `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
        const wasWaitedFor = slow.socket.destroyed
        return [quick.includes('200 OK'), wasWaitedFor, (await slow.closed).includes('200 OK')]
      })
      .toEqual([true, false, false])
  })
})

describe('connections from one address', () => {
  test('beyond the cap are refused with Retry-After, and those below it stay open', async () => {
    const { port } = await world({ maxConnectionsPerAddress: 2 })
    const [first, second] = [openRaw(port), openRaw(port)]
    first.write(`GET /1 HTTP/1.1\r\n${host}\r\n`)
    await first.until(/served/)
    second.write(`GET /2 HTTP/1.1\r\n${host}\r\n`)
    await second.until(/served/)
    const answer = await openRaw(port).closed
    expect(answer).toMatch(/^HTTP\/1.1 503 /)
    expect(answer).toMatch(/retry-after: 5/)
    first.write(`GET /3 HTTP/1.1\r\n${host}\r\n`)
    await first.until(/served[^]*served/)
    second.socket.destroy()
    await second.closed
    await expect
      .poll(() => exchangeRaw(port, `GET / HTTP/1.1\r\n${host}Connection: close\r\n\r\n`))
      .toMatch(/200 OK/)
    first.socket.destroy()
  })
})

describe('an address that cannot be used is reported in a plain sentence', () => {
  test('a port in use', async () => {
    const { port } = await world()
    await expect(world({ port })).rejects.toThrow(
      `Port ${port} is already in use. Stop the other process, or set SIGHTLINE_PORT.`,
    )
  })

  test('an address of another machine', async () => {
    await expect(world({ host: '192.0.2.1' })).rejects.toThrow('machine. Set SIGHTLINE_HOST')
  })
})

describe('closing', () => {
  test('ends idle connections at once and lets running requests end', async () => {
    let finish: (response: Response) => void = () => undefined
    const app = {
      fetch: () =>
        new Promise<Response>((resolve) => {
          finish = resolve
        }),
    }
    const { listening, port } = await world({ app })
    const idle = openRaw(port)
    const busy = openRaw(port)
    const arrived = new Promise((resolve) => listening.server.once('request', resolve))
    busy.write(`GET / HTTP/1.1\r\n${host}\r\n`)
    await arrived
    const closed = listening.close()
    expect(await idle.closed).toBe('')
    finish(new Response('done'))
    expect(await busy.closed).toMatch(/done/)
    await closed
    expect(await openRaw(port).closed).toBe('')
  })

  test('breaks off what still runs when the time is up', async () => {
    const clock = createManualClock()
    const { listening, port } = await world({
      app: { fetch: () => new Promise(() => undefined) },
      clock,
    })
    const busy = openRaw(port)
    const arrived = new Promise((resolve) => listening.server.once('request', resolve))
    busy.write(`GET / HTTP/1.1\r\n${host}\r\n`)
    await arrived
    const closed = listening.close()
    clock.advance(9_999)
    expect(busy.socket.destroyed).toBe(false)
    clock.advance(1)
    await busy.closed
    await closed
  })
})
