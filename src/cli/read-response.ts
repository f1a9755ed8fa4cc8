import { retryAfterMs } from '../protocol/back-off.ts'
import { createJsonSplitter, readJsonValue } from '../protocol/json-splitter.ts'
import { isOpenEnded, openEndedProblem } from '../protocol/ndjson.ts'
import { parsedJson } from '../protocol/parsed-text.ts'
import {
  endsItself,
  type PolicyAnswer,
  type PolicyResult,
  readPolicyAnswer,
} from '../protocol/policy-result.ts'
import {
  isProblemType,
  problem,
  ProblemDetail,
  ProblemError,
  problemError,
} from '../protocol/problem.ts'
import { durationWords } from './duration.ts'

/** Far more than 50,000 results take; an answer without an end shall not take all memory. */
const mostBytes = 256 * 1024 * 1024

/** What an answer held, and why it is not whole where it is not. */
export interface ReadResults extends PolicyAnswer {
  readonly broken: ProblemError | undefined
}

/**
 * Reads the answer of an evaluation by its shape, whatever it is announced as: one JSON value, or a
 * value on each line. What arrived before it broke off is kept; a problem detail among the results
 * breaks it off too. Never rejects.
 */
export async function readResults(response: Response, who: string): Promise<ReadResults> {
  const type = response.headers.get('content-type') ?? ''
  if (/^text\/html\b/i.test(type)) {
    await response.body?.cancel()
    const sentence = `Got a web page instead of a response from ${who}. Check its URL, and whether a sign-in page is in front of it.`
    const broken = problemError(502, 'page', 'Web page', sentence)
    return { results: [], unreadable: 0, broken }
  }
  const { text, broken } = await readText(response, who)
  const areLines = /^application\/x-ndjson\b/i.test(type)
  // No lines are no results, but nothing at all is no JSON text.
  const isNothing = text.trim() === '' && !areLines
  const { isWhole, ...read } = readValues(text, broken !== undefined)
  // The last line of a Sightline server says what broke off behind it; the connection only that something did.
  const known = read.broken ?? broken
  const cut = known ?? (isWhole && !areLines ? undefined : hiddenCut(response, who))
  return { ...read, unreadable: read.unreadable + (isNothing ? 1 : 0), ...(cut && { broken: cut }) }
}

/**
 * Why lines that ended well may have been cut all the same, at a line break that looks the same; or before they
 * were compressed.
 */
function hiddenCut({ headers }: Response, who: string): ProblemError | undefined {
  const encoding = headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    const sentence = `The response from ${who} came compressed (${encoding}), which wasn't requested, so it may have been cut. Turn compression off on the way to it.`
    return problemError(502, 'compressed', 'Possibly incomplete response', sentence)
  }
  return isOpenEnded((name) => headers.get(name))
    ? new ProblemError(openEndedProblem(who))
    : undefined
}

async function readText(
  response: Response,
  who: string,
): Promise<{ text: string; broken: ProblemError | undefined }> {
  const decoder = new TextDecoder()
  const pieces: string[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) {
        const sentence = "The response is larger than 256 MiB; the rest wasn't read."
        throw problemError(502, 'too-long', 'Too long', sentence)
      }
      pieces.push(decoder.decode(chunk, { stream: true }))
    }
    pieces.push(decoder.decode())
    return { text: pieces.join(''), broken: undefined }
  } catch (error) {
    return { text: pieces.join(''), broken: connectionProblem(error, who) }
  }
}

/** `isWhole`: its last bracket says so. */
function readValues(text: string, isCut: boolean): ReadResults & { readonly isWhole: boolean } {
  const shape = parsedJson(text)
  if (shape !== undefined) {
    const whole = readJsonValue(text)
    // Where a name comes twice, only the result that has it can't be read.
    const values = whole === undefined && Array.isArray(shape) ? elementsOf(text) : [whole]
    return { ...withoutProblem(values), isWhole: endsItself(shape) }
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (/^\s*\[/.test(text) && parsedJson(lines[0] ?? '') === undefined) {
    return { ...withoutProblem(cutArrayValues(text, lines.at(-1) ?? '', isCut)), isWhole: false }
  }
  // Half a line tells nothing, and that something is missing is said already.
  const ended = isCut && !text.endsWith('\n') ? lines.slice(0, -1) : lines
  return { ...withoutProblem(ended.map(readJsonValue)), isWhole: false }
}

/** What of an array came before it was cut, as the page has it; a Sightline server says so on a last line. */
function cutArrayValues(text: string, lastLine: string, isCut: boolean): readonly unknown[] {
  const said = ProblemDetail.safeParse(parsedJson(lastLine))
  const elements = elementsOf(said.success ? text.slice(0, text.lastIndexOf(lastLine)) : text)
  const isSaid = isCut || said.success
  return [
    elements.filter((value) => value !== undefined),
    ...elements.filter((value) => value === undefined),
    ...(said.success ? [said.data] : []),
    ...(isSaid ? [] : [undefined]),
  ]
}

function elementsOf(array: string): readonly unknown[] {
  return createJsonSplitter()
    .push(array)
    .map((element) => readJsonValue(element.text))
}

function withoutProblem(values: readonly unknown[]): ReadResults {
  const results: PolicyResult[] = []
  let unreadable = 0
  let broken: ProblemError | undefined
  for (const value of values) {
    // A result has its status in words, a problem in digits.
    const fault = ProblemDetail.safeParse(value)
    if (fault.success) broken ??= new ProblemError(fault.data)
    else if (value === undefined) unreadable += 1
    else {
      const part = readPolicyAnswer(value)
      results.push(...part.results)
      unreadable += part.unreadable
    }
  }
  return { results, unreadable, broken }
}

/**
 * What a request comes to that got no answer, or no whole one, as a sentence with the next step; a
 * ProblemError is passed as it is. `who` is the one who was asked, in plain words.
 */
export function connectionProblem(cause: unknown, who: string): ProblemError {
  if (cause instanceof ProblemError) return cause
  const code = codeOf(cause)
  const sentence =
    sentences[code] ??
    ((name) => `The connection to ${name} failed (${code}). Check its URL and the network.`)
  return new ProblemError(problem(503, 'unreachable', 'Unreachable', sentence(who)), { cause })
}

/** Why a request was given up that took longer than `ms`. */
export function tooSlow(who: string, ms: number): ProblemError {
  const sentence = `No complete response from ${who} within ${durationWords(ms)} (--timeout).`
  return problemError(504, 'too-slow', 'Timed out', sentence)
}

type Sentence = (who: string) => string

const brokenOff: Sentence = (who) =>
  `The connection to ${who} was closed. It, or a server behind it, may be restarting.`
const notFound: Sentence = (who) => `Host name of ${who} not found. Check its URL.`
const unreachable: Sentence = (who) =>
  `No network route to ${who}. Check its URL, the network and its firewalls.`
const unknownIssuer: Sentence = (who) =>
  `The TLS certificate of ${who} isn't trusted. If it's right, add its issuer with NODE_EXTRA_CA_CERTS.`

/** By the codes of Node's sockets, of OpenSSL and of `fetchWhole`. */
const sentences: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: (who) =>
    `Connection refused. Check that ${who} is running and that its URL is right.`,
  ENOTFOUND: notFound,
  EAI_AGAIN: notFound,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  ECONNRESET: brokenOff,
  EPIPE: brokenOff,
  SILENT: (who) => `No response from ${who}. It may be overloaded.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownIssuer,
  SELF_SIGNED_CERT_IN_CHAIN: unknownIssuer,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownIssuer,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownIssuer,
  CERT_HAS_EXPIRED: (who) => `The TLS certificate of ${who} has expired.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (who) =>
    `The TLS certificate of ${who} is for another host name. Check its URL.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (who) =>
    `No TLS on this port of ${who}. Check the port and https:// in its URL.`,
}

/** The reason may be in the cause of an error, or in one of several attempts. */
function codeOf(error: unknown): string {
  let last = 'unknown'
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') return at.code
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0])
    last = at.message
  }
  return last
}

/** The longest problem detail that is read, in characters. */
const longest = 64 * 1024

/**
 * What a refused request comes to: the problem detail of the answer where there is a readable one,
 * otherwise a sentence made from the status, as a page of somebody's gateway tells nothing. `now` is
 * epoch ms, for a dated Retry-After.
 */
export async function responseProblem(
  response: Response,
  who: string,
  now: number,
): Promise<ProblemError> {
  const wait = retryAfterMs((name) => response.headers.get(name), now)
  const more = wait === undefined ? {} : { retryAfterMs: wait }
  const { status } = response
  if (!isProblemType(response.headers.get('content-type'))) {
    await response.body?.cancel()
    return new ProblemError(plainProblem(status, who), more)
  }
  const detail = ProblemDetail.safeParse(parsedJson((await response.text()).slice(0, longest)))
  // The status of the answer counts, whatever its body says.
  return new ProblemError(
    detail.success ? { ...detail.data, status } : plainProblem(status, who),
    more,
  )
}

function plainProblem(status: number, who: string): ProblemDetail {
  if (status >= 300 && status < 400) {
    return problem(
      status,
      'redirect',
      'Redirect',
      `${who} responds with a redirect, which isn't followed. Use the server's own URL.`,
    )
  }
  return problem(
    status,
    `status-${status}`,
    `HTTP ${status}`,
    `${who} responds with status ${status}.`,
  )
}
