import { queryOptions } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import {
  Activation,
  activationClaimPath,
  activationPath,
  ActivationWaiting,
  type NewScreen,
  Screen,
  ScreenList,
  screensPath,
} from '../../../protocol/wall.ts'
import { Session } from '../../../protocol/session.ts'
import type { Request } from '../core/request.ts'
import {
  decodeAnswer,
  type IsOnline,
  networkProblem,
  problemOfResponse,
  withTimeLimit,
} from '../core/response.ts'

const againMs = 15_000

/** The screens that have a credential of their own; asked again while they are looked at. */
export function screensQuery(request: Request) {
  return queryOptions({
    queryKey: ['screens'],
    queryFn: async ({ signal }) => (await request(screensPath, ScreenList, { signal })).screens,
    refetchInterval: againMs,
    retry: false,
  })
}

/** Confirms the code that a screen shows. Throws a ProblemError. */
export function confirmScreen(request: Request, body: NewScreen): Promise<Screen> {
  return request(screensPath, Screen, { method: 'POST', body })
}

/** Ends the credential of a screen. Throws a ProblemError. */
export async function revokeScreen(request: Request, id: string): Promise<void> {
  await request(`${screensPath}/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' })
}

/** How far a screen has come in getting a credential of its own. */
export type ActivationStep =
  | { readonly is: 'asking' }
  /** Somebody who is signed in has to type the code; good until `expiresAt`, epoch ms. */
  | { readonly is: 'waiting'; readonly code: string; readonly expiresAt: number }
  /** Somebody has confirmed it. */
  | { readonly is: 'let-in' }
  /** Tried again by itself. */
  | { readonly is: 'failed'; readonly reason: string }

/** What an activation is made with. */
export interface ActivationOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: IsOnline
  readonly onStep: (step: ActivationStep) => void
  readonly signal: AbortSignal
}

const ClaimAnswer = z.union([
  z.pipe(
    Session,
    z.transform((session) => ({ session })),
  ),
  z.pipe(
    ActivationWaiting,
    z.transform(({ pollMs }) => ({ pollMs })),
  ),
])

const againMsActivateScreen = 10_000
const timeLimitMs = 15_000
/** No code is good for longer, whatever this device's clock says: where the proxy tells nothing. */
const longestMs = 900_000

/**
 * Shows codes until one is confirmed, and resolves with the session of the screen; undefined when
 * `signal` aborts. Never rejects: a wall has nobody who could press "try again".
 */
export async function activateScreen(options: ActivationOptions): Promise<Session | undefined> {
  const { clock, signal, onStep } = options
  const goesOn = (): boolean => !signal.aborted
  while (goesOn()) {
    try {
      onStep({ is: 'asking' })
      const session = await withOneCode(options)
      if (session === undefined) continue
      onStep({ is: 'let-in' })
      return session
    } catch (error) {
      if (!goesOn()) return undefined
      const fault = networkProblem(error, options.isOnline)
      onStep({ is: 'failed', reason: fault.message })
      await wait(clock, pauseAfter(fault), signal)
    }
  }
  return undefined
}

/** Undefined when the code has expired, or nobody waits any more. */
async function withOneCode(options: ActivationOptions): Promise<Session | undefined> {
  const { clock, signal, onStep } = options
  const { code, secret, expiresAt, pollMs } = await post(options, activationPath, Activation)
  onStep({ is: 'waiting', code, expiresAt })
  const shownAt = clock.now()
  for (let pause = pollMs; clock.now() - shownAt < longestMs;) {
    await wait(clock, pause, signal)
    if (signal.aborted) return undefined
    try {
      const answer = await post(options, activationClaimPath, ClaimAnswer, { secret })
      if ('session' in answer) return answer.session
      pause = answer.pollMs
    } catch (error) {
      const fault = networkProblem(error, options.isOnline)
      if (fault.status === 404) return undefined
      // Somebody may be typing the code right now: it stays for as long as the proxy may know it.
      pause = pauseAfter(fault)
    }
  }
  return undefined
}

function pauseAfter({ retryAfterMs = 0 }: ProblemError): number {
  return Math.max(againMsActivateScreen, retryAfterMs)
}

function post<S extends z.core.$ZodType>(
  { fetch, clock, signal: leaving }: ActivationOptions,
  path: string,
  schema: S,
  body?: unknown,
): Promise<z.output<S>> {
  return withTimeLimit(clock, timeLimitMs, leaving, async (signal) => {
    const response = await fetch(path, {
      method: 'POST',
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      signal,
      redirect: 'error',
      cache: 'no-store',
      credentials: 'same-origin',
    })
    if (!response.ok) throw await problemOfResponse(response, clock.now())
    return decodeAnswer(response, schema, path)
  })
}
