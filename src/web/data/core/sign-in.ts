import { queryOptions } from '@tanstack/react-query'
import type { ProblemError } from '../../../protocol/problem.ts'
import { Session, sessionPath } from '../../../protocol/session.ts'
import { SessionReport, SignedOut, SignOutAnswer } from '../../../protocol/sign-in.ts'
import {
  decodeAnswer,
  networkProblem,
  ownRequest,
  problemOfResponse,
  signInFault,
  withTimeLimit,
} from './response.ts'
import type { Services } from './services.ts'

const timeLimitMs = 15_000

/** How somebody signs in here, as the refusal of a session says; nothing known where it says none. */
export function waysToSignIn({ problem }: ProblemError): SignedOut {
  return SignedOut.safeParse(problem).data ?? {}
}

/**
 * Where to sign in, perhaps with another account, and come back to `path`: an address of this server's own,
 * undefined for any other.
 */
export function signInAddress(
  signInUrl: string | undefined,
  path: string,
  account?: 'other',
): string | undefined {
  if (signInUrl === undefined || !/^\/(?![/\\])/.test(signInUrl)) return undefined
  const search = new URLSearchParams({ to: path, ...(account && { account }) })
  return `${signInUrl}${signInUrl.includes('?') ? '&' : '?'}${search.toString()}`
}

/** Signs in with an access token, in all tabs. Throws a ProblemError that says why not. */
export async function signInWithToken(
  { fetch, clock, isOnline, session }: Pick<Services, 'fetch' | 'clock' | 'isOnline' | 'session'>,
  token: string,
): Promise<void> {
  try {
    const signedIn = await withTimeLimit(clock, timeLimitMs, undefined, async (signal) => {
      const response = await fetch(sessionPath, {
        ...ownRequest,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
        signal,
      })
      const fault = await signInFault(response, sessionPath, clock.now())
      if (fault !== undefined) throw fault
      if (!response.ok) throw await problemOfResponse(response, clock.now())
      return decodeAnswer(response, Session, sessionPath)
    })
    session.adopt(signedIn)
  } catch (error) {
    throw networkProblem(error, isOnline)
  }
}

/** Ends the session in all tabs; resolves with the identity provider's end address. Throws a ProblemError. */
export async function signOut({
  request,
  session,
}: Pick<Services, 'request' | 'session'>): Promise<string | undefined> {
  const { endSessionUrl } = await request(sessionPath, SignOutAnswer, { method: 'DELETE' })
  session.end()
  return endSessionUrl
}

/** What is known of the one who is signed in, and why. */
export function sessionReportQuery({ request, session }: Pick<Services, 'request' | 'session'>) {
  return queryOptions({
    // Of somebody else it is something else.
    queryKey: ['session', session.state.getSnapshot().session?.user.name],
    queryFn: ({ signal }) => request(sessionPath, SessionReport, { signal }),
  })
}

/** Signs out in all tabs, forgets kept walls, and goes to the identity provider's end address. Throws a ProblemError. */
export async function leave(services: Pick<Services, 'request' | 'session'>): Promise<void> {
  const elsewhere = await signOut(services)
  await import('../wall/kept-walls.ts').then(
    ({ keptWalls }) => keptWalls(indexedDB).forget(),
    // It can't be loaded, as after an update: the next wall that is opened forgets them.
    () => undefined,
  )
  if (elsewhere !== undefined) location.assign(elsewhere)
}
