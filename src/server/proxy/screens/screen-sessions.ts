import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import type { Clock } from '../../../protocol/clock.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { problemError } from '../../../protocol/problem.ts'
import { hearsOthers, type Notices } from '../../live-log/live-log.ts'
import type { Database } from '../../store/database.ts'
import { type ScreenCredential, screenCredentials, touchScreen } from '../../store/screens.ts'
import type { VerifiedSession } from '../sessions.ts'

/** Recognises the screens. */
export interface ScreenSessions {
  /**
   * The session of a screen; undefined where the Authorization header is no screen's. Throws a
   * ProblemError 401 where the screen was revoked, has expired or never was.
   */
  readonly verify: (authorization: string | undefined) => Promise<VerifiedSession | undefined>
  /** A screen was revoked here: its session is over at once, at other proxies soon after. */
  readonly forget: (id: string) => void
}

/** What the database said of a screen, and when. */
interface Known {
  readonly credential: ScreenCredential
  readonly checkedAt: number
  /** Aborted when it is revoked or has expired. */
  readonly end: AbortController
}

/**
 * Screens are looked up in the database, and what it says is believed for a second: so long may one
 * go on that another proxy revoked, and shorter where that gives notice. While the database is away, what it said last counts. A screen
 * that is used is valid for another 90 days.
 */
export function createScreenSessions(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly log: Notices
}): ScreenSessions {
  const { database, clock, logger, log } = options
  const known = new Map<string, Known>()
  let isWatching = false
  let isAway = false

  const isStale = ({ checkedAt }: Known): boolean => clock.now() - checkedAt >= believedMs
  const look = async (ids: readonly string[]): Promise<void> => {
    const checkedAt = clock.now()
    const found = await screenCredentials(database, ids)
    const stays = new Set(found.map(({ id }) => id))
    for (const id of ids) if (!stays.has(id)) forget(id)
    for (const credential of found) {
      const end = known.get(credential.id)?.end ?? new AbortController()
      known.set(credential.id, { credential, checkedAt, end })
      if (checkedAt >= credential.expiresAt) forget(credential.id)
    }
  }
  const forget = (id: string): void => {
    known.get(id)?.end.abort()
    known.delete(id)
  }
  const lookAgain = async (ids: readonly string[]): Promise<void> => {
    try {
      await look(ids)
      isAway = false
    } catch {
      // Nobody can revoke a screen either while the database is away.
      if (!isAway) logger.warn('checking for revoked screens failed')
      isAway = true
    }
  }
  /** All at once: there may be hundreds with a stream open. */
  const refresh = async (): Promise<void> => {
    await lookAgain([...known].flatMap(([id, entry]) => (isStale(entry) ? [id] : [])))
    isWatching = false
    watch()
  }
  const watch = (): void => {
    if (isWatching || known.size === 0) return
    isWatching = true
    clock.after(hearsOthers(log) ? heardLookMs : believedMs, () => void refresh())
  }

  const touch = async ({ credential, ...rest }: Known): Promise<void> => {
    const now = clock.now()
    if (now - (credential.lastSeenAt ?? -Infinity) < touchMs) return
    const times = { lastSeenAt: now, expiresAt: now + screenLifetimeMs }
    known.set(credential.id, { credential: { ...credential, ...times }, ...rest })
    try {
      await touchScreen(database, credential.id, times)
    } catch {
      logger.warn('recording the use of a screen failed')
    }
  }

  for (const hear of [
    (look: () => void) => log.onNotice(revokedNotice, look),
    (look: () => void) => log.onReturn(look),
  ]) {
    hear(() => void lookAgain([...known.keys()]))
  }

  return {
    forget: (id) => {
      forget(id)
      log.notify(revokedNotice, null)
    },
    verify: async (authorization) => {
      const token = readScreenToken(authorization)
      if (token === undefined) return undefined
      const { id, secret } = token
      const before = known.get(id)
      if (before === undefined) await look([id])
      else if (isStale(before)) await lookAgain([id])
      const entry = known.get(id)
      const expected = entry?.credential.secretHash ?? ''
      if (!isSameHash(hashOf(secret), expected) || entry === undefined) throw revoked()
      await touch(entry)
      watch()
      return {
        id,
        user: { name: entry.credential.name, roles: ['screen'] },
        person: undefined,
        holder: `screen ${id}`,
        kind: 'screen',
        expiresAt: known.get(id)?.credential.expiresAt ?? 0,
        ended: entry.end.signal,
      }
    },
  }
}

const believedMs = 1000
/** So often the open streams are looked after while other proxies give notice. */
const heardLookMs = 5000
const revokedNotice = 'screens-revoked'
/** So often it is written down that a screen is used. */
const touchMs = 60_000

function revoked(): ProblemError {
  return problemError(
    401,
    'screen-revoked',
    'Unknown screen',
    "This screen was revoked or hasn't been used for a long time. Confirm a new code for it.",
  )
}

/** Without letters and digits that look alike: read from a wall, and typed by hand. */
const codeLetters = 'ABCDEFGHJKMNPQRTVWXY2346789'
const codeLength = 8

/** A code for people, such as `K7RM-4XTN`: one of 280 thousand million. */
export function makeCode(): string {
  const letters = Array.from(
    { length: codeLength },
    () => codeLetters[randomInt(codeLetters.length)],
  )
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}

/** What was typed, as `makeCode` writes it without its hyphen. */
export function plainCode(typed: string): string {
  return typed.toUpperCase().replace(/[^A-Z0-9]/g, '')
}

/** A secret for programs, of 256 random bits: letters, digits, `-` and `_`. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept in place of a secret; a random one needs no salt. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Whether two hashes are the same, in a time that does not tell how far they agree. */
export function isSameHash(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** How long a screen's credential is valid without being used, ms. */
export const screenLifetimeMs = 90 * 24 * 60 * 60 * 1000

/** The bearer token of a screen: its id, and a secret of `makeSecret`. */
export function screenToken(id: string, secret: string): string {
  return `screen_${id}_${secret}`
}

/** The parts of a screen's token in an Authorization header; undefined for every other header. */
function readScreenToken(
  authorization: string | undefined,
): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] =
    /^[Bb]earer screen_([0-9a-f]{16})_([\w-]{43})$/.exec(authorization ?? '') ?? []
  return id === undefined || secret === undefined ? undefined : { id, secret }
}
