import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'

/** A request as one of the servers got it. */
export interface SeenRequest {
  readonly method: string
  /** As it stood on the wire. */
  readonly target: string
  readonly type: string
  readonly body: string
}

/** A build server and a policy service that share no code with the product: only what is specified. */
export interface IndependentServers {
  readonly buildServer: string
  readonly policyService: string
  readonly key: string
  readonly account: string
  readonly seen: SeenRequest[]
  /** The ids of all builds, oldest first. */
  readonly ids: readonly string[]
  readonly stop: () => Promise<void>
}

const key = 'independent-key-5c1d0e'
const account = 'robot:independent-word-77ab'
const start = Date.UTC(2026, 0, 5, 9)

/** A build as version 1 of the export stream announces it, some with fields that are odd. */
function announcement(number: number): Record<string, unknown> {
  const build = {
    buildId: idOf(number),
    timestamp: start + number * 1000,
    gradleVersion: '8.14',
    pluginVersion: '4.1',
  }
  // Every tenth comes from an agent that does not say its version.
  return number % 10 === 0 ? { ...build, pluginVersion: null } : build
}

function idOf(number: number): string {
  // Identifiers have 13 characters; no alphabet is specified.
  return `Build_${String(number).padStart(7, '0')}`
}

function message(number: number): string {
  return `id: ${idOf(number)}\nevent: Build\ndata: ${JSON.stringify(announcement(number))}\n\n`
}

/** Starts both on free ports. The build server has version 1 only, and `count` builds. */
export async function startIndependentServers(count: number): Promise<IndependentServers> {
  const seen: SeenRequest[] = []
  const ids = Array.from({ length: count }, (_, index) => idOf(index + 1))
  const buildServer = serve(seen, (request, response, target) => {
    if (request.headers.authorization !== `Bearer ${key}`) {
      problem(response, 401)
      return
    }
    const path = target.pathname
    const listing = /^\/build-export\/v1\/builds\/(since|sinceBuild)\/([\w-]+)$/.exec(path)
    if (listing !== null) {
      list(request, response, listing, target.searchParams.has('stream'))
      return
    }
    if (path === '/api/builds' || path.startsWith('/api/builds/')) {
      attributes(response, target)
      return
    }
    problem(response, 404)
  })

  /** Without `stream` as a server of HTTP/1.0: the connection ends the answer, some in mid-message. */
  function list(
    request: IncomingMessage,
    response: ServerResponse,
    [, kind, from = '']: RegExpExecArray,
    isStream: boolean,
  ): void {
    const resumed = request.headers['last-event-id'] ?? (kind === 'sinceBuild' ? from : undefined)
    const after =
      typeof resumed === 'string' ? ids.indexOf(resumed) + 1 : from === 'now' ? count : 0
    if (isStream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': here\n\n')
      const beat = setInterval(() => response.write(':\n\n'), 1000)
      response.on('close', () => {
        clearInterval(beat)
      })
      return
    }
    const rest = ids.slice(after).map((_, index) => message(after + index + 1))
    const { socket } = response
    if (rest.length === 0 || socket === null) return void response.writeHead(204).end()
    const text = rest.join('')
    socket.end(
      `HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${text.length > 5000 ? text.slice(0, 5000) : text}`,
    )
  }

  /** The build list with models: deprecated, chunked byte by byte, and with odd details. */
  function attributes(response: ServerResponse, target: URL): void {
    const from =
      target.searchParams.get('fromBuild') ?? target.pathname.slice('/api/builds/'.length)
    const isOne = target.pathname !== '/api/builds'
    const first = isOne ? ids.indexOf(from) : ids.indexOf(from) + 1
    const most = isOne ? 1 : Number(target.searchParams.get('maxBuilds') ?? '100')
    const page = ids.slice(Math.max(0, first), first + most).map((id) => ({
      id,
      availableAt: start,
      buildToolType: 'gradle',
      buildToolVersion: '8.14',
      buildAgentVersion: null,
      note: `asked with ${key}`,
      models: {
        gradleAttributes: {
          model: {
            rootProjectName: `asked with ${key}`,
            requestedTasks: ['clean', 'check'],
            hasFailed: false,
            buildDuration: 61_000,
            tags: ['CI', null],
            environment: { username: 'ann' },
          },
        },
      },
    }))
    response.writeHead(200, {
      'content-type': 'application/json',
      deprecation: '@1767225600',
      sunset: 'Thu, 31 Dec 2026 23:59:59 GMT',
      link: '<https://docs.example.com/builds>; rel="deprecation"; type="text/html"',
    })
    const text = JSON.stringify(isOne ? page[0] : page)
    for (let at = 0; at < text.length; at += 997) response.write(text.slice(at, at + 997))
    response.end()
  }

  const policyService = serve(seen, (request, response, target, body) => {
    const expected = `Basic ${Buffer.from(account).toString('base64')}`
    if (request.headers.authorization !== expected) {
      problem(response, 401)
      return
    }
    const [, , , name = ''] = target.pathname.split('/')
    if (target.pathname.endsWith('/attestations')) {
      publish(response, name, body)
      return
    }
    if (target.pathname.includes('/policy-scans/')) {
      evaluate(response)
      return
    }
    problem(response, 404)
  })

  const servers = await Promise.all([onLoopback(buildServer), onLoopback(policyService)])
  return {
    buildServer: servers[0].url,
    policyService: servers[1].url,
    key,
    account,
    seen,
    ids,
    stop: async () => {
      await Promise.all(servers.map(({ close }) => close()))
    },
  }
}

/** Which of the four shapes an answer has goes by the name of the package. */
function publish(response: ServerResponse, name: string, body: string): void {
  const digest = /[0-9a-f]{64}/.exec(body)?.[0] ?? ''
  const uri = (id: string): string =>
    `/packages/oci/${name}/1/sha256:${digest}/attestations/af:main/${id}`
  const result = (id: string): object => ({
    labels: {},
    status: 'satisfied',
    policyUri: `/policies/BuildTool/${id}`,
    policyDescription: 'Described.',
    policyRemediation: '',
    attestationUri: uri(id),
    sourcedFromUri: null,
    details: {},
  })
  const success = (id: string): object => ({
    predicateType: `https://t.example/${id}`,
    attestationUri: uri(id),
  })
  switch (name) {
    case 'array': {
      json(response, 200, [result('one'), result('two')])
      return
    }
    case 'object': {
      json(response, 200, { status: 'SUCCESS', details: { storeName: 'main' } })
      return
    }
    case 'successes': {
      json(response, 200, { request: { sha256: digest }, successes: [success('one')] })
      return
    }
    default: {
      json(
        response,
        500,
        {
          type: 'about:blank',
          title: 'Internal Server Error',
          status: 500,
          detail: 'One of two failed.',
          request: { sha256: digest },
          successes: [success('one')],
          errors: [{ predicateType: 'https://t.example/two', message: 'no room' }],
        },
        'application/problem+json',
      )
      return
    }
  }
}

/** Lines that come one by one, with details of every kind. */
function evaluate(response: ServerResponse): void {
  const result = (name: string, details: unknown): string =>
    `${JSON.stringify({
      labels: {},
      status: 'unsatisfied',
      policyUri: `/policies/BuildTool/${name}`,
      policyDescription: `Describes ${name}.`,
      policyRemediation: `Remedy of ${name}.`,
      attestationUri: null,
      sourcedFromUri: null,
      details,
    })}\n`
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  response.write(result('listed', ['first detail', 2]))
  response.write(result('worded', 'a detail in words'))
  response.end(result('echoed', { message: `asked as ${account}` }))
}

function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  type = 'application/json',
): void {
  response.writeHead(status, { 'content-type': type })
  response.write(' ')
  response.end(JSON.stringify(value))
}

function problem(response: ServerResponse, status: number): void {
  const title = status === 401 ? 'Unauthorized' : 'Not Found'
  const value = { type: 'about:blank', title, status, detail: `${title}.` }
  json(response, status, value, 'application/problem+json')
}

function serve(
  seen: SeenRequest[],
  answer: (request: IncomingMessage, response: ServerResponse, target: URL, body: string) => void,
): Server {
  return createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString('utf8')
      const target = request.url ?? '/'
      const type = request.headers['content-type'] ?? ''
      seen.push({ method: request.method ?? '', target, type, body })
      answer(request, response, new URL(target, 'http://independent'), body)
    })
  })
}
