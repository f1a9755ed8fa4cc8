import { type Context, Hono } from 'hono'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { ActivationClaim, NewScreen } from '../../protocol/screen.ts'
import type { Database } from '../store/database.ts'
import { listScreens, revokeScreen } from '../store/screens.ts'
import type { ProxyEnv } from './proxy-env.ts'
import { methodNotAllowed, nothingHere } from './refusals.ts'
import { readRequestBody } from './request-body.ts'
import { createScreenActivation } from './screen-activation.ts'
import { requireScreenKeeper } from './screen-permission.ts'
import { createRateLimit } from './screen-rate.ts'
import { createScreenSessions, type ScreenSessions } from './screen-sessions.ts'

/** Screens with a credential of their own. */
export interface Screens {
  readonly sessions: ScreenSessions
  /** Below `/session/activation`: for those who have no session. */
  readonly activation: Hono<ProxyEnv>
  /** Below `/screens`: behind the session. */
  readonly keeping: Hono<ProxyEnv>
}

/** Puts together what screens need of the proxy; all of it lies in the database, for every proxy. */
export function createScreens(options: {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
}): Screens {
  const { database, clock } = options
  const desk = createScreenActivation(database, clock)
  const sessions = createScreenSessions(options)
  const starts = createRateLimit(clock, 20)
  const claims = createRateLimit(clock, 3000)
  const confirmations = createRateLimit(clock, 10)

  const activation = new Hono<ProxyEnv>()
  activation.post('/', async (c) => {
    starts.take(addressOf(c))
    return c.json(await desk.start())
  })
  activation.all('/', () => methodNotAllowed('POST'))
  activation.post('/claim', async (c) => {
    claims.take(addressOf(c))
    const { secret } = await bodyOf(c, ActivationClaim, 'secret')
    const answer = await desk.claim(secret)
    return 'token' in answer ? c.json(answer) : c.json({ waiting: true, ...answer }, 202)
  })
  activation.all('/claim', () => methodNotAllowed('POST'))
  activation.all('*', nothingHere)

  const keeping = new Hono<ProxyEnv>()
  keeping.use(async (c, next) => {
    requireScreenKeeper(c.get('session'))
    await next()
  })
  keeping.get('/', async (c) => c.json({ screens: await listScreens(database, clock.now()) }))
  keeping.post('/', async (c) => {
    const { name: by } = c.get('session').user
    const wanted = await bodyOf(c, NewScreen, 'code and name')
    confirmations.take(by)
    return c.json(await desk.confirm(wanted, by), 201)
  })
  keeping.all('/', () => methodNotAllowed('GET'))
  keeping.delete('/:id', async (c) => {
    const { name: by } = c.get('session').user
    const id = c.req.param('id')
    const isRevoked = await revokeScreen(database, id, { by, now: clock.now() })
    sessions.forget(id)
    return isRevoked ? c.body(null, 204) : nothingHere()
  })
  keeping.all('/:id', () => methodNotAllowed('DELETE'))
  keeping.all('*', nothingHere)
  return { sessions, activation, keeping }
}

function addressOf(c: Context<ProxyEnv>): string {
  return c.env.incoming?.socket.remoteAddress ?? ''
}

/** Throws a ProblemError 400 that names what the body should have had. */
async function bodyOf<Schema extends z.ZodType>(
  c: Context<ProxyEnv>,
  schema: Schema,
  wanted: string,
): Promise<z.infer<Schema>> {
  const body = await readRequestBody(c.req.raw)
  const decoded = schema.safeParse(jsonIn(body))
  if (decoded.success) return decoded.data
  throw new ProblemError(
    problem(
      400,
      'bad-body',
      'Bad request',
      `Send a JSON object with ${wanted}, as texts that are not empty.`,
    ),
  )
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    return undefined
  }
}
