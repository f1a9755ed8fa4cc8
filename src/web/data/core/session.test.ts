import { createServer, type Server } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, problemError, ProblemError } from '../../../protocol/problem.ts'
import { createRequest, type Request } from './request.ts'
import {
  createScreenCredential,
  createSession,
  serverClock,
  type CredentialStorage,
  type SessionKeeper,
} from './session.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

const begin = 1_780_000_000_000
let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

interface Proxy {
  readonly clock: ManualClock
  readonly session: SessionKeeper
  readonly request: Request
  /** Each request as "METHOD /path Authorization". */
  readonly seen: string[]
  readonly bodies: readonly string[]
  /** Resolves when so many requests have come. */
  readonly asked: (count: number) => Promise<void>
}

interface Behaviour {
  /** How long a session lives, ms; or the status of a refusal. */
  lives?: number
  refuses?: number
  /** How far the proxy's clock is ahead of the browser's, ms. */
  ahead?: number
  /** Answers requests other than for a session; nothing at all where it is undefined. */
  answer?: (
    authorization: string,
  ) => { status: number; headers?: Record<string, string>; body?: unknown } | undefined
}

async function startProxy(behaviour: Behaviour = {}): Promise<Proxy> {
  const { lives = 600_000, ahead = 0, answer } = behaviour
  const clock = createManualClock(begin)
  const seen: string[] = []
  const waiting: (() => void)[] = []
  const bodies: string[] = []
  let sessions = 0
  const started = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()))
    seen.push([method, url, headers.authorization ?? ''].join(' ').trim())
    for (const wake of waiting.splice(0)) wake()
    const proxyNow = clock.now() + ahead
    response.setHeader('date', new Date(proxyNow).toUTCString())
    if (url === '/session') {
      const { refuses } = behaviour
      if (refuses !== undefined) {
        response.writeHead(refuses, { 'content-type': 'application/problem+json' })
        response.end(JSON.stringify(problem(refuses, 'x', 'No', 'Sign in to go on.')))
        return
      }
      response.setHeader('content-type', 'application/json')
      const token = `token-${(sessions += 1)}`
      response.end(
        JSON.stringify({
          token,
          expiresAt: proxyNow + lives,
          user: { name: 'ann', roles: ['viewer'] },
        }),
      )
      return
    }
    const given = answer?.(headers.authorization ?? '')
    if (given === undefined) return
    response.writeHead(given.status, given.headers ?? { 'content-type': 'application/json' })
    response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {}))
  })
  server = started
  const { fetch: send } = await onLoopback(started)
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  return {
    clock,
    session,
    request: createRequest({ fetch: send, session, clock, isOnline }),
    seen,
    bodies,
    asked: async (count) => {
      while (seen.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}

async function faultOf(promise: Promise<unknown>): Promise<ProblemError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ProblemError) return error
  throw new Error('no ProblemError was thrown', { cause: error })
}

const Answer = z.object({ ok: z.boolean(), deep: z.object({ n: z.number() }).optional() })
const good = { status: 200, body: { ok: true } }

describe('the session', () => {
  test('is requested once for all who need it, and kept', async () => {
    const { session, seen } = await startProxy()
    const [one, two] = await Promise.all([session.current(), session.current()])
    expect(one).toBe(two)
    expect(await session.current()).toBe(one)
    expect(seen).toEqual(['POST /session'])
  })

  test.each([0, 7_200_000, -7_200_000])(
    'is renewed before its end by a proxy whose clock is %i ms ahead',
    async (ahead) => {
      const { session, clock, seen } = await startProxy({ lives: 600_000, ahead })
      await session.current()
      clock.advance(530_000)
      await session.current()
      expect(seen).toHaveLength(1)
      clock.advance(12_000)
      expect((await session.current()).token).toBe('token-2')
      expect(Math.abs(session.proxyNow() - clock.now() - ahead)).toBeLessThanOrEqual(1000)
      const server = serverClock(clock, session)
      let at = 0
      server.after(5000, () => (at = server.now()))
      clock.advance(5000)
      expect(at).toBe(session.proxyNow())
    },
  )

  test("the proxy's time is that of its last response, whenever this browser's clock was set", async () => {
    const { session, clock } = await startProxy()
    await session.current()
    const answeredAt = (at: number): number => {
      const headers = { date: new Date(at).toUTCString() }
      session.heard(new Response('', { headers }))
      return session.proxyNow() - clock.now()
    }
    const now = clock.now()
    expect(answeredAt(now - 3_600_000)).toBeCloseTo(-3_600_000, -4)
    const known = session.proxyNow() - now
    // The header has whole seconds: what is known isn't told anew by them.
    expect(answeredAt(now - 3_600_000 + 1500)).toBe(known)
    expect(answeredAt(now)).toBe(0)
    session.heard(new Response(''))
    expect(session.proxyNow()).toBe(clock.now())
  })

  test('that seems expired on arrival is used all the same, not requested again and again', async () => {
    const { session, seen } = await startProxy({ lives: -5000 })
    await session.current()
    await session.current()
    expect(seen).toHaveLength(1)
  })

  test('that was refused is requested anew, but only if it is the one that was refused', async () => {
    const { session, seen } = await startProxy()
    const { token } = await session.current()
    const fault = problemError(401, 'no-session', 'No session', 'Unknown.')
    session.discard('another', fault)
    await session.current()
    expect(seen).toHaveLength(1)
    session.discard(token, fault)
    expect((await session.current()).token).toBe('token-2')
  })

  test.each([401, 403])(
    'that is unavailable (%i) is reported as signed out, in the words of the proxy',
    async (status) => {
      const fault = await faultOf((await startProxy({ refuses: status })).session.current())
      expect([fault.status, fault.problem.type]).toEqual([401, 'urn:sightline:problem:signed-out'])
      expect(fault.message).toBe('Sign in to go on.')
    },
  )

  test('whose renewal failed for a moment goes on, and is renewed the next time', async () => {
    const behaviour: Behaviour = { lives: 600_000 }
    const { session, clock, seen } = await startProxy(behaviour)
    const states: string[] = []
    session.state.subscribe(() => states.push(session.state.getSnapshot().is))
    await session.current()
    clock.advance(545_000)
    behaviour.refuses = 503
    expect((await faultOf(session.current())).status).toBe(503)
    expect(session.state.getSnapshot()).toMatchObject({
      is: 'signed-in',
      session: { token: 'token-1' },
    })
    delete behaviour.refuses
    expect((await session.current()).token).toBe('token-2')
    expect(states).not.toContain('signed-out')
    expect(seen).toHaveLength(3)
  })

  test('that is unavailable for now is requested again the next time', async () => {
    const { session, seen } = await startProxy({ refuses: 503 })
    expect((await faultOf(session.current())).status).toBe(503)
    await faultOf(session.current())
    expect(seen).toHaveLength(2)
  })
})

describe('a request', () => {
  test('carries the session and gives what was answered', async () => {
    const { request, seen } = await startProxy({ answer: () => good })
    expect(await request('/thing', Answer)).toEqual({ ok: true })
    expect(seen).toEqual(['POST /session', 'GET /thing Bearer token-1'])
  })

  test('renews a session that was refused, once', async () => {
    const { request, seen } = await startProxy({
      answer: (authorization) => (authorization === 'Bearer token-2' ? good : { status: 401 }),
    })
    expect(await request('/thing', Answer)).toEqual({ ok: true })
    expect(seen).toEqual([
      'POST /session',
      'GET /thing Bearer token-1',
      'POST /session',
      'GET /thing Bearer token-2',
    ])
  })

  test('that is refused with a new session as well is reported', async () => {
    const { request, seen } = await startProxy({ answer: () => ({ status: 401 }) })
    expect((await faultOf(request('/thing', Answer))).message).toBe('The session has ended.')
    expect(seen).toHaveLength(4)
  })

  test('reports a problem in its own words, with the wait that it requests', async () => {
    const { request } = await startProxy({
      answer: () => ({
        status: 429,
        headers: { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '7' },
        body: problem(429, 'busy', 'Busy', 'Sixty a minute are enough.'),
      }),
    })
    const fault = await faultOf(request('/thing', Answer))
    expect([fault.message, fault.retryAfterMs]).toEqual(['Sixty a minute are enough.', 7000])
  })

  test.each([
    ['an unreadable problem', { 'content-type': 'application/problem+json' }, '{'],
    ['an endless problem', { 'content-type': 'application/problem+json' }, 'x'.repeat(1_000_000)],
    ['a page', { 'content-type': 'text/html' }, '<h1>Bad gateway at 10.0.0.7</h1>'],
  ])('makes a sentence of its own of %s', async (_name, headers, body) => {
    const { request } = await startProxy({ answer: () => ({ status: 502, headers, body }) })
    expect((await faultOf(request('/thing', Answer))).message).toBe(
      'The Sightline server responded with status 502.',
    )
  })

  test.each([
    ['{"ok":', 'expected object.'],
    ['{"ok":true,"deep":{"n":"secret"}}', 'deep.n: expected number.'],
  ])('names the wrong keys of an answer, not their values: %s', async (body, wrong) => {
    const { request } = await startProxy({ answer: () => ({ status: 200, body }) })
    const fault = await faultOf(request('/thing?token=1', Answer))
    expect(fault.message).toBe(`Can't read the response to /thing: ${wrong}`)
    expect(fault.message).not.toContain('secret')
  })

  test('that is not answered within 30 s is given up', async () => {
    const { request, clock, asked } = await startProxy()
    const fault = faultOf(request('/thing', Answer))
    await asked(2)
    clock.advance(30_000)
    expect((await fault).message).toBe("The Sightline server didn't respond within 30 s.")
    expect(clock.pending()).toBe(0)
  })

  test('that was aborted rejects with the reason of the abort', async () => {
    const { request, clock, asked } = await startProxy()
    const leaving = new AbortController()
    const outcome = request('/thing', Answer, { signal: leaving.signal }).catch(
      (error: unknown) => error,
    )
    await asked(2)
    leaving.abort()
    expect(await outcome).toBe(leaving.signal.reason)
    expect(clock.pending()).toBe(0)
  })

  test('to a proxy that is gone says so, and whether this device is offline', async () => {
    const clock = createManualClock()
    const refused: typeof fetch = () => Promise.reject(new TypeError('fetch failed'))
    for (const [online, sentence] of [
      [true, "Can't reach the Sightline server."],
      [false, 'You are offline.'],
    ] as const) {
      const session = createSession({ fetch: refused, clock, isOnline: () => online })
      expect((await faultOf(session.current())).message).toBe(sentence)
    }
  })

  test('sends a body as JSON', async () => {
    const { request, bodies } = await startProxy({ answer: () => good })
    await request('/thing', Answer, { method: 'POST', body: { a: 1 } })
    expect(bodies).toEqual(['{"a":1}'])
  })
})

const session = {
  token: 'screen_1_secret',
  expiresAt: 1_780_000_000_000,
  user: { name: 'Lobby', roles: ['screen' as const] },
}

function memory(first?: string): CredentialStorage & { readonly kept: Map<string, string> } {
  const kept = new Map(first === undefined ? [] : [['sightline.screen', first]])
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  }
}

test('a credential is there after the page was loaded anew, until it is forgotten', () => {
  const storage = memory()
  createScreenCredential(storage).keep(session)
  const again = createScreenCredential(storage)
  expect(again.get()).toEqual(session)
  again.forget()
  expect(again.get()).toBeUndefined()
  expect(storage.kept.size).toBe(0)
  expect(createScreenCredential(storage).get()).toBeUndefined()
})

test.each([undefined, '', '{', 'null', '[]', '{"token":""}', '{"token":"x","expiresAt":"soon"}'])(
  'a storage that holds %j has no credential, and takes one',
  (held) => {
    const storage = memory(held)
    const credential = createScreenCredential(storage)
    expect(credential.get()).toBeUndefined()
    credential.keep(session)
    expect(createScreenCredential(storage).get()).toEqual(session)
  },
)

const refuse = (): never => {
  throw new DOMException('Blocked', 'SecurityError')
}

test.each([
  ['none', undefined],
  ['one that is blocked', { getItem: refuse, setItem: refuse, removeItem: refuse }],
])('with %s for a storage it holds until the page is closed', (_, storage) => {
  const credential = createScreenCredential(storage)
  expect(credential.get()).toBeUndefined()
  credential.keep(session)
  expect(credential.get()).toEqual(session)
  credential.forget()
  expect(credential.get()).toBeUndefined()
})
