import { describe, expect, test } from 'vitest'
import { wait } from '../../../protocol/clock.ts'
import { LiveFacts, LiveStatus } from '../../../protocol/live-feed.ts'
import { buildOf, list, listBody, one, where, withAttributes } from './build-facts.test-support.ts'
import {
  buildNumber,
  buildNumbers,
  type HostileUpstream,
  idOf,
  idsOf,
} from './hostile-upstream.test-support.ts'
import { readHub, type TestReader, until } from './hub-on-socket.test-support.ts'
import { eventsOf } from './hub-under-test.test-support.ts'
import { type Proxies, startProxies } from './proxies.test-support.ts'

/** A reader of each proxy, once each has been answered. */
async function readAll({ all }: Proxies, path = '/'): Promise<TestReader[]> {
  const readers = all.map(({ origin }) => readHub(origin, path))
  await until(() => readers.every(({ messages }) => messages.length > 0))
  return readers
}

async function publish(proxies: Proxies, from: number, to: number): Promise<void> {
  for (const build of buildNumbers(from, to)) proxies.upstream.publish(build)
  await until(() => proxies.all.every((proxy) => proxy.metric('builds') >= to))
}

function statesOf(reader: TestReader): string[] {
  return eventsOf(reader, 'Status').map((status) => LiveStatus.parse(status).upstream)
}

function answerFacts(upstream: HostileUpstream): void {
  upstream.answers.push(
    where(one, 200, (match) => JSON.stringify(withAttributes(buildOf(match)))),
    where(list, 200, listBody),
  )
}

/** The ids of all builds whose facts were requested, each as often as they were. */
function requestedFacts({ upstream }: Proxies): string[] {
  return upstream.requests.flatMap(({ path }) => {
    const url = new URL(path, 'http://upstream.invalid')
    const single = one.exec(url.pathname)?.[1]
    if (single !== undefined) return [single]
    if (!list.test(url.pathname)) return []
    const from = url.searchParams.get('fromBuild') ?? ''
    const first = parseInt(from.slice(1), 36) + 1
    return idsOf(first, first + Number(url.searchParams.get('maxBuilds')))
  })
}

function factsOf(reader: TestReader): string[] {
  return eventsOf(reader, 'Facts').map((facts) => LiveFacts.parse(facts).buildId)
}

describe('several proxies on one log', () => {
  test('follow the build server once, and request the facts of each build once', async () => {
    const proxies = await startProxies(3, { facts: true }, answerFacts)
    const readers = await readAll(proxies)
    for (const build of buildNumbers(0, 100)) proxies.upstream.publish(build)
    await until(() => readers.every((reader) => factsOf(reader).length >= 100))
    for (const reader of readers) expect(reader.ids).toEqual(idsOf(0, 100))
    expect(requestedFacts(proxies).sort()).toEqual(idsOf(0, 100))
    const streams = proxies.upstream.requests.filter(({ path }) => path.includes('stream'))
    expect(streams).toHaveLength(1)
  })

  test('send readers of those that do not follow a status only when it changes', async () => {
    const proxies = await startProxies(2)
    const readers = (await proxies.others()).map(({ origin }) => readHub(origin, '/?since=now'))
    await until(() => readers.every((reader) => statesOf(reader).includes('live')))
    const before = readers.map((reader) => statesOf(reader).length)
    for (let build = 0; build < 5; build++) {
      await publish(proxies, build, build + 1)
      // The follower has notified the others of it once more.
      await wait(proxies.clock, 2000)
    }
    expect(readers.map((reader) => reader.ids.length)).toEqual([5])
    expect(readers.map((reader) => statesOf(reader).length)).toEqual(before)
  })

  test('learn of the builds of a history once, whichever proxy it is read from', async () => {
    const proxies = await startProxies(3, { facts: true }, (upstream) => {
      answerFacts(upstream)
      upstream.builds.push(...buildNumbers(0, 30))
    })
    const readers = await readAll(proxies, '/?since=0')
    await until(() => readers.every((reader) => new Set(factsOf(reader)).size === 30))
    for (const reader of readers) expect(reader.ids).toEqual(idsOf(0, 30))
    expect(requestedFacts(proxies).sort()).toEqual(idsOf(0, 30))
  })

  test('give a reader the same story when it moves from one to another', async () => {
    const proxies = await startProxies(3)
    const got: string[] = []
    for (let step = 0; step < 12; step++) {
      const from = step * 5
      const reader = readHub(proxies.all[step % 3]?.origin ?? '', '/?since=0', got.at(-1))
      await until(() => reader.messages.length > 0)
      for (const build of buildNumbers(from, from + 5)) proxies.upstream.publish(build)
      await until(() => got.length + reader.ids.length >= from + 5)
      got.push(...reader.ids)
      reader.leave()
    }
    expect(got).toEqual(idsOf(0, 60))
  })

  test.each([5, 0])(
    'give a reader nothing again when it moves to one that is behind, at build %i',
    async (at) => {
      const proxies = await startProxies(2)
      const follower = await proxies.holder()
      const [behind] = await proxies.others()
      await publish(proxies, 0, at)
      behind?.connection.cut('frozen')
      const first = readHub(follower.origin, '/?since=0')
      for (const build of buildNumbers(at, 10)) proxies.upstream.publish(build)
      await until(() => first.ids.length === 10)
      const second = readHub(behind?.origin ?? '', '/?since=0', first.ids.at(-1))
      await until(() => second.messages.length > 0)
      for (const build of buildNumbers(10, 12)) proxies.upstream.publish(build)
      behind?.connection.mend()
      await until(() => second.ids.length >= 2 && behind?.metric('builds') === 12)
      proxies.upstream.publish(buildNumber(12))
      await until(() => second.ids.at(-1) === idOf(12))
      expect(second.ids).toEqual(idsOf(10, 13))
    },
  )
})

test('a reader that leaves while its last build is waited for holds up nobody', async () => {
  const proxies = await startProxies(1)
  const [only] = proxies.all
  const hasty = readHub(only?.origin ?? '', '/', 'zzzzzzzzzzzzz')
  await until(() => hasty.messages.length > 0)
  hasty.leave()
  const [reader] = await readAll(proxies)
  proxies.upstream.publish(buildNumber(0))
  await until(() => reader?.ids.length === 1)
  expect(only?.metric('readers')).toBe(1)
})

describe('when the proxy that follows', () => {
  test.each(['is closed', 'is killed', 'is frozen', 'loses the log'])(
    '%s, another takes over, and no reader notices',
    async (how) => {
      const proxies = await startProxies(3, { facts: true }, answerFacts)
      const follower = await proxies.holder()
      await publish(proxies, 0, 20)
      const others = await proxies.others()
      const readers = others.map(({ origin }) => readHub(origin, '/?since=0'))
      await until(() => readers.every((reader) => reader.ids.length === 20))
      const since = proxies.clock.now()
      if (how === 'is closed') await follower.stop()
      if (how === 'is killed') await follower.kill()
      if (how === 'is frozen') follower.connection.cut('frozen')
      if (how === 'loses the log') follower.connection.cut('away')
      for (const build of buildNumbers(20, 40)) proxies.upstream.publish(build)
      await until(() => readers.every((reader) => reader.ids.length === 40))
      expect(proxies.clock.now() - since).toBeLessThan(3000)
      expect(others.filter(({ hub }) => hub.follows())).toHaveLength(1)
      follower.connection.mend()
      await until(() => readers.every((reader) => new Set(factsOf(reader)).size === 40))
      if (how !== 'is closed' && how !== 'is killed') {
        await until(() => follower.metric('builds') === 40 && !follower.hub.follows())
      }
      proxies.upstream.publish(buildNumber(40))
      await until(() => readers.every((reader) => reader.ids.at(-1) === idOf(40)))
      for (const reader of readers) {
        expect(reader.ids).toEqual(idsOf(0, 41))
        expect(new Set(statesOf(reader))).toEqual(new Set(['live']))
        expect(eventsOf(reader, 'Gap')).toEqual([])
      }
      await until(() => proxies.upstream.streams() === 1)
    },
  )

  test('goes before the first build came, those of the meantime are not lost', async () => {
    const proxies = await startProxies(2)
    const readers = await readAll(proxies)
    const follower = await proxies.holder()
    await follower.kill()
    for (const build of buildNumbers(0, 3)) proxies.upstream.publish(build)
    await until(() => readers.some((reader) => reader.ids.length === 3))
  })

  test('goes in the middle of a history, it goes on', async () => {
    const proxies = await startProxies(2, { ringSize: 10 }, (upstream) => {
      upstream.builds.push(...buildNumbers(0, 20_000))
    })
    const follower = await proxies.holder()
    const [other] = await proxies.others()
    proxies.upstream.publish(buildNumber(20_000))
    await until(() => other?.metric('builds') === 1)
    const reader = readHub(other?.origin ?? '', '/?since=0&batch')
    await until(() => reader.ids.length > 0)
    reader.stall()
    await follower.kill()
    for (const build of buildNumbers(20_001, 20_010)) proxies.upstream.publish(build)
    reader.resume()
    await until(() => reader.ids.length === 20_010)
    proxies.upstream.publish(buildNumber(20_010))
    await until(() => reader.ids.length > 20_010)
    expect(reader.ids).toEqual(idsOf(0, 20_011))
    expect(eventsOf(reader, 'Gap')).toEqual([])
  })

  test('and all others are gone, the readers of the rest see that after three seconds', async () => {
    const proxies = await startProxies(1)
    const follower = await proxies.holder()
    const frozen = await proxies.add()
    await until(() => frozen.metric('upstream_live') === 1)
    const reader = readHub(frozen.origin, '/')
    await until(() => statesOf(reader).length > 0)
    frozen.connection.cut('frozen')
    await follower.stop()
    await until(() => statesOf(reader).at(-1) === 'retrying')
    const [status] = eventsOf(reader, 'Status').slice(-1)
    expect(LiveStatus.parse(status).message).toBe(
      'No Sightline server is following the build server. Waiting for one to take over.',
    )
    frozen.connection.mend()
    await until(() => statesOf(reader).at(-1) === 'live')
  })
})

describe('while the log is away', () => {
  test('readers see which side is silent, and get all once it is back', async () => {
    const proxies = await startProxies(2)
    const readers = await readAll(proxies)
    await publish(proxies, 0, 5)
    for (const { connection } of proxies.all) connection.cut('away')
    await until(() => readers.every((reader) => statesOf(reader).at(-1) === 'retrying'))
    for (const reader of readers) {
      const [status] = eventsOf(reader, 'Status').slice(-1)
      expect(LiveStatus.parse(status).message).toBe('The live log is away.')
    }
    for (const build of buildNumbers(5, 10)) proxies.upstream.publish(build)
    await until(() => proxies.upstream.streams() === 0)
    for (const { connection } of proxies.all) connection.mend()
    await until(() => readers.every((reader) => reader.ids.length >= 10))
    await until(() => readers.every((reader) => statesOf(reader).at(-1) === 'live'))
    for (const reader of readers) expect(reader.ids).toEqual(idsOf(0, 10))
  })

  // With 500 ms the lease is kept, unless the machine is slow; with 1500 it has run out.
  test.each([500, 1500])(
    'for %i ms, no more is read of the build server than fits, and all of it once it is back',
    async (ms) => {
      const proxies = await startProxies(1)
      const [reader] = await readAll(proxies)
      const follower = await proxies.holder()
      follower.connection.cut('frozen')
      for (const build of buildNumbers(0, 50_000)) proxies.upstream.publish(build)
      await until(() => follower.metric('unappended') >= 2000)
      const before = proxies.clock.now()
      await until(() => proxies.clock.now() > before + ms)
      expect(follower.metric('unappended')).toBeLessThan(4000)
      follower.connection.mend()
      await until(() => reader?.ids.length === 50_000)
      expect(reader?.ids).toEqual(idsOf(0, 50_000))
    },
  )
})

test('a proxy that starts on a log from before goes on after its newest build', async () => {
  const proxies = await startProxies(1, { facts: true }, answerFacts)
  await publish(proxies, 0, 5)
  await (await proxies.holder()).stop()
  for (const build of buildNumbers(5, 10)) proxies.upstream.publish(build)
  const next = await proxies.add()
  const reader = readHub(next.origin, '/', idOf(1))
  await until(() => reader.ids.length === 8)
  expect(reader.ids).toEqual(idsOf(2, 10))
  await until(() => idsOf(2, 10).every((id) => factsOf(reader).includes(id)))
})
