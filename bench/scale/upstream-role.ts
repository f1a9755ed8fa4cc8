import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { listenOnLoopback } from '../hub/loopback.ts'
import { serveOrders } from '../hub/role.ts'
import { sharedMicros } from '../hub/source.ts'

/** What the build server of a measurement has seen. Times are shared microseconds. */
export const UpstreamState = z.object({
  builds: z.number(),
  streams: z.number(),
  /** How many streams were opened so far, and when the last one was. */
  opened: z.number(),
  openedAt: z.number(),
  factsRequests: z.number(),
  /** How many builds they asked for. */
  factsAsked: z.number(),
})
export type UpstreamState = z.infer<typeof UpstreamState>

interface Published {
  readonly id: string
  readonly message: string
  readonly summary: string
}

/**
 * A build server of prepared bytes that counts what is asked of it: the stream of builds, which can be
 * resumed after any of them, and their attributes.
 */
export function serveAsUpstream(): void {
  const builds: Published[] = []
  const places = new Map<string, number>()
  const streams = new Set<ServerResponse>()
  let opened = 0
  let openedAt = 0
  let factsRequests = 0
  let factsAsked = 0

  const publish = (): void => {
    const id = idOf(builds.length)
    const timestamp = Date.now()
    const tool = { toolType: 'gradle', toolVersion: '9.2.0', agentVersion: '4.2.2' }
    const data = JSON.stringify({ buildId: id, timestamp, ...tool, sentAt: sharedMicros() })
    const message = `id: ${id}\nevent: Build\ndata: ${data}\n\n`
    places.set(id, builds.length)
    builds.push({ id, message, summary: summaryOf(id, timestamp) })
    for (const stream of streams) stream.write(message)
  }

  const stream = (path: string, response: ServerResponse): void => {
    const after = /\/sinceBuild\/(\w+)/.exec(path)?.[1]
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    if (after !== undefined) {
      const missed = builds.slice((places.get(after) ?? -1) + 1)
      response.write(missed.map(({ message }) => message).join(''))
    }
    streams.add(response)
    opened++
    openedAt = sharedMicros()
    response.once('close', () => streams.delete(response))
  }

  const list = (query: URLSearchParams, response: ServerResponse): void => {
    const from = (places.get(query.get('fromBuild') ?? '') ?? -1) + 1
    const some = builds.slice(from, from + Number(query.get('maxBuilds') ?? 100))
    factsRequests++
    factsAsked += some.length
    answer(response, `[${some.map(({ summary }) => summary).join()}]`)
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://upstream')
    if (url.pathname.startsWith('/build-export/v2/builds/')) stream(url.pathname, response)
    else if (url.pathname === '/api/builds') list(url.searchParams, response)
    else if (url.pathname.startsWith('/api/builds/')) {
      const build = builds[places.get(url.pathname.split('/')[3] ?? '') ?? -1]
      factsRequests++
      factsAsked++
      if (build === undefined) response.writeHead(404).end()
      else answer(response, build.summary)
    } else response.writeHead(404).end()
  })
  server.keepAliveTimeout = 60_000

  serveOrders({
    start: () => listenOnLoopback(server),
    /** Publishes `perSecond` builds a second for `ms`, in steps of 10 ms; gives how many. */
    publish: async ({ perSecond, ms }) => {
      const startedAt = performance.now()
      let sent = 0
      for (;;) {
        const elapsed = Math.min(Number(ms), performance.now() - startedAt)
        for (const due = Math.floor((elapsed * Number(perSecond)) / 1000); sent < due; sent++) {
          publish()
        }
        if (elapsed >= Number(ms)) return sent
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    burst: ({ count }) => {
      for (let left = Number(count); left > 0; left--) publish()
      return Promise.resolve()
    },
    state: () => {
      const state: UpstreamState = {
        builds: builds.length,
        streams: streams.size,
        opened,
        openedAt,
        factsRequests,
        factsAsked,
      }
      return Promise.resolve(state)
    },
  })
}

/** The id of the build that was published as the `place`-th. */
export function idOf(place: number): string {
  return `b${place.toString(36).padStart(12, '0')}`
}

function summaryOf(id: string, availableAt: number): string {
  const model = {
    rootProjectName: 'shop',
    requestedTasks: ['build'],
    hasFailed: false,
    tags: ['CI', 'main'],
    values: [{ name: 'Git branch', value: 'main' }],
    buildStartTime: availableAt - 60_000,
    buildDuration: 60_000,
    environment: { username: 'ci' },
  }
  return JSON.stringify({
    id,
    availableAt,
    buildToolType: 'gradle',
    buildToolVersion: '9.2.0',
    buildAgentVersion: '4.2.2',
    models: { gradleAttributes: { model } },
  })
}

function answer(response: ServerResponse, json: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(json)
}
