import { describe, expect, test } from 'vitest'
import { ProblemDetail } from '../../../protocol/problem.ts'
import { buildNumbers, type HostileUpstream, idOf, idsOf } from './hostile-upstream.test-support.ts'
import { readHub, until } from './hub-on-socket.test-support.ts'
import { publish, start } from './hub-under-test.test-support.ts'

describe('a reader that cannot keep up', () => {
  /** Builds that fill the buffers on the way soon; gives the number of the next one. */
  function publishLong(upstream: HostileUpstream, from: number): number {
    for (const build of buildNumbers(from, from + 20)) {
      upstream.publish({ ...build, agentVersion: 'x'.repeat(5000) })
    }
    return from + 20
  }

  test('is dropped when it takes nothing for too long', async () => {
    const { upstream, hub } = await start({ stallMs: 30_000, maxUnsentBytes: Infinity })
    const reader = readHub(hub.origin, '/')
    await until(() => reader.messages.length >= 1)
    reader.stall()
    let next = 0
    await until(() => {
      // Enough for every buffer on the way, and not so much that the ring overtakes the reader.
      if (next < 8000) next = publishLong(upstream, next)
      return hub.metric('readers_stalled') === 1
    })
    await until(() => hub.metric('readers') === 0)
  })

  test('is dropped when it falls too far behind, while others get all', async () => {
    const { upstream, hub } = await start({ stallMs: Infinity, maxUnsentBytes: 1024 * 1024 })
    const slow = readHub(hub.origin, '/')
    const quick = readHub(hub.origin, '/')
    await until(() => slow.messages.length > 0 && quick.messages.length > 0)
    slow.stall()
    let next = 0
    await until(() => {
      // No faster than the quick one reads.
      if (quick.ids.length > next - 100) next = publishLong(upstream, next)
      return hub.metric('readers_lagging') === 1
    })
    await until(() => quick.ids.length === next)
    expect(quick.ids).toEqual(idsOf(0, next))
    expect(hub.metric('readers')).toBe(1)
  })

  test('is sent away to resume when the ring has overtaken it', async () => {
    const { upstream, hub } = await start({
      ringSize: 100,
      stallMs: Infinity,
      maxUnsentBytes: Infinity,
    })
    const reader = readHub(hub.origin, '/')
    await until(() => reader.messages.length >= 1)
    reader.stall()
    let next = 0
    await until(() => {
      next = publishLong(upstream, next)
      return hub.metric('readers_overtaken') === 1
    })
    reader.resume()
    await until(() => reader.ended())
    expect(reader.ids).toEqual(idsOf(0, reader.ids.length))
    await until(() => hub.metric('builds') === next)
    const again = readHub(hub.origin, '/', reader.ids.at(-1))
    await until(() => reader.ids.length + again.ids.length === next)
    expect([...reader.ids, ...again.ids]).toEqual(idsOf(0, next))
  })
})

describe('the end of a connection', () => {
  test('comes after its lifetime, and the reader resumes without loss', async () => {
    const parts = await start({ lifetimeMs: 20_000 })
    await publish(parts, 0, 1)
    const reader = readHub(parts.hub.origin, '/', idOf(0))
    await until(() => reader.ended())
    await publish(parts, 1, 2)
    const again = readHub(parts.hub.origin, '/', idOf(0))
    await until(() => again.ids.length === 1)
    expect(again.ids).toEqual([idOf(1)])
  })

  test('comes when the session expires', async () => {
    const { hub, clock } = await start()
    const reader = readHub(hub.origin, `/?expires=${clock.now() + 5000}`)
    await until(() => reader.ended())
    expect(reader.status()).toBe(200)
  })

  test('comes for all, one after the other, when the hub closes, and no more are let in', async () => {
    const { hub } = await start({ drainMs: 10_000 })
    const readers = Array.from({ length: 20 }, () => readHub(hub.origin, '/?session=a'))
    await until(() => readers.every((reader) => reader.messages.length >= 1))
    const closed = hub.hub.close()
    const late = readHub(hub.origin, '/')
    await until(() => late.ended())
    expect(late.status()).toBe(503)
    await closed
    await until(() => readers.every((reader) => reader.ended()))
  })
})

describe('too many readers', () => {
  test.each([
    ['connections of one person', { maxClientsPerHolder: 2 }, 429],
    ['in all', { maxClients: 2 }, 503],
  ])('%s are refused in words, and let in when there is room', async (_, settings, status) => {
    const { hub } = await start(settings)
    const readers = [readHub(hub.origin, '/'), readHub(hub.origin, '/')]
    await until(() => hub.metric('readers') === 2)
    const refused = readHub(hub.origin, '/')
    await until(() => refused.ended())
    expect(refused.status()).toBe(status)
    expect(refused.headers()['retry-after']).toBe('10')
    const body: unknown = JSON.parse(Buffer.concat(refused.bytes).toString())
    expect(ProblemDetail.parse(body).status).toBe(status)
    readers[0]?.leave()
    await until(() => hub.metric('readers') === 1)
    const next = readHub(hub.origin, '/')
    await until(() => next.messages.length >= 1)
  })
})

test('readers that come and go leave nothing behind', async () => {
  const { hub, clock } = await start()
  // The watch over the upstream, and the next notice to other processes.
  await until(() => clock.pending() === 2)
  for (let round = 0; round < 20; round++) {
    const readers = Array.from({ length: 100 }, (_, number) =>
      readHub(hub.origin, `/?session=${number}&since=${number % 2 === 0 ? 'now' : '0'}`),
    )
    await until(() => readers.every((reader) => reader.messages.length > 0))
    for (const reader of readers) reader.leave()
  }
  await until(() => hub.metric('readers') === 0)
  expect(hub.metric('readers_opened')).toBe(2000)
  await until(() => clock.pending() === 2)
})
