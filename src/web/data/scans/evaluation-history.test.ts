import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.ts'
import { evaluationsQuery } from './evaluation-history.ts'
import { type AnsweringServer, answeringServer } from './policy-scan.test-support.ts'
import { createRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const session = { token: 't', expiresAt: 9e12, user: { name: 'alice', roles: [] } }

test('pages follow each other by what the one before said, and empty filters are left out', async () => {
  const requested: string[] = []
  server = await answeringServer((request, response) => {
    const { url = '' } = request
    response.setHeader('content-type', 'application/json')
    if (url === '/session') {
      response.end(JSON.stringify(session))
      return
    }
    requested.push(url)
    const next = url.includes('before=') ? null : 'after this'
    const recording = { ok: true, lost: 0 }
    response.end(JSON.stringify({ evaluations: [], next, recording }))
  })
  const { origin } = server
  const clock = createManualClock(0)
  const send: typeof fetch = (input, init) =>
    fetch(`${origin}${input instanceof Request ? input.url : input.toString()}`, init)
  const isOnline = (): boolean => true
  const keeper = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session: keeper, clock, isOnline })
  const filter = { path: '/packages/oci/app/*', scan: '', by: 'alice & bob' }
  const list = new InfiniteQueryObserver(new QueryClient(), evaluationsQuery(request, filter))
  expect((await list.fetchNextPage()).hasNextPage).toBe(true)
  expect((await list.fetchNextPage()).hasNextPage).toBe(false)
  expect(requested).toEqual([
    '/history/evaluations?path=%2Fpackages%2Foci%2Fapp%2F*&by=alice+%26+bob&limit=50',
    '/history/evaluations?path=%2Fpackages%2Foci%2Fapp%2F*&by=alice+%26+bob&before=after+this&limit=50',
  ])
})
