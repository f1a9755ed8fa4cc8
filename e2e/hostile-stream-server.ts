import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onLoopback } from '../src/free-port.test-support.ts'
import { test as base } from './sightline.ts'

/** A request as it came, for asserting on what the client sends. */
export interface SeenRequest {
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

/** How a request is answered; `index` counts the requests from 0. */
export type Answer = (response: ServerResponse, request: SeenRequest, index: number) => void

/** A server on loopback that answers as badly as it is told to, and counts connections. */
export interface HostileServer {
  readonly origin: string
  readonly requests: readonly SeenRequest[]
  /** Answers that are not over yet: now, and the most there have been at once. */
  readonly open: () => number
  readonly peak: () => number
  /** Resolves when no answer is open. */
  readonly quiet: () => Promise<void>
  /** Resolves when so many requests have come. */
  readonly asked: (count: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** What a well-behaved path answers at once; undefined where the path is not one. */
export type Page = (url: string) =>
  | {
      readonly type: string
      readonly body: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | undefined

/**
 * Starts a server whose requests are answered by `answer`, but for those that `page` knows: they
 * are neither counted nor ill-treated.
 */
export async function startHostileServer(
  answer: Answer,
  page: Page = () => undefined,
): Promise<HostileServer> {
  const requests: SeenRequest[] = []
  let open = 0
  let peak = 0
  let waiting: (() => void)[] = []
  const changed = (): void => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  const server = createServer((request, response) => {
    // Sightline asks at its start, and while somebody reads the status: no story is about that.
    if (request.url?.includes('/sightline-check/') === true) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
      return
    }
    const plain = page(request.url ?? '')
    if (plain !== undefined) {
      const headers = { 'content-type': plain.type, 'cache-control': 'no-store' }
      response.writeHead(200, { ...headers, ...plain.headers })
      response.end(plain.body)
      return
    }
    const seen = { url: request.url ?? '', headers: request.headers }
    const index = requests.push(seen) - 1
    open += 1
    peak = Math.max(peak, open)
    response.once('close', () => {
      open -= 1
      changed()
    })
    answer(response, seen, index)
    changed()
  })
  const { url: origin, close } = await onLoopback(server)
  return {
    origin,
    requests,
    open: () => open,
    peak: () => peak,
    quiet: () => until(() => open === 0),
    asked: (count) => until(() => requests.length >= count),
    stop: close,
  }
}

/** Begins an event stream; more can be written to the response. */
export function beginStream(response: ServerResponse, ...pieces: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const piece of pieces) response.write(piece)
}

/** Starts a policy service that answers as told; `url` is where Sightline is that asks it. */
export type StartService = (answer: Answer) => Promise<HostileServer & { readonly url: string }>

/** For stories beside a plain policy service; `settings` are more of the product's. */
export const serviceTest = base.extend<{
  settings: Record<string, string>
  service: StartService
}>({
  settings: [{}, { option: true }],
  service: async ({ sightline, settings }, use) => {
    const servers: HostileServer[] = []
    await use(async (answer) => {
      const server = await startHostileServer(answer)
      servers.push(server)
      const { url } = await sightline({
        SIGHTLINE_EMBEDDED_BUILDS: '0',
        SIGHTLINE_GOVERNOR_URL: server.origin,
        SIGHTLINE_GOVERNOR_BEARER: 'canary-governor-token',
        ...settings,
      })
      return { ...server, url }
    })
    await Promise.all(servers.map((server) => server.stop()))
  },
})
