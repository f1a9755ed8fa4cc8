import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { createRequest } from './request.ts'
import { createSession } from './session.ts'
import { signInAddress, signInWithToken, signOut, waysToSignIn } from './sign-in.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server on which one token is good, until somebody signs out. */
async function start() {
  const clock = createManualClock(1_780_000_000_000)
  const seen: string[] = []
  let isIn = false
  const started = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push([method, url, headers.authorization ?? '', body].join(' ').trim())
      if (method === 'DELETE') isIn = false
      if (method === 'POST' && body !== '') isIn = body === '{"token":"slt_good"}'
      const session = {
        token: 'short',
        expiresAt: clock.now() + 600_000,
        user: { name: 'ann', roles: ['viewer'] },
      }
      const refusal = problem(401, 'signed-out', 'Signed out', 'Unknown access token.', {
        mode: 'tokens',
      })
      const isOk = isIn || method === 'DELETE'
      const answer = method === 'DELETE' ? { endSessionUrl: 'https://id.example.com/end' } : session
      response.writeHead(isOk ? 200 : 401, {
        'content-type': isOk ? 'application/json' : 'application/problem+json',
        date: new Date(clock.now()).toUTCString(),
      })
      response.end(JSON.stringify(isOk ? answer : refusal))
    })
  })
  server = started
  const { fetch: send } = await onLoopback(started)
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  return { services: { fetch: send, clock, isOnline, session, request }, seen }
}

test('an access token signs in, and signing out forgets the session', async () => {
  const { services, seen } = await start()
  const { session } = services
  await session.current().catch(() => undefined)
  expect(session.state.getSnapshot().is).toBe('signed-out')
  await signInWithToken(services, 'slt_good')
  expect(session.state.getSnapshot().session?.user.name).toBe('ann')
  expect(await signOut(services)).toBe('https://id.example.com/end')
  await expect.poll(() => session.state.getSnapshot().is).toBe('signed-out')
  expect(seen).toEqual([
    'POST /session',
    'POST /session  {"token":"slt_good"}',
    'DELETE /session Bearer short',
    'POST /session',
  ])
})

test('an access token that is refused changes nothing, and the server says why', async () => {
  const { services } = await start()
  const fault = await signInWithToken(services, 'slt_bad').catch((error: unknown) => error)
  expect(fault instanceof ProblemError && fault.message).toBe('Unknown access token.')
  expect(services.session.state.getSnapshot().is).toBe('unknown')
})

test('how to sign in is read from the refusal', () => {
  const fault = new ProblemError(
    problem(401, 'signed-out', 'Signed out', 'Sign in.', {
      mode: 'oidc',
      signInUrl: '/session/sign-in',
      failure: { detail: 'No role.', claims: { groups: ['a'] } },
    }),
  )
  expect(waysToSignIn(fault)).toMatchObject({ mode: 'oidc', failure: { detail: 'No role.' } })
  const odd = problem(401, 'signed-out', 'Signed out', 'Sign in.', { mode: 'carrier pigeon' })
  expect(waysToSignIn(new ProblemError(odd))).toEqual({})
})

test.each([
  ['/session/sign-in', '/session/sign-in?to=%2Fbuilds%3Fquery%3Da%2526b'],
  ['/session/sign-in?x=1', '/session/sign-in?x=1&to=%2Fbuilds%3Fquery%3Da%2526b'],
  ['https://elsewhere.example.com/', undefined],
  ['//elsewhere.example.com/', undefined],
  ['/\\elsewhere.example.com/', undefined],
  ['javascript:alert(1)', undefined],
  [undefined, undefined],
])('from %s a browser signs in at %s', (url, address) => {
  expect(signInAddress(url, '/builds?query=a%26b')).toBe(address)
  expect(signInAddress(url, '/builds?query=a%26b', 'other')).toBe(
    address && `${address}&account=other`,
  )
})
