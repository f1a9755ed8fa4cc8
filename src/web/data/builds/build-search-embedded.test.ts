import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { build } from '../../../server/embedded/seed.test-support.ts'
import { serve, type Serving } from '../../../server/embedded/serving.test-support.ts'
import { buildCountQuery } from './build-queries.ts'
import { createBuildListReader, mistakesIn } from './build-list-reader.ts'
import { type BuildSearchView, createBuildSearch } from './build-search.ts'
import { createRequest, type Request as Ask } from '../core/request.ts'
import { createSession } from '../core/session.ts'

/** Searches against the embedded services themselves. */

let serving: Serving | undefined

afterEach(async () => {
  await serving?.stop()
  serving = undefined
})

const clock = createManualClock(1_000_000)

async function start(): Promise<Ask> {
  const started = await serve({ models: true })
  serving = started
  await started.addAll(
    Array.from({ length: 230 }, (_, index) =>
      build(`b${String(index).padStart(12, '0')}`, 1000 + index, {
        attributes: {
          rootProjectName: index % 2 === 0 ? 'shop' : 'bank',
          hasFailed: index % 10 === 0,
        },
      }),
    ),
  )
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : started.request(path.replace('/upstream/build-data', ''), {
          signal: init?.signal ?? null,
        })
  }
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  return createRequest({ fetch: send, session, clock, isOnline })
}

function search(request: Ask, text: string): Promise<BuildSearchView> {
  const found = createBuildSearch(
    {
      query: text,
      verdict: compile(parse(text), { now: clock.now(), timeZone: 'UTC' }),
    },
    {
      reader: createBuildListReader(request, clock),
      ...{
        clock,
        random: () => 0,
        factsOf: () => undefined,
        readFacts: () => Promise.resolve(new Map()),
      },
    },
  )
  return new Promise((resolve) => {
    found.subscribe(() => {
      const view = found.getSnapshot()
      if (['done', 'failed', 'refused'].includes(view.state.is)) resolve(view)
    })
    found.all()
  })
}

test('the server searches, to the end, with what is known of each build', async () => {
  const view = await search(await start(), 'project:shop -buildOutcome:failed')
  expect(view.state).toEqual({ is: 'done' })
  expect(view.found).toHaveLength(92)
  expect(view.disputed).toBe(0)
  expect(view.ability).toMatchObject({ search: 'yes', walk: 'none' })
  expect(view.found[0]?.facts).toMatchObject({ buildId: 'b000000000228', project: 'shop' })
})

test('the server reports what it does not like in a query', async () => {
  const { state } = await search(await start(), 'projct:shop')
  expect(state.is === 'refused' && mistakesIn(state.problem.problem)).toMatchObject([
    { from: 0, to: 6 },
  ])
})

test('builds are counted without their attributes', async () => {
  const reader = createBuildListReader(await start(), clock)
  const client = new QueryClient()
  expect(await client.query(buildCountQuery(reader, 'project:shop'))).toBe(115)
  expect(await client.query(buildCountQuery(reader, 'project:none'))).toBe(0)
})
