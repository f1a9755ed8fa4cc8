import { createServer, type ServerResponse } from 'node:http'
import { freePort, onLoopback } from '../src/free-port.test-support.ts'

/** A build of the plain upstream: what it announces, and its events as type, time and data. */
export interface PlainBuild {
  readonly buildId: string
  readonly timestamp: number
  readonly toolType: string
  readonly toolVersion: string
  readonly agentVersion: string
  readonly events?: readonly (readonly [type: string, timestamp: number, data: object])[]
}

let told = 0

/** A Gradle build that alice ran and that was received just now; `more` happened between its beginning and its end. */
export function plainBuild(
  project: string,
  failed: boolean,
  more: PlainBuild['events'] = [],
  timestamp = Date.now(),
): PlainBuild {
  told += 1
  return {
    buildId: `plain${String(told).padStart(8, '0')}`,
    timestamp,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
    events: [
      ['BuildStarted', timestamp - 72_000, {}],
      ['BuildAgent', timestamp - 72_000, { username: 'alice', publicHostname: 'agent-12' }],
      [
        'ProjectStructure',
        timestamp - 71_000,
        { rootProjectName: project, projects: [{ projectPath: ':', buildPath: ':' }] },
      ],
      ...more,
      ['BuildFinished', timestamp, { failureId: failed ? 1 : null, failure: null }],
    ],
  }
}

/** A second, independent export service, so that nothing works only with our own. */
export interface PlainUpstream {
  readonly url: string
  /** A build arrives: every open stream hears of it. */
  readonly push: (build: PlainBuild) => void
  /** Cuts every open connection, as a restart of the server would. */
  readonly cut: () => void
  /** From now on every request is refused with this status; 200 ends it. */
  readonly refuse: (status: number) => void
  /** Open `?stream` connections. */
  readonly streams: () => number
  /** Resolves when there is one: what is pushed before is missed by those who ask for what is new. */
  readonly heard: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Starts a plain `http` server of the build export stream, version 2, on 127.0.0.1, on a free
 * port unless one is named: no REST API, no compression, no CORS. It shares no code with the product.
 * Its clock is `aheadMs` ahead of this machine's.
 */
export async function startPlainUpstream(
  key: string,
  named?: number,
  aheadMs = 0,
): Promise<PlainUpstream> {
  const port = named ?? (await freePort())
  const builds: PlainBuild[] = []
  const open = new Set<ServerResponse>()
  const waking: (() => void)[] = []
  let refusal = 200

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://plain')
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString())
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    if (refusal !== 200) return void response.writeHead(refusal).end()
    const resumed = request.headers['last-event-id']
    const listing = /^\/build-export\/v2\/builds\/(since|sinceBuild)\/([a-z0-9]+)$/.exec(
      url.pathname,
    )
    const events = /^\/build-export\/v2\/build\/([a-z0-9]{13})\/events$/.exec(url.pathname)
    if (listing !== null) {
      const [, kind = '', from = ''] = listing
      const after = resumed ?? (kind === 'sinceBuild' ? from : undefined)
      const waiting =
        after === undefined ? since(from) : since('0').slice(1 + indexOf(String(after)))
      list(response, waiting, url.searchParams.has('stream'))
      return
    }
    if (events !== null) {
      eventsOf(response, events[1] ?? '', url.searchParams.get('eventTypes'))
      return
    }
    response.writeHead(404).end()
  })

  const since = (from: string): PlainBuild[] =>
    from === 'now' ? [] : builds.filter(({ timestamp }) => timestamp >= Number(from))
  const indexOf = (id: string): number => builds.findIndex(({ buildId }) => buildId === id)

  function list(response: ServerResponse, waiting: readonly PlainBuild[], stream: boolean): void {
    if (waiting.length === 0 && !stream) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    for (const build of waiting) response.write(buildMessage(build))
    if (!stream) return void response.end()
    open.add(response)
    for (const wake of waking.splice(0)) wake()
    const heartbeat = setInterval(() => response.write(':\n\n'), 1000)
    response.on('close', () => {
      clearInterval(heartbeat)
      open.delete(response)
    })
  }

  function eventsOf(response: ServerResponse, id: string, types: string | null): void {
    const build = builds[indexOf(id)]
    if (build === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(buildMessage(build))
    build.events?.forEach(([eventType, timestamp, data], at) => {
      if (types !== null && !types.split(',').includes(eventType)) return
      const event = { timestamp, type: { majorVersion: 1, minorVersion: 0, eventType }, data }
      response.write(`id: ${at + 1}\nevent: BuildEvent\ndata: ${JSON.stringify(event)}\n\n`)
    })
    response.end()
  }

  return {
    ...(await onLoopback(server, port)),
    push: (build) => {
      builds.push(build)
      for (const response of open) response.write(buildMessage(build))
    },
    cut: () => {
      server.closeAllConnections()
    },
    refuse: (status) => {
      refusal = status
    },
    streams: () => open.size,
    heard: () => (open.size > 0 ? Promise.resolve() : new Promise((wake) => waking.push(wake))),
  }
}

function buildMessage({ events: _events, ...build }: PlainBuild): string {
  return `id: ${build.buildId}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
}
