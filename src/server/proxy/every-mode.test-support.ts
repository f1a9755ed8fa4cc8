import { createHash, randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { createManualClock } from '../../protocol/manual-clock.test-support.ts'
import { problemError } from '../../protocol/problem.ts'
import { type Role, Session } from '../../protocol/session.ts'
import { Activation, Screen } from '../../protocol/screen.ts'
import type { Database } from '../store/database.ts'
import { memoryDatabase } from '../store/memory-database.test-support.ts'
import { createMemoryLog } from '../live-log/memory-log.ts'
import { readConfigFile } from './config-file.ts'
import { noAudit } from './history/audit.ts'
import type { PlainAnswer } from './plain-server.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from './proxy-on-socket.test-support.ts'
import { createScreens } from './screens/screen-routes.ts'
import { type SignIn, signInAsLocalUser } from './sessions.ts'
import { createAccessTokens } from './sign-in/access-tokens.ts'
import { createHeaderSignIn } from './sign-in/header-sign-in.ts'
import { createStoredSessions } from './sign-in/stored-sessions.ts'

/** Every way in which a request can have its session. */
export const modes = ['none', 'tokens', 'session by token', 'header', 'oidc'] as const
export type Mode = (typeof modes)[number]

/** Who sends a request; `limited` is a releaser for `maven/com.acme/*` and the scan `release`. */
export const people = ['nobody', 'screen', 'viewer', 'releaser', 'admin', 'limited'] as const
export type Who = (typeof people)[number]

/** A proxy with everything that it can have, in one mode. */
export interface EveryModeServer extends ProxyOnSocket {
  readonly mode: Mode
  readonly database: Database
  /** What everything that is secret holds: nothing that leaves the server may show any of it. */
  readonly secrets: readonly string[]
  /** What a request of theirs has to show. */
  readonly headersOf: (who: Who) => Readonly<Record<string, string>>
  /** What `POST /session` takes to sign in as them, where the mode is one in which people do. */
  readonly signInOf: (who: Who) => RequestInit
  /** Their access token, which scripts send in every mode in which people sign in. */
  readonly tokenOf: (who: Who) => string
}

const headerSecret = 'the reverse proxy knows this and nobody else'
const sessionSecret = 'a secret of the tests for sessions, long enough'
const now = Date.UTC(2026, 0, 5)

/** Starts it; in the mode `none` everybody but screens is the local user, who may do everything. */
export async function startInMode(
  mode: Mode,
  answers: { readonly buildData?: PlainAnswer; readonly governor?: PlainAnswer } = {},
): Promise<EveryModeServer> {
  const clock = createManualClock(now)
  const database = await memoryDatabase()
  const log: string[] = []
  const notices = createMemoryLog(clock)
  const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) })
  const tokens = new Map<Who, string>(accounts.map(({ name }) => [name, newToken()]))
  const read = readConfigFile('f', configuration(tokens))
  if (!read.ok) throw new Error(read.mistakes.join('\n'))
  const { users, signIn: rules } = read
  const accessTokens = createAccessTokens({ users, database, clock, logger })
  const { header } = rules
  if (header === undefined) throw new Error('the configuration has no header')
  const byHeader = createHeaderSignIn({
    settings: header,
    secret: { reveal: () => headerSecret },
    roles: { rules: rules.roles, otherwise: undefined },
    logger,
  })
  const { verify } = accessTokens
  const signIn: Record<Mode, SignIn> = {
    none: signInAsLocalUser,
    tokens: { ...accessTokens.signIn, verify },
    'session by token': { ...accessTokens.signIn, verify },
    header: { ...byHeader, verify },
    oidc: {
      mode: 'oidc',
      signIn: () =>
        Promise.reject(problemError(401, 'signed-out', 'Signed out', 'Sign in.', { mode: 'oidc' })),
      verify,
    },
  }
  const sessions =
    mode === 'none'
      ? undefined
      : createStoredSessions({
          database,
          clock,
          logger,
          signIn: signIn[mode],
          secret: sessionSecret,
          lifetimeMs: 12 * 60 * 60_000,
          audit: noAudit,
          log: notices,
        })
  const proxy = await startProxyOnSocket(answers, {
    clock,
    logger,
    signIn: signIn[mode],
    sessionSecret,
    ...(sessions === undefined ? {} : { sessions }),
    accessTokens,
    history: { database, settings: { keepDays: 365, keepPerScan: 500, longestWaiverDays: 90 } },
    screens: createScreens({
      database,
      clock,
      logger,
      log: notices,
      changes: { publish: () => undefined },
    }),
    searches: {
      request: (query) =>
        Promise.resolve({
          query,
          builds: [],
          askedAt: null,
          ageMs: null,
          pollMs: 1000,
          search: 'unknown',
          problem: null,
        }),
      size: () => 0,
      close: () => undefined,
    },
  })

  const signInOf = (who: Who): RequestInit => {
    if (mode === 'header') {
      const groups = `everybody,${who}s`
      return {
        method: 'POST',
        headers: { 'X-Auth-User': who, 'X-Auth-Groups': groups, 'X-Auth-Proof': headerSecret },
      }
    }
    return { method: 'POST', body: JSON.stringify({ token: tokens.get(who) ?? '' }) }
  }

  const bearers = new Map<Who, string>()
  for (const { name, ...user } of accounts) {
    if (mode === 'none') bearers.set(name, proxy.token)
    else if (mode === 'tokens') bearers.set(name, tokens.get(name) ?? '')
    else if (mode === 'oidc' && sessions !== undefined) {
      const identity = { kind: 'person', subject: name, claims: {}, rule: '' } as const
      const { session } = await sessions.begin(
        { ...identity, user: { name, ...user } },
        { from: null, headers: new Headers() },
      )
      bearers.set(name, session.token)
    } else {
      const response = await fetch(`${proxy.url}/session`, signInOf(name))
      bearers.set(name, Session.parse(await response.json()).token)
    }
  }
  bearers.set('screen', await screenToken(proxy.url, bearers.get('admin') ?? ''))
  return {
    ...proxy,
    log,
    mode,
    database,
    secrets: [headerSecret, sessionSecret, ...tokens.values(), ...bearers.values()],
    headersOf: (who) => {
      const token = bearers.get(who)
      return token === undefined ? {} : { authorization: `Bearer ${token}` }
    },
    signInOf,
    tokenOf: (who) => tokens.get(who) ?? '',
    close: async () => {
      await proxy.close()
      sessions?.close()
      await database.close()
    },
  }
}

const accounts = [
  { name: 'viewer', roles: ['viewer'] },
  { name: 'releaser', roles: ['releaser'] },
  { name: 'admin', roles: ['admin'] },
  {
    name: 'limited',
    roles: ['releaser'],
    limits: { packages: ['maven/com.acme/*'], scans: ['release'] },
  },
] satisfies { name: Who; roles: Role[]; limits?: object }[]

function newToken(): string {
  return `slt_${randomBytes(32).toString('base64url')}`
}

/** As an administrator writes it; JSON is YAML. */
function configuration(tokens: ReadonlyMap<Who, string>): string {
  const users = accounts.map((account) => {
    const token = tokens.get(account.name) ?? ''
    const sha256 = createHash('sha256').update(token).digest('hex')
    const dates = { created: '2026-01-01', expires: '2026-02-01' }
    return { ...account, tokens: [{ sha256, prefix: token.slice(0, 10), ...dates }] }
  })
  const roles = accounts.map(({ name, roles: [role], ...limits }) => ({
    claim: 'groups',
    value: `${name}s`,
    role,
    ...limits,
  }))
  const header = {
    user: 'X-Auth-User',
    groups: 'X-Auth-Groups',
    from: ['127.0.0.1'],
    secretHeader: 'X-Auth-Proof',
  }
  return JSON.stringify({ users, signIn: { header, roles } })
}

/** A screen shows a code, an administrator types it, and the screen claims its session. */
async function screenToken(url: string, admin: string): Promise<string> {
  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}` },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const { code, secret } = Activation.parse(await post('/session/activation', {}))
  Screen.parse(await post('/screens', { code, name: 'hall' }))
  return Session.parse(await post('/session/activation/claim', { secret })).token
}
