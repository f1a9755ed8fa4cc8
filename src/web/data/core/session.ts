import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { Session, sessionPath } from '../../../protocol/session.ts'
import {
  decodeAnswer,
  type IsOnline,
  networkProblem,
  problemOfResponse,
  withTimeLimit,
} from './response.ts'

/** Renewed this long before its end, ms, so that no request starts with a token about to die. */
const renewBeforeMs = 60_000
const timeLimitMs = 15_000

/** What the session is made with. */
export interface SessionOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: IsOnline
  /** What serves where nobody is signed in, as on a wall. */
  readonly screen?: ScreenCredential
}

/** Keeps this page's session. The token lives in memory only, never in storage or an address. */
export interface SessionKeeper {
  /**
   * A session that is good for now: the kept one, or a new one where there is none or its end is
   * near; one request at a time whoever asks. Throws a ProblemError, with status 401 and the code
   * `signed-out` when the proxy gives no session.
   */
  readonly current: () => Promise<Session>
  /** The proxy's clock, epoch ms, as far as its Date header told; this browser's before that. */
  readonly proxyNow: () => number
  /** Forgets the session with this token, as the proxy refused it. */
  readonly discard: (token: string) => void
}

/** Keeps the session that `POST /session` gives (docs/design.md#proxy-routes). */
export function createSession({ fetch, clock, isOnline, screen }: SessionOptions): SessionKeeper {
  let kept: { readonly session: Session; readonly goodUntil: number } | undefined
  let asked: Promise<Session> | undefined
  let clockDifference = 0

  async function ask(signal: AbortSignal): Promise<Session> {
    const response = await fetch(sessionPath, {
      method: 'POST',
      signal,
      redirect: 'error',
      cache: 'no-store',
      credentials: 'same-origin',
    })
    const proxyNow = Date.parse(response.headers.get('date') ?? '')
    if (!Number.isNaN(proxyNow)) clockDifference = proxyNow - clock.now()
    if (!response.ok) {
      const fault = signedOut(await problemOfResponse(response, clock.now()))
      const own = fault.status === 401 ? screen?.get() : undefined
      if (own === undefined) throw fault
      kept = { session: own, goodUntil: Infinity }
      return own
    }
    const session = await decodeAnswer(response, Session, sessionPath)
    kept = { session, goodUntil: goodUntil(session, clock.now(), clockDifference) }
    return session
  }

  return {
    current: () => {
      if (kept !== undefined && clock.now() < kept.goodUntil) return Promise.resolve(kept.session)
      asked ??= withTimeLimit(clock, timeLimitMs, undefined, ask)
        .catch((error: unknown) => {
          throw networkProblem(error, isOnline)
        })
        .finally(() => {
          asked = undefined
        })
      return asked
    },
    proxyNow: () => clock.now() + clockDifference,
    discard: (token) => {
      if (kept?.session.token === token) kept = undefined
      // It was revoked: from here on the screen shows a code.
      if (screen?.get()?.token === token) screen.forget()
    },
  }
}

/**
 * By this browser's clock, which may be hours off. A session that seems over on arrival is used
 * until it is refused, as asking again would bring the same.
 */
function goodUntil({ expiresAt }: Session, now: number, clockDifference: number): number {
  const livesMs = expiresAt - clockDifference - now
  return livesMs <= 0 ? Infinity : now + Math.max(livesMs - renewBeforeMs, livesMs / 2)
}

function signedOut(fault: ProblemError): ProblemError {
  if (fault.status !== 401 && fault.status !== 403) return fault
  return new ProblemError(problem(401, 'signed-out', 'Signed out', fault.message), { cause: fault })
}

const key = 'sightline.screen'

/** The part of localStorage that is used. */
export type CredentialStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/**
 * A screen's own credential, kept on its device: a wall has to come back by itself after a power cut.
 * It is the only token that is ever stored; it can read builds and nothing else, and is revoked from
 * the list of screens. What cannot be read or written is not kept.
 */
export interface ScreenCredential {
  readonly get: () => Session | undefined
  readonly keep: (session: Session) => void
  readonly forget: () => void
}

/** Keeps it on `storage`; where a browser allows none (undefined), until the page is closed. */
export function createScreenCredential(storage: CredentialStorage | undefined): ScreenCredential {
  let kept = read(storage)
  return {
    get: () => kept,
    keep: (session) => {
      kept = session
      attempt(() => storage?.setItem(key, JSON.stringify(session)))
    },
    forget: () => {
      kept = undefined
      attempt(() => storage?.removeItem(key))
    },
  }
}

function read(storage: CredentialStorage | undefined): Session | undefined {
  try {
    return Session.safeParse(JSON.parse(storage?.getItem(key) ?? 'null')).data
  } catch {
    // Written by something else, or storage is blocked: the screen asks for a code.
    return undefined
  }
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // Full or blocked: it holds until the page is closed.
  }
}
