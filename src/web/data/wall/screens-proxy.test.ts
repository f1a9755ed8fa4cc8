import { QueryClient } from '@tanstack/react-query'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { Screen } from '../../../protocol/screen.ts'
import {
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../../../server/proxy/proxy-on-socket.test-support.ts'
import { createMemoryLog } from '../../../server/live-log/memory-log.ts'
import { createScreens } from '../../../server/proxy/screens/screen-routes.ts'
import type { SharedSearches } from '../../../server/proxy/shared-search/shared-search.ts'
import { personOf, type SignIn } from '../../../server/proxy/sessions.ts'
import type { Database } from '../../../server/store/database.ts'
import { memoryDatabase } from '../../../server/store/memory-database.test-support.ts'
import {
  activateScreen,
  type ActivationStep,
  confirmScreen,
  revokeScreen,
  screensQuery,
} from './screens.ts'
import { createRequest, type Request } from '../core/request.ts'
import {
  createScreenCredential,
  createSession,
  type CredentialStorage,
  type ScreenCredential,
  type SessionKeeper,
} from '../core/session.ts'
import { createSharedSearch } from './wall-searches.ts'

/** The wall's way in, against the proxy itself: a person signs in by a header, a wall does not. */

const signedInBy = 'x-person'
let database: Database
let clock: ManualClock
let proxy: ProxyOnSocket
/** While it starts: the support of the tests asks for a session of its own. */
let isOpen: boolean
/** Ends what the last screen does. */
let leave: () => void

const signIn: SignIn = {
  mode: 'tokens',
  signIn: ({ headers }) => {
    const name = headers.get(signedInBy) ?? (isOpen ? 'the test' : undefined)
    if (name === undefined) {
      const sentence = 'Sign in to see builds.'
      throw new ProblemError(problem(401, 'sign-in', 'Sign in', sentence))
    }
    return Promise.resolve(personOf({ name, roles: ['viewer', 'releaser'] }))
  },
}

const searches: SharedSearches = {
  request: (query) =>
    Promise.resolve({
      query,
      builds: [],
      askedAt: clock.now(),
      ageMs: 0,
      pollMs: 30_000,
      search: 'supported',
      problem: null,
    }),
  size: () => 1,
  close: () => undefined,
}

beforeEach(async () => {
  database = await memoryDatabase()
  clock = createManualClock(Date.UTC(2026, 0, 5))
  isOpen = true
  leave = () => undefined
  const screens = createScreens({
    database,
    clock,
    logger: pino({ level: 'silent' }),
    log: createMemoryLog(clock),
    changes: { publish: () => undefined },
  })
  proxy = await startProxyOnSocket({}, { screens, signIn, searches, clock })
  isOpen = false
})
afterEach(async () => {
  leave()
  await proxy.close()
  await database.close()
})

interface Device {
  readonly session: SessionKeeper
  readonly request: Request
  readonly credential: ScreenCredential
  readonly fetch: typeof fetch
  /** Requests that are under way. */
  readonly asking: () => number
}

/** A page as web/app makes it; `isLost` says which requests do not reach the proxy. */
function device(
  storage: CredentialStorage,
  more: {
    person?: string
    isLost?: (path: string) => boolean
    isResponseLost?: (path: string, status: number) => boolean
  } = {},
): Device {
  let asking = 0
  const send: typeof fetch = async (input, init) => {
    const path = z.string().parse(input)
    if (more.isLost?.(path)) throw new TypeError('lost')
    const headers = new Headers(init?.headers)
    if (more.person !== undefined) headers.set(signedInBy, more.person)
    asking += 1
    try {
      const response = await fetch(`${proxy.url}${path}`, { ...init, headers })
      if (more.isResponseLost?.(path, response.status)) throw new TypeError('lost')
      return response
    } finally {
      asking -= 1
    }
  }
  const isOnline = (): boolean => true
  const credential = createScreenCredential(storage)
  const session = createSession({ fetch: send, clock, isOnline, screen: credential })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  return { session, request, credential, fetch: send, asking: () => asking }
}

function memory(): CredentialStorage {
  const kept = new Map<string, string>()
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

const ann = (): Request => device(memory(), { person: 'ann' }).request
const listed = async (): Promise<Screen[]> =>
  (await new QueryClient().query(screensQuery(ann()))).screens
const readConfig = (on: Device) => on.request('/config', z.looseObject({ signIn: z.string() }))

/** A screen that shows codes, as features/wall does. */
function showCodes(on: Device) {
  const steps: ActivationStep[] = []
  const leaving = new AbortController()
  leave = () => {
    leaving.abort()
  }
  const session = activateScreen({
    fetch: on.fetch,
    clock,
    random: () => 0,
    isOnline: () => true,
    onStep: (step) => steps.push(step),
    signal: leaving.signal,
  })
  const codes = (): string[] => steps.flatMap((step) => (step.is === 'waiting' ? [step.code] : []))
  return {
    steps,
    session,
    codes,
    /** The code that is shown after so many others. */
    code: async (before = 0): Promise<string> => {
      await expect.poll(() => codes().length).toBeGreaterThan(before)
      return codes().at(-1) ?? ''
    },
    /** Time passes whenever nothing is under way, until it has come so far. */
    pass: (isSo: () => boolean, ms = 3000): Promise<void> =>
      expect
        .poll(
          () => {
            if (isSo()) return true
            if (on.asking() === 0) clock.advance(ms)
            return false
          },
          { interval: 5 },
        )
        .toBe(true),
  }
}

async function letIn(on: Device, name = 'Lobby'): Promise<void> {
  const shown = showCodes(on)
  await confirmScreen(ann(), { code: await shown.code(), name })
  await shown.pass(() => shown.steps.at(-1)?.is === 'confirmed')
  const session = await shown.session
  if (session !== undefined) on.credential.keep(session)
}

test('a wall without a session gets a code, and is let in when somebody confirms it', async () => {
  const wall = device(memory())
  await expect(readConfig(wall)).rejects.toMatchObject({
    status: 401,
    message: 'Sign in to see builds.',
  })
  await letIn(wall)
  expect((await wall.session.current()).user).toEqual({ name: 'Lobby', roles: ['screen'] })
  expect(await readConfig(wall)).toMatchObject({ signIn: 'tokens' })
  const { token } = await wall.session.current()
  const stream = await wall.fetch('/live/builds', { headers: { authorization: `Bearer ${token}` } })
  expect([stream.status, await stream.text()]).toEqual([200, ': hello\n\n'])
  expect(
    await createSharedSearch(wall.request)('project:core', new AbortController().signal),
  ).toEqual(expect.objectContaining({ query: 'project:core', search: 'supported' }))
  expect(await listed()).toMatchObject([{ name: 'Lobby', by: 'ann' }])
})

test('a wall comes back by itself after it was loaded anew, and reads nothing that is not for it', async () => {
  const storage = memory()
  await letIn(device(storage))
  const again = device(storage)
  expect(await readConfig(again)).toMatchObject({ signIn: 'tokens' })
  await expect(new QueryClient().query(screensQuery(again.request))).rejects.toMatchObject({
    status: 403,
  })
  // Where somebody is signed in, it is theirs that counts.
  expect((await device(storage, { person: 'ann' }).session.current()).user.name).toBe('ann')
})

test('a wall that was revoked learns it, forgets its credential and is let in anew', async () => {
  const storage = memory()
  const wall = device(storage)
  await letIn(wall)
  await readConfig(wall)
  const [screen] = await listed()
  await revokeScreen(ann(), screen?.id ?? '')
  expect(await listed()).toEqual([])
  // Its response may have been lost, or somebody else was faster.
  await revokeScreen(ann(), screen?.id ?? '')
  clock.advance(30_000)
  await expect(readConfig(wall)).rejects.toMatchObject({ status: 401 })
  expect(device(storage).credential.get()).toBeUndefined()
  await letIn(wall, 'Lobby again')
  expect(await readConfig(wall)).toMatchObject({ signIn: 'tokens' })
  expect(await listed()).toMatchObject([{ name: 'Lobby again' }])
})

test('a code that nobody knows is refused with a sentence, and so is one that was used', async () => {
  const wall = device(memory())
  const sentence = 'No screen is showing this code.'
  await expect(confirmScreen(ann(), { code: 'AAAA-AAAA', name: 'x' })).rejects.toThrow(sentence)
  const shown = showCodes(wall)
  const code = await shown.code()
  await confirmScreen(ann(), { code, name: 'Lobby' })
  await expect(confirmScreen(ann(), { code, name: 'Other' })).rejects.toThrow(sentence)
})

test('a code that has expired makes room for another one', async () => {
  const shown = showCodes(device(memory()))
  const first = await shown.code()
  await shown.pass(() => shown.codes().length > 1, 60_000)
  const second = await shown.code(1)
  expect(second).not.toBe(first)
  await confirmScreen(ann(), { code: second, name: 'Lobby' })
  await shown.pass(() => shown.steps.at(-1)?.is === 'confirmed')
})

test('a wall is let in although the response to its claim was lost', async () => {
  let lost = 0
  const wall = device(memory(), {
    isResponseLost: (path, status) => path.endsWith('/claim') && status === 200 && lost++ === 0,
  })
  await letIn(wall)
  expect(lost).toBeGreaterThan(0)
  expect(await readConfig(wall)).toMatchObject({ signIn: 'tokens' })
  expect(await listed()).toMatchObject([{ name: 'Lobby' }])
})

test('a code stays while the proxy is away for a while, and is good afterwards', async () => {
  let isAway = false
  const shown = showCodes(device(memory(), { isLost: () => isAway }))
  const code = await shown.code()
  isAway = true
  for (let turn = 0; turn < 20; turn++) {
    clock.advance(10_000)
    await Promise.resolve()
  }
  await confirmScreen(ann(), { code, name: 'Lobby' })
  isAway = false
  await shown.pass(() => shown.steps.at(-1)?.is === 'confirmed')
  expect(shown.codes()).toEqual([code])
})

test('a screen that cannot have a code says why, tries again, and leaves nothing behind', async () => {
  let isAway = true
  const shown = showCodes(device(memory(), { isLost: () => isAway }))
  await expect
    .poll(() => shown.steps.at(-1))
    .toEqual({ is: 'failed', reason: "Can't reach the Sightline server." })
  isAway = false
  clock.advance(10_000)
  expect(await shown.code()).toMatch(/^\w{4}-\w{4}$/)
  leave()
  expect(await shown.session).toBeUndefined()
  expect(clock.pending()).toBe(0)
})
