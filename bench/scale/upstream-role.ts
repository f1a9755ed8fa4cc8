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
  readonly at: number
  readonly project: string
  readonly failed: boolean
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

  /** While the network stalls: what is to be written, and who waits. */
  let held: (() => void)[] | undefined
  let jumpedMs = 0
  const whenMoving = (write: () => void): void => {
    if (held === undefined) write()
    else held.push(write)
  }

  const publish = (
    project = `project-${builds.length % projects}`,
    failed = builds.length % 7 === 0,
  ): void => {
    const id = idOf(builds.length)
    const timestamp = Date.now() + jumpedMs
    const tool = { toolType: 'gradle', toolVersion: '9.2.0', agentVersion: '4.2.2' }
    const data = JSON.stringify({ buildId: id, timestamp, ...tool, sentAt: sharedMicros() })
    const message = `id: ${id}\nevent: Build\ndata: ${data}\n\n`
    places.set(id, builds.length)
    const summary = summaryOf(id, timestamp, project, failed)
    builds.push({ id, at: timestamp, project, failed, message, summary })
    whenMoving(() => {
      for (const stream of streams) stream.write(message)
    })
  }

  const stream = (path: string, isStream: boolean, response: ServerResponse): void => {
    const after = /\/sinceBuild\/(\w+)/.exec(path)?.[1]
    const since = /\/since\/(\d+)/.exec(path)?.[1]
    const first = builds.findIndex(({ at }) => since !== undefined && at >= Number(since))
    const from = after === undefined ? first : (places.get(after) ?? -1) + 1
    const missed = from === -1 ? [] : builds.slice(from)
    if (!isStream && missed.length === 0) {
      response.writeHead(204).end()
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    response.write(missed.map(({ message }) => message).join(''))
    if (!isStream) {
      response.end()
      return
    }
    streams.add(response)
    opened++
    openedAt = sharedMicros()
    response.once('close', () => streams.delete(response))
  }

  const list = (query: URLSearchParams, response: ServerResponse): void => {
    const cursor = places.get(query.get('fromBuild') ?? '')
    const most = Number(query.get('maxBuilds') ?? 100)
    const isReverse = query.get('reverse') === 'true'
    const end = cursor ?? builds.length
    const from = (cursor ?? -1) + 1
    const some = isReverse
      ? builds.slice(Math.max(0, end - most), end).toReversed()
      : builds.slice(from, from + most)
    factsRequests++
    factsAsked += some.length
    answer(response, `[${some.map(({ summary }) => summary).join()}]`)
  }

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://upstream')
    if (url.pathname.startsWith('/build-export/v2/builds/')) {
      stream(url.pathname, url.searchParams.has('stream'), response)
    } else if (url.pathname === '/api/builds') list(url.searchParams, response)
    else if (url.pathname.startsWith('/api/builds/')) {
      const build = builds[places.get(url.pathname.split('/')[3] ?? '') ?? -1]
      factsRequests++
      factsAsked++
      if (build === undefined) response.writeHead(404).end()
      else answer(response, build.summary)
    } else response.writeHead(404).end()
  }
  const server = createServer((request, response) => {
    whenMoving(() => {
      respond(request, response)
    })
  })
  let port = 0
  server.keepAliveTimeout = 60_000

  serveOrders({
    start: async () => (port = await listenOnLoopback(server)),
    /** Dies: every connection breaks, and none is taken for so long. */
    away: async ({ ms }) => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await sleep(Number(ms))
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    },
    /** Connections stay, and nothing moves for so long. */
    stall: async ({ ms }) => {
      held = []
      await sleep(Number(ms))
      const moving = held
      held = undefined
      for (const write of moving) write()
    },
    /** Its clock is so far off from now on. */
    jump: ({ ms }) => {
      jumpedMs = Number(ms)
      return Promise.resolve()
    },
    /** So many builds of one project that all end alike. */
    settle: ({ project, failed, count }) => {
      for (let left = Number(count); left > 0; left--) publish(String(project), failed === true)
      return Promise.resolve()
    },
    newestFailed: () => Promise.resolve(builds.findLast(({ failed }) => failed)?.id),
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
        await sleep(10)
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

/** How many projects the builds are of. */
export const projects = 6

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function summaryOf(id: string, availableAt: number, project: string, failed: boolean): string {
  const model = {
    rootProjectName: project,
    requestedTasks: ['build'],
    hasFailed: failed,
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
