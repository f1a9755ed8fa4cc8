import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { allPermissions } from './credentials.ts'
import { serveAll } from './serving.test-support.ts'

// Requests as public clients of the three services send them, letter by letter on a socket: the samples of the export stream
// (an event source in JavaScript, one in Java), a generated client of the REST API (Java), and the actions of a pipeline that
// publish and evaluate. Written from the services' descriptions alone.

const key = 'key-of-ada'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const build = {
  message: {
    buildId: 'abcdefghijkl2',
    timestamp: 1_000_000,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
  },
}

let server: Awaited<ReturnType<typeof serveAll>>
beforeAll(async () => {
  const ada = { user: 'ada', accessKey: key, password: 'pass:word', permissions: allPermissions }
  server = await serveAll(2_000_000, [ada])
  await server.embedded.add({
    ...build,
    attributes: {
      id: build.message.buildId,
      buildStartTime: 900_000,
      buildDuration: 1000,
      gradleVersion: '9.2',
      pluginVersion: '4.1',
      rootProjectName: 'shop',
      requestedTasks: ['check'],
      hasFailed: false,
      tags: [],
      values: [],
      links: [],
    },
    events: [
      '{"timestamp":900000,"type":{"majorVersion":1,"minorVersion":0,"eventType":"BuildStarted"},"data":{}}',
    ],
  })
})
afterAll(() => server.close())

interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends a head, line by line, and the body as it is; reads until `isEnough` or the end. */
function send(
  head: readonly string[],
  body = '',
  isEnough: (text: string) => boolean = () => false,
): Promise<Answer> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let text = ''
    const done = (): void => {
      socket.destroy()
      const [top = '', ...rest] = text.split('\r\n\r\n')
      const [status = '', ...lines] = top.split('\r\n')
      resolve({
        status: Number(status.split(' ')[1]),
        headers: new Map(
          lines.map((line) => {
            const [name = '', ...value] = line.split(':')
            return [name.toLowerCase(), value.join(':').trim()]
          }),
        ),
        body: rest.join('\r\n\r\n'),
      })
    }
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('utf8')
      if (isEnough(text)) done()
    })
    socket.on('end', done)
    socket.on('error', reject)
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

/** What a chunked body says. */
function unchunked(body: string): string {
  let text = ''
  let rest = body
  for (;;) {
    const end = rest.indexOf('\r\n')
    const length = Number.parseInt(rest.slice(0, end), 16)
    if (!(length > 0)) return text
    text += rest.slice(end + 2, end + 2 + length)
    rest = rest.slice(end + 4 + length)
  }
}

const jsonOf = ({ headers, body }: Answer): unknown =>
  JSON.parse(headers.get('transfer-encoding') === 'chunked' ? unchunked(body) : body)

const host = 'host: 127.0.0.1'

test.each([
  ['Authorization', `Bearer ${key}`],
  ['authorization', `Bearer ${base64(key)}`],
  ['AUTHORIZATION', `bearer ${key}`],
  ['Authorization', `Basic ${base64('ada:pass:word')}`],
])('an event source reads builds and then events with %s: %s', async (name, credential) => {
  const own = [
    host,
    'Accept: text/event-stream',
    'cache-control: no-cache',
    `${name}: ${credential}`,
  ]
  const builds = await send(
    ['GET /build-export/v2/builds/since/0?stream HTTP/1.1', ...own],
    '',
    (text) => text.includes('"agentVersion":"4.1"}\n\n'),
  )
  expect(builds.status).toBe(200)
  expect(builds.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(builds.body).toContain(`id: ${build.message.buildId}\nevent: Build\n`)
  const events = await send([
    `GET /build-export/v2/build/${build.message.buildId}/events?eventTypes=BuildStarted,BuildFinished HTTP/1.1`,
    ...own,
    'Connection: close',
  ])
  expect(unchunked(events.body)).toMatch(/event: Build\n[^]*id: 1\nevent: BuildEvent\n/)
})

test('an event source that resumes at the end is told once that nothing is left', async () => {
  const { status, body } = await send([
    'GET /build-export/v2/builds/since/0 HTTP/1.1',
    'HOST: 127.0.0.1',
    `authorization: Bearer ${key}`,
    `last-event-id: ${build.message.buildId}`,
    'connection: close',
  ])
  expect([status, body]).toEqual([204, ''])
})

test.each(['', '/'])(
  'a generated client lists builds and asks for one, also behind a path that ends with “%s”',
  async (slash) => {
    const own = [
      'User-Agent: OpenAPI-Generator/1.0.0/java',
      'Accept: application/json',
      'Host: 127.0.0.1',
      `Authorization: Bearer ${key}`,
      'Connection: close',
    ]
    const list = await send([`GET /api/builds${slash}?since=0&maxBuilds=1 HTTP/1.1`, ...own])
    expect(list.status).toBe(200)
    expect(jsonOf(list)).toMatchObject([{ id: build.message.buildId, buildToolType: 'gradle' }])
    const one = await send([
      `GET /api/builds/${build.message.buildId}/gradle-attributes${slash} HTTP/1.1`,
      ...own,
    ])
    expect(jsonOf(one)).toMatchObject({ rootProjectName: 'shop', hasFailed: false })
  },
)

test.each([
  ['without a length', []],
  ['with no length and a type', ['Content-Length: 0', 'Content-Type: application/json']],
])('a token is made by a POST %s, and is a credential then', async (_, more) => {
  const made = await send([
    'POST /api/auth/token?permissions=exportData,accessBuildDataViaApi&expiresInHours=0.5 HTTP/1.1',
    host,
    `Authorization: Bearer ${key}`,
    'Connection: close',
    ...more,
  ])
  expect(made.status).toBe(200)
  const token = (
    made.headers.get('transfer-encoding') === 'chunked' ? unchunked(made.body) : made.body
  ).trim()
  const list = await send([
    'GET /api/builds?since=0&maxBuilds=1 HTTP/1.1',
    host,
    `authorization: Bearer ${token}`,
    'connection: close',
  ])
  expect(list.status).toBe(200)
})

const sha256 = 'ab'.repeat(32)
const criteria = { sha256, repositoryUrl: 'https://registry.example.com/shop' }

test.each([
  ['its type and length', ['content-type: application/json; charset=utf-8']],
  ['no type', []],
  ['its type in another case', ['Content-Type: Application/JSON']],
])('an action evaluates with a body that has %s', async (_, own) => {
  const body = JSON.stringify(criteria)
  const answer = await send(
    [
      'POST /packages/oci/acme/app/1.0.0/policy-scans/release HTTP/1.1',
      host,
      'accept: application/json, application/problem+json',
      `authorization: Basic ${base64('ada:pass:word')}`,
      `content-length: ${body.length}`,
      'connection: close',
      ...own,
    ],
    body,
  )
  expect(answer.status).toBe(200)
  expect(jsonOf(answer)).toBeInstanceOf(Array)
})

test('an action publishes with a chunked body, both lists and any type accepted, and reads what was stored', async () => {
  const body = JSON.stringify({
    ...criteria,
    buildScan: { ids: [build.message.buildId], queries: [] },
  })
  const answer = await send(
    [
      'POST /packages/oci/app/1.0.0/attestations HTTP/1.1',
      host,
      'accept: */*',
      'accept-language: *',
      'sec-fetch-mode: cors',
      'user-agent: node',
      'accept-encoding: gzip, deflate',
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      'transfer-encoding: chunked',
      'connection: close',
    ],
    `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  )
  expect(answer.status).toBe(200)
  const published = jsonOf(answer)
  expect(published).toMatchObject({ request: { criteria } })
  expect(published).toHaveProperty('successes.0.storeResponse.verified', true)
})

test('a publication from a form is answered by policy results; one without credentials by a problem', async () => {
  const body = new URLSearchParams({
    ...criteria,
    'buildScan.ids': build.message.buildId,
  }).toString()
  const head = [
    'POST /packages/oci/acme/app/1.0.0/attestations/ HTTP/1.1',
    host,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${body.length}`,
    'connection: close',
  ]
  const answer = await send([...head, `authorization: Bearer ${key}`], body)
  expect(answer.status).toBe(200)
  const [first] = z.array(z.looseObject({ attestationUri: z.string() })).parse(jsonOf(answer))
  expect(first?.attestationUri).toMatch(/^\/packages\/oci\/acme\/app\/1\.0\.0\/sha256:/)
  const refused = await send(head, body)
  expect(refused.status).toBe(401)
  expect(refused.headers.get('content-type')).toBe('application/problem+json')
  expect(jsonOf(refused)).toMatchObject({ type: 'about:blank', title: 'Unauthorized', status: 401 })
})
