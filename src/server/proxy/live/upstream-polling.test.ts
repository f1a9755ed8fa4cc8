import { describe, expect, test } from 'vitest'
import {
  buildNumber,
  buildNumbers,
  type HostileUpstream,
  idsOf,
} from './hostile-upstream.test-support.ts'
import { toBuildSummary } from '../../../protocol/build-data.ts'
import { until } from './hub-on-socket.test-support.ts'

import {
  arrive,
  live,
  read,
  type Reading,
  readRefused,
  refuseStreams,
} from './upstream-reading.test-support.ts'

/** Serves the build list from the builds of the upstream. */
function serveList(upstream: HostileUpstream, knows: 'fromBuild' | 'since' | 'a time'): void {
  upstream.answers.push((request, response) => {
    const url = new URL(request.url ?? '/', 'http://upstream.invalid')
    if (url.pathname !== '/api/builds') return false
    const { searchParams } = url
    if (knows !== 'fromBuild' && searchParams.has('maxWaitSecs')) {
      response.writeHead(400).end()
      return true
    }
    const fromBuild = searchParams.get('fromBuild')
    const since = Number(searchParams.get('since'))
    const found =
      fromBuild === null || knows !== 'fromBuild'
        ? upstream.builds.filter(({ timestamp }) => timestamp >= since + Number(knows === 'a time'))
        : upstream.builds.slice(
            upstream.builds.findIndex(({ buildId }) => buildId === fromBuild) + 1,
          )
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found.slice(0, 7).map(toBuildSummary)))
    return true
  })
}

describe('an export stream that sends nothing', () => {
  test.each([
    ['no headers', false],
    ['nothing behind its headers, twice', true],
  ])('(%s) is replaced by the build list, which says so', async (_, isOpen) => {
    const reading = await read((upstream) => {
      serveList(upstream, 'fromBuild')
      upstream.answers.push((request, response) => {
        if (request.url?.includes('/build-export/') !== true) return false
        if (isOpen) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        return true
      })
    })
    await until(() => reading.states.includes('polling'))
    expect(reading.messages.at(-1)).toContain("The build server's export stream sends nothing, so")
    await arrive(reading, 0)
    expect(reading.ids).toEqual(idsOf(0, 1))
  })

  test('beside a build list that is denied is retried, and both are said', async () => {
    const reading = await read((upstream) => {
      upstream.answers.push((request, response) => {
        if (request.url?.startsWith('/api/builds') === true) response.writeHead(403).end()
        return true
      })
    })
    await until(() => reading.waits.length > 0)
    expect(reading.messages.at(-1)).toBe(
      "The build server's export stream sends nothing. Its build list responds with 403. Reconnecting.",
    )
  })
})

describe('an upstream that refuses its export stream', () => {
  /** Reads one that serves its build list, once it is polled. */
  async function readList(knows: Parameters<typeof serveList>[1], status = 403): Promise<Reading> {
    const reading = await read((upstream) => {
      refuseStreams(upstream, status)
      serveList(upstream, knows)
    })
    await until(() => reading.states.includes('polling'))
    return reading
  }

  test.each([
    [401, 'fromBuild'],
    [403, 'fromBuild'],
    [404, 'fromBuild'],
    [403, 'since'],
  ] as const)('with %i is read through its build list by %s', async (status, knows) => {
    const reading = await readList(knows, status)
    expect(reading.stream.status().message).toContain(String(status))
    for (const build of buildNumbers(0, 20)) reading.upstream.publish(build)
    await until(() => reading.ids.length === 20)
    await arrive(reading, 20)
    expect(reading.ids).toEqual(idsOf(0, 21))
  })

  test.each(['fromBuild', 'since'] as const)(
    'is followed by %s past a build that is dated ahead, and past times out of order',
    async (knows) => {
      const reading = await readList(knows)
      const add = (number: number, offMs: number): void => {
        const { builds } = reading.upstream
        builds.push({ ...buildNumber(number), timestamp: reading.clock.now() + offMs })
        builds.sort((one, other) => one.timestamp - other.timestamp)
      }
      add(0, 0)
      add(1, 253_000_000_000_000)
      await until(() => reading.ids.length === 2)
      for (let number = 2; number < 12; number++) {
        add(number, number % 2 === 0 ? 0 : -2000)
        await until(() => reading.ids.length === number + 1)
      }
      expect(reading.ids).toEqual(idsOf(0, 12))
    },
  )

  test.each(['fromBuild', 'since'] as const)(
    'is looked through by %s once a minute for what became available minutes before the newest',
    async (knows) => {
      const reading = await readList(knows)
      const { upstream, clock } = reading
      const begunAt = clock.now()
      const add = (number: number, timestamp: number): void => {
        upstream.builds.push({ ...buildNumber(number), timestamp })
        upstream.builds.sort((one, other) => one.timestamp - other.timestamp)
      }
      await until(() => clock.now() > begunAt + 12 * 60_000)
      for (let number = 0; number < 12; number++) add(number, clock.now() - (12 - number) * 60_000)
      await until(() => reading.ids.length === 12)
      const newest = clock.now()
      add(12, newest)
      await until(() => reading.ids.length === 13)
      add(13, newest - 10 * 60_000)
      await until(() => reading.ids.length === 14)
      expect(reading.ids).toEqual(idsOf(0, 14))

      const before = upstream.requests.length
      const since = clock.now()
      await until(() => clock.now() > since + 4 * 60_000)
      const starts = upstream.requests.slice(before).flatMap(({ path }) => {
        const query = new URL(path, upstream.url).searchParams
        const isStart = query.has('since') && !query.has('fromBuild')
        return isStart ? [Number(query.get('since'))] : []
      })
      const long = starts.filter((start) => start < newest - 120_000)
      expect(long.length).toBeGreaterThan(1)
      expect(long.length).toBeLessThan(starts.length / 3)
      expect(Math.min(...long)).toBeGreaterThanOrEqual(newest - 16 * 60_000 - 1)
    },
  )

  test.each([
    ['fromBuild', 'all of them', 20],
    ['since', 'as many as it gives at once', 7],
    ['a time', 'as many as it gives at once', 7],
  ] as const)(
    'is followed by %s past an instant that has more builds than a page: %s, and all later ones',
    async (knows, _, most) => {
      const reading = await readList(knows)
      const { upstream, clock } = reading
      const at = clock.now()
      const earlier = { ...buildNumber(90), timestamp: at - 1 }
      upstream.builds.push(
        earlier,
        ...buildNumbers(0, 20).map((build) => ({ ...build, timestamp: at })),
      )
      await until(() => reading.ids.length >= 1 + most)
      const before = upstream.requests.length
      await until(() => upstream.requests.length > before + 8)
      for (let number = 20; number < 40; number++) {
        upstream.publish({ ...buildNumber(number), timestamp: clock.now() })
        await until(() => reading.ids.includes(buildNumber(number).buildId))
      }
      const expected = [earlier.buildId, ...idsOf(0, most), ...idsOf(20, 40)]
      expect(reading.ids.toSorted()).toEqual(expected.toSorted())
      expect(reading.unread).toHaveLength(most < 20 ? 1 : 0)
    },
  )

  test('and what it may leave out, is said', async () => {
    const reading = await readList('fromBuild')
    expect(reading.stream.status().message).toContain('more than 15 minutes late')
  })

  test('is known to be polled before a list that holds its requests has news', async () => {
    const reading = await read((upstream) => {
      refuseStreams(upstream, 403)
      upstream.answers.push((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream.invalid')
        if (pathname !== '/api/builds') return false
        if (Number(searchParams.get('maxWaitSecs')) <= 1) {
          response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
        }
        return true
      })
    })
    await until(() => reading.states.includes('polling'))
  })

  test('lists what is no build again and again, which is counted once', async () => {
    const odd = [{ ...toBuildSummary(buildNumber(0)), id: 'odd id' }, { availableAt: null }]
    let listed = 0
    const reading = await read((upstream) => {
      refuseStreams(upstream, 403)
      upstream.answers.push((request, response) => {
        if (request.url?.startsWith('/api/builds') !== true) return false
        listed++
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(odd))
        return true
      })
    })
    // So often, that the stream was tried again in between.
    await until(() => reading.upstream.requests.length - listed === 3)
    expect(listed).toBeGreaterThan(3)
    expect(reading.stream.status().malformed).toBe(2)
  })

  test('is streamed again once it allows that', async () => {
    const reading = await readList('fromBuild')
    await arrive(reading, 0)
    reading.upstream.answers.shift()
    await until(() => live(reading))
    await arrive(reading, 1)
    expect(reading.ids).toEqual(idsOf(0, 2))
  })

  test('and its build list as well is reported as refused', async () => {
    const reading = await readRefused('refused', 403)
    expect(reading.stream.status().message).toContain('Export API')
  })
})
