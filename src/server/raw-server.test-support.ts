import { createServer, type Socket } from 'node:net'
import { onLoopback } from '../free-port.test-support.ts'

/** A request as it stood on the wire. */
export interface RawRequest {
  readonly method: string
  readonly target: string
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A server that writes what it is told, byte by byte, and shares no code with the product. */
export interface RawServer {
  readonly url: URL
  readonly requests: readonly RawRequest[]
  readonly close: () => Promise<void>
}

/** Starts it on a free port; `answer` writes to the connection and ends it, or leaves it open. */
export async function startRawServer(
  answer: (request: RawRequest, socket: Socket) => void,
): Promise<RawServer> {
  const requests: RawRequest[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
        const [first = '', ...lines] = text.slice(0, end).split('\r\n')
        const headers = new Map(
          lines.map((line) => [
            line.slice(0, line.indexOf(':')).toLowerCase(),
            line.slice(line.indexOf(':') + 1).trim(),
          ]),
        )
        const length = Number(headers.get('content-length') ?? 0)
        if (text.length < end + 4 + length) return
        const body = text.slice(end + 4, end + 4 + length)
        text = text.slice(end + 4 + length)
        const [method = '', target = ''] = first.split(' ')
        const request = { method, target, headers, body }
        requests.push(request)
        answer(request, socket)
      }
    })
  })
  const { url, close } = await onLoopback(server)
  return { url: new URL(url), requests, close }
}

/** An answer whose body has a length. */
export function rawAnswer(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) })
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`
}
