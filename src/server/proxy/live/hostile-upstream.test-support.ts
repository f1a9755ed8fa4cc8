import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { freePort, onLoopback } from '../../../free-port.test-support.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'

/** Answers one request in place of the upstream; true when it did. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => boolean

/** A plain server of the build export stream, which misbehaves on request. */
export interface HostileUpstream {
  readonly url: URL
  /** The path and headers of every request so far. */
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** Every build that it has, oldest first. */
  readonly builds: BuildMessage[]
  /** Adds a build and tells all open streams. */
  readonly publish: (build: BuildMessage) => void
  /** Writes raw text to all open streams. */
  readonly say: (text: string) => void
  /** Each is asked in turn before the usual answer; it stays until it is removed. */
  readonly answers: Answer[]
  /** After how many bytes of a stream's body it is cut: one for each stream to come. */
  readonly cuts: number[]
  /** How many streams are open. */
  readonly streams: () => number
  /** Cuts all open streams. */
  readonly cut: () => void
  readonly stop: () => Promise<void>
}

/** Starts a hostile upstream on a free port of the loopback interface, or on the one that is named. */
export async function startHostileUpstream(named?: number): Promise<HostileUpstream> {
  const streams = new Set<ServerResponse>()
  const requests: HostileUpstream['requests'] = []
  const builds: BuildMessage[] = []
  const answers: Answer[] = []
  const cuts: number[] = []
  const budgets = new WeakMap<ServerResponse, number>()

  const write = (response: ServerResponse, text: string): void => {
    const bytes = Buffer.from(text)
    const budget = budgets.get(response) ?? Infinity
    if (response.destroyed || budget < 0) return
    budgets.set(response, bytes.length >= budget ? -1 : budget - bytes.length)
    if (bytes.length < budget) response.write(bytes)
    else if (budget === 0) response.socket?.destroy()
    else response.write(bytes.subarray(0, budget), () => response.socket?.destroy())
  }

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', 'http://upstream.invalid')
    const lastEventId = request.headers['last-event-id']
    const [, kind = '', from = ''] =
      /^\/build-export\/v[12]\/builds\/(since|sinceBuild)\/([^/]+)$/.exec(url.pathname) ?? []
    if (kind === '') {
      response.writeHead(404).end()
      return
    }
    const id = typeof lastEventId === 'string' ? lastEventId : kind === 'sinceBuild' ? from : null
    const index = builds.findIndex(({ buildId }) => buildId === id)
    if (id !== null && index === -1) {
      response.writeHead(404).end()
      return
    }
    const first =
      id !== null
        ? index + 1
        : from === 'now'
          ? builds.length
          : builds.findIndex(({ timestamp }) => timestamp >= Number(from))
    const backlog = first === -1 ? [] : builds.slice(first)
    if (!url.searchParams.has('stream')) {
      if (backlog.length === 0) response.writeHead(204).end()
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(backlog.map(sseOf).join(''))
      }
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    budgets.set(response, cuts.shift() ?? Infinity)
    streams.add(response)
    response.once('close', () => streams.delete(response))
    for (const build of backlog) write(response, sseOf(build))
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    requests.push({ path: request.url ?? '', headers: request.headers })
    if (!answers.some((answer) => answer(request, response))) serve(request, response)
  })
  const { url, close } = await onLoopback(server, named ?? (await freePort()))
  const cut = (): void => {
    for (const stream of streams) stream.socket?.destroy()
  }
  return {
    url: new URL(url),
    requests,
    builds,
    answers,
    cuts,
    cut,
    streams: () => streams.size,
    publish: (build) => {
      builds.push(build)
      for (const stream of streams) write(stream, sseOf(build))
    },
    say: (text) => {
      for (const stream of streams) write(stream, text)
    },
    stop: close,
  }
}

/** A build as the upstream puts it on the wire. */
export function sseOf(build: BuildMessage): string {
  return `id: ${build.buildId}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
}

/** The `number`th build of a series, each a second after the one before and none in the past. */
export function buildNumber(number: number): BuildMessage {
  return {
    buildId: `b${number.toString(36).padStart(12, '0')}`,
    timestamp: 2_000_000_000_000 + number * 1000,
    toolType: number % 3 === 0 ? 'maven' : 'gradle',
    toolVersion: '8.14',
    agentVersion: '4.0.2',
  }
}

/** Builds `from` up to but without `to` of the series. */
export function buildNumbers(from: number, to: number): BuildMessage[] {
  return Array.from({ length: to - from }, (_, index) => buildNumber(from + index))
}

/** The id of the `number`th build of the series. */
export function idOf(number: number): string {
  return buildNumber(number).buildId
}

/** The ids of the builds `from` up to but without `to` of the series. */
export function idsOf(from: number, to: number): string[] {
  return buildNumbers(from, to).map(({ buildId }) => buildId)
}
