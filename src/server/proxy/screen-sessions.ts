import type { Logger } from 'pino'
import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { Database } from '../store/database.ts'
import { type ScreenCredential, screenCredentials, touchScreen } from '../store/screens.ts'
import { hashOf, isSameHash } from './screen-secrets.ts'
import { readScreenToken, screenLifetimeMs } from './screen-token.ts'
import type { VerifiedSession } from './sessions.ts'

/** Recognises the screens. */
export interface ScreenSessions {
  /**
   * The session of a screen; undefined where the Authorization header is no screen's. Throws a
   * ProblemError 401 where the screen was revoked, has expired or never was.
   */
  readonly verify: (authorization: string | undefined) => Promise<VerifiedSession | undefined>
  /** A screen was revoked here: its session is over at once. */
  readonly forget: (id: string) => void
}

/** What the database said of a screen, and when. */
interface Known {
  readonly credential: ScreenCredential
  readonly checkedAt: number
}

/**
 * Screens are looked up in the database, and what it says is believed for 30 s: so long may a
 * revoked one go on, also where another proxy revoked it. A screen that is used is valid for another
 * 90 days.
 */
export function createScreenSessions(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}): ScreenSessions {
  const { database, clock, logger } = options
  const known = new Map<string, Known>()
  let refreshing = false

  const isStale = ({ checkedAt }: Known): boolean => clock.now() - checkedAt >= believedMs
  const look = async (ids: readonly string[]): Promise<void> => {
    const checkedAt = clock.now()
    const found = await screenCredentials(database, ids)
    for (const id of ids) known.delete(id)
    for (const credential of found) known.set(credential.id, { credential, checkedAt })
  }
  /** All at once: there may be hundreds with a stream open. */
  const refresh = async (): Promise<void> => {
    if (refreshing) return
    refreshing = true
    try {
      await look([...known].flatMap(([id, entry]) => (isStale(entry) ? [id] : [])))
    } catch {
      // Nobody can revoke a screen either while the database is away.
      logger.warn('whether screens were revoked could not be looked up')
    } finally {
      refreshing = false
    }
  }
  const isOver = (id: string): boolean => {
    const entry = known.get(id)
    if (entry === undefined) return true
    if (isStale(entry)) void refresh()
    return clock.now() >= entry.credential.expiresAt
  }

  const touch = async ({ credential, checkedAt }: Known): Promise<void> => {
    const now = clock.now()
    if (now - (credential.lastSeenAt ?? -Infinity) < touchMs) return
    const times = { lastSeenAt: now, expiresAt: now + screenLifetimeMs }
    known.set(credential.id, { credential: { ...credential, ...times }, checkedAt })
    try {
      await touchScreen(database, credential.id, times)
    } catch {
      logger.warn('the use of a screen could not be noted')
    }
  }

  return {
    forget: (id) => {
      known.delete(id)
    },
    verify: async (authorization) => {
      const token = readScreenToken(authorization)
      if (token === undefined) return undefined
      const { id, secret } = token
      const before = known.get(id)
      if (before === undefined || isStale(before)) await look([id])
      const entry = known.get(id)
      const expected = entry?.credential.secretHash ?? ''
      if (!isSameHash(hashOf(secret), expected) || isOver(id) || entry === undefined)
        throw revoked()
      await touch(entry)
      return {
        id,
        user: { name: entry.credential.name, roles: ['screen'] },
        expiresAt: known.get(id)?.credential.expiresAt ?? 0,
        isOver: () => isOver(id),
      }
    },
  }
}

const believedMs = 30_000
const touchMs = 10 * 60 * 1000

function revoked(): ProblemError {
  return new ProblemError(
    problem(
      401,
      'screen-revoked',
      'This screen is not known',
      'This screen was revoked or not used for a long time: confirm a new code for it.',
    ),
  )
}
