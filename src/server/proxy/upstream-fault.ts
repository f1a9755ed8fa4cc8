import { problem, ProblemError } from '../../protocol/problem.ts'

/**
 * What went wrong on the way to an upstream, as a ProblemError for people: 504 for a timeout, 502
 * for all else. Names neither address nor credential; `upstream` is the service in plain words and
 * `urlSetting` the setting that holds its address.
 */
export function upstreamFault(error: unknown, upstream: string, urlSetting: string): ProblemError {
  if (error instanceof ProblemError) return error
  const code = codeOf(error)
  const sentence = sentences[code]
  return new ProblemError(
    problem(
      502,
      'upstream-unreachable',
      'Upstream cannot be reached',
      sentence === undefined
        ? `The connection to the ${upstream} failed (${code}). It is tried again with the next request.`
        : sentence(upstream, urlSetting),
    ),
  )
}

/** The upstream did not begin or continue its answer in time. */
export function upstreamTimeout(upstream: string, ms: number): ProblemError {
  return new ProblemError(
    problem(
      504,
      'upstream-timeout',
      'Upstream does not answer',
      `The ${upstream} sent nothing for ${Math.round(ms / 1000)} s. It may be overloaded: try again later.`,
    ),
  )
}

type Sentence = (upstream: string, urlSetting: string) => string

const refused: Sentence = (upstream, urlSetting) =>
  `The ${upstream} refused the connection: is it running, and is ${urlSetting} right?`
const nameNotFound: Sentence = (upstream, urlSetting) =>
  `The host name of the ${upstream} was not found: check ${urlSetting} and the name server.`
const unreachable: Sentence = (upstream, urlSetting) =>
  `There is no way to the ${upstream} on the network: check ${urlSetting}, the network and its firewalls.`
const connectTimeout: Sentence = (upstream, urlSetting) =>
  `The ${upstream} did not accept a connection in time: check ${urlSetting}, the network and its firewalls.`
const brokenOff: Sentence = (upstream) =>
  `The ${upstream} broke off the connection. It may be restarting: try again.`
const unknownIssuer: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} is not trusted, as nobody known here has signed it. If it is right, name its authority with NODE_EXTRA_CA_CERTS and start again.`
const expired: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} has expired: its administrator must renew it.`
const notYetValid: Sentence = (upstream) =>
  `The TLS certificate of the ${upstream} is not valid yet: check the clock of this machine.`
const wrongName: Sentence = (upstream, urlSetting) =>
  `The TLS certificate of the ${upstream} is for another host name: check ${urlSetting}.`
const noTls: Sentence = (upstream, urlSetting) =>
  `The ${upstream} does not speak TLS there: check the port and https:// in ${urlSetting}.`
const notHttp: Sentence = (upstream, urlSetting) =>
  `What answers in place of the ${upstream} does not speak HTTP: check the port in ${urlSetting}.`

/** By the codes of Node's sockets, of OpenSSL and of undici. */
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
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  // Parser errors have many codes or none, and all mean the same.
  if (error.name === 'HTTPParserError') return 'UND_ERR_HEADERS_OVERFLOW'
  return 'code' in error ? String(error.code) : error.name
}
