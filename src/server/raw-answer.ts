import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../protocol/clock.ts'
import { type ProblemDetail, problemJson } from '../protocol/problem.ts'
import { dataHeaders } from './proxy/security-headers.ts'

const lingerMs = 500

/**
 * Refuses a request before any handler sees it: answers the problem and closes the connection. What
 * is still on its way is read and dropped for half a second, so that the answer is not lost with it.
 */
export function refuseRequest(
  request: IncomingMessage,
  response: ServerResponse,
  detail: ProblemDetail,
  clock: Clock,
): void {
  const { status, head, body } = answerOf(detail)
  response.writeHead(status, head)
  response.write(body)
  const stop = clock.after(lingerMs, end)
  request.once('end', end)
  request.once('close', end)
  // A request that was cut short says so by an error, which changes nothing here.
  request.on('error', end)
  request.resume()
  function end(): void {
    stop()
    response.end()
  }
}

/** The same on a connection on which there is no request to answer; it is closed as soon as possible. */
export function refuseConnection(
  socket: Duplex,
  detail: ProblemDetail,
  retryAfterS?: number,
): void {
  socket.on('error', () => undefined)
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, head, body } = answerOf(detail)
  const retryAfter = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
  const lines = Object.entries({ ...head, ...retryAfter }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
    () => {
      socket.destroy()
    },
  )
}

function answerOf(detail: ProblemDetail): {
  readonly status: number
  readonly head: Record<string, string>
  readonly body: string
} {
  const body = JSON.stringify(detail)
  return {
    status: detail.status,
    head: {
      ...dataHeaders,
      ...(Array.isArray(detail.allow) ? { allow: detail.allow.join(', ') } : {}),
      'content-type': problemJson,
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    },
    body,
  }
}
