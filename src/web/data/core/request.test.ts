import { createServer, type Server } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { createRequest } from './request.ts'
import { createSession } from './session.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

/** What a request comes to where the server sends half a list and closes the connection. */
async function cutOff(path: string, online = true): Promise<unknown> {
  const started = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('[1, ', () => response.destroy())
  })
  server = started
  const { url } = await onLoopback(started)
  const clock = createManualClock(1_000_000)
  const send: typeof fetch = (input, init) => {
    const to = input instanceof Request ? input.url : input.toString()
    return to === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : fetch(`${url}${to}`, init)
  }
  const isOnline = (): boolean => online
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  return request(path, z.array(z.number())).catch((error: unknown) => error)
}

test.each([
  ['/upstream/build-data/api/builds', 'The response of the build server broke off.'],
  ['/upstream/governor/x', 'The response of the policy service broke off.'],
  ['/config', 'The response of the Sightline server broke off.'],
])('a response to %s that breaks off is blamed on who sent it', async (path, sentence) => {
  const fault = await cutOff(path)
  expect(fault).toBeInstanceOf(ProblemError)
  expect(fault).toMatchObject({ status: 502, message: sentence })
})

test('on a device that is offline nobody else is blamed', async () => {
  expect(await cutOff('/config', false)).toMatchObject({ status: 503, message: 'You are offline.' })
})
