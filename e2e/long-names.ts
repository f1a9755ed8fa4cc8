import { createServer, type ServerResponse } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'

/** A build server and a policy service in one, where everything has a name of 200 characters, or another one. */
export interface LongNames {
  readonly url: string
  /** The ids of its builds. */
  readonly ids: readonly string[]
  readonly close: () => Promise<void>
}

/** A name of 200 characters without a place to break it. */
export function longName(word: string): string {
  return `${word}_`.repeat(200).slice(0, 200)
}

const hour = 60 * 60 * 1000

/** Starts it on a free port of 127.0.0.1; it shares no code with the product. */
export async function startLongNames(key: string, name = longName): Promise<LongNames> {
  const start = Date.now() - hour
  const ids = Array.from({ length: 30 }, (_, index) => `long${String(index).padStart(9, '0')}`)
  const builds = ids.map((id, index) => ({
    id,
    availableAt: start + index * 60_000,
    buildToolType: 'gradle',
    buildToolVersion: name('9.'),
    buildAgentVersion: '4.1',
    models: {
      gradleAttributes: {
        model: {
          buildStartTime: start + index * 60_000,
          rootProjectName: name('project'),
          requestedTasks: [name(':task'), name(':other')],
          hasFailed: index % 3 === 0,
          buildDuration: 98_765_432,
          tags: [name('tag'), 'CI'],
          values: [{ name: 'Git branch', value: name('branch') }],
          environment: { username: name('user'), publicHostname: name('host') },
        },
      },
    },
  }))
  const messages = builds.map(({ id, availableAt, buildToolVersion }) => {
    const build = {
      buildId: id,
      timestamp: availableAt,
      toolType: 'gradle',
      toolVersion: buildToolVersion,
      agentVersion: '4.1',
    }
    return `id: ${id}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
  })

  const server = createServer((request, response) => {
    request.resume()
    const url = new URL(request.url ?? '/', 'http://long')
    if (request.headers.authorization !== `Bearer ${key}`) {
      response.writeHead(401).end()
      return
    }
    if (url.pathname.startsWith('/packages/')) {
      evaluate(response, name)
      return
    }
    const one = /^\/api\/builds\/([^/]+)$/.exec(url.pathname)
    if (one !== null) {
      const build = builds.find(({ id }) => id === one[1])
      json(response, build === undefined ? 404 : 200, build ?? {})
      return
    }
    if (url.pathname === '/api/builds') {
      const order = url.searchParams.get('reverse') === 'true' ? builds.toReversed() : builds
      const last = url.searchParams.get('fromBuild')
      const from = order.findIndex(({ id }) => id === last) + 1
      json(
        response,
        200,
        order.slice(from, from + Number(url.searchParams.get('maxBuilds') ?? 100)),
      )
      return
    }
    const events = /^\/build-export\/v2\/build\/([^/]+)\/events$/.exec(url.pathname)
    const events_ = events?.[1] === undefined ? undefined : messages[ids.indexOf(events[1])]
    if (events_ !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events_ + eventsOf(start, name))
      return
    }
    const listing = /^\/build-export\/v2\/builds\/since(?:Build)?\/(\w+)$/.exec(url.pathname)
    if (listing === null) {
      response.writeHead(404).end()
      return
    }
    const last = request.headers['last-event-id'] ?? listing[1]
    const from = ids.indexOf(String(last)) + 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write((last === 'now' ? [] : messages.slice(from)).join('') + ':\n\n')
    if (!url.searchParams.has('stream')) {
      response.end()
      return
    }
    const beat = setInterval(() => response.write(':\n\n'), 1000)
    response.on('close', () => {
      clearInterval(beat)
    })
  })

  return {
    ...(await onLoopback(server)),
    ids,
  }
}

/** A task that failed, and who ran it. */
function eventsOf(start: number, name: typeof longName): string {
  const all: readonly (readonly [string, object])[] = [
    ['BuildStarted', {}],
    ['BuildAgent', { username: name('user'), publicHostname: name('host') }],
    ['BuildRequestedTasks', { requested: [name(':task')], excluded: [] }],
    [
      'ProjectStructure',
      { rootProjectName: name('project'), projects: [{ projectPath: ':', buildPath: ':' }] },
    ],
    ['UserNamedValue', { key: 'Git branch', value: name('branch') }],
    ['UserTag', { tag: name('tag') }],
    ['TaskStarted', { id: 1, buildPath: ':', path: name(':task'), className: 'a.Task' }],
    ['TaskFinished', { id: 1, path: name(':task'), outcome: 'failed', cacheable: true }],
    [
      'ExceptionData',
      {
        exceptions: {
          2: {
            className: name('a.Exception'),
            message: name('message'),
            causes: [],
            stackTrace: 1,
          },
        },
        stackTraces: { 1: { stackFrames: [3] } },
        stackFrames: {
          3: {
            declaringClass: name('a.Class'),
            methodName: 'run',
            fileName: 'A',
            lineNumber: 1,
          },
        },
      },
    ],
    ['BuildFinished', { failureId: 2, failure: null }],
  ]
  return all
    .map(([eventType, data], index) => {
      const type = { majorVersion: 1, minorVersion: 0, eventType }
      const event = { timestamp: start + index * 1000, type, data }
      return `id: ${index + 1}\nevent: BuildEvent\ndata: ${JSON.stringify(event)}\n\n`
    })
    .join('')
}

function evaluate(response: ServerResponse, name: typeof longName): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  for (const status of ['satisfied', 'unsatisfied', 'not_applicable']) {
    const result = {
      policyUri: `/policies/BuildTool/${name(status)}`,
      status,
      labels: { severity: 'high', [name('label')]: name('value') },
      policyDescription: name('description'),
      policyRemediation: name('remediation'),
      attestationUri: null,
      sourcedFromUri: null,
      details: { vulnerablePackage: name('pkg:npm/') },
    }
    response.write(`${JSON.stringify(result)}\n`)
  }
  response.end()
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
