import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { isOpenEnded } from '../../../protocol/ndjson.ts'
import { problemError, ProblemError } from '../../../protocol/problem.ts'
import { canonicalTarget } from './allow-list.ts'
import {
  mostConnections,
  readBounded,
  type UpstreamClient,
  type UpstreamClientOptions,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client.ts'

const defaultHeadersTimeoutMs = 10_000

/**
 * A client for one server over HTTP/1.1, without a credential (`withCredentials` adds it). Host and
 * base path are fixed here: a request names a canonical path from the root and cannot leave them; a
 * path that is none throws a TypeError. Redirects are not followed, bodies of gzip are unzipped as they are read, and
 * connections are kept for the next request. Throws a TypeError for an address that is not http(s)
 * or holds a user, a password, a query or a fragment.
 */
export function createUpstreamClient(options: UpstreamClientOptions): UpstreamClient {
  const { baseUrl, name, urlSetting, clock } = options
  const basePath = checkedBasePath(baseUrl)
  const agent = new Agent({
    connections: mostConnections,
    pipelining: 1,
    // Waiting is watched below and by whoever reads the body, by a clock that a test can move.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: defaultHeadersTimeoutMs },
  })
  let hasAnswered = false
  return {
    request: async (request) => {
      const { signal } = request
      signal?.throwIfAborted()
      const gone = new AbortController()
      const giveUp = (): void => {
        gone.abort(signal?.reason)
      }
      const forget = (): void => {
        signal?.removeEventListener('abort', giveUp)
      }
      signal?.addEventListener('abort', giveUp)
      const ms = request.headersTimeoutMs ?? defaultHeadersTimeoutMs
      const stopWatch = clock.after(ms, () => {
        gone.abort(upstreamTimeout(name, ms))
      })
      const fault = (error: unknown): unknown =>
        signal?.aborted === true || error instanceof TypeError
          ? (signal?.reason ?? error)
          : upstreamFault(error, name, urlSetting, baseUrl.protocol === 'http:' && !hasAnswered)
      try {
        const path = `${basePath}${checkedPath(request.path)}`
        const answer = await agent.request({
          origin: baseUrl.origin,
          path,
          method: request.method ?? 'GET',
          headers: { 'user-agent': options.userAgent, ...request.headers },
          body: request.body ?? null,
          signal: gone.signal,
        })
        answer.body.once('close', forget)
        const response = responseOf(answer, `${baseUrl.origin}${path}`, fault)
        if (hasAnswered || baseUrl.protocol !== 'http:') return response
        const first = await tlsRefusal(response)
        if (first === 'tls')
          throw problemError(502, ...unreachableProblem, needsTls(name, urlSetting))
        hasAnswered = true
        return first
      } catch (error) {
        forget()
        throw fault(error)
      } finally {
        stopWatch()
      }
    },
    close: () => agent.destroy(),
  }
}

function responseOf(
  answer: Dispatcher.ResponseData,
  url: string,
  fault: (error: unknown) => unknown,
): UpstreamResponse {
  // A body that is given up fails with an error that nobody waits for.
  answer.body.on('error', () => undefined)
  const header = (name: string): string | null => {
    const value = answer.headers[name]
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value
  }
  const wasGzip = /^(?:x-)?gzip$/i.test(header('content-encoding')?.trim() ?? '')
  return {
    status: answer.statusCode,
    url,
    wasGzip,
    isOpenEnded: isOpenEnded(header),
    header: (name) => (wasGzip && ofZipped.has(name) ? null : header(name)),
    body: withFaults(wasGzip ? gunzip(answer.body) : answer.body, fault),
    cancel: () => {
      answer.body.destroy()
    },
  }
}

/**
 * Web servers answer plain HTTP on a TLS port with 400 and a page that says so, each in its words:
 * `tls` then, else the response. The text of any other 400 that is no JSON is given up past 16 KB.
 */
async function tlsRefusal(response: UpstreamResponse): Promise<UpstreamResponse | 'tls'> {
  const isText = /^text\/(?:html|plain)\b/i.test(response.header('content-type') ?? '')
  if (response.status !== 400 || !isText) return response
  const bytes = await readBounded(response, 16_384).catch((error: unknown) => {
    if (error instanceof RangeError) return Buffer.alloc(0)
    throw error
  })
  const saysSo = /\bHTTPS (?:port|server)\b|\bSSL-enabled\b|\brequires TLS\b/i
  return saysSo.test(bytes.toString('latin1'))
    ? 'tls'
    : { ...response, body: Readable.from([bytes]) }
}

const ofZipped: ReadonlySet<string> = new Set(['content-encoding', 'content-length'])

/**
 * Reads never more than a piece ahead, so that a small body that unzips to a huge one cannot fill
 * the memory.
 */
async function* gunzip(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const plain = createGunzip()
  // Whatever ends one of them ends the other, and fails the reading below.
  pipeline(body, plain, () => undefined)
  for await (const piece of plain) yield Buffer.from(piece)
}

async function* withFaults(
  body: AsyncIterable<Uint8Array>,
  fault: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body
  } catch (error) {
    throw fault(error)
  }
}

function checkedBasePath(url: URL): string {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError('the URL of an upstream must start with http:// or https://')
  }
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') {
    throw new TypeError(
      'the URL of an upstream must not contain a user, password, query or fragment',
    )
  }
  return url.pathname.replace(/\/+$/, '')
}

function checkedPath(path: UpstreamRequest['path']): string {
  const check = canonicalTarget(path)
  if (!check.ok) throw new TypeError(`not a path for an upstream: ${check.mistake}`)
  return path
}

/**
 * What went wrong on the way to an upstream, as a ProblemError for people: 504 for a timeout, 502
 * for all else. Names neither address nor credential; `upstream` is the service in plain words and
 * `urlSetting` the setting that holds its address. `isUntriedHttp`: nothing has ever answered plain
 * HTTP there, so the port may be one for TLS.
 */
export function upstreamFault(
  error: unknown,
  upstream: string,
  urlSetting: string,
  isUntriedHttp = false,
): ProblemError {
  if (error instanceof ProblemError) return error
  const code = codeOf(error)
  const known = sentences[code]
  const sentence = isUntriedHttp && known === brokenOff ? brokenOffOrTls : known
  return problemError(
    502,
    ...unreachableProblem,
    sentence === undefined
      ? `Can't connect to the ${upstream} (${code}). Sightline retries with the next request.`
      : sentence(upstream, urlSetting),
  )
}

const unreachableProblem = ['upstream-unreachable', 'Upstream unreachable'] as const

/** The upstream did not begin or continue its answer in time. */
function upstreamTimeout(upstream: string, ms: number): ProblemError {
  return problemError(
    504,
    'upstream-timeout',
    'Upstream not responding',
    `The ${upstream} sent nothing for ${Math.round(ms / 1000)} s. It may be overloaded. Try again later.`,
  )
}

type Sentence = (upstream: string, urlSetting: string) => string

const refused: Sentence = (upstream, urlSetting) =>
  `The ${upstream} refused the connection. Check that it's running and that ${urlSetting} is right.`
const nameNotFound: Sentence = (upstream, urlSetting) =>
  `Host name of the ${upstream} not found. Check ${urlSetting} and DNS.`
const unreachable: Sentence = (upstream, urlSetting) =>
  `No network route to the ${upstream}. Check ${urlSetting}, the network and its firewalls.`
const connectTimeout: Sentence = (upstream, urlSetting) =>
  `Connecting to the ${upstream} timed out. Check ${urlSetting}, the network and its firewalls.`
const brokenOff: Sentence = (upstream) =>
  `The ${upstream} closed the connection. It may be restarting. Try again.`
const brokenOffOrTls: Sentence = (upstream, urlSetting) =>
  `The ${upstream} closed the connection without responding. If this port expects TLS, use https:// in ${urlSetting}. If not, it may be restarting. Try again.`
const needsTls: Sentence = (upstream, urlSetting) =>
  `The ${upstream} expects TLS on this port. Use https:// in ${urlSetting}.`
const unknownIssuer: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} isn't trusted: its issuer is unknown. If it's right, add the issuer with NODE_EXTRA_CA_CERTS and restart.`
const expired: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} has expired. Its administrator must renew it.`
const notYetValid: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} isn't valid yet. Check the clock of this machine.`
const wrongName: Sentence = (upstream, urlSetting) =>
  `The TLS certificate of the ${upstream} is for another host name. Check ${urlSetting}.`
const noTls: Sentence = (upstream, urlSetting) =>
  `The ${upstream} doesn't use TLS on this port. Check the port and https:// in ${urlSetting}.`
const notHttp: Sentence = (upstream, urlSetting) =>
  `The server at the address of the ${upstream} doesn't speak HTTP. Check the port in ${urlSetting}.`

/**
 * What a code of Node's sockets, of OpenSSL or of undici says of the connection to `upstream`, and what to do, in words without
 * its address; `urlSetting` is what holds that. Undefined of other codes.
 */
export function connectionText(
  code: string,
  upstream: string,
  urlSetting: string,
): string | undefined {
  return sentences[code]?.(upstream, urlSetting)
}

const sentences: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: refused,
  ENOTFOUND: nameNotFound,
  EAI_AGAIN: nameNotFound,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: connectTimeout,
  UND_ERR_CONNECT_TIMEOUT: connectTimeout,
  ECONNRESET: brokenOff,
  EPIPE: brokenOff,
  UND_ERR_SOCKET: brokenOff,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_UNTRUSTED: unknownIssuer,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: notYetValid,
  ERR_TLS_CERT_ALTNAME_INVALID: wrongName,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  EPROTO: noTls,
  UND_ERR_HEADERS_OVERFLOW: notHttp,
  TLS_ALERT: needsTls,
}

/** What a sentence of `connectionText` is known by; the name of an error without a code. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  // Parser errors have many codes or none, and all mean the same.
  if (error.name === 'HTTPParserError') {
    // A TLS alert begins with its type and the version (RFC 8446 section 5.1).
    const isAlert = 'data' in error && String(error.data).startsWith('\x15\x03')
    return isAlert ? 'TLS_ALERT' : 'UND_ERR_HEADERS_OVERFLOW'
  }
  return 'code' in error ? String(error.code) : error.name
}
