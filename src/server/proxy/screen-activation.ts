import { randomBytes } from 'node:crypto'
import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { Activation, NewScreen, Screen } from '../../protocol/screen.ts'
import type { Session } from '../../protocol/session.ts'
import type { Database } from '../store/database.ts'
import {
  addActivation,
  claimActivation,
  confirmActivation,
  countActivations,
  openCodes,
} from '../store/screen-activations.ts'
import { hashOf, isSameHash, makeCode, makeSecret, plainCode } from './screen-secrets.ts'
import { screenLifetimeMs, screenToken } from './screen-token.ts'

/** How a screen gets its credential: it shows a code, somebody confirms it, the screen claims. */
export interface ScreenActivation {
  /** A new code. Throws a ProblemError 429 where too many screens show one. */
  readonly start: () => Promise<Activation>
  /** Makes the screen of a code. Throws a ProblemError 404 where no screen shows it. */
  readonly confirm: (wanted: NewScreen, by: string) => Promise<Screen>
  /** The session of a confirmed code, once; else how long to wait. Throws a ProblemError 404. */
  readonly claim: (secret: string) => Promise<Session | Omit<Activation, 'code' | 'secret'>>
}

/** Codes live for 10 minutes and are used once; they and all secrets are kept as hashes. */
export function createScreenActivation(database: Database, clock: Clock): ScreenActivation {
  return {
    start: async () => {
      const now = clock.now()
      if ((await countActivations(database, now)) >= openAtMost) throw tooMany()
      const expiresAt = now + codeLifetimeMs
      const secret = makeSecret()
      for (;;) {
        const code = makeCode()
        const stored = { secretHash: hashOf(secret), codeHash: hashOf(plainCode(code)), expiresAt }
        if (await addActivation(database, stored)) return { code, secret, expiresAt, pollMs }
      }
    },
    confirm: async ({ code, name }, by) => {
      const createdAt = clock.now()
      const typed = hashOf(plainCode(code))
      const codes = await openCodes(database, createdAt)
      // All are compared, so that the time does not tell where it was found.
      let codeHash: string | undefined
      for (const other of codes) if (isSameHash(other, typed)) codeHash = other
      const id = randomBytes(8).toString('hex')
      const expiresAt = createdAt + screenLifetimeMs
      const screen = { id, name, by, createdAt, expiresAt }
      if (codeHash === undefined || !(await confirmActivation(database, codeHash, screen))) {
        throw unknownCode()
      }
      return { ...screen, lastSeenAt: null }
    },
    claim: async (secret) => {
      const credential = makeSecret()
      const answer = await claimActivation(database, hashOf(secret), {
        credentialHash: hashOf(credential),
        now: clock.now(),
      })
      switch (answer.kind) {
        case 'unknown':
          throw unknownActivation()
        case 'waiting':
          return { expiresAt: answer.expiresAt, pollMs }
        case 'confirmed':
          return {
            token: screenToken(answer.id, credential),
            expiresAt: answer.expiresAt,
            user: { name: answer.name, roles: ['screen'] },
          }
      }
    },
  }
}

const codeLifetimeMs = 10 * 60 * 1000
const pollMs = 3000
/** More screens than anybody sets up at once. */
const openAtMost = 200

function tooMany(): ProblemError {
  return new ProblemError(
    problem(
      429,
      'too-many-activations',
      'Too many screens wait',
      'Too many screens show a code that nobody has confirmed. Try again in some minutes.',
    ),
    { retryAfterMs: 60_000 },
  )
}

function unknownCode(): ProblemError {
  return new ProblemError(
    problem(
      404,
      'activation-unknown',
      'No such code',
      'No screen shows this code now. Codes are valid for 10 minutes and once: read it again from the screen.',
    ),
  )
}

function unknownActivation(): ProblemError {
  return new ProblemError(
    problem(
      404,
      'activation-unknown',
      'No such activation',
      'This code has expired or was used: ask for a new one.',
    ),
  )
}
