import { type Context, Hono } from 'hono'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import {
  type Activation,
  ActivationClaim,
  NewScreen,
  type Screen,
} from '../../../protocol/screen.ts'
import type { Session } from '../../../protocol/session.ts'
import type { Notices } from '../../live-log/live-log.ts'
import type { ActionOrigin } from '../../store/actions.ts'
import type { Database } from '../../store/database.ts'
import {
  addActivation,
  claimActivation,
  confirmActivation,
  countActivations,
  dropActivation,
  listScreens,
  openCodes,
  revokeScreen,
} from '../../store/screens.ts'
import type { Changes } from '../changes/changes.ts'
import { originOf } from '../history/audit.ts'
import {
  databaseAway,
  methodNotAllowed,
  nothingHere,
  problemResponse,
} from '../problem-response.ts'
import { createRateLimit } from '../protect.ts'
import { jsonIn, readRequestBody } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'
import {
  createScreenSessions,
  hashOf,
  isSameHash,
  makeCode,
  makeSecret,
  plainCode,
  screenLifetimeMs,
  type ScreenSessions,
  screenToken,
} from './screen-sessions.ts'

/** Screens with a credential of their own. */
export interface Screens {
  readonly sessions: ScreenSessions
  /** Below `/session/activation`: for those who have no session. */
  readonly activation: Hono<ProxyEnv>
  /** Below `/screens`: for those who may manage screens. */
  readonly keeping: Hono<ProxyEnv>
}

/** Puts together what screens need of the proxy; all of it lies in the database, for every proxy. */
export function createScreens(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly log: Notices
  readonly changes: Pick<Changes, 'publish'>
}): Screens {
  const { database, clock, logger, changes } = options
  const desk = createScreenActivation(database, clock)
  const sessions = createScreenSessions(options)
  const starts = createRateLimit(clock, 20)
  const claims = createRateLimit(clock, 3000)
  const confirmations = createRateLimit(clock, 10)

  const activation = new Hono<ProxyEnv>()
  activation.post('/', async (c) => {
    const from = c.get('from') ?? ''
    starts.take(from)
    return c.json(await desk.start(from))
  })
  activation.all('/', () => methodNotAllowed('POST'))
  activation.post('/claim', async (c) => {
    claims.take(c.get('from') ?? '')
    const { secret, again } = await bodyOf(c, ActivationClaim, 'secret')
    const answer = await desk.claim(secret, again)
    return 'token' in answer ? c.json(answer) : c.json({ waiting: true, ...answer }, 202)
  })
  activation.all('/claim', () => methodNotAllowed('POST'))
  activation.all('*', nothingHere)

  const keeping = new Hono<ProxyEnv>()
  keeping.get('/', async (c) => {
    const [screens, ended] = await Promise.all([
      listScreens(database, clock.now()),
      listScreens(database, clock.now(), 'ended'),
    ])
    return c.json({ screens, ended })
  })
  keeping.post('/', async (c) => {
    const origin = originOf(c)
    const wanted = await bodyOf(c, NewScreen, 'code and name')
    confirmations.take(origin.actor.name)
    try {
      return c.json(await desk.confirm(wanted, origin), 201)
    } finally {
      // Where the response of the database was lost, the list says whether it was confirmed.
      changes.publish('settings', screensKey)
    }
  })
  keeping.all('/', () => methodNotAllowed('GET'))
  keeping.delete('/:id', async (c) => {
    const id = c.req.param('id')
    const isRevoked = await revokeScreen(database, id, { ...originOf(c), now: clock.now() })
    sessions.forget(id)
    changes.publish('settings', screensKey)
    return isRevoked ? c.body(null, 204) : nothingHere()
  })
  keeping.all('/:id', () => methodNotAllowed('DELETE'))
  keeping.all('*', nothingHere)
  for (const routes of [activation, keeping]) {
    routes.onError((error) => {
      if (error instanceof ProblemError) return problemResponse(error)
      logger.warn({ reason: reasonOf(error) }, 'reading or writing screens failed')
      return problemResponse(databaseAway(error))
    })
  }
  return { sessions, activation, keeping }
}

/** Under which the list of screens changes. */
const screensKey = 'screens'

/** Throws a ProblemError 400 that names what the body should have had. */
async function bodyOf<Schema extends z.core.$ZodType>(
  c: Context<ProxyEnv>,
  schema: Schema,
  wanted: string,
): Promise<z.infer<Schema>> {
  const body = await readRequestBody(c.req.raw)
  const decoded = z.safeParse(schema, jsonIn(body))
  if (decoded.success) return decoded.data
  throw problemError(
    400,
    'bad-body',
    'Bad request',
    `Send a JSON object with ${wanted} as non-empty text.`,
  )
}

/** How a screen gets its credential: it shows a code, somebody confirms it, the screen claims. */
export interface ScreenActivation {
  /**
   * A new code for an address. Where too many screens show one, the oldest goes of the address that
   * has most of them; throws a ProblemError 429 where none of them was requested here.
   */
  readonly start: (from: string) => Promise<Activation>
  /** Makes the screen of a code. Throws a ProblemError 404 where no screen shows it. */
  readonly confirm: (wanted: NewScreen, origin: ActionOrigin) => Promise<Screen>
  /**
   * The session of a confirmed code, once, and with `again` another one in its place until it is used;
   * else how long to wait. Throws a ProblemError 404.
   */
  readonly claim: (
    secret: string,
    again?: boolean,
  ) => Promise<Session | Omit<Activation, 'code' | 'secret'>>
}

/** Codes live for 10 minutes and are used once; they and all secrets are kept as hashes. */
export function createScreenActivation(database: Database, clock: Clock): ScreenActivation {
  /** Codes that were requested here, by the hashes of their secrets; the oldest comes first. */
  const requested = new Map<string, { readonly from: string; readonly expiresAt: number }>()

  /** One that is in use goes on: the next one goes. */
  const dropOne = async (): Promise<boolean> => {
    while (requested.size > 0) {
      const byAddress = new Map<string, string[]>()
      for (const [hash, { from }] of requested)
        byAddress.set(from, [...(byAddress.get(from) ?? []), hash])
      const [[oldest = ''] = []] = [...byAddress.values()].toSorted((a, b) => b.length - a.length)
      requested.delete(oldest)
      if (await dropActivation(database, oldest)) return true
    }
    return false
  }

  return {
    start: async (from) => {
      const now = clock.now()
      for (const [hash, { expiresAt }] of requested) if (expiresAt <= now) requested.delete(hash)
      if ((await countActivations(database, now)) >= openAtMost && !(await dropOne()))
        throw tooMany()
      const expiresAt = now + codeLifetimeMs
      const secret = makeSecret()
      for (;;) {
        const code = makeCode()
        const stored = { secretHash: hashOf(secret), codeHash: hashOf(plainCode(code)), expiresAt }
        if (!(await addActivation(database, stored))) continue
        requested.set(stored.secretHash, { from, expiresAt })
        return { code, secret, expiresAt, pollMs }
      }
    },
    confirm: async ({ code, name }, origin) => {
      const createdAt = clock.now()
      const typed = hashOf(plainCode(code))
      const codes = await openCodes(database, createdAt)
      // All are compared, so that the time does not tell where it was found.
      let codeHash: string | undefined
      for (const other of codes) if (isSameHash(other, typed)) codeHash = other
      const id = randomBytes(8).toString('hex')
      const expiresAt = createdAt + screenLifetimeMs
      const screen = { id, name, createdAt, expiresAt }
      if (
        codeHash === undefined ||
        !(await confirmActivation(database, codeHash, { ...screen, ...origin }))
      ) {
        throw unknownCode()
      }
      return { ...screen, by: origin.actor.name, lastSeenAt: null }
    },
    claim: async (secret, again = false) => {
      const credential = makeSecret()
      const answer = await claimActivation(database, hashOf(secret), {
        credentialHash: hashOf(credential),
        now: clock.now(),
        again,
      })
      switch (answer.kind) {
        case 'unknown':
          throw unknownActivation()
        case 'waiting':
          return { expiresAt: answer.expiresAt, pollMs }
        case 'confirmed':
          requested.delete(hashOf(secret))
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
      'Too many screens waiting',
      'Too many screens are waiting for their code to be confirmed. Try again in a few minutes.',
    ),
    { retryAfterMs: 60_000 },
  )
}

function unknownCode(): ProblemError {
  return problemError(
    404,
    'activation-unknown',
    'Code not found',
    'No screen is showing this code. Codes work once and expire after 10 minutes. Check the code on the screen.',
  )
}

function unknownActivation(): ProblemError {
  return problemError(
    404,
    'activation-unknown',
    'Code expired',
    'This code has expired or was already used. Request a new one.',
  )
}
