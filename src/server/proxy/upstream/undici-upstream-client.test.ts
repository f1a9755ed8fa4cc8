import { getEventListeners, once } from 'node:events'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type PlainServer, startPlainServer } from '../plain-server.test-support.ts'
import { createUpstreamClient, upstreamFault } from './undici-upstream-client.ts'
import { readBounded, type UpstreamClient } from './upstream-client.ts'

const clock = createManualClock()

function clientFor(url: URL | string): UpstreamClient {
  const client = createUpstreamClient({
    baseUrl: new URL(url),
    name: 'build server',
    urlSetting: 'SIGHTLINE_BUILD_DATA_URL',
    userAgent: 'sightline/test',
    clock,
  })
  onTestFinished(() => client.close())
  return client
}

async function server(...args: Parameters<typeof startPlainServer>): Promise<PlainServer> {
  const started = await startPlainServer(...args)
  onTestFinished(() => started.close())
  return started
}

async function text(answer: Awaited<ReturnType<UpstreamClient['request']>>): Promise<string> {
  return (await readBounded(answer, 1e6)).toString('utf8')
}

describe('a request', () => {
  test('goes to the configured host below its base path, with what it carries and a user agent', async () => {
    const upstream = await server((_request, response) => response.end('hello'))
    const client = clientFor(new URL('/builds/', upstream.url))
    const answer = await client.request({
      path: '/api/builds?since=0',
      method: 'POST',
      headers: { accept: 'text/plain' },
      body: 'body',
    })
    expect(await text(answer)).toBe('hello')
    expect(upstream.received).toMatchObject([
      {
        method: 'POST',
        url: '/builds/api/builds?since=0',
        body: 'body',
        headers: { accept: 'text/plain', 'user-agent': 'sightline/test', host: upstream.url.host },
      },
    ])
  })

  test.each([
    '//evil.example/x',
    '/\\evil.example',
    '@evil.example/',
    '.evil.example/',
    ':80@evil/',
    'http:evil',
    '/../admin',
    '/%2e%2e/admin',
    '/a\r\nX: y',
    '/#x',
    '',
  ])('cannot leave them by the path %j', async (path) => {
    const upstream = await server((_request, response) => response.end())
    await expect(clientFor(upstream.url).request({ path })).rejects.toThrow(TypeError)
    expect(upstream.received).toEqual([])
  })

  test('is not redirected', async () => {
    const target = await server((_request, response) => response.end('secret'))
    const upstream = await server((_request, response) =>
      response.writeHead(302, { location: target.url.href }).end(),
    )
    const answer = await clientFor(upstream.url).request({ path: '/' })
    expect(answer.status).toBe(302)
    answer.cancel()
    expect(target.received).toEqual([])
  })

  test('gets a zipped body unzipped, with the headers of what it is', async () => {
    const zipped = gzipSync('hello')
    const upstream = await server((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped),
    )
    const answer = await clientFor(upstream.url).request({ path: '/' })
    expect([answer.wasGzip, answer.header('content-encoding')]).toEqual([true, null])
    expect(String(await readBounded(answer, 1000))).toBe('hello')
  })

  test('leaves its connection to the ones after it', async () => {
    const upstream = await server((_request, response) => response.end('x'))
    const opened: unknown[] = []
    upstream.server.on('connection', (socket) => opened.push(socket))
    const client = clientFor(upstream.url)
    for (let round = 0; round < 20; round++) await text(await client.request({ path: '/' }))
    // A connection is free a moment after its answer was read, which may be too late for the next.
    expect(opened.length).toBeLessThan(5)
  })
})

describe('an abort', () => {
  test('before the answer ends the request at the server and throws its reason', async () => {
    const upstream = await server(() => undefined)
    const gone = new AbortController()
    const arrival = upstream.arrival()
    const asked = clientFor(upstream.url).request({ path: '/', signal: gone.signal })
    const request = await arrival
    gone.abort(new Error('left'))
    await expect(asked).rejects.toThrow('left')
    await once(request.socket, 'close')
    expect(getEventListeners(gone.signal, 'abort')).toEqual([])
  })

  test('in the middle of the body ends it at the server', async () => {
    const upstream = await server((_request, response) => {
      response.write('first')
    })
    const gone = new AbortController()
    const arrival = upstream.arrival()
    const asked = clientFor(upstream.url).request({ path: '/', signal: gone.signal })
    const request = await arrival
    const answer = await asked
    const closed = once(request.socket, 'close')
    gone.abort(new Error('left'))
    await expect(text(answer)).rejects.toThrow('left')
    await closed
    expect(getEventListeners(gone.signal, 'abort')).toEqual([])
  })

  test('that came before the request sends nothing', async () => {
    const upstream = await server((_request, response) => response.end())
    const signal = AbortSignal.abort(new Error('left'))
    await expect(clientFor(upstream.url).request({ path: '/', signal })).rejects.toThrow('left')
    expect(upstream.received).toEqual([])
  })

  test('leaves no listener behind on a signal that lives on', async () => {
    const upstream = await server((_request, response) => response.end('x'))
    const client = clientFor(upstream.url)
    const { signal } = new AbortController()
    for (let round = 0; round < 20; round++) await text(await client.request({ path: '/', signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('by giving up the body frees the connection at the server', async () => {
    const upstream = await server((_request, response) => {
      response.write('first')
    })
    const [request, answer] = await Promise.all([
      upstream.arrival(),
      clientFor(upstream.url).request({ path: '/' }),
    ])
    const closed = once(request.socket, 'close')
    answer.cancel()
    await closed
  })
})

describe('an error is a sentence that names neither address nor credential', () => {
  test('a refused connection', async () => {
    const upstream = await startPlainServer((_request, response) => response.end())
    await upstream.close()
    await expect(clientFor(upstream.url).request({ path: '/' })).rejects.toMatchObject({
      status: 502,
      message:
        "The build server refused the connection. Check that it's running and that SIGHTLINE_BUILD_DATA_URL is right.",
    })
  })

  async function tlsPort(): Promise<number> {
    const tls = createTlsServer({
      key: pem('PRIVATE KEY', key),
      cert: pem('CERTIFICATE', certificate),
    })
    const { port, close } = await onLoopback(tls)
    onTestFinished(close)
    return port
  }

  test('a certificate that nobody known has signed', async () => {
    const client = clientFor(`https://127.0.0.1:${await tlsPort()}`)
    await expect(client.request({ path: '/' })).rejects.toThrow(
      "The TLS certificate of the build server isn't trusted",
    )
  })

  test('plain http to a TLS port that hangs up without a word', async () => {
    const client = clientFor(`http://127.0.0.1:${await tlsPort()}`)
    await expect(client.request({ path: '/' })).rejects.toThrow(
      'If this port expects TLS, use https:// in SIGHTLINE_BUILD_DATA_URL.',
    )
  })

  test('plain http to a TLS port that sends an alert', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      // RFC 8446 section 6: fatal, unexpected_message.
      socket.write(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x0a]))
      socket.destroySoon()
    })
    const { url, close } = await onLoopback(tcp)
    onTestFinished(close)
    await expect(clientFor(url).request({ path: '/' })).rejects.toThrow(
      'The build server expects TLS on this port. Use https:// in SIGHTLINE_BUILD_DATA_URL.',
    )
  })

  test.each([
    ['text/html', '<center>The plain HTTP request was sent to HTTPS port</center>'],
    ['text/plain; charset=utf-8', 'Client sent an HTTP request to an HTTPS server.\n'],
    ['text/html', "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />"],
    ['text/plain', 'Bad Request\r\nThis combination of host and port requires TLS.\r\n'],
  ])('plain http to a TLS port that says so in %s: %s', async (type, page) => {
    const upstream = await server((_request, response) =>
      response.writeHead(400, { 'content-type': type }).end(page),
    )
    await expect(clientFor(upstream.url).request({ path: '/' })).rejects.toThrow('expects TLS on')
  })

  test('but any other 400 stays the answer that it is', async () => {
    const upstream = await server((_request, response) =>
      response.writeHead(400, { 'content-type': 'text/plain' }).end('unknown build'),
    )
    const answer = await clientFor(upstream.url).request({ path: '/' })
    expect([answer.status, await text(answer)]).toEqual([400, 'unknown build'])
  })

  test('https where only http is spoken', async () => {
    const upstream = await server((_request, response) => response.end())
    await expect(clientFor(`https://${upstream.url.host}`).request({ path: '/' })).rejects.toThrow(
      "doesn't use TLS on this port. Check",
    )
  })

  test('something that speaks no HTTP', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.write('SSH-2.0-none\r\n')
      socket.destroySoon()
    })
    const { url, close } = await onLoopback(tcp)
    onTestFinished(close)
    await expect(clientFor(url).request({ path: '/' })).rejects.toThrow("doesn't speak HTTP. Check")
  })

  test('an answer that does not begin within ten seconds, or what the request allows', async () => {
    const upstream = await server(() => undefined)
    const client = clientFor(upstream.url)
    const arrived = upstream.arrival()
    const quick = client.request({ path: '/' })
    const patient = client.request({ path: '/', headersTimeoutMs: 30_000 })
    const thirty = 'The build server sent nothing for 30 s. It may be overloaded. Try again later.'
    const failed = Promise.all([
      expect(quick).rejects.toThrow('sent nothing for 10 s'),
      expect(patient).rejects.toMatchObject({ status: 504, message: thirty }),
    ])
    await arrived
    clock.advance(10_000)
    await expect(quick).rejects.toThrow()
    clock.advance(20_000)
    await failed
    expect(clock.pending()).toBe(0)
  })

  test('a body that breaks off', async () => {
    const upstream = await server((_request, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('first')
      setImmediate(() => response.destroy())
    })
    const answer = await clientFor(upstream.url).request({ path: '/' })
    await expect(text(answer)).rejects.toMatchObject({
      status: 502,
      message: 'The build server closed the connection. It may be restarting. Try again.',
    })
  })

  test.each([
    ['ENOTFOUND', 'Host name'],
    ['EAI_AGAIN', 'Host name'],
    ['CERT_HAS_EXPIRED', 'expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'another host name'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timed out. Check'],
    ['EHOSTUNREACH', 'No network route to'],
    ['EWEIRD', '(EWEIRD)'],
  ])('%s', (code, words) => {
    const error = Object.assign(new Error('https://user:pw@host.example'), { code })
    const { message } = upstreamFault(error, 'build server', 'SIGHTLINE_BUILD_DATA_URL')
    expect(message).toContain(words)
    expect(message).not.toContain('host.example')
  })
})

test.each(['ftp://host/', 'https://user:pw@host/', 'https://host/?a=b', 'https://host/#a'])(
  'an address such as %s is refused when the client is made',
  (url) => {
    expect(() => clientFor(url)).toThrow(TypeError)
  },
)

function pem(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
}

// Made for this test alone: nobody trusts it.
const key =
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkleb9uho6r6xwVjS8roY9rSGfvAQEwOdP3emXbCkpYuhRANCAAQQtEuwGtvlOxCBiFaQaApPQbCi8P1LjYwPV7EIWPmHVZhuiYXB7UqwdvNPA36h4DxUOheZMberlM8cMyKd0q15'
const certificate =
  'MIIBnDCCAUGgAwIBAgIUSzIEbvupqXwnFW8jSRcTqw/Iqi8wCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMDA5NTE0MFoYDzIxMjYxMDI3MDk1MTQwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQQtEuwGtvlOxCBiFaQaApPQbCi8P1LjYwPV7EIWPmHVZhuiYXB7UqwdvNPA36h4DxUOheZMberlM8cMyKd0q15o28wbTAdBgNVHQ4EFgQUnJUAL+xtvKWEZjemuEDAz//seOUwHwYDVR0jBBgwFoAUnJUAL+xtvKWEZjemuEDAz//seOUwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZIzj0EAwIDSQAwRgIhALUXhwat04yCl6e/Z4ktzuj6QknzHd7r24S5kgogXgyPAiEAgtmE/gct+1M7aUcoSV6KhewmJwAshxW4BSlZ4o98W0s='
