import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import type { Clock } from '../protocol/clock.ts'
import { Session } from '../protocol/session.ts'
import { startApp } from './app.ts'
import { readConfig } from './config.ts'
import { type PlainAnswer, startPlainServer } from './proxy/plain-server.test-support.ts'
import { realClock } from './real-clock.test-support.ts'

/** Where people open the product of these tests: behind a reverse proxy that ends TLS. */
export const publicUrl = 'https://dash.example'

/** A clock that goes like the real one and can be moved on. */
export interface ShiftedClock extends Clock {
  readonly shift: (ms: number) => void
}

export function createShiftedClock(): ShiftedClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    after: realClock.after,
    shift: (ms) => {
      ahead += ms
    },
  }
}

/** The product for a team, as it is started by its configuration. */
export interface Team {
  readonly url: string
  readonly clock: ShiftedClock
  /** Lines of the log. */
  readonly log: string[]
  readonly close: () => Promise<void>
}

/** The folder of a database that several can share; it is removed by `remove`. */
export function databaseFolder(): { readonly url: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-team-'))
  return {
    url: `file:${join(folder, 'team.db')}`,
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts one that signs people in with the provider, before a build server that answers so. */
export async function startTeam(options: {
  readonly issuer: string
  readonly databaseUrl?: string
  readonly clock?: ShiftedClock
  readonly buildServer?: PlainAnswer
  readonly oidc?: string
  readonly roles?: string
}): Promise<Team> {
  const { clock = createShiftedClock(), databaseUrl = 'memory:' } = options
  const buildServer = await startPlainServer((request, response, raw) => {
    if (options.buildServer === undefined || request.url.startsWith('/api/auth/token')) {
      response.writeHead(404).end()
    } else options.buildServer(request, response, raw)
  })
  const read = readConfig({
    environment: {
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: databaseUrl,
      SIGHTLINE_BUILD_DATA_URL: buildServer.url.origin,
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'canary-access-key-77d1',
      SIGHTLINE_SIGN_IN: 'oidc',
      SIGHTLINE_PUBLIC_URL: publicUrl,
      SIGHTLINE_OIDC_CLIENT_SECRET: 'canary-client-secret-0a1b2c3d',
      SIGHTLINE_SESSION_SECRET: 'canary-session-secret-0123456789',
      SIGHTLINE_CONFIG: 'sightline.yaml',
    },
    flags: [],
    readFile: () =>
      [
        'signIn:',
        `  oidc: {issuer: "${options.issuer}", clientId: sightline${options.oidc ?? ''}}`,
        '  roles:',
        options.roles ?? '    - {claim: groups, value: engineers, role: viewer}',
        '    - {claim: groups, value: release-managers, role: releaser}',
      ].join('\n'),
  })
  if (!read.ok) throw new Error(read.mistakes.join(' '))
  const log: string[] = []
  const app = await startApp({
    config: read.config,
    clock,
    random: () => 0,
    logger: pino({ level: 'debug' }, { write: (line) => log.push(line) }),
    version: '1',
    staticRoot: fileURLToPath(new URL('embedded/', import.meta.url)),
  })
  return {
    url: app.url,
    clock,
    log,
    close: async () => {
      await Promise.all([app.close(), buildServer.close()])
    },
  }
}

/** A browser of which only the cookies are kept: by host, as one does. */
export interface Browser {
  /** One request, with its cookies; redirects are not followed. Addresses at `publicUrl` go to `at`. */
  readonly send: (url: string, init?: RequestInit, at?: string) => Promise<Response>
  /** Opens an address and follows redirects; the last answer, and where it came from. */
  readonly open: (url: string, at?: string) => Promise<{ response: Response; url: string }>
  readonly cookies: Map<string, string>
  /** Another one with the same cookies now, as a thief would have. */
  readonly copy: () => Browser
}

/** Makes one that reaches `publicUrl` by the product at `at`. */
export function createBrowser(at: string, cookies = new Map<string, string>()): Browser {
  const send: Browser['send'] = async (url, init = {}, way = at) => {
    const asked = new URL(url, publicUrl)
    const isOwn = asked.origin === publicUrl
    const jar = [...cookies].flatMap(([name, value]) =>
      name.startsWith('__Host-') === isOwn ? [`${name}=${value}`] : [],
    )
    const headers = new Headers(init.headers)
    if (jar.length > 0) headers.set('cookie', jar.join('; '))
    const target = isOwn ? new URL(asked.pathname + asked.search, way) : asked
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const [name = '', ...rest] = pair.split('=')
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name)
      else cookies.set(name, rest.join('='))
    }
    return response
  }
  return {
    send,
    cookies,
    copy: () => createBrowser(at, new Map(cookies)),
    open: async (url, way) => {
      let next = new URL(url, publicUrl).href
      for (let steps = 0; steps < 15; steps++) {
        const response = await send(next, {}, way)
        const location = response.headers.get('location')
        if (location === null) return { response, url: next }
        next = new URL(location, next).href
      }
      throw new Error('too many redirects')
    },
  }
}

/** What `POST /session` answers to a browser: its status and body. */
export async function renew(
  browser: Browser,
  at?: string,
): Promise<{ status: number; body: Record<string, unknown>; session: Session | undefined }> {
  const response = await browser.send('/session', { method: 'POST' }, at)
  const body: unknown = await response.json()
  const session = response.ok ? Session.parse(body) : undefined
  return { status: response.status, body: Object.fromEntries(Object.entries(body ?? {})), session }
}
