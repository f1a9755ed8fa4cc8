import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { setMaxListeners } from 'node:events'
import type { ActorKind } from '../../protocol/audit-log.ts'
import type { Clock } from '../../protocol/clock.ts'
import type { Session, SessionUser } from '../../protocol/session.ts'
import type { SessionReport, SignOutAnswer } from '../../protocol/sign-in.ts'
import { createBearerTokens } from './sign-in/bearer-tokens.ts'

/** A session whose token was checked. */
export interface VerifiedSession {
  readonly id: string
  readonly user: User
  /**
   * What names the same person in every session of theirs; undefined in a session of an earlier
   * release, until it is renewed.
   */
  readonly person: string | undefined
  /**
   * Whom its use counts for where there are limits: a person with all their sessions, or a screen.
   * Without sign-in each session counts for itself, as all have one name.
   */
  readonly holder: string
  /** What kind of actor it is, for the audit log. */
  readonly kind: ActorKind
  /** When the token ends that was sent along, epoch ms; the session itself may be renewed. */
  readonly expiresAt: number
  /**
   * Aborts when the session ends: signed out, revoked or over, here or at another proxy; and when an
   * access token expires, or a page's token has for two minutes and the session wasn't renewed.
   */
  readonly ended: AbortSignal
}

/** Gives out sessions, recognises them and ends them. */
export interface Sessions {
  /**
   * `POST /session`: renews the session of the cookie, or begins one for whoever can be signed in.
   * Throws a ProblemError: 401 or 403 that says what to do, 503 where it cannot be known now.
   */
  readonly open: (request: SignInRequest) => Promise<OpenedSession>
  /**
   * The session of an Authorization header. Throws a ProblemError 401 with a plain sentence when
   * the header is missing, is no bearer token, or the token is forged, expired, or of a session
   * that has ended.
   */
  readonly verify: (authorization: string | undefined) => Promise<VerifiedSession>
  /** `GET /session`: what is known of the one whose session it is. */
  readonly report: (session: VerifiedSession) => Promise<SessionReport>
  /**
   * `DELETE /session`: ends the session of the request's cookie or token, or all of the same person.
   * Does nothing where there is none.
   */
  readonly end: (request: SignInRequest, all: boolean) => Promise<SignOutAnswer>
}

/** A session that was begun or renewed. */
export interface OpenedSession {
  readonly session: Session
  /** The Set-Cookie header that goes with it, if any. */
  readonly cookie?: string
}

const statelessMs = 12 * 60 * 60 * 1000

/**
 * Sessions of which nothing is stored, for `none`: a token for twelve hours. Each has a new id,
 * whatever was sent along with the request for it, and only the clock ends it.
 */
export function createStatelessSessions(options: {
  readonly signIn: SignIn
  readonly secret: string
  readonly clock: Clock
}): Sessions {
  const { signIn, clock } = options
  const { mode } = signIn
  const tokens = createBearerTokens(options)
  return {
    open: async (request) => {
      const identity = await signIn.signIn(request)
      const { user, kind } = identity
      const expiresAt = Math.floor((clock.now() + statelessMs) / 1000) * 1000
      const token = await tokens.sign({ user, kind, person: personKey(mode, identity) }, expiresAt)
      return { session: { token, expiresAt, user, mode } }
    },
    verify: async (authorization) => {
      const { jti: id, user, kind, person, exp } = await tokens.verify(authorization)
      return { id, user, kind, person, holder: id, expiresAt: exp * 1000, ended: never }
    },
    report: ({ user }) =>
      Promise.resolve({ user, mode, claims: {}, rule: '', signedInAt: null, endsAt: null }),
    end: () => Promise.resolve({}),
  }
}

/** Of sessions that nobody can end. */
const never = new AbortController().signal
setMaxListeners(0, never)

/** Who somebody is and what they may do. */
export type User = Readonly<SessionUser>

/** What somebody shows to get a session. */
export interface SignInRequest {
  readonly headers: Headers
  /** The same as Node has them: names and values in turn, those sent twice apart; empty without a socket. */
  readonly rawHeaders: readonly string[]
  /** Whole, and at most as long as any request body may be; empty where there is none. */
  readonly body: Uint8Array
  /** The address that the connection came from; undefined without a socket. */
  readonly address: string | undefined
  /** The address of the browser as far as proxies that are trusted tell it, for the audit log. */
  readonly from: string | null
}

/** Who somebody was found to be, and by what. */
export interface Identity {
  readonly user: User
  readonly kind: 'person' | 'token'
  /** What names the same person or token at the next renewal. */
  readonly subject: string
  /** What was received about them, to be shown to themselves: never a secret. */
  readonly claims: Readonly<Record<string, unknown>>
  /** Which rule of the configuration gave the roles, in words; empty where there is none. */
  readonly rule: string
  /** The session ends then at the latest, epoch ms. */
  readonly notAfter?: number
  /** What the mode needs for the next renewal, such as a refresh token; it is stored sealed. */
  readonly sealed?: string
  /** The identity provider's own name of the session, by which it may end it. */
  readonly providerSession?: string
}

/**
 * A way of finding out who asks for a session. Whoever cannot be signed in gets a ProblemError 401
 * `signed-out` or 403 that says what to do next; any other error means that it cannot be known now.
 */
export interface SignIn {
  readonly mode: 'none' | 'tokens' | 'header' | 'oidc'
  /** Who asks for a session: `POST /session` by somebody who has none. */
  readonly signIn: (request: SignInRequest) => Promise<Identity>
  /**
   * Who they are now: `POST /session` by somebody who has one. A ProblemError 401 or 403 ends the
   * session; after any other error it goes on as it was. Another `subject` begins a new session.
   */
  readonly renew?: (before: Identity, request: SignInRequest) => Promise<Identity>
  /**
   * Whether a request is of the same person still, for modes in which each request says whose it is:
   * looked at before anything is answered. False ends the session, and a new one is begun.
   */
  readonly isStill?: (before: Identity, request: SignInRequest) => boolean
  /** Whether a request with a page's token names somebody else than the user of its session: it is refused. */
  readonly isOthers?: (user: User, request: Pick<SignInRequest, 'rawHeaders'>) => boolean
  /** Somebody signs out: where the browser goes to sign out there as well, if anywhere. */
  readonly signOut?: (before: Identity) => Promise<string | undefined>
  /**
   * The session of an Authorization header that holds a credential of this mode's own, such as an
   * access token; undefined for every other header. Throws a ProblemError 401 or 403.
   */
  readonly verify?: (
    authorization: string | undefined,
    address: string | undefined,
  ) => Promise<VerifiedSession | undefined>
}

/**
 * Everybody who reaches the proxy is the one local user with every role: for a loopback address
 * only, which the configuration sees to.
 */
export const signInAsLocalUser: SignIn = {
  mode: 'none',
  signIn: () =>
    Promise.resolve(personOf({ name: 'local user', roles: ['viewer', 'releaser', 'admin'] })),
}

/**
 * What names the person of an identity in every session of theirs: at an identity provider two may
 * have one name, and elsewhere a person's tokens come and go.
 */
export function personKey(
  mode: SignIn['mode'],
  { user, subject }: Pick<Identity, 'user' | 'subject'>,
): string {
  return mode === 'oidc' ? `subject ${subject}` : `name ${user.name}`
}

/** A person of whom nothing but the name and the roles is known. */
export function personOf(user: User): Identity {
  return { user, kind: 'person', subject: user.name, claims: {}, rule: '' }
}

/**
 * The response that a reader's stream is written to: Node's own, or in the static demo what stands
 * before the body of a service worker's response.
 */
export interface Outgoing {
  readonly destroyed: boolean
  readonly writableEnded: boolean
  /** What was written but has not left, in bytes. */
  readonly writableLength: number
  readonly headersSent: boolean
  readonly statusCode: number
  readonly setHeader: (name: string, value: string) => unknown
  readonly writeHead: (status: number, headers: Record<string, string | number>) => unknown
  /** False where the reader has to take something before more is written: `drain` follows. */
  readonly write: (bytes: Uint8Array, onSent?: () => void) => boolean
  readonly end: (bytes?: Uint8Array | string) => unknown
  readonly destroy: () => unknown
  readonly on: (event: 'drain' | 'error', listener: () => void) => unknown
  readonly once: (event: 'close', listener: () => void) => unknown
}

/** What the handlers of the proxy share about one request (Hono's `Env`). */
export interface ProxyEnv {
  /** Node's own request and response; absent where the app is called without a socket. */
  Bindings: { readonly incoming?: HttpBindings['incoming']; readonly outgoing?: Outgoing }
  Variables: {
    /** The pattern of the address, for logs and metrics: never what was typed. */
    route: string
    /** The network address that it comes from (trusted-proxies.ts); null where that is unknown. */
    from: string | null
    /** Masks the configured credentials in a text. */
    redact: (text: string) => string
    /** Whose request it is; set by `protect` before any handler that needs it. */
    session: VerifiedSession
  }
}

/** Answers the requests of a route; throws a ProblemError. */
export type RouteHandler = (c: Context<ProxyEnv>) => Promise<Response>
