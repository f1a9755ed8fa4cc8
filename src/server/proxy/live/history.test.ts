import { expect, onTestFinished, test } from 'vitest'
import { toBuildSummary } from '../../../protocol/build-data.ts'
import { createHistory } from './history.ts'
import { buildNumber, idsOf, startHostileUpstream } from './hostile-upstream.test-support.ts'
import { clientOf, createSwiftClock } from './hub-on-socket.test-support.ts'

/** A build server and a client of it, with a clock whose waits are short; both end with the test. */
async function started() {
  const upstream = await startHostileUpstream()
  const clock = createSwiftClock(Date.now, 1000)
  const client = clientOf(upstream.url, clock)
  onTestFinished(async () => {
    await client.close()
    await upstream.stop()
  })
  return { upstream, clock, client }
}

test('a list in another order of equal times each time is read to its end, without haste', async () => {
  const { upstream, clock, client } = await started()
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
  const history = createHistory({
    client,
    clock,
    polling: () => true,
    onMalformed: () => undefined,
    onLoss: () => undefined,
  })
  const ids: string[] = []
  const signal = AbortSignal.timeout(10_000)
  for await (const page of history.pass({ kind: 'instant', at: 0 }, signal)) {
    ids.push(...page.map(({ buildId }) => buildId))
  }
  expect(ids.toSorted()).toEqual(idsOf(0, 5))
  expect(askedAt.length).toBeLessThan(6)
  for (const [index, at] of askedAt.slice(2).entries()) {
    expect(at - (askedAt[index + 1] ?? 0)).toBeGreaterThanOrEqual(1000)
  }
})

test('a list that goes by time is read past an instant that has more builds than a page, and says so', async () => {
  const { upstream, clock, client } = await started()
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
  const history = createHistory({
    client,
    clock,
    polling: () => true,
    onMalformed: () => undefined,
    onLoss: (loss) => unread.push(loss),
  })
  const ids: string[] = []
  const signal = AbortSignal.timeout(10_000)
  for await (const page of history.pass({ kind: 'instant', at: 0 }, signal)) {
    ids.push(...page.map(({ buildId }) => buildId))
  }
  expect(ids).toEqual([...idsOf(0, 4), ...idsOf(5, 7)])
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
