import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { SignJWT } from 'jose'
import { onLoopback } from '../../free-port.test-support.ts'

/** What a plain server has received, body included. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly body: string
}

/** A bare HTTP server on loopback, as an upstream that owes nothing to this project's own. */
export interface PlainServer {
  readonly url: URL
  readonly server: Server
  /** Oldest first. */
  readonly received: ReceivedRequest[]
  /** The next request, as soon as its head is there. */
  readonly arrival: () => Promise<IncomingMessage>
  /** How many requests are being answered. */
  readonly open: () => number
  readonly close: () => Promise<void>
}

/** How a plain server answers one request. */
export type PlainAnswer = (
  request: ReceivedRequest,
  response: ServerResponse,
  raw: IncomingMessage,
) => void

/** An access token as a server makes it at a time by its own clock, epoch ms, for so many ms. */
export function signedToken(issuedAt: number, forMs: number, claims = {}): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt(Math.floor(issuedAt / 1000))
    .setExpirationTime(Math.floor(issuedAt / 1000) + forMs / 1000)
    .sign(new TextEncoder().encode('whatever the server signs with'))
}

/** Answers every request in the same way. */
export function answering(
  status: number,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): PlainAnswer {
  return (_request, response) => {
    response.writeHead(status, headers).end(body)
  }
}

/** Starts a server that reads each request whole, keeps it in `received`, and lets `answer` answer. */
export async function startPlainServer(answer: PlainAnswer): Promise<PlainServer> {
  const received: ReceivedRequest[] = []
  let open = 0
  const server = createServer((request, response) => {
    open++
    // Its clock would be the real one, and that of the proxy is moved by hand.
    response.sendDate = false
    response.once('close', () => {
      open--
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks).toString('utf8'),
      }
      received.push(one)
      answer(one, response, request)
    })
  })
  const { url, close } = await onLoopback(server)
  return {
    url: new URL(url),
    server,
    received,
    open: () => open,
    arrival: () => new Promise((resolve) => server.once('request', resolve)),
    close,
  }
}
