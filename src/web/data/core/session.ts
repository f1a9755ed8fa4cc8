import * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { Session, sessionPath } from '../../../protocol/session.ts'
import {
  decodeAnswer,
  isInFront,
  type IsOnline,
  networkProblem,
  ownRequest,
  problemOfResponse,
  signInFault,
  withTimeLimit,
} from './response.ts'
import { createStore, type Readable } from './store.ts'

/** Renewed this long before its end, ms, so that no request starts with a token about to die. */
const renewBeforeMs = 60_000
const timeLimitMs = 15_000
/** So long a tab waits for another one that is renewing, ms, before it does so itself. */
const lockPatienceMs = 5000
/** A refusal holds for so long, ms, however many requests want a session meanwhile. */
const refusalHoldsMs = 3000

export interface Locks {
  readonly request: (
    name: string,
    options: LockOptions,
    callback: () => Promise<void>,
  ) => Promise<void>
}

/** A channel to the other tabs, in order for each sender: a BroadcastChannel is one. */
export interface Channel {
  readonly postMessage: (data: unknown) => void
  readonly addEventListener: (
    type: 'message',
    listener: (event: { readonly data: unknown }) => void,
  ) => void
  readonly close: () => void
}

/** What tabs of one browser share; only on pages that are served securely. */
export interface Tabs {
  readonly locks: Locks
  readonly openChannel: (name: string) => Channel
}

export interface SessionOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  readonly isOnline: IsOnline
  /** What serves where nobody is signed in, as on a wall. */
  readonly screen?: ScreenCredential
  /** With them one tab renews the session for all. */
  readonly tabs?: Tabs | undefined
  /** Whether the page is anybody's, as a wall is: of any other, only one person's requests are sent. */
  readonly isWall?: boolean
}

export type SignInState =
  | { readonly is: 'unknown'; readonly session?: undefined }
  | { readonly is: 'signed-in'; readonly session: Session }
  | {
      readonly is: 'signed-out'
      /** What the server says of it: the problem `signed-out` (protocol/sign-in.ts#SignedOut). */
      readonly fault: ProblemError
      /** The session that ended, where there was one: its page is still there. */
      readonly session: Session | undefined
    }

/** Keeps this page's session. The token lives in memory only, never in storage or an address. */
export interface SessionKeeper {
  /**
   * A session that is good for now: the kept one, or a new one where there is none or its end is
   * near; one request at a time, in all tabs of this browser. Throws a ProblemError, with status 401
   * when the proxy gives no session: `signed-out`, or `in-front` where it was not reached.
   */
  readonly current: () => Promise<Session>
  /** Who is signed in; a session is requested for the first who listens. */
  readonly state: Readable<SignInState>
  /** The proxy's clock, epoch ms, as far as its Date header told; this browser's before that. */
  readonly proxyNow: () => number
  /** Learns it from a response of the proxy, and returns that: this browser's clock may have been set since. */
  readonly heard: (response: Response) => Response
  /** Forgets the session with this token, as the proxy refused it for this reason. */
  readonly discard: (token: string, fault: ProblemError) => void
  /** Takes a session that somebody signed in to, for all tabs. */
  readonly adopt: (session: Session) => void
  /** Forgets the session in all tabs, as somebody signed out. */
  readonly end: () => void
  /** Looks again whether there is a session, whatever was answered a moment ago. */
  readonly recheck: () => void
}

/** The server's clock by its Date header: what it has recorded is as old as it says, however wrong this device is. */
export function serverClock(
  { after }: Clock,
  { proxyNow }: Pick<SessionKeeper, 'proxyNow'>,
): Clock {
  return { now: proxyNow, after }
}

/** The header has whole seconds and is on its way for some time: clocks that agree within that are one clock. */
const headerStepMs = 2000

function differenceOf(proxyNow: number, now: number): number {
  return Math.abs(proxyNow - now) < headerStepMs ? 0 : proxyNow - now
}

export type SessionUse = Pick<SessionKeeper, 'current' | 'discard'>

/** What the tabs send each other; to be renamed with its content. */
const channelName = 'sightline-session-2'
const TabMessage = z.union([
  z.object({ session: Session, proxyNow: z.number() }),
  z.object({ ended: z.literal(true) }),
])

/** Keeps the session that `POST /session` gives (docs/design.md#proxy-routes). */
export function createSession(options: SessionOptions): SessionKeeper {
  const { fetch, clock, isOnline, screen, tabs, isWall } = options
  let kept: { readonly session: Session; readonly goodUntil: number } | undefined
  let asked: Promise<Session> | undefined
  let refusedAt = -Infinity
  let clockDifference = 0
  /** Ends the wait for another tab. */
  let onHeard = (): void => undefined

  const state = createStore<SignInState>({ is: 'unknown' }, { clock, open: look })
  const channel = tabs?.openChannel(channelName)
  channel?.addEventListener('message', ({ data }) => {
    const { data: message } = z.safeParse(TabMessage, data)
    if (message === undefined) return
    if ('ended' in message) {
      kept = undefined
      recheck()
    } else {
      learn(message.proxyNow)
      try {
        keep(message.session)
      } catch {
        // Somebody else's: the state says so.
      }
      onHeard()
    }
  })

  function proxyNow(): number {
    return clock.now() + clockDifference
  }

  function learn(now: number): void {
    if (Math.abs(now - proxyNow()) >= headerStepMs) clockDifference = differenceOf(now, clock.now())
  }

  function heard(response: Response): Response {
    learn(Date.parse(response.headers.get('date') ?? ''))
    return response
  }

  /** Throws for somebody else than who has loaded and typed what is here: it is not for the next. */
  function keep(session: Session, until?: number): Session {
    const { person } = session
    const { person: before = person } = state.getSnapshot().session ?? session
    if (!isWall && person !== before) {
      refuse(
        new ProblemError(
          problem(401, 'other-person', 'Signed out', 'Somebody else is signed in now.'),
        ),
      )
    }
    kept = { session, goodUntil: until ?? goodUntil(session, clock.now(), clockDifference) }
    refusedAt = -Infinity
    state.set({ is: 'signed-in', session })
    return session
  }

  function refuse(fault: ProblemError): never {
    kept = undefined
    refusedAt = clock.now()
    state.set({ is: 'signed-out', fault, session: state.getSnapshot().session })
    throw fault
  }

  function share(session: Session): void {
    // Another tab's clock may be another one: this browser's was set since.
    channel?.postMessage({ session, proxyNow: proxyNow() })
  }

  function good(): Session | undefined {
    return kept !== undefined && clock.now() < kept.goodUntil ? kept.session : undefined
  }

  /** One tab at a time, and those that wait take what the first one got. */
  async function renew(): Promise<Session> {
    if (tabs === undefined) return ask()
    const waiting = new AbortController()
    const endWait = (): void => {
      waiting.abort()
    }
    const cancel = clock.after(lockPatienceMs, endWait)
    onHeard = endWait
    let got: Session | undefined
    try {
      await tabs.locks.request(channelName, { signal: waiting.signal }, async () => {
        cancel()
        got = good() ?? (await ask())
      })
    } catch (error) {
      if (!waiting.signal.aborted || got !== undefined) throw error
    } finally {
      cancel()
    }
    return got ?? good() ?? ask()
  }

  async function ask(): Promise<Session> {
    try {
      const session = await withTimeLimit(clock, timeLimitMs, undefined, request)
      // That of a screen is its own.
      if (kept?.goodUntil !== Infinity) share(session)
      return session
    } catch (error) {
      throw networkProblem(error, isOnline)
    }
  }

  async function request(signal: AbortSignal): Promise<Session> {
    const response = await fetch(sessionPath, { ...ownRequest, method: 'POST', signal })
    heard(response)
    const inWay = await signInFault(response, sessionPath, clock.now())
    if (inWay === undefined && response.ok) {
      return keep(await decodeAnswer(response, Session, sessionPath))
    }
    const fault = signedOut(inWay ?? (await problemOfResponse(response, clock.now())))
    if (fault.status !== 401) throw fault
    const own = screen?.get()
    if (own !== undefined) return keep(own, Infinity)
    return refuse(fault)
  }

  function current(): Promise<Session> {
    const session = good()
    if (session !== undefined) return Promise.resolve(session)
    const known = state.getSnapshot()
    const isHeld = clock.now() - refusedAt < refusalHoldsMs && screen?.get() === undefined
    if (isHeld && known.is === 'signed-out') return Promise.reject(known.fault)
    asked ??= renew().finally(() => {
      asked = undefined
    })
    return asked
  }

  function look(): () => void {
    // Why there is none is in the state, or said by whoever needs it.
    current().catch(() => undefined)
    return () => undefined
  }

  function recheck(): void {
    refusedAt = -Infinity
    look()
  }

  return {
    current,
    state,
    proxyNow,
    heard,
    discard: (token, fault) => {
      if (kept?.session.token === token) kept = undefined
      // It was revoked: from here on the screen shows a code.
      if (screen?.get()?.token === token && !isInFront(fault)) screen.forget()
    },
    adopt: (session) => {
      share(session)
      keep(session)
    },
    end: () => {
      kept = undefined
      channel?.postMessage({ ended: true })
      recheck()
    },
    recheck,
  }
}

/** By this browser's clock, maybe hours off: what seems over on arrival is used until it is refused. */
function goodUntil({ expiresAt }: Session, now: number, clockDifference: number): number {
  const livesMs = expiresAt - clockDifference - now
  return livesMs <= 0 ? Infinity : now + Math.max(livesMs - renewBeforeMs, livesMs / 2)
}

/** Keeps what the server says about how to sign in. */
function signedOut(fault: ProblemError): ProblemError {
  if (isInFront(fault) || (fault.status !== 401 && fault.status !== 403)) return fault
  const type = 'urn:sightline:problem:signed-out'
  return new ProblemError({ ...fault.problem, type, status: 401 }, { cause: fault })
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
