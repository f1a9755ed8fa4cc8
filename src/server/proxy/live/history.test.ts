import { expect, test } from 'vitest'
import { toBuildSummary } from '../../../protocol/build-data.ts'
import { createHistory } from './history.ts'
import { buildNumber, idsOf } from './hostile-upstream.test-support.ts'
import { startWithClient } from './upstream-reading.test-support.ts'

/** The ids of all builds that a history reads, page by page. */
async function passed(
  { client, clock }: Awaited<ReturnType<typeof startWithClient>>,
  onLoss: (loss: unknown) => void = () => undefined,
  polling = true,
): Promise<string[]> {
  const history = createHistory({
    ...{ client, clock, onLoss },
    polling: () => polling,
    onMalformed: () => undefined,
  })
  const ids: string[] = []
  const signal = AbortSignal.timeout(10_000)
  for await (const page of history.pass({ kind: 'instant', at: 0 }, signal)) {
    ids.push(...page.map(({ buildId }) => buildId))
  }
  return ids
}

test('a list in another order of equal times each time is read to its end, without haste', async () => {
  const parts = await startWithClient(1000)
  const { upstream, clock } = parts
  const builds = [0, 1, 2, 3, 4].map((number) => ({ ...buildNumber(number), timestamp: 1000 }))
  const askedAt: number[] = []
  upstream.answers.push((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', upstream.url)
    // An old server: it knows no more than `since`.
    if (searchParams.has('maxWaitSecs')) response.writeHead(400).end()
    else {
      askedAt.push(clock.now())
      builds.push(...builds.splice(0, 1))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(builds.slice(0, 3).map(toBuildSummary)))
    }
    return true
  })
  expect((await passed(parts)).toSorted()).toEqual(idsOf(0, 5))
  expect(askedAt.length).toBeLessThan(6)
  for (const [index, at] of askedAt.slice(2).entries()) {
    expect(at - (askedAt[index + 1] ?? 0)).toBeGreaterThanOrEqual(1000)
  }
})

test('a list that goes by time is read past an instant that has more builds than a page, and says so', async () => {
  const parts = await startWithClient(1000)
  const { upstream } = parts
  const builds = [1000, 2000, 2000, 2000, 2000, 2001, 3000].map((timestamp, number) => ({
    ...buildNumber(number),
    timestamp,
  }))
  upstream.answers.push((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', upstream.url)
    const found = builds.filter(({ timestamp }) => timestamp >= Number(searchParams.get('since')))
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found.slice(0, 3).map(toBuildSummary)))
    return true
  })
  const unread: unknown[] = []
  expect(await passed(parts, (loss) => unread.push(loss))).toEqual([...idsOf(0, 4), ...idsOf(5, 7)])
  expect(unread).toEqual([
    {
      endpoint: 'GET /api/builds',
      build: null,
      field: null,
      reason:
        'a page of the list has no room for more builds of 1970-01-01T00:00:02.000Z, so some may be missing',
    },
  ])
})

test.each([false, true])(
  'an export stream that sends nothing (headers: %s) leaves the history to the list',
  async (isOpen) => {
    const parts = await startWithClient(100)
    parts.upstream.answers.push((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', parts.upstream.url)
      if (pathname.startsWith('/build-export/')) {
        if (isOpen) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return true
      }
      const isEnd = searchParams.has('fromBuild')
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isEnd ? [] : [toBuildSummary(buildNumber(0))]))
      return true
    })
    expect(await passed(parts, undefined, false)).toEqual(idsOf(0, 1))
  },
)
