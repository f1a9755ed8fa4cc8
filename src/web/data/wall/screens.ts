import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { type Clock, wait } from '../../../protocol/clock.ts'
import {
  Activation,
  activationClaimPath,
  activationPath,
  ActivationWaiting,
  type NewScreen,
  Screen,
  ScreenList,
  screensPath,
} from '../../../protocol/screen.ts'
import { Session } from '../../../protocol/session.ts'
import { asProblem, attempts } from '../core/attempts.ts'
import type { Request } from '../core/request.ts'
import {
  decodeAnswer,
  type IsOnline,
  isInFront,
  networkProblem,
  ownRequest,
  problemOfResponse,
  signInFault,
  withTimeLimit,
} from '../core/response.ts'

const againMs = 15_000

/** The screens that have a credential of their own; loaded again while they are looked at. */
export function screensQuery(request: Request) {
  return queryOptions({
    queryKey: ['screens'],
    queryFn: ({ signal }) => request(screensPath, ScreenList, { signal }),
    refetchInterval: againMs,
    retry: false,
  })
}

/** Confirms the code that a screen shows. Throws a ProblemError. */
export function confirmScreen(request: Request, body: NewScreen): Promise<Screen> {
  return request(screensPath, Screen, { method: 'POST', body })
}

/** Ends the credential of a screen, unless that is done already. Throws a ProblemError. */
export async function revokeScreen(request: Request, id: string): Promise<void> {
  try {
    await request(`${screensPath}/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' })
  } catch (error) {
    if (asProblem(error).status !== 404) throw error
  }
}

/** How far a screen has come in getting a credential of its own. */
export type ActivationStep =
  | { readonly is: 'requesting' }
  /** Somebody who is signed in has to type the code; good until `expiresAt`, epoch ms. */
  | { readonly is: 'waiting'; readonly code: string; readonly expiresAt: number }
  | { readonly is: 'confirmed' }
  /** Retried by itself. */
  | { readonly is: 'failed'; readonly reason: string }

/** What lets a screen in behind a sign-in page that isn't Sightline's (docs/design.md#wall-screens). */
export const screenPathsCure =
  'Let /session/activation, /config and /live pass your sign-in proxy: screens sign in with a code.'

export interface ActivationOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly random: () => number
  readonly isOnline: IsOnline
  readonly onStep: (step: ActivationStep) => void
  readonly signal: AbortSignal
}

const ClaimResponse = z.union([
  z.pipe(
    Session,
    z.transform((session) => ({ session })),
  ),
  z.pipe(
    ActivationWaiting,
    z.transform(({ pollMs }) => ({ pollMs })),
  ),
])

const retryMs = 10_000
const timeLimitMs = 15_000
/** No code is good for longer, whatever this device's clock says: where the proxy says nothing. */
const longestMs = 900_000

/** Shows codes until one is confirmed; resolves with its session, undefined when `signal` aborts. Never rejects. */
export async function activateScreen(options: ActivationOptions): Promise<Session | undefined> {
  const { clock, random, signal, onStep } = options
  try {
    const session = await attempts(
      async (attempt) => {
        attempt.retryAfter(retryMs)
        for (;;) {
          signal.throwIfAborted()
          onStep({ is: 'requesting' })
          const confirmed = await withOneCode(options)
          if (confirmed !== undefined) return confirmed
        }
      },
      {
        clock,
        random,
        signal,
        mayRetry: () => true,
        onWait: ({ problem }) => {
          const { sentence } = problem
          const reason = isInFront(problem) ? `${sentence} ${screenPathsCure}` : sentence
          onStep({ is: 'failed', reason })
        },
      },
    )
    onStep({ is: 'confirmed' })
    return session
  } catch {
    // Only an abort ends it otherwise.
    return undefined
  }
}

/** Undefined when the code has expired, or nobody waits any more. */
async function withOneCode(options: ActivationOptions): Promise<Session | undefined> {
  const { clock, signal, onStep } = options
  const { code, secret, expiresAt, pollMs } = await post(options, activationPath, Activation)
  onStep({ is: 'waiting', code, expiresAt })
  const shownAt = clock.now()
  /** A claim got no response: it may have been the one that was granted. */
  let again = false
  for (let pause = pollMs; clock.now() - shownAt < longestMs;) {
    await wait(clock, pause, signal)
    if (signal.aborted) return undefined
    try {
      const response = await post(options, activationClaimPath, ClaimResponse, { secret, again })
      if ('session' in response) return response.session
      pause = response.pollMs
    } catch (error) {
      const { status, retryAfterMs = 0 } = asProblem(error)
      if (status === 404) return undefined
      // Somebody may be typing the code right now: it stays for as long as the proxy may know it.
      again = true
      pause = Math.max(retryMs, retryAfterMs)
    }
  }
  return undefined
}

async function post<S extends z.core.$ZodType>(
  { fetch, clock, isOnline, signal: leaving }: ActivationOptions,
  path: string,
  schema: S,
  body?: unknown,
): Promise<z.output<S>> {
  try {
    return await withTimeLimit(clock, timeLimitMs, leaving, async (signal) => {
      const response = await fetch(path, {
        method: 'POST',
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        signal,
        ...ownRequest,
      })
      const inWay = await signInFault(response, path, clock.now())
      if (inWay !== undefined) throw inWay
      if (!response.ok) throw await problemOfResponse(response, clock.now())
      return decodeAnswer(response, schema, path)
    })
  } catch (error) {
    throw networkProblem(error, isOnline)
  }
}
