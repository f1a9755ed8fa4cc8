import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { SignedOut } from '../../../protocol/sign-in.ts'
import type { Session } from '../../../protocol/session.ts'
import { createRequest } from './request.ts'
import { isInFront } from './response.ts'
import {
  createScreenCredential,
  createSession,
  type ScreenCredential,
  type SessionKeeper,
  type Tabs,
} from './session.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

const begin = 1_780_000_000_000
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

interface Answer {
  readonly status: number
  readonly type?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

interface Proxy {
  readonly clock: ManualClock
  readonly fetch: typeof fetch
  /** How often each "METHOD /path" was requested. */
  readonly seen: string[]
  /** Answers to anything; sessions as long as it gives undefined. */
  answer: (path: string) => Answer | undefined
}

async function startProxy(): Promise<Proxy> {
  const clock = createManualClock(begin)
  let sessions = 0
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    proxy.seen.push(`${method} ${url}`)
    response.setHeader('date', new Date(clock.now()).toUTCString())
    const given = proxy.answer(url) ?? {
      status: 200,
      body: JSON.stringify({
        token: `token-${(sessions += 1)}`,
        expiresAt: clock.now() + 600_000,
        user: { name: 'ann', roles: ['viewer'] },
        mode: 'oidc',
      }),
    }
    const type = given.type ?? 'application/json'
    response.writeHead(given.status, { 'content-type': type, ...given.headers })
    response.end(given.body ?? '{}')
  })
  servers.push(server)
  const { fetch } = await onLoopback(server)
  const proxy: Proxy = { clock, fetch, seen: [], answer: () => undefined }
  return proxy
}

/** Tabs of one browser: one lock for all, and each message to all others, a turn later. */
function browser(): { readonly tab: () => Tabs } {
  const channels = new Map<object, (event: { readonly data: unknown }) => void>()
  let queue: Promise<unknown> = Promise.resolve()
  return {
    tab: () => ({
      locks: {
        request: (_name, { signal }, callback) =>
          new Promise((resolve, reject) => {
            const abort = (): void => {
              reject(new DOMException('given up', 'AbortError'))
            }
            signal?.addEventListener('abort', abort)
            queue = queue.then(async () => {
              if (signal?.aborted) return
              signal?.removeEventListener('abort', abort)
              await callback().then(resolve, reject)
            })
          }),
      },
      openChannel: () => {
        const own = {}
        return {
          postMessage: (data) => {
            const copy: unknown = structuredClone(data)
            for (const [of, listener] of channels) {
              if (of !== own) setImmediate(listener, { data: copy })
            }
          },
          addEventListener: (_type, listener) => channels.set(own, listener),
          close: () => channels.delete(own),
        }
      },
    }),
  }
}

function sessionOf(proxy: Proxy, tabs?: Tabs, screen?: ScreenCredential): SessionKeeper {
  return createSession({
    fetch: proxy.fetch,
    clock: proxy.clock,
    isOnline: () => true,
    ...(screen === undefined ? {} : { screen }),
    tabs,
  })
}

const sessionAs = (name: string): Session => ({
  token: `token of ${name}`,
  expiresAt: begin + 600_000,
  user: { name, roles: ['viewer'] },
  person: `name ${name}`,
})

const signedOutProblem: Answer = {
  status: 401,
  type: 'application/problem+json',
  body: JSON.stringify({
    type: 'urn:sightline:problem:signed-out',
    title: 'Signed out',
    status: 401,
    detail: 'Sign in with the identity provider.',
    mode: 'oidc',
    signInUrl: '/session/sign-in',
  }),
}

async function faultOf(promise: Promise<unknown>): Promise<ProblemError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ProblemError) return error
  throw new Error('no ProblemError was thrown', { cause: error })
}

test('twenty tabs make few requests for a session, at first and at each renewal', async () => {
  const proxy = await startProxy()
  const { tab } = browser()
  const tabs = Array.from({ length: 20 }, () => sessionOf(proxy, tab()))
  const tokens = async (): Promise<Set<string>> =>
    new Set((await Promise.all(tabs.map((each) => each.current()))).map(({ token }) => token))
  await tokens()
  expect(proxy.seen.length).toBeLessThanOrEqual(3)
  for (let renewal = 1; renewal <= 3; renewal++) {
    const before = proxy.seen.length
    proxy.clock.advance(541_000)
    expect((await tokens()).size).toBeLessThanOrEqual(3)
    expect(proxy.seen.length - before).toBeLessThanOrEqual(3)
  }
  expect(proxy.clock.pending()).toBe(0)
})

test('a tab that holds the lock and hangs keeps no other tab waiting for more than 5 s', async () => {
  const proxy = await startProxy()
  const { tab } = browser()
  const hung = tab()
  void hung.locks.request('any', {}, () => new Promise(() => undefined))
  const session = sessionOf(proxy, tab()).current()
  await new Promise(setImmediate)
  expect(proxy.seen).toEqual([])
  proxy.clock.advance(5000)
  expect((await session).token).toBe('token-1')
})

test('signing out in one tab signs out the others, signing in again signs them in', async () => {
  const proxy = await startProxy()
  const { tab } = browser()
  const [one, other] = [sessionOf(proxy, tab()), sessionOf(proxy, tab())]
  const states: string[] = []
  other.state.subscribe(() => states.push(other.state.getSnapshot().is))
  await Promise.all([one.current(), other.current()])
  await expect.poll(() => states).toContain('signed-in')

  proxy.answer = () => signedOutProblem
  one.end()
  await expect.poll(() => states.at(-1)).toBe('signed-out')
  // Who it was is still known: their page is still there.
  expect(other.state.getSnapshot().session?.user.name).toBe('ann')
  const fault = await faultOf(other.current())
  expect(SignedOut.parse(fault.problem)).toMatchObject({
    mode: 'oidc',
    signInUrl: '/session/sign-in',
  })

  proxy.answer = () => undefined
  one.recheck()
  await expect.poll(() => states.at(-1)).toBe('signed-in')
})

test('a page of one person sends nothing as another who has signed in meanwhile, here or in another tab', async () => {
  const proxy = await startProxy()
  const { tab } = browser()
  const [one, other] = [sessionOf(proxy, tab()), sessionOf(proxy, tab())]
  const wall = createSession({ ...proxy, isOnline: () => true, tabs: tab(), isWall: true })
  const as = (name: string): Answer => ({ status: 200, body: JSON.stringify(sessionAs(name)) })
  proxy.answer = () => as('ann')
  await Promise.all([one.current(), other.current(), wall.current()])
  const request = createRequest({ ...proxy, session: one, isOnline: () => true })

  proxy.answer = (path) => (path === '/session' ? as('bob') : signedOutProblem)
  const fault = await request('/history/waivers', z.unknown(), { method: 'POST', body: {} }).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(fault).toMatchObject({ message: 'Somebody else is signed in now.' })
  expect(proxy.seen.filter((line) => line === 'POST /history/waivers')).toHaveLength(1)
  // Who has loaded the page is still known, and it stays theirs whatever is requested next.
  const left = { is: 'signed-out', session: { person: 'name ann' } }
  expect(one.state.getSnapshot()).toMatchObject(left)

  sessionOf(proxy, tab()).adopt(sessionAs('bob'))
  await expect.poll(() => other.state.getSnapshot()).toMatchObject(left)
  expect((await faultOf(other.current())).problem.type).toContain('other-person')
  // A wall is anybody's.
  await expect.poll(() => wall.state.getSnapshot().session?.person).toBe('name bob')
})

test('while nobody is signed in requests share one refusal, until it is 3 s old', async () => {
  const proxy = await startProxy()
  proxy.answer = () => signedOutProblem
  const session = sessionOf(proxy)
  for (let i = 0; i < 5; i++) await faultOf(session.current())
  expect(proxy.seen).toHaveLength(1)
  proxy.clock.advance(3000)
  await faultOf(session.current())
  expect(proxy.seen).toHaveLength(2)
})

const pages: readonly (readonly [string, Answer])[] = [
  ['a redirect', { status: 302, headers: { location: 'https://id.example.com/' } }],
  ['a web page', { status: 200, type: 'text/html; charset=utf-8', body: '<h1>Sign in</h1>' }],
  ['a refusal as a web page', { status: 403, type: 'text/html', body: '<h1>Forbidden</h1>' }],
]

test.each(pages)('%s instead of a session comes from a sign-in page in front', async (_, page) => {
  const proxy = await startProxy()
  proxy.answer = () => page
  const session = sessionOf(proxy)
  const fault = await faultOf(session.current())
  expect([fault.status, isInFront(fault)]).toEqual([401, true])
  expect(fault.message).toContain('A sign-in page in front of Sightline answered /session instead')
  expect(session.state.getSnapshot().is).toBe('signed-out')
})

const ofScreen = {
  token: 'screen_1_secret',
  expiresAt: begin,
  user: { name: 'Lobby', roles: ['screen' as const] },
}

test.each(pages)('a screen uses its own credential where %s is in its way', async (_, page) => {
  const proxy = await startProxy()
  proxy.answer = (path) => (path === '/session' ? page : undefined)
  const screen = createScreenCredential(undefined)
  screen.keep(ofScreen)
  expect(await sessionOf(proxy, undefined, screen).current()).toEqual(ofScreen)
})

test.each(pages)('a screen keeps its credential where %s answers its requests', async (_, page) => {
  const proxy = await startProxy()
  proxy.answer = () => page
  const screen = createScreenCredential(undefined)
  screen.keep(ofScreen)
  const session = sessionOf(proxy, undefined, screen)
  const { fetch, clock } = proxy
  const request = createRequest({ fetch, session, clock, isOnline: () => true })
  expect(isInFront(await faultOf(request('/config', z.object({}))))).toBe(true)
  expect(screen.get()).toEqual(ofScreen)
})
