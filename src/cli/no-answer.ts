import { problem, ProblemError } from '../protocol/problem.ts'

/**
 * What a request comes to that got no answer, or no whole one, as a sentence with the next step; a
 * ProblemError is passed as it is. `who` is the one who was asked, in plain words.
 */
export function noAnswer(cause: unknown, who: string): ProblemError {
  if (cause instanceof ProblemError) return cause
  const code = codeOf(cause)
  const sentence = sentences[code] ?? ((name) => `The connection to ${name} failed (${code}).`)
  return new ProblemError(problem(503, 'unreachable', 'Unreachable', sentence(who)), { cause })
}

type Sentence = (who: string) => string

const brokenOff: Sentence = (who) => `The connection broke off: ${who} may be restarting.`
const notFound: Sentence = (who) => `The host name of ${who} was not found: check its address.`
const unreachable: Sentence = (who) =>
  `There is no way to ${who} on the network: check its address, the network and its firewalls.`
const unknownIssuer: Sentence = (who) =>
  `The TLS certificate of ${who} is not trusted: if it is right, name its authority with NODE_EXTRA_CA_CERTS.`

/** By the codes of Node's sockets, of OpenSSL and of its fetch. */
const sentences: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: (who) => `The connection was refused: is ${who} running, and is its address right?`,
  ENOTFOUND: notFound,
  EAI_AGAIN: notFound,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
  ECONNRESET: brokenOff,
  EPIPE: brokenOff,
  UND_ERR_SOCKET: brokenOff,
  UND_ERR_HEADERS_TIMEOUT: (who) => `There is no answer: ${who} may be overloaded.`,
  UND_ERR_BODY_TIMEOUT: (who) => `The answer does not go on: ${who} may be overloaded.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_HAS_EXPIRED: (who) => `The TLS certificate of ${who} has expired.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (who) =>
    `The TLS certificate of ${who} is for another host name: check its address.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (who) =>
    `There is no TLS where ${who} should be: check the port and https:// in its address.`,
}

/** Node's fetch hides the reason in the cause of its error. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return error instanceof Error ? error.name : 'unknown'
}
