import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '../protocol/clock.ts'
import { problem, type ProblemDetail, problemJson } from '../protocol/problem.ts'
import { unknownHost } from './proxy/problem-response.ts'
import { dataHeaders } from './proxy/security-headers.ts'
import { canonicalTarget } from './proxy/upstream/allow-list.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** How much a request may hold. */
export interface RequestLimits {
  /** Header lines. */
  readonly headers: number
  /** Bytes of the body, by its own word. */
  readonly bodyBytes: number
}

/**
 * What is wrong with a request as it stood on the wire, where Node's parser lets through what others
 * on the way may read differently; null where nothing is. Checks the protocol version, the method,
 * the number of header lines, exactly one well-formed Host, the target (proxy/upstream/allow-list.ts), and
 * bodies that a GET may not have or that are too large by their own word.
 */
export function rawRequestProblem(
  request: IncomingMessage,
  limits: RequestLimits,
): ProblemDetail | null {
  if (request.httpVersionMajor !== 1) return bad('The request must be HTTP/1.1.')
  if (!methods.includes(request.method ?? '')) return unknownMethod
  if (request.rawHeaders.length / 2 > limits.headers) return tooManyHeaders(limits.headers)
  return (
    headerProblem(request) ??
    targetProblem(request.url ?? '') ??
    bodyProblem(request, limits.bodyBytes)
  )
}

/** Whether a browser opens a page at an address that is refused for its spelling, as a cut or mistyped link has, or its length. */
export function isUnusablePage({ method, url = '', headers }: IncomingMessage): boolean {
  const isPage = method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')
  return isPage && !canonicalTarget(url).ok
}

function headerProblem({ rawHeaders, headers }: IncomingMessage): ProblemDetail | null {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  if (names.filter((name) => name === 'host').length !== 1) {
    return bad('The request must have exactly one Host header.')
  }
  const host = (headers.host ?? '').toLowerCase()
  const [, name, port] = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/.exec(host) ?? []
  if (name === undefined || Number(port ?? 0) > 65_535 || !URL.canParse(`http://${host}`)) {
    return bad('The Host header must be a host name with an optional port.')
  }
  // Such as [::ffff:127.0.0.1] or 127.1: others on the way may take it for another host.
  return new URL(`http://${host}`).hostname === name ? null : unknownHost
}

function targetProblem(target: string): ProblemDetail | null {
  const check = canonicalTarget(target)
  return check.ok ? null : problem(check.status, 'bad-target', 'Bad address', check.mistake)
}

function bodyProblem({ method, headers }: IncomingMessage, maxBytes: number): ProblemDetail | null {
  const length = Number(headers['content-length'] ?? 0)
  const coding = headers['transfer-encoding']
  // Node tells of a coding it does not know only when the handler is already at work.
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    return bad('Transfer-Encoding must be "chunked".')
  }
  const hasBody = length > 0 || coding !== undefined
  if (hasBody && (method === 'GET' || method === 'HEAD')) {
    return bad(`A ${method} request must not have a body.`)
  }
  return length > maxBytes ? tooLarge(maxBytes) : null
}

function bad(detail: string): ProblemDetail {
  return problem(400, 'bad-request', 'Bad request', detail)
}

function tooLarge(maxBytes: number): ProblemDetail {
  return problem(
    413,
    'body-too-large',
    'Content too large',
    `The request body is larger than ${maxBytes / 1024 / 1024} MiB.`,
  )
}

function tooManyHeaders(maxHeaders: number): ProblemDetail {
  return problem(
    431,
    'too-many-headers',
    'Request header fields too large',
    `The request has more than ${maxHeaders} header lines.`,
  )
}

const unknownMethod = problem(
  405,
  'method-not-allowed',
  'Method not allowed',
  "The request method isn't supported.",
  { allow: ['GET', 'HEAD', 'POST'] },
)

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
