import { createServer, type ServerResponse } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'

/** A build as a server sends it: its announcement, and the attributes of its tool as they are. */
export interface OddBuild {
  readonly id: string
  readonly at: number
  readonly tool: string
  readonly attributes: object
}

/** A build server that was written from the specification alone. */
export interface OddUpstream {
  readonly url: string
  readonly push: (build: OddBuild) => void
  readonly heard: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Starts a plain `http` server with an export stream, version 2, and a build data API whose list is
 * announced as deprecated, and publishing. Every body is chunked, letter by letter. It shares no code with the product.
 */
export async function startOddUpstream(key: string): Promise<OddUpstream> {
  const builds: OddBuild[] = []
  const open = new Set<ServerResponse>()
  const waking: (() => void)[] = []

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://odd')
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    const [, name] = /^\/packages\/oci\/(\w+)\/1\/attestations$/.exec(url.pathname) ?? []
    if (name !== undefined) {
      published(response, name)
      return
    }
    const [, one] = /^\/api\/builds\/([a-z0-9]{13})$/.exec(url.pathname) ?? []
    const models = url.searchParams.getAll('models')
    if (url.pathname === '/api/version') {
      json(response, { string: '2025.2', year: 2025, release: 2, patch: 0 })
    } else if (url.pathname === '/api/builds') {
      const from = url.searchParams.get('fromBuild')
      const after = builds.findIndex(({ id }) => id === from)
      const max = Number(url.searchParams.get('maxBuilds') ?? 100)
      const listed = builds.slice(after + 1, after + 1 + max)
      json(
        response,
        listed.map((build) => summary(build, models)),
        deprecated,
      )
    } else if (one !== undefined) {
      const build = builds.find(({ id }) => id === one)
      if (build === undefined) response.writeHead(404).end()
      else json(response, summary(build, models), deprecated)
    } else if (url.pathname.startsWith('/build-export/v2/builds/since')) {
      const isStream = url.searchParams.has('stream')
      const past = url.pathname.endsWith('/now') ? [] : builds
      if (!isStream && past.length === 0) return void response.writeHead(204).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      for (const build of past) spell(response, message(build))
      if (!isStream) return void response.end()
      open.add(response)
      response.on('close', () => open.delete(response))
      for (const wake of waking.splice(0)) wake()
    } else response.writeHead(404).end()
  })

  return {
    ...(await onLoopback(server)),
    push: (build) => {
      builds.push(build)
      for (const response of open) spell(response, message(build))
    },
    heard: () => (open.size > 0 ? Promise.resolve() : new Promise((wake) => waking.push(wake))),
  }
}

/** Publishing is answered in a shape by the name of the package; two attestations are stored in each. */
function published(response: ServerResponse, name: string): void {
  const uri = (id: string): string =>
    `/packages/oci/${name}/1/sha256:${'ab'.repeat(32)}/attestations/s3:main/${id}`
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
  const stored = (id: string): object => ({
    status: 'SUCCESS',
    attestationUri: uri(id),
    details: { storeName: 'main' },
  })
  if (name === 'array') json(response, [result('one'), result('two')])
  else if (name === 'words') json(response, [stored('one'), stored('two')])
  else if (name === 'successes') {
    const success = (id: string) => ({
      storeType: 's3',
      storeResponse: { uri: uri(id) },
      attestationUri: uri(id),
    })
    json(response, { request: {}, successes: [success('one'), success('two')], errors: [] })
  } else {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const id of ['one', 'two']) spell(response, `${JSON.stringify(result(id))}\n`)
    response.end()
  }
}

const deprecated = {
  Deprecation: '@1688169600',
  Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
  Link: '<../docs/sunset>; rel="deprecation"',
}

function json(
  response: ServerResponse,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  spell(response, JSON.stringify(value))
  response.end()
}

/** Each letter is a chunk of its own. */
function spell(response: ServerResponse, text: string): void {
  for (const letter of text) response.write(letter)
}

function summary({ id, at, tool, attributes }: OddBuild, models: readonly string[]): object {
  const own = {
    id,
    availableAt: at,
    buildToolType: tool,
    buildToolVersion: '9.2',
    buildAgentVersion: '4.1',
  }
  if (!models.includes(`${tool}-attributes`)) return own
  return { ...own, models: { [`${tool}Attributes`]: { model: { id, ...attributes } } } }
}

function message({ id, at, tool }: OddBuild): string {
  const data = {
    buildId: id,
    timestamp: at,
    toolType: tool,
    toolVersion: '9.2',
    agentVersion: '4.1',
  }
  return `id: ${id}\nevent: Build\ndata: ${JSON.stringify(data)}\n\n`
}
