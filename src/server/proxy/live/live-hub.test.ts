import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LiveGap, LiveStatus } from '../../../protocol/live-feed.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  buildNumber,
  buildNumbers,
  startHostileUpstream,
  idOf,
  idsOf,
} from './hostile-upstream.test-support.ts'
import { createSwiftClock, readHub, startHub, until } from './hub-on-socket.test-support.ts'
import { eventsOf, publish, start } from './hub-under-test.test-support.ts'

describe('a reader of the live feed', () => {
  test('gets the headers of a stream that nothing may hold back or store', async () => {
    const { hub } = await start()
    const reader = readHub(hub.origin, '/')
    await until(() => reader.status() === 200)
    expect(reader.headers()).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    await until(() => reader.messages.length >= 1)
    expect(Buffer.concat(reader.bytes).toString()).toMatch(
      /^: ok\n\nretry: 1000\n\nevent: Status\n/,
    )
  })

  test('gets the state of the upstream first, and each change of it', async () => {
    const { upstream, hub } = await start()
    const reader = readHub(hub.origin, '/')
    await until(() => reader.messages.length >= 1)
    upstream.cut()
    const states = (): string[] =>
      eventsOf(reader, 'Status').map((data) => LiveStatus.parse(data).upstream)
    await until(() => states().includes('retrying') && states().at(-1) === 'live')
    expect(states()[0]).toBe('live')
  })

  test('gets each build as a message of its own, with its id', async () => {
    const parts = await start()
    const reader = readHub(parts.hub.origin, '/?since=now')
    await until(() => reader.messages.length >= 1)
    await publish(parts, 0, 3)
    await until(() => reader.ids.length === 3)
    expect(reader.messages.filter(({ event }) => event !== 'Status')).toEqual(
      buildNumbers(0, 3).map((build) => ({
        id: build.buildId,
        event: 'Build',
        data: JSON.stringify(build),
      })),
    )
  })

  test('may get many builds in one message, whose id is that of the last', async () => {
    const parts = await start({ flushMs: 5000 })
    const reader = readHub(parts.hub.origin, '/?batch')
    await until(() => reader.messages.length >= 1)
    await publish(parts, 0, 50)
    await until(() => reader.ids.length === 50)
    expect(reader.ids).toEqual(idsOf(0, 50))
    const batches = reader.messages.filter(({ event }) => event === 'Builds')
    expect(batches.length).toBeGreaterThan(0)
    for (const { id, data } of batches) expect(data).toContain(`"${id ?? 'none'}"`)
    expect(batches.at(-1)?.id).toBe(idOf(49))
  })

  test('hears a heartbeat while nothing happens', async () => {
    const { hub } = await start()
    const reader = readHub(hub.origin, '/')
    // The first comment opens the stream.
    await until(() => reader.comments() >= 3)
  })

  test("hears the build server's time with each heartbeat, as its own clock may be set meanwhile", async () => {
    const { hub } = await start()
    const reader = readHub(hub.origin, '/')
    const times = (): number[] =>
      reader.messages.flatMap(({ event, data }) =>
        event === 'Status' ? [LiveStatus.parse(JSON.parse(data)).now] : [],
      )
    await until(() => reader.comments() >= 4)
    expect(times().length).toBeGreaterThanOrEqual(3)
    expect((times().at(-1) ?? 0) - (times().at(-2) ?? 0)).toBeGreaterThanOrEqual(15_000)
  })

  test('goes on to hear heartbeats after the clock was set back', async () => {
    let setBack = 0
    const swift = createSwiftClock(Date.now)
    const { hub } = await start({}, { ...swift, now: () => swift.now() - setBack })
    const reader = readHub(hub.origin, '/')
    await until(() => reader.comments() >= 1)
    setBack = 86_400_000
    const heard = reader.comments()
    await until(() => reader.comments() >= heard + 2)
  })

  test('gets a build that the upstream sends twice only once', async () => {
    const parts = await start()
    const reader = readHub(parts.hub.origin, '/')
    await until(() => reader.messages.length >= 1)
    await publish(parts, 0, 1)
    parts.upstream.publish(buildNumber(0))
    parts.upstream.publish(buildNumber(1))
    await until(() => reader.ids.length === 2)
    expect(reader.ids).toEqual(idsOf(0, 2))
    expect(parts.hub.metric('duplicate_builds')).toBe(1)
  })
})

describe('a reader that resumes', () => {
  test('after a build in the ring is served without a request to the upstream', async () => {
    const parts = await start()
    await publish(parts, 0, 100)
    const reader = readHub(parts.hub.origin, '/?since=0', idOf(39))
    await until(() => reader.ids.length === 60)
    expect(reader.ids).toEqual(idsOf(40, 100))
    expect(parts.upstream.requests).toHaveLength(1)
  })

  test('after a build older than the ring gets the rest from the upstream', async () => {
    const parts = await start({ ringSize: 10 })
    await publish(parts, 0, 500)
    const reader = readHub(parts.hub.origin, '/', idOf(3))
    await until(() => reader.ids.length === 496)
    parts.upstream.publish(buildNumber(500))
    await until(() => reader.ids.length === 497)
    expect(reader.ids).toEqual(idsOf(4, 501))
    expect(eventsOf(reader, 'Gap')).toEqual([])
  })

  test('after an unknown build gets a gap notice and what is kept', async () => {
    const parts = await start()
    await publish(parts, 0, 3)
    const reader = readHub(parts.hub.origin, '/', 'zzzzzzzzzzzzz')
    await until(() => reader.ids.length === 3)
    parts.upstream.publish(buildNumber(3))
    await until(() => reader.ids.length === 4)
    const events = reader.messages.map(({ event }) => event).filter((event) => event !== 'Status')
    expect(events.slice(0, 2)).toEqual(['Gap', 'Build'])
    const [gap] = eventsOf(reader, 'Gap')
    expect(LiveGap.parse(gap)).toEqual({ from: 'zzzzzzzzzzzzz', oldest: idOf(0) })
    expect(reader.ids).toEqual(idsOf(0, 4))
  })

  test('after something that is no build id gets a gap notice', async () => {
    const { hub, upstream } = await start()
    const reader = readHub(hub.origin, '/?malformed')
    await until(() => eventsOf(reader, 'Gap').length > 0)
    expect(eventsOf(reader, 'Gap')).toEqual([{ from: null, oldest: null }])
    expect(upstream.requests).toHaveLength(1)
  })

  test('waits for an upstream that cannot answer now instead of getting a gap notice', async () => {
    const parts = await start({ ringSize: 10 })
    await publish(parts, 0, 200)
    let refusals = 0
    parts.upstream.answers.push((_, response) => {
      if (++refusals > 3) return false
      response.writeHead(503, { 'retry-after': '1' }).end()
      return true
    })
    const reader = readHub(parts.hub.origin, '/', idOf(3))
    await until(() => reader.ids.length === 196)
    expect(reader.ids).toEqual(idsOf(4, 200))
    expect(eventsOf(reader, 'Gap')).toEqual([])
  })
})

test('a gap of the upstream itself is announced to all, also to those who come later', async () => {
  const parts = await start()
  const early = readHub(parts.hub.origin, '/')
  await until(() => early.messages.length > 0)
  await publish(parts, 0, 2)
  parts.upstream.answers.push((request, response) => {
    if (request.url?.includes('since/now') === true) return false
    response.writeHead(400).end()
    return true
  })
  parts.upstream.cut()
  await until(() => eventsOf(early, 'Gap').length === 1)
  expect(eventsOf(early, 'Gap')).toEqual([{ from: idOf(1), oldest: null }])
  await until(() => parts.upstream.streams() === 1)
  parts.upstream.publish(buildNumber(2))
  const later = readHub(parts.hub.origin, '/', idOf(0))
  await until(() => later.ids.length === 2 && early.ids.length === 3)
  const story = later.messages.filter(({ event }) => event !== 'Status').map(({ event }) => event)
  expect(story).toEqual(['Build', 'Gap', 'Build'])
})

test('an outage of 50,000 builds is made up for without losing a reader', async () => {
  const { upstream, hub } = await start({}, createSwiftClock(Date.now, 10))
  const readers = [readHub(hub.origin, '/'), readHub(hub.origin, '/?batch')]
  await until(() => readers.every((reader) => reader.messages.length > 0))
  upstream.cut()
  await until(() => hub.metric('upstream_live') === 0)
  upstream.builds.push(...buildNumbers(0, 50_000))
  await until(() => readers.every((reader) => reader.ids.length === 50_000))
  for (const reader of readers) expect(reader.ids).toEqual(idsOf(0, 50_000))
  expect(hub.metric('readers_opened')).toBe(2)
  expect(hub.metric('readers')).toBe(2)
})

describe('gzip', () => {
  test('holds the very same bytes, also for readers that came at different times', async () => {
    const parts = await start({ lifetimeMs: 50_000, heartbeatMs: 5_000 })
    const zipped = [readHub(parts.hub.origin, '/?gzip&batch')]
    await until(() => parts.hub.metric('readers') === 1)
    await publish(parts, 0, 400)
    zipped.push(readHub(parts.hub.origin, '/?gzip', idOf(7)))
    await until(() => parts.hub.metric('readers') === 2)
    await publish(parts, 400, 450)
    await until(() => zipped.every((reader) => reader.ended()))
    for (const reader of zipped) {
      expect(reader.headers()['content-encoding']).toBe('gzip')
      const text = gunzipSync(Buffer.concat(reader.bytes)).toString()
      expect(text.startsWith(': ok\n\n')).toBe(true)
      expect(text).toContain(': hb\n\n')
    }
    expect(zipped[0]?.ids).toEqual(idsOf(0, 450))
    expect(zipped[1]?.ids).toEqual(idsOf(8, 450))
  })
})

test('nothing goes out before the flush window is over, and then all in one piece', async () => {
  const clock = createManualClock(1_700_000_000_000)
  const upstream = await startHostileUpstream()
  const hub = await startHub(upstream.url, clock, { flushMs: 50 })
  onTestFinished(async () => {
    const stopped = hub.stop()
    clock.advance(10_000)
    await stopped
    await upstream.stop()
  })
  await until(() => hub.metric('upstream_live') === 1)
  clock.advance(50)
  const reader = readHub(hub.origin, '/')
  await until(() => reader.messages.length >= 1)
  const before = reader.bytes.length
  for (const build of buildNumbers(0, 20)) upstream.publish(build)
  await until(() => hub.metric('builds') === 20)
  clock.advance(49)
  for (let turn = 0; turn < 100; turn++) await until(() => true)
  expect(reader.bytes).toHaveLength(before)
  clock.advance(1)
  await until(() => reader.ids.length === 20)
  expect(reader.bytes).toHaveLength(before + 1)
})
