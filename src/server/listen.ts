import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Clock } from '../protocol/clock.ts'
import { problem, type ProblemDetail, problemError, ProblemError } from '../protocol/problem.ts'
import { problemResponse, unexpectedProblem } from './proxy/problem-response.ts'
import { maxRequestBytes } from './proxy/read-request.ts'
import {
  isUnusablePage,
  rawRequestProblem,
  refuseConnection,
  refuseRequest,
} from './raw-request.ts'

/** What answers requests: a Hono app fits. */
export interface RunningServer {
  readonly fetch: (request: Request, env: HttpBindings) => Response | Promise<Response>
}

/** Where and how to listen. Times are ms. */
export interface ListenOptions {
  readonly app: RunningServer
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly clock: Clock
  /** The settings that advice names: SIGHTLINE_HOST and _PORT unless told. */
  readonly setting?: 'OPS' | 'EMBEDDED'
  /** For a whole request to arrive, headers and body; 10 s unless told. */
  readonly requestTimeoutMs?: number
  /** How often that is looked at; 1 s unless told. */
  readonly checkIntervalMs?: number
  /** The largest request body, by its own word; 4 MiB unless told. */
  readonly maxBodyBytes?: number
  /** For requests that still run when the server is closed; 10 s unless told. */
  readonly drainMs?: number
  /** How long an idle connection stays open; 65 s unless told, as balancers use theirs for 60 s. */
  readonly keepAliveMs?: number
  /** Whether clients are to take another connection for their next request: not unless told. */
  readonly isDraining?: () => boolean
  /** What a browser gets that opens a page at an address that would be refused; nothing unless told. */
  readonly pageAddress?: string
  /** Connections at once from one address; no limit unless told. */
  readonly maxConnectionsPerAddress?: number
}

/** A server that listens. */
export interface Listening {
  /** Where it listens, as a person would open it. */
  readonly url: string
  readonly server: Server
  /** Accepts nothing more, closes idle connections, and gives running requests time to end. */
  readonly close: () => Promise<void>
}

const maxHeaders = 100

/**
 * Listens for HTTP/1.1 and hands requests to the app, after checking what the app cannot see any more
 * (raw-request.ts): what is refused is answered with a problem detail and its connection is
 * closed, and nothing that was sent behind it is served. Nothing is upgraded or tunnelled. Throws a
 * ProblemError with a plain sentence when the address cannot be used.
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { host, clock, requestTimeoutMs = 10_000, drainMs = 10_000 } = options
  const server = createServer({
    // Counted from the first byte of a request, so that it may be shorter than keepAliveTimeout.
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: options.checkIntervalMs ?? 1000,
    keepAliveTimeout: options.keepAliveMs ?? 65_000,
    maxHeaderSize: 16 * 1024,
    // Checked below, where it is answered in words.
    requireHostHeader: false,
    // Finds connections whose other end has gone without a word.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  })
  server.maxRequestsPerSocket = 1000
  // One more than allowed, so that too many can be told from just enough.
  server.maxHeadersCount = maxHeaders + 1

  const connections = createConnections(options.maxConnectionsPerAddress ?? Infinity)
  const refused = new WeakSet<Duplex>()
  const answer = answerer(options.app)
  const limits = { headers: maxHeaders, bodyBytes: options.maxBodyBytes ?? maxRequestBytes }

  server.on('connection', (socket: Socket) => {
    if (!connections.opened(socket)) {
      refused.add(socket)
      refuseConnection(socket, tooManyConnections, 5)
      return
    }
    watchFirstLine(socket, () => {
      refused.add(socket)
      refuseConnection(socket, unreadable(undefined))
    })
  })
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    if (refused.has(request.socket)) return
    if (options.isDraining?.() === true) response.shouldKeepAlive = false
    response.once('close', connections.began(request.socket, response))
    if (options.pageAddress !== undefined && isUnusablePage(request)) {
      request.url = options.pageAddress
    }
    const detail = rawRequestProblem(request, limits)
    if (detail === null) answer(request, response)
    else {
      refused.add(request.socket)
      refuseRequest(request, response, detail, clock)
    }
  }
  server.on('request', onRequest)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (rawRequestProblem(request, limits) === null) response.writeContinue()
    onRequest(request, response)
  })
  server.on('upgrade', (_request, socket: Duplex) => {
    refuseConnection(socket, noUpgrade)
  })
  server.on('connect', (_request, socket: Duplex) => {
    refuseConnection(socket, noTunnel)
  })
  server.on('clientError', (error: Error & { code?: string }, socket: Duplex) => {
    // A refusal is on its way already, and closes the connection.
    if (refused.has(socket)) return
    // In the middle of an answer, whatever is written here would become part of it.
    if (connections.isAnswering(socket)) socket.destroy()
    else {
      refused.add(socket)
      refuseConnection(socket, unreadable(error.code))
    }
  })

  await bind(server, options)
  return {
    url: urlOf(server, host),
    server,
    close: () =>
      new Promise((resolve) => {
        const stop = clock.after(drainMs, () => {
          server.closeAllConnections()
        })
        server.close(() => {
          stop()
          resolve()
        })
        connections.endIdle()
      }),
  }
}

/** Throws as `listen` does where an address can't be used now: before work that would be in vain. */
export async function requireUsable(address: Address): Promise<void> {
  const server = createServer()
  await bind(server, address)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeAllConnections()
  })
}

type Address = Pick<ListenOptions, 'host' | 'port' | 'setting'>

function answerer(
  app: RunningServer,
): (request: IncomingMessage, response: ServerResponse) => void {
  const failed = (): Response => problemResponse(new ProblemError(unexpectedProblem))
  const listener = getRequestListener(
    (request, { incoming, outgoing }) =>
      incoming instanceof IncomingMessage && outgoing instanceof ServerResponse
        ? app.fetch(request, { incoming, outgoing })
        : failed(),
    { overrideGlobalObjects: false, errorHandler: failed },
  )
  return (request, response) => {
    void listener(request, response)
  }
}

function unreadable(code: string | undefined): ProblemDetail {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const detail = 'The URL and headers of the request are larger than 16 KiB.'
    return problem(431, 'headers-too-large', 'Request header fields too large', detail)
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? problem(408, 'too-slow', 'Request timeout', 'The request took too long to arrive.')
    : problem(400, 'bad-request', 'Bad request', "The request isn't valid HTTP/1.1.")
}

const tooManyConnections = problem(
  503,
  'too-many-connections',
  'Too many connections',
  'Too many open connections from your address. Close some tabs, or wait a moment.',
)

const noUpgrade = problem(
  400,
  'no-upgrade',
  'Bad request',
  "Upgrading connections isn't supported. Send the request without an Upgrade header.",
)

const noTunnel = problem(
  405,
  'method-not-allowed',
  'Method not allowed',
  "This server doesn't open tunnels.",
  { allow: ['GET', 'HEAD', 'POST'] },
)

/**
 * Makes a server listen; port 0 takes a free one. Throws a ProblemError that tells what is wrong with
 * the address and which setting to change.
 */
function bind(server: Server, { host, port, setting }: Address): Promise<void> {
  const prefix = setting === undefined ? '' : `${setting}_`
  return new Promise((resolve, reject) => {
    const failed = (error: Error & { code?: string }): void => {
      reject(unusableAddress(error, host, port, prefix))
    }
    server.once('error', failed)
    // Browsers that all come back at once wait in this queue.
    server.listen({ host, port, backlog: 1024 }, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

/** Where a bound server is found, as a person would open it: a wildcard host is this machine. */
function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function unusableAddress(
  error: Error & { code?: string },
  host: string,
  port: number,
  prefix: string,
): ProblemError {
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is already in use. Stop the other process, or set SIGHTLINE_${prefix}PORT.`,
    EACCES: `Port ${port} needs privileges this account doesn't have. Set SIGHTLINE_${prefix}PORT to 1024 or higher.`,
    EADDRNOTAVAIL: `${host} isn't an address of this machine. Set SIGHTLINE_${prefix}HOST to one that is.`,
    ENOTFOUND: `Host name ${host} not found. Set SIGHTLINE_${prefix}HOST to an address of this machine.`,
  }
  const code = error.code ?? error.name
  return problemError(
    500,
    'cannot-listen',
    'Cannot listen',
    sentences[code] ?? `Can't listen on ${host}, port ${port} (${code}).`,
  )
}

/**
 * Looks at the first request line of a connection before Node's parser does, which lets more than one
 * space pass (RFC 9112 section 3 has one). Of later requests only the parser's view is known.
 */
function watchFirstLine(socket: Socket, refuse: () => void): void {
  let line = ''
  const look = (bytes: Buffer): void => {
    line += bytes.toString('latin1')
    const isWhole = line.includes('\n')
    if (!isWhole && line.length < longestFirstLine) return
    socket.off('data', look)
    const first = line.replace(/^(?:\r?\n)+/, '').replace(/\r?\n.*$/s, '')
    if (isWhole && /^\S+ {2,}|\S {2,}HTTP\/\d/.test(first)) refuse()
  }
  socket.prependListener('data', look)
}

const longestFirstLine = 16 * 1024

/** The open connections of a server, and how many requests each is at. */
export interface Connections {
  /** Notes a new one. False when its address has more than it may. */
  readonly opened: (socket: Socket) => boolean
  /** Notes a request on it; the returned function notes its end. */
  readonly began: (socket: Duplex, response: ServerResponse) => () => void
  /** Whether something of an answer is on its way, or more than one answer is owed. */
  readonly isAnswering: (socket: Duplex) => boolean
  /** From now on, connections are ended as soon as nothing is answered on them. */
  readonly endIdle: () => void
}

/** Keeps the book of connections; each leaves it when it closes. */
function createConnections(maxPerAddress: number): Connections {
  const requests = new Map<Duplex, Set<ServerResponse>>()
  const addresses = new Map<string, number>()
  const state = { ending: false }
  const owed = (socket: Duplex): readonly ServerResponse[] => [...(requests.get(socket) ?? [])]
  return {
    opened: (socket) => {
      const address = socket.remoteAddress ?? ''
      const count = (addresses.get(address) ?? 0) + 1
      requests.set(socket, new Set())
      addresses.set(address, count)
      socket.once('close', () => {
        requests.delete(socket)
        const rest = (addresses.get(address) ?? 1) - 1
        if (rest === 0) addresses.delete(address)
        else addresses.set(address, rest)
      })
      return count <= maxPerAddress
    },
    began: (socket, response) => {
      requests.get(socket)?.add(response)
      return () => {
        requests.get(socket)?.delete(response)
        if (state.ending && owed(socket).length === 0) socket.destroy()
      }
    },
    isAnswering: (socket) => {
      const responses = owed(socket)
      return responses.length > 1 || responses.some(({ headersSent }) => headersSent)
    },
    endIdle: () => {
      state.ending = true
      for (const socket of requests.keys()) if (owed(socket).length === 0) socket.destroy()
    },
  }
}
