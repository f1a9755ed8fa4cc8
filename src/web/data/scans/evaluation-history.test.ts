import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { evaluationsQuery, lastEvaluationsQuery, runToShow } from './evaluation-history.ts'
import { type AnsweringServer, answeringServer } from './policy-scan.test-support.ts'
import { createRequest, type Request } from '../core/request.ts'
import { createSession } from '../core/session.ts'

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const session = { token: 't', expiresAt: 9e12, user: { name: 'alice', roles: [] } }

/** A list of evaluations as the proxy answers it. */
interface Page {
  readonly evaluations: readonly EvaluationSummary[]
  readonly next: string | null
}

/** Requests to a proxy that answers each of them with a page. */
async function requesting(answer: (url: string) => Page): Promise<Request> {
  server = await answeringServer(({ url = '' }, response) => {
    response.setHeader('content-type', 'application/json')
    const recording = { ok: true, lost: 0 }
    response.end(JSON.stringify(url === '/session' ? session : { ...answer(url), recording }))
  })
  const { origin } = server
  const clock = createManualClock(0)
  const send: typeof fetch = (input, init) =>
    fetch(`${origin}${input instanceof Request ? input.url : input.toString()}`, init)
  const isOnline = (): boolean => true
  const keeper = createSession({ fetch: send, clock, isOnline })
  return createRequest({ fetch: send, session: keeper, clock, isOnline })
}

test('pages follow each other by what the one before said, and empty filters are left out', async () => {
  const requested: string[] = []
  const request = await requesting((url) => {
    requested.push(url)
    return { evaluations: [], next: url.includes('before=') ? null : 'after this' }
  })
  const filter = { path: '/packages/oci/app/*', scan: '', by: 'alice & bob' }
  const list = new InfiniteQueryObserver(new QueryClient(), evaluationsQuery(request, filter))
  expect((await list.fetchNextPage()).hasNextPage).toBe(true)
  expect((await list.fetchNextPage()).hasNextPage).toBe(false)
  expect(requested).toEqual([
    '/history/evaluations?path=%2Fpackages%2Foci%2Fapp%2F*&by=alice+%26+bob&limit=50',
    '/history/evaluations?path=%2Fpackages%2Foci%2Fapp%2F*&by=alice+%26+bob&before=after+this&limit=50',
  ])
})

const question = {
  address: { type: 'npm', name: 'app', version: '1.0.0' },
  scan: 'release',
  sha256: 'ab',
  repositoryUrl: 'registry.example/one',
}
const ofQuestion =
  '/history/evaluations?path=%2Fpackages%2Fnpm%2Fapp%2F1.0.0&scan=release&sha256=ab&repository=registry.example%2Fone'

function run(id: string, ended: EvaluationSummary['ended']): EvaluationSummary {
  return {
    id,
    startedAt: 1,
    endedAt: 2,
    by: 'alice',
    packagePath: '/packages/npm/app/1.0.0',
    sha256: 'ab',
    repositoryUrl: 'registry.example/one',
    scan: 'release',
    ended,
    verdict: 'releasable',
    counts: { satisfied: 1, unsatisfied: 0, 'not-applicable': 0, unknown: 0 },
    results: 1,
    unreadable: 0,
    failing: [],
    waived: [],
  }
}

test('the last complete run of an artifact is found behind any number of unfinished ones', async () => {
  const requested: string[] = []
  const request = await requesting((url) => {
    requested.push(url)
    if (url.endsWith('/latest')) {
      return { evaluations: [run('25', 'broken'), run('2', 'complete')], next: null }
    }
    return url.includes('ended=')
      ? { evaluations: [run('2', 'complete'), run('1', 'complete')], next: null }
      : { evaluations: [run('4', 'broken'), run('3', 'cancelled')], next: '3' }
  })
  const { evaluations } = await new QueryClient().query(lastEvaluationsQuery(request, question))
  expect(runToShow(evaluations)?.id).toBe('2')
  // One of those in between found a policy unsatisfied.
  expect(evaluations.map(({ id }) => id)).toEqual(['4', '3', '25', '2', '1'])
  expect(requested).toEqual([
    `${ofQuestion}&limit=10`,
    `${ofQuestion}&ended=complete&before=3&limit=2`,
    '/history/evaluations/latest',
  ])
})

test('of runs that are all unfinished the newest is shown, and nothing older is requested for nothing', async () => {
  const requested: string[] = []
  const request = await requesting((url) => {
    requested.push(url)
    return { evaluations: [run('2', 'broken'), run('1', 'broken')], next: null }
  })
  const { evaluations } = await new QueryClient().query(lastEvaluationsQuery(request, question))
  expect(runToShow(evaluations)?.id).toBe('2')
  expect(requested).toHaveLength(1)
})
