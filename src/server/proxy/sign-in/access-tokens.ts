import { utcText } from '../../../policy/scan-report.ts'
import { createHash, timingSafeEqual } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { AccessTokenList } from '../../../protocol/access-token.ts'
import { type Clock, dayMs } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { TokenSignIn } from '../../../protocol/sign-in.ts'
import type { Database } from '../../store/database.ts'
import { noteTokenUse, tokenUses } from '../../store/sessions.ts'
import {
  type Identity,
  personKey,
  type SignIn,
  type User,
  type VerifiedSession,
} from '../sessions.ts'
import type { ConfiguredUser } from './sign-in-schema.ts'

/** The access tokens of the configuration file's users. */
export interface AccessTokens {
  /** The session of a header `Bearer slt_…`; undefined for every other header. Throws a ProblemError 401. */
  readonly verify: NonNullable<SignIn['verify']>
  /** People type a token to sign in. */
  readonly signIn: SignIn
  /** Every token without what would open anything, in the order of the file. */
  readonly list: () => Promise<AccessTokenList['tokens']>
}

/** A token and whose it is. */
interface KnownToken {
  readonly sha256: Buffer
  /** The hash in hex. */
  readonly hash: string
  readonly prefix: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly user: User
}

/**
 * Recognizes tokens by their hash, compared in constant time, until they expire. The users are those
 * of the start: a token that is removed from the file ends with the next start.
 */
export function createAccessTokens(options: {
  readonly users: readonly ConfiguredUser[]
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}): AccessTokens {
  const { users, database, clock, logger } = options
  const known = users.flatMap(knownTokens)
  /** When the use of each was last written down, epoch ms. */
  const noted = new Map<string, number>()

  function note({ hash }: KnownToken): void {
    const now = clock.now()
    if (now - (noted.get(hash) ?? -Infinity) < noteMs) return
    noted.set(hash, now)
    noteTokenUse(database, hash, now).catch((error: unknown) => {
      noted.delete(hash)
      logger.warn({ reason: reasonOf(error) }, 'recording the use of an access token failed')
    })
  }

  const ends = new Map<string, AbortSignal>()
  /** Aborts when the token expires. */
  function endOf({ hash, expiresAt }: KnownToken): AbortSignal {
    const known = ends.get(hash)
    if (known !== undefined) return known
    const end = new AbortController()
    setMaxListeners(0, end.signal)
    const watch = (): void => {
      const left = expiresAt - clock.now()
      // Timers can't wait for more than 24 days.
      if (left > 0) clock.after(Math.min(left, dayMs), watch)
      else end.abort()
    }
    watch()
    ends.set(hash, end.signal)
    return end.signal
  }

  function sessionOf(token: KnownToken): VerifiedSession {
    const { hash, expiresAt, user } = token
    const person = personKey('tokens', { user, subject: hash })
    const id = `token-${hash.slice(0, 16)}`
    return { id, user, person, holder: person, kind: 'token', expiresAt, ended: endOf(token) }
  }

  /** Throws a ProblemError 401 that says what is wrong with the token. */
  function recognized(token: string): KnownToken {
    const found = find(known, createHash('sha256').update(token).digest())
    if (found === undefined) throw unknownToken()
    if (clock.now() >= found.expiresAt) throw expiredToken(found)
    note(found)
    return found
  }

  return {
    verify: (authorization) => {
      const token = /^Bearer +(slt_[\w-]{1,200})$/i.exec(authorization ?? '')?.[1]
      return Promise.resolve(token === undefined ? undefined : sessionOf(recognized(token)))
    },
    signIn: {
      mode: 'tokens',
      signIn: ({ body }) => Promise.resolve(identityOf(recognized(tokenIn(body)))),
      renew: (before) => {
        const token = known.find(({ hash }) => hash === before.subject)
        if (token === undefined) throw unknownToken()
        if (clock.now() >= token.expiresAt) throw expiredToken(token)
        return Promise.resolve(identityOf(token))
      },
    },
    list: async () => {
      const uses = await tokenUses(database)
      return known.map(({ hash, prefix, createdAt, expiresAt, user: { name, roles } }) => ({
        ...{ name, roles, prefix, createdAt, expiresAt },
        lastUsedAt: uses.get(hash) ?? null,
      }))
    },
  }
}

/** So often the use of a token is written down, however often it is used. */
const noteMs = 60_000

function knownTokens({ tokens, ...user }: ConfiguredUser): KnownToken[] {
  return tokens.map(({ sha256, prefix, created, expires }) => ({
    sha256: Buffer.from(sha256, 'hex'),
    hash: sha256,
    prefix,
    createdAt: created,
    expiresAt: expires,
    user,
  }))
}

/** All are compared, so that the time does not tell where one was found. */
function find(known: readonly KnownToken[], hash: Buffer): KnownToken | undefined {
  let found: KnownToken | undefined
  for (const token of known) if (timingSafeEqual(token.sha256, hash)) found = token
  return found
}

function identityOf({ hash, prefix, expiresAt, user }: KnownToken): Identity {
  return {
    user,
    kind: 'person',
    subject: hash,
    claims: {
      name: user.name,
      token: `${prefix}…`,
      expires: new Date(expiresAt).toISOString().slice(0, 10),
    },
    rule: `users: ${user.name}`,
    notAfter: expiresAt,
  }
}

const Body = z.preprocess((body) => {
  try {
    return JSON.parse(String(body)) as unknown
  } catch {
    return undefined
  }
}, TokenSignIn)

/** Throws a ProblemError 401 where there is no token in the body. */
function tokenIn(body: Uint8Array): string {
  const read = Body.safeParse(new TextDecoder().decode(body))
  if (read.success) return read.data.token.trim()
  throw problemError(401, 'signed-out', 'Signed out', 'Sign in with an access token.', {
    mode: 'tokens',
  })
}

function unknownToken(): ProblemError {
  return problemError(
    401,
    'unknown-token',
    'Access token not accepted',
    "This access token isn't one of the configured ones. Check that it was copied completely, or ask your administrator for a new one.",
    { mode: 'tokens' },
  )
}

function expiredToken({ prefix, expiresAt }: KnownToken): ProblemError {
  return problemError(
    401,
    'expired-token',
    'Access token expired',
    `The access token ${prefix}… expired on ${utcText(expiresAt)}. Ask your administrator for a new one.`,
    { mode: 'tokens', expiredAt: expiresAt },
  )
}
