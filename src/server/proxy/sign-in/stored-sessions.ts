import { createHash, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { z } from 'zod'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import { SessionUser } from '../../../protocol/session.ts'
import type { Notices } from '../../live-log/live-log.ts'
import { type Database, databaseProblem } from '../../store/database.ts'
import {
  addSession,
  confirmGeneration,
  endSessions,
  findSession,
  leaseRenewal,
  storeRenewal,
  type StoredSession,
  sweepSessions,
  type WhichSessions,
} from '../../store/sessions.ts'
import type { Audit } from '../history/audit.ts'
import {
  type Identity,
  type OpenedSession,
  personKey,
  type Sessions,
  type SignIn,
  type SignInRequest,
} from '../sessions.ts'
import { createRateLimit } from '../protect.ts'
import { createBearerTokens, noSession } from './bearer-tokens.ts'
import {
  cookieIn,
  createSessionSecrets,
  randomKey,
  type SessionCookie,
  sessionCookie,
  setCookie,
} from './session-cookie.ts'
import { createSessionEnds } from './session-ends.ts'

/** Sessions with a row in the database. */
export interface StoredSessions extends Sessions {
  /**
   * Begins a session of somebody who was found out elsewhere, as by a redirect; the one of the
   * request's cookie ends. Throws a ProblemError 429 past 120 a minute of one person.
   */
  readonly begin: (
    identity: Identity,
    request: Pick<SignInRequest, 'headers' | 'from'>,
  ) => Promise<OpenedSession>
  /** Whether the cookie of a request is one of a session that goes on. */
  readonly isOpen: (headers: Headers) => Promise<boolean>
  /** Ends sessions, here at once and at every other proxy within a second. */
  readonly endAll: (which: WhichSessions, why: string) => Promise<void>
  /** Ends the watch for sessions that end elsewhere. */
  readonly close: () => void
}

export interface StoredSessionsOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** Built once the sessions are there: a mode may begin and end some by itself. */
  readonly signIn: SignIn
  readonly secret: string
  /** How long a session lives, however often it is renewed, ms. */
  readonly lifetimeMs: number
  readonly audit: Audit
  readonly log: Notices
}

/** How long a token is good: so long may somebody go on whose roles have changed. */
const tokenMs = 10 * 60_000
/** A session that is not renewed for so long has ended: no page of it is open any more. */
const idleMs = 4 * 60 * 60_000
/** The cookie before the present one is answered like it for so long: tabs renew at once. */
const graceMs = 10_000
/** How long one proxy may take to renew before another one tries. */
const leaseMs = 20_000
const lookAgainMs = 100
/** A person's new sessions in a minute: more than all screens that stand under one name. */
const mostSignIns = 120
const sweepMs = 10 * 60_000
/** What has ended is remembered for longer than any token of it is good. */
const rememberMs = 60 * 60_000

/**
 * Sessions that outlive a restart and are shared by all proxies on one database
 * (docs/design.md#sessions): the browser holds one cookie that changes with each renewal, and a
 * token for ten minutes. A cookie that was replaced and is shown again, when the browser is known
 * to have its successor, was stolen: the session ends.
 */
export function createStoredSessions(options: StoredSessionsOptions): StoredSessions {
  const { database, clock, logger, signIn } = options
  const tokens = createBearerTokens(options)
  const secrets = createSessionSecrets(options.secret)
  const ends = createSessionEnds({ ...options, rememberMs: tokenMs })
  const renewals = new Map<string, Promise<OpenedSession | undefined>>()
  /** Generations whose token was seen here, so that each is written down once. */
  const seen = new Map<string, number>()
  const signIns = createRateLimit(clock, mostSignIns)
  let sweptAt = clock.now()

  const record = (
    action: 'signed-in' | 'signed-out' | 'session-ended',
    { user, kind }: Identity,
    sessionId: string,
    from: string | null,
    detail: string,
  ): void => {
    const actor = { kind, name: user.name, sessionId }
    options.audit.record({ actor, from, action, subject: user.name, detail })
  }

  const isOver = ({ endedAt, expiresAt, renewedAt, mode }: StoredSession): boolean =>
    endedAt !== null ||
    clock.now() >= Math.min(expiresAt, renewedAt + idleMs) ||
    mode !== signIn.mode

  const identityOf = ({ id, identity, sealed }: StoredSession): Identity => {
    const text = sealed === null ? undefined : secrets.open(sealed, id)
    const { notAfter, ...rest } = StoredIdentity.parse(JSON.parse(identity))
    return {
      ...rest,
      ...(notAfter === undefined ? {} : { notAfter }),
      ...(text === undefined ? {} : { sealed: text }),
    }
  }

  /** What of an identity stands in its row. */
  const columnsOf = (id: string, { sealed, providerSession, ...shown }: Identity) => ({
    identity: JSON.stringify(shown),
    sealed: sealed === undefined ? null : secrets.seal(sealed, id),
    providerSession: providerSession ?? null,
  })

  const opened = async (row: StoredSession, key: string): Promise<OpenedSession> => {
    const identity = identityOf(row)
    const { user, kind } = identity
    const now = clock.now()
    const expiresAt = Math.floor(Math.min(now + tokenMs, row.expiresAt) / 1000) * 1000
    const { id: sid, generation, expiresAt: until } = row
    const person = personKey(signIn.mode, identity)
    const token = await tokens.sign({ user, kind, person, sid, generation, until }, expiresAt)
    const value = secrets.write({ key, generation })
    return {
      session: { token, expiresAt, user, person, mode: signIn.mode },
      cookie: setCookie(sessionCookie, value, (until - now) / 1000),
    }
  }

  const begin: StoredSessions['begin'] = async (identity, { headers, from }) => {
    signIns.take(personKey(signIn.mode, identity))
    const cookie = secrets.read(cookieIn(headers, sessionCookie))
    const before = cookie && (await findSession(database, { keyHash: hashOf(cookie.key) }))
    if (before?.endedAt === null) {
      await endAll({ id: before.id })
      const why = `${identity.user.name} signed in in the same browser.`
      if (!isOver(before)) record('session-ended', identityOf(before), before.id, from, why)
    }
    const now = clock.now()
    const key = randomKey()
    const id = randomBytes(16).toString('hex')
    const row: StoredSession = {
      id,
      keyHash: hashOf(key),
      mode: signIn.mode,
      subject: identity.subject,
      ...columnsOf(id, identity),
      generation: 0,
      confirmed: 0,
      createdAt: now,
      renewedAt: now,
      expiresAt: Math.min(now + options.lifetimeMs, identity.notAfter ?? Infinity),
      endedAt: null,
    }
    await sweep()
    await addSession(database, row)
    const { name, roles } = identity.user
    // Two people may have one name at a provider.
    const as = signIn.mode === 'oidc' ? `, ${identity.subject}` : ''
    const detail = `${name} signed in as ${roles.join(', ')}${identity.rule && ` (${identity.rule})`}${as}.`
    record('signed-in', identity, id, from, detail)
    return opened(row, key)
  }

  const sweep = async (): Promise<void> => {
    if (clock.now() - sweptAt < sweepMs) return
    sweptAt = clock.now()
    seen.clear()
    await sweepSessions(database, clock.now() - rememberMs)
  }

  const endAll = async (which: WhichSessions): Promise<readonly StoredSession[]> => {
    const rows = await endSessions(database, which, clock.now())
    ends.announce(rows.map(({ id }) => id))
    return rows
  }

  /** The session of a cookie, unless it has ended; a stolen cookie ends it. */
  const sessionOf = async (
    cookie: SessionCookie,
    from: string | null,
  ): Promise<StoredSession | undefined> => {
    const row = await findSession(database, { keyHash: hashOf(cookie.key) })
    if (row === undefined || isOver(row) || cookie.generation > row.generation) return undefined
    if (cookie.generation === row.generation) return row
    const isFresh = clock.now() - row.renewedAt < graceMs || row.confirmed < row.generation
    if (cookie.generation === row.generation - 1 && isFresh) return row
    await endAll({ id: row.id })
    const detail = 'The session ended: its cookie was used again after it was replaced.'
    record('session-ended', identityOf(row), row.id, from, detail)
    const why =
      'Your session was ended because its cookie was used twice, possibly by someone else. Sign in again.'
    throw problemError(401, 'signed-out', 'Signed out', why, {
      mode: signIn.mode,
      failure: { detail: why },
    })
  }

  /** Who it is now, by the mode; whoever may not go on is signed out. */
  const renewedIdentity = async (row: StoredSession, request: SignInRequest): Promise<Identity> => {
    const before = identityOf(row)
    try {
      return (await signIn.renew?.(before, request)) ?? before
    } catch (error) {
      if (error instanceof ProblemError && (error.status === 401 || error.status === 403)) {
        await endAll({ id: row.id })
        record('session-ended', before, row.id, request.from, error.message)
        throw error
      }
      logger.warn({ reason: reasonOf(error) }, 'renewing a sign-in failed; the session goes on')
      return before
    }
  }

  /** One flight for each session, over all proxies; the others wait for its end. */
  const renew = async (
    row: StoredSession,
    key: string,
    request: SignInRequest,
  ): Promise<OpenedSession | undefined> => {
    const givesUpAt = clock.now() + leaseMs + lookAgainMs
    for (;;) {
      const now = clock.now()
      if (await leaseRenewal(database, row, { now, until: now + leaseMs })) break
      const other = await findSession(database, { id: row.id })
      if (other === undefined || isOver(other)) return undefined
      if (other.generation > row.generation) return opened(other, key)
      if (now >= givesUpAt) throw unavailable()
      await wait(clock, lookAgainMs)
    }
    const identity = await renewedIdentity(row, request)
    if (identity.subject !== row.subject) {
      return begin(identity, request)
    }
    const after: StoredSession = {
      ...row,
      ...columnsOf(row.id, identity),
      generation: row.generation + 1,
      renewedAt: clock.now(),
      expiresAt: Math.min(row.createdAt + options.lifetimeMs, identity.notAfter ?? Infinity),
    }
    // What the provider gave must not be lost: it may be the only refresh token that is still good.
    if (await persistently(() => storeRenewal(database, row, after))) return opened(after, key)
    const other = await findSession(database, { id: row.id })
    return other === undefined || isOver(other) ? undefined : opened(other, key)
  }

  const persistently = async <T>(write: () => Promise<T>): Promise<T> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await write()
      } catch (error) {
        if (attempts === 5) throw error
        await wait(clock, attempts * 200)
      }
    }
  }

  const reopened = async (
    cookie: SessionCookie,
    request: SignInRequest,
  ): Promise<OpenedSession | undefined> => {
    const row = await sessionOf(cookie, request.from)
    if (row === undefined) return undefined
    const before = identityOf(row)
    if (signIn.isStill?.(before, request) === false) {
      await endAll({ id: row.id })
      const why = `The reverse proxy no longer names ${before.user.name}.`
      record('session-ended', before, row.id, request.from, why)
      return undefined
    }
    if (cookie.generation < row.generation || clock.now() - row.renewedAt < graceMs)
      return opened(row, cookie.key)
    const flight =
      renewals.get(row.id) ??
      renew(row, cookie.key, request).finally(() => {
        renewals.delete(row.id)
      })
    renewals.set(row.id, flight)
    return flight
  }

  const open = async (request: SignInRequest): Promise<OpenedSession> => {
    const cookie = secrets.read(cookieIn(request.headers, sessionCookie))
    if (cookie !== undefined && request.body.length === 0) {
      const renewed = await reopened(cookie, request)
      if (renewed !== undefined) return renewed
    }
    const identity = await signIn.signIn(request)
    return begin(identity, request)
  }

  return {
    open: (request) => inWords(open(request)),
    begin: (identity, request) => inWords(begin(identity, request)),
    isOpen: async (headers) => {
      const cookie = secrets.read(cookieIn(headers, sessionCookie))
      const row = cookie && (await findSession(database, { keyHash: hashOf(cookie.key) }))
      return row !== undefined && !isOver(row)
    },
    endAll: async (which, why) => {
      const rows = await endAll(which)
      for (const row of rows) record('session-ended', identityOf(row), row.id, null, why)
    },
    verify: async (authorization) => {
      const claims = await tokens.verify(authorization)
      const { sid, generation = 0, until = 0, user, person, kind, exp } = claims
      const ended = sid === undefined ? undefined : await ends.signalOf(sid, until, exp * 1000)
      if (sid === undefined || ended === undefined) throw noSession('The session has ended')
      if (generation > (seen.get(sid) ?? 0)) {
        seen.set(sid, generation)
        // Until it is written, the cookie before this one is good for longer: no harm is done.
        confirmGeneration(database, sid, generation).catch(() => seen.delete(sid))
      }
      const holder = person ?? `session ${sid}`
      return { id: sid, user, person, holder, kind, expiresAt: exp * 1000, ended }
    },
    report: async ({ id, kind, user, expiresAt }) => {
      if (kind !== 'person') {
        const of = { claims: {}, rule: '', signedInAt: null, endsAt: expiresAt }
        return { user, mode: signIn.mode, ...of }
      }
      const row = await inWords(findSession(database, { id }))
      if (row === undefined) throw noSession('The session has ended')
      const { claims, rule } = identityOf(row)
      const { mode } = signIn
      const { createdAt: signedInAt, expiresAt: endsAt } = row
      const canSignOut = mode !== 'header' || signIn.signOut !== undefined
      return { user, mode, claims, rule, signedInAt, endsAt, canSignOut }
    },
    end: (request, all) => inWords(end(request, all)),
    close: () => {
      ends.close()
    },
  }

  async function end(request: SignInRequest, all: boolean): Promise<{ endSessionUrl?: string }> {
    const cookie = secrets.read(cookieIn(request.headers, sessionCookie))
    const bearer = await tokens
      .verify(request.headers.get('authorization') ?? undefined)
      .catch(() => undefined)
    const row =
      cookie === undefined
        ? bearer?.sid && (await findSession(database, { id: bearer.sid }))
        : await sessionOf(cookie, request.from)
    if (!row || isOver(row)) return {}
    const before = identityOf(row)
    const { mode, subject } = row
    await endAll(all ? { mode, subject } : { id: row.id })
    const detail = `${before.user.name} signed out${all ? ' everywhere' : ''}.`
    record('signed-out', before, row.id, request.from, detail)
    const endSessionUrl = await signIn.signOut?.(before).catch(() => {
      // The session has ended here, whatever else there is to end.
      logger.warn('the identity provider could not be asked where to end its own session')
      return undefined
    })
    return endSessionUrl === undefined ? {} : { endSessionUrl }
  }

  /** A database that is away is told in words; a fault of the request stays what it is. */
  async function inWords<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof ProblemError) throw error
      const reason = reasonOf(error)
      logger.error({ reason }, 'sessions cannot be read or written')
      throw unavailable(databaseProblem(error)?.message)
    }
  }
}

/** `why`: what is known of the state of the database. */
function unavailable(
  why = "Sightline can't reach its database. Try again in a few seconds.",
): ProblemError {
  return new ProblemError(
    problem(
      503,
      'sessions-unavailable',
      'Sessions unavailable',
      `Sessions can't be started or renewed right now. ${why}`,
    ),
    { retryAfterMs: 5000 },
  )
}

const StoredIdentity = z.object({
  user: SessionUser,
  kind: z.enum(['person', 'token']),
  subject: z.string(),
  claims: z.record(z.string(), z.unknown()),
  rule: z.string(),
  notAfter: z.number().optional(),
})

/** What is kept in place of a random key; it needs no salt. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
