import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBuildSummary } from '../../../protocol/build-data.ts'
import { LiveStatus } from '../../../protocol/live-feed.ts'
import {
  buildNumber,
  buildNumbers,
  sseOf,
  startHostileUpstream,
  idOf,
  idsOf,
} from './hostile-upstream.test-support.ts'
import { createSwiftClock, readHub, type TestReader, until } from './hub-on-socket.test-support.ts'
import { eventsOf, publish, start, startSilent } from './hub-under-test.test-support.ts'

/** Whether a reader was told that nothing is to come of what has been. */
const isCaughtUp = (reader: TestReader): boolean =>
  eventsOf(reader, 'Status').some((data) => LiveStatus.parse(data).backlog === 0)

describe('a reader that requests history', () => {
  test('gets it from the upstream and then what comes, each once and in order', async () => {
    const { upstream, hub } = await start()
    upstream.builds.push(...buildNumbers(0, 500))
    upstream.publish(buildNumber(500))
    const reader = readHub(hub.origin, '/?since=0&batch')
    await until(() => reader.ids.length >= 501)
    upstream.publish(buildNumber(501))
    await until(() => reader.ids.length >= 502)
    expect(reader.ids).toEqual(idsOf(0, 502))
  })

  test('from an instant gets the builds from then on', async () => {
    const { upstream, hub } = await start()
    upstream.builds.push(...buildNumbers(0, 100))
    const reader = readHub(hub.origin, `/?since=${buildNumber(90).timestamp}`)
    await until(() => reader.ids.length === 10)
    expect(reader.ids).toEqual(idsOf(90, 100))
  })

  test('that the ring covers is served without a request to the upstream', async () => {
    const parts = await start()
    await publish(parts, 0, 100)
    const reader = readHub(parts.hub.origin, `/?since=${buildNumber(90).timestamp}`)
    await until(() => reader.ids.length === 10)
    expect(reader.ids).toEqual(idsOf(90, 100))
    expect(parts.upstream.requests).toHaveLength(1)
  })

  test('gets the last hour also where the first build that came live is dated before it', async () => {
    const { upstream, hub, clock } = await start()
    const hour = 3_600_000
    const since = clock.now() - hour
    const kept = buildNumbers(0, 10).map((build, index) => ({
      ...build,
      timestamp: since + 1000 * (index + 1),
    }))
    upstream.builds.push(...kept)
    upstream.publish({ ...buildNumber(10), timestamp: since - 120_000 })
    await until(() => hub.metric('builds') === 1)
    const reader = readHub(hub.origin, `/?since=${since}`)
    await until(() => reader.ids.length >= 10)
    expect(reader.ids.slice(0, 10)).toEqual(idsOf(0, 10))
  })

  test('of a server whose clock is behind gets the last hour by that clock, and is told its time', async () => {
    const behind = 7_200_000
    const skewed = { clockSkewMs: () => -behind }
    const parts = await startSilent(() => undefined, {}, undefined, skewed)
    const { upstream, hub, clock } = parts
    const now = clock.now()
    const at = (ageMs: number): number => now - behind - ageMs
    upstream.builds.push(
      ...[4_000_000, 3_000_000, 1_000_000].map((ageMs, index) => ({
        ...buildNumber(index),
        timestamp: at(ageMs),
      })),
    )
    const reader = readHub(hub.origin, `/?since=${now - 3_600_000}`)
    await until(() => reader.ids.length >= 2)
    expect(reader.ids).toEqual(idsOf(1, 3))
    const status = LiveStatus.parse(eventsOf(reader, 'Status')[0])
    expect(Math.abs(status.now - at(0))).toBeLessThan(600_000)
    expect(status.since).toBeLessThanOrEqual(status.now)
  })

  test('hears that it has caught up only behind the last build, and before how many are to go', async () => {
    const parts = await start()
    await publish(parts, 0, 5000)
    const reader = readHub(parts.hub.origin, `/?since=${buildNumber(1).timestamp}`)
    await until(() => isCaughtUp(reader))
    const told = reader.messages.filter(
      ({ event, data }) =>
        event === 'Build' ||
        (event === 'Status' && 'backlog' in LiveStatus.parse(JSON.parse(data))),
    )
    expect(told.filter(({ event }) => event === 'Build')).toHaveLength(4999)
    expect(told.at(-1)?.event).toBe('Status')
    const backlogs = eventsOf(reader, 'Status').flatMap(
      (data) => LiveStatus.parse(data).backlog ?? [],
    )
    expect(backlogs).toHaveLength(2)
    expect(backlogs[0]).toBeGreaterThan(0)
  })

  test('while the live stream is down gets it, and later what it missed', async () => {
    const { upstream, hub } = await startSilent(({ builds, answers }) => {
      builds.push(...buildNumbers(0, 20))
      answers.push((request, response) => {
        if (request.url?.includes('stream') !== true) return false
        response.writeHead(503).end()
        return true
      })
    })
    const reader = readHub(hub.origin, '/?since=0')
    await until(() => reader.ids.length === 20)
    upstream.publish(buildNumber(20))
    upstream.answers.length = 0
    await until(() => reader.ids.length === 21)
    upstream.publish(buildNumber(21))
    await until(() => reader.ids.length === 22)
    expect(reader.ids).toEqual(idsOf(0, 22))
  })

  test('while the upstream is lost gets what the proxy knows, and hears that the rest is missing', async () => {
    const parts = await start()
    await publish(parts, 100, 150)
    await parts.upstream.stop()
    const reader = readHub(parts.hub.origin, '/?since=0')
    await until(() => isCaughtUp(reader))
    expect(reader.ids).toEqual(idsOf(100, 150))
    expect(eventsOf(reader, 'Gap')).toEqual([{ from: null, oldest: idOf(100), again: true }])
    const statuses = eventsOf(reader, 'Status').map((status) => LiveStatus.parse(status))
    // The attempts to reach the upstream go on, and each is a Status of its own.
    expect(statuses.find(({ backlog }) => backlog === 0)).toMatchObject({ upstream: 'retrying' })
  })

  test('is ended when the lost upstream is back, and gets all in order when it begins anew', async () => {
    const parts = await start()
    const { upstream, hub } = parts
    await publish(parts, 100, 150)
    await upstream.stop()
    const reader = readHub(hub.origin, '/?since=0')
    await until(() => eventsOf(reader, 'Gap').length === 1)
    const recovered = await startHostileUpstream(Number(upstream.url.port))
    recovered.builds.push(...buildNumbers(0, 150))
    onTestFinished(recovered.stop)
    await until(() => reader.ended())
    expect(reader.ids).toEqual(idsOf(100, 150))
    const anew = readHub(hub.origin, '/?since=0')
    await until(() => anew.ids.length === 150)
    expect(anew.ids).toEqual(idsOf(0, 150))
    expect(eventsOf(anew, 'Gap')).toEqual([])
  })

  test('gets it although the upstream compresses it', async () => {
    const { upstream, hub } = await start()
    const text = buildNumbers(0, 2000).map(sseOf).join('')
    upstream.answers.push((request, response) => {
      if (request.url !== '/build-export/v2/builds/since/0') return false
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      response.end(gzipSync(text))
      return true
    })
    upstream.builds.push(...buildNumbers(0, 2000))
    const reader = readHub(hub.origin, '/?since=0')
    await until(() => reader.ids.length === 2000)
    expect(reader.ids).toEqual(idsOf(0, 2000))
  })

  test('gets it from the build list where the export stream is refused', async () => {
    const { upstream, hub } = await startSilent(({ builds, answers }) => {
      builds.push(...buildNumbers(0, 50))
      answers.push((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://upstream.invalid')
        if (pathname !== '/api/builds') {
          response.writeHead(403).end()
          return true
        }
        const from = builds.findIndex(({ buildId }) => buildId === searchParams.get('fromBuild'))
        const page = searchParams.has('fromBuild') ? builds.slice(from + 1) : builds
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(page.slice(0, 8).map(toBuildSummary)))
        return true
      })
    })
    const reader = readHub(hub.origin, '/')
    await until(() =>
      eventsOf(reader, 'Status').some((data) => LiveStatus.parse(data).upstream === 'polling'),
    )
    const resumed = readHub(hub.origin, '/', idOf(9))
    await until(() => resumed.ids.length >= 40)
    upstream.publish(buildNumber(50))
    await until(() => resumed.ids.length >= 41)
    expect(resumed.ids).toEqual(idsOf(10, 51))
  })

  test('that the upstream refuses gets a notice and what comes', async () => {
    const parts = await start()
    parts.upstream.answers.push((_, response) => {
      response.writeHead(403).end()
      return true
    })
    const reader = readHub(parts.hub.origin, '/?since=0')
    await until(() => eventsOf(reader, 'Gap').length === 1)
    await publish(parts, 0, 2)
    await until(() => reader.ids.length === 2)
  })

  test('and does not read holds up the upstream instead of filling the memory', async () => {
    const { upstream, hub } = await start({}, createSwiftClock(Date.now, 1))
    const everything = buildNumbers(0, 100_000)
    upstream.builds.push(...everything)
    const reader = readHub(hub.origin, '/?since=0')
    reader.stall()
    await until(() => reader.status() === 200)
    reader.stall()
    const before = process.memoryUsage().rss
    for (let turn = 0; turn < 2000; turn++) await until(() => true)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    expect(reader.ids.length).toBeLessThan(50_000)
    reader.resume()
    await until(() => reader.ids.length === everything.length)
    expect(reader.ids).toEqual(everything.map(({ buildId }) => buildId))
  })

  test('learns about how much is still to come, and when it has caught up', async () => {
    const { upstream, hub } = await start({}, createSwiftClock(Date.now, 10))
    upstream.builds.push(...buildNumbers(0, 20_000))
    const reader = readHub(hub.origin, '/?since=0&batch')
    await until(() => reader.ids.length === 20_000)
    await until(() => isCaughtUp(reader))
  })

  test('has not caught up before it has what came since the proxy began', async () => {
    const parts = await start()
    parts.upstream.builds.push(...buildNumbers(0, 50))
    await publish(parts, 50, 60)
    const reader = readHub(parts.hub.origin, '/?since=0')
    const caughtUp = (): number =>
      reader.messages.findIndex(
        ({ event, data }) => event === 'Status' && LiveStatus.parse(JSON.parse(data)).backlog === 0,
      )
    await until(() => caughtUp() !== -1 && reader.ids.length === 60)
    const before = reader.messages.slice(0, caughtUp()).filter(({ event }) => event === 'Build')
    expect(before).toHaveLength(60)
  })
})
