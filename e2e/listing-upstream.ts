import { createServer, type ServerResponse } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'

/** A build server whose answers can be held in the middle, so that something dies while they are sent. */
export interface ListingUpstream {
  readonly url: string
  /** The ids of all builds, in the order in which they were received. */
  readonly ids: () => readonly string[]
  /** Receives builds now: every open stream hears of them, each in two pieces. */
  readonly receive: (count: number) => void
  /** Holds the next page of the list half way, and resolves once half of it is sent. */
  readonly holdPage: () => Promise<void>
  /** Sends the rest of what is held, to whoever is still there. */
  readonly release: () => void
  /** Receives one more, and breaks every open stream in the middle of its message. */
  readonly breakStreams: () => void
  readonly close: () => Promise<void>
}

interface Build {
  readonly id: string
  readonly at: number
}

/**
 * Starts a plain `http` server on a free port of 127.0.0.1: the build export stream, version 2, and the build list with `since` and
 * `maxBuilds`, which is all that is promised of it. Other parameters are ignored. It shares no code with the product.
 */
export async function startListingUpstream(key: string, past: number): Promise<ListingUpstream> {
  const first = Date.now() - 86_400_000
  const builds: Build[] = Array.from({ length: past }, (_, index) => ({
    id: idOf(index),
    at: first + index * 1000,
  }))
  const streams = new Set<ServerResponse>()
  let onHeld: (() => void) | undefined
  let held: (() => void)[] = []

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://listing')
    if (request.headers.authorization !== `Bearer ${key}`) return void response.writeHead(401).end()
    const stream = /^\/build-export\/v2\/builds\/(since|sinceBuild)\/(\w+)$/.exec(url.pathname)
    const [, events] = /^\/build-export\/v2\/build\/(\w{13})\/events$/.exec(url.pathname) ?? []
    if (url.pathname === '/api/builds') page(response, url.searchParams)
    else if (stream !== null) {
      const [, kind, from = ''] = stream
      const resumed = request.headers['last-event-id'] ?? (kind === 'sinceBuild' ? from : undefined)
      const waiting =
        resumed === undefined
          ? builds.filter(({ at }) => from !== 'now' && at >= Number(from))
          : builds.slice(builds.findIndex(({ id }) => id === resumed) + 1)
      follow(response, waiting, url.searchParams.has('stream'))
    } else if (events !== undefined) eventsOf(response, events)
    else response.writeHead(404).end()
  })

  function add(): Build {
    const at = Math.max(Date.now(), 1 + (builds.at(-1)?.at ?? 0))
    const build = { id: idOf(builds.length), at }
    builds.push(build)
    return build
  }

  function page(response: ServerResponse, asked: URLSearchParams): void {
    const since = Number(asked.get('since') ?? 0)
    const most = Number(asked.get('maxBuilds') ?? 100)
    const listed = builds.filter(({ at }) => at >= since).slice(0, most)
    const text = JSON.stringify(listed.map(summary))
    response.writeHead(200, { 'content-type': 'application/json' })
    const told = onHeld
    if (told === undefined || listed.length < 2) return void response.end(text)
    onHeld = undefined
    response.write(text.slice(0, text.length / 2))
    held.push(() => response.end(text.slice(text.length / 2)))
    told()
  }

  function follow(response: ServerResponse, waiting: readonly Build[], isStream: boolean): void {
    if (waiting.length === 0 && !isStream) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    for (const build of waiting) response.write(message(build))
    if (!isStream) return void response.end()
    streams.add(response)
    const heartbeat = setInterval(() => response.write(':\n\n'), 1000)
    response.on('close', () => {
      clearInterval(heartbeat)
      streams.delete(response)
    })
  }

  function eventsOf(response: ServerResponse, id: string): void {
    const build = builds.find((one) => one.id === id)
    if (build === undefined) return void response.writeHead(404).end()
    const event = (number: number, eventType: string, data: object): string => {
      const type = { majorVersion: 1, minorVersion: 0, eventType }
      return `id: ${number}\nevent: BuildEvent\ndata: ${JSON.stringify({ timestamp: build.at, type, data })}\n\n`
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      message(build) + event(1, 'BuildStarted', {}) + event(2, 'BuildFinished', { failure: null }),
    )
  }

  return {
    ...(await onLoopback(server)),
    ids: () => builds.map(({ id }) => id),
    receive: (count) => {
      for (let left = count; left > 0; left -= 1) {
        const text = message(add())
        for (const response of streams) {
          response.write(text.slice(0, 20))
          response.write(text.slice(20))
        }
      }
    },
    holdPage: () => new Promise((resolve) => (onHeld = resolve)),
    release: () => {
      for (const send of held) send()
      held = []
    },
    breakStreams: () => {
      const text = message(add())
      for (const response of streams) response.write(text.slice(0, 40), () => response.destroy())
      streams.clear()
    },
  }
}

function idOf(index: number): string {
  return `listed${String(index).padStart(7, '0')}`
}

function message({ id, at }: Build): string {
  const build = {
    buildId: id,
    timestamp: at,
    toolType: 'gradle',
    toolVersion: '9.2.0',
    agentVersion: '4.2',
  }
  return `id: ${id}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
}

function summary({ id, at }: Build): object {
  return {
    id,
    availableAt: at,
    buildToolType: 'gradle',
    buildToolVersion: '9.2.0',
    buildAgentVersion: '4.2',
  }
}
