import * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import {
  isProblemType,
  problem,
  ProblemDetail,
  ProblemError,
  problemError,
} from '../../../protocol/problem.ts'
import { retryAfterMs } from '../../../protocol/back-off.ts'

const maxDetailCharacters = 64 * 1024

/** What all requests to the Sightline server have in common: nothing takes the token elsewhere. */
export const ownRequest = {
  redirect: 'manual',
  cache: 'no-store',
  credentials: 'same-origin',
} as const satisfies RequestInit

/**
 * Why a response says that nobody is signed in: it is a 401, or came from a sign-in page in front of
 * Sightline (`in-front`), which is seen by a redirect or a web page. Undefined for all others; their
 * bodies are not touched.
 */
export async function signInFault(
  response: Response,
  path: string,
  now: number,
): Promise<ProblemError | undefined> {
  const { status, headers } = response
  const isPage = /^text\/html/i.test(headers.get('content-type') ?? '')
  const isRedirect = response.type === 'opaqueredirect' || (status > 300 && status < 400)
  if (isRedirect || (isPage && [200, 401, 403].includes(status))) {
    await response.body?.cancel()
    const what = isRedirect ? 'a redirect' : `${status} text/html`
    const sentence = `A sign-in page in front of Sightline answered ${path.split('?')[0] ?? path} instead (${what}).`
    return problemError(401, 'in-front', 'Sign-in page in front', sentence)
  }
  return status === 401 ? problemOfResponse(response, now) : undefined
}

/** Whether something in front of Sightline wants people to sign in. */
export function isInFront({ problem: { type } }: ProblemError): boolean {
  return type.endsWith(':in-front')
}

/**
 * What a refused request comes to: the proxy's own problem detail where it sent a readable one,
 * otherwise a sentence made from the status. Reads the body at most to `longest` characters and always
 * lets go of it, so that no connection is left open. `now` is epoch ms, for a dated Retry-After.
 */
export async function problemOfResponse(
  response: Response,
  now: number,
  longest = maxDetailCharacters,
): Promise<ProblemError> {
  const wait = retryAfterMs((name) => response.headers.get(name), now)
  const told = isProblemType(response.headers.get('content-type'))
  const detail = told ? decodeDetail(await readStart(response, longest)) : undefined
  if (!told) await response.body?.cancel()
  return new ProblemError(detail ?? plainProblem(response.status), {
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  })
}

async function readStart(response: Response, longest: number): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return ''
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
    if (text.length > longest) {
      await reader.cancel()
      return ''
    }
  }
}

function decodeDetail(text: string): ProblemDetail | undefined {
  try {
    return ProblemDetail.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function plainProblem(status: number): ProblemDetail {
  return problem(status, `status-${status}`, `HTTP ${status}`, sentenceOf(status))
}

function sentenceOf(status: number): string {
  switch (status) {
    case 400:
      return "The Sightline server doesn't understand the request."
    case 401:
      return 'The session has ended.'
    case 403:
      return 'Your account lacks the permission.'
    case 404:
      return "Not found, or you don't have access."
    case 429:
      return 'Too many requests.'
    case 503:
      return "The Sightline server isn't ready."
    default:
      return `The Sightline server responded with status ${status}.`
  }
}

/**
 * Reads an answer of one shape, as JSON unless `read` says otherwise. Throws a ProblemError of status
 * 502 that names the wrong keys, but never their values; `path` is where the answer came from.
 */
export async function decodeAnswer<S extends z.core.$ZodType>(
  response: Response,
  schema: S,
  path: string,
  read: (response: Response) => Promise<unknown> = readJson,
): Promise<z.output<S>> {
  const decoded = z.safeParse(schema, await read(response))
  if (decoded.success) return decoded.data
  const wrong = decoded.error.issues
    .slice(0, 3)
    .map((issue) => [issue.path.join('.'), expectation(issue)].filter(Boolean).join(': '))
    .join('; ')
  const sentence = `Can't read the response to ${path.split('?')[0] ?? path}: ${wrong}.`
  throw new ProblemError(problem(502, 'unreadable-answer', 'Unreadable response', sentence), {
    cause: decoded.error,
  })
}

/** The messages of zod stay out of the first load. */
function expectation(issue: z.core.$ZodIssue): string {
  return issue.code === 'invalid_type' ? `expected ${issue.expected}` : issue.message
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Runs `work` with a signal that aborts when `outer` does, or after `ms`; then with a ProblemError
 * of status 504 as its reason, which fetch throws. Leaves no timer and no listener behind.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController()
  const abort = (): void => {
    own.abort(outer?.reason)
  }
  if (outer?.aborted) abort()
  outer?.addEventListener('abort', abort)
  const cancel = clock.after(ms, () => {
    own.abort(tooSlow(ms))
  })
  try {
    return await work(own.signal)
  } finally {
    cancel()
    outer?.removeEventListener('abort', abort)
  }
}

function tooSlow(ms: number): ProblemError {
  const sentence = `The Sightline server didn't respond within ${Math.round(ms / 1000)} s.`
  return problemError(504, 'no-answer', 'No response', sentence)
}

/** Whether the browser believes to have a network at all. */
export type IsOnline = () => boolean

/** What a request comes to that got no whole answer; a ProblemError is passed as it is. */
export function networkProblem(cause: unknown, isOnline: IsOnline): ProblemError {
  if (cause instanceof ProblemError) return cause
  return new ProblemError(
    isOnline()
      ? problem(503, 'unreachable', 'Unreachable', "Can't reach the Sightline server.")
      : problem(503, 'offline', 'Offline', 'You are offline.'),
    { cause },
  )
}
