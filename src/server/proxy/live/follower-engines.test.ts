import { connect, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { onLoopback } from '../../../free-port.test-support.ts'
import { onEachServer } from '../../live-log/on-each-live-log.test-support.ts'
import { openLiveLog } from '../../live-log/open-live-log.ts'
import { realClock } from '../../real-clock.test-support.ts'
import { buildNumbers, idsOf, startHostileUpstream } from './hostile-upstream.test-support.ts'
import { readHub, startHub, until } from './hub-on-socket.test-support.ts'
import { eventsOf } from './hub-under-test.test-support.ts'

/** The way to a server, which can be cut, as to a process that is no more. */
async function startWay(url: string): Promise<{ readonly url: string; readonly cut: () => void }> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  const { port, close } = await onLoopback(server)
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    return close()
  })
  return { url: Object.assign(new URL(url), { port: String(port) }).href, cut }
}

onEachServer((server) => {
  test('a proxy that is cut off and one that is closed are taken over from; readers get all builds once', async () => {
    const url = await server().emptyDatabase()
    const upstream = await startHostileUpstream()
    let leases = 0
    const start = async () => {
      const way = await startWay(url)
      const opened = openLiveLog({
        url: way.url,
        fallback: false,
        clock: realClock,
        random: Math.random,
        logger: pino({ level: 'silent' }),
      })
      const lease: typeof opened.lease = async (name, signal) => {
        const taken = await opened.lease(name, signal)
        if (taken !== undefined) leases += 1
        return taken
      }
      const liveLog = { ...opened, lease }
      const hub = await startHub(upstream.url, realClock, {}, { liveLog })
      const end = async (): Promise<void> => {
        await hub.stop()
        await liveLog.close()
      }
      return { hub, end, cut: way.cut }
    }
    const all = [await start(), await start(), await start()]
    let open = all
    onTestFinished(async () => {
      await Promise.all(all.map(({ end }) => end()))
      await upstream.stop()
    })
    await until(() => open.every(({ hub }) => hub.metric('upstream_live') === 1))
    const streams = (): number =>
      upstream.requests.filter(({ path }) => path.includes('stream')).length
    // One at a time. On a machine that is busy while they start, a second one may have taken over.
    const begun = streams()
    expect(begun).toBeLessThan(all.length)
    let next = 0
    const publish = (count: number): void => {
      for (const build of buildNumbers(next, next + count)) upstream.publish(build)
      next += count
    }
    publish(20)
    await until(() => open.every(({ hub }) => hub.metric('builds') === 20))
    for (const how of ['cut', 'close'] as const) {
      await until(() => open.some(({ hub }) => hub.hub.follows()))
      const gone = open.find(({ hub }) => hub.hub.follows())
      open = open.filter((each) => each !== gone)
      const readers = open.map(({ hub }) => readHub(hub.origin, '/', idsOf(9, 10)[0]))
      await until(() => readers.every((reader) => reader.ids.length === next - 10))
      if (how === 'cut') gone?.cut()
      else await gone?.end()
      publish(20)
      await until(() => readers.every((reader) => reader.ids.length >= next - 10))
      for (const reader of readers) {
        expect(reader.ids).toEqual(idsOf(10, next))
        expect(eventsOf(reader, 'Gap')).toEqual([])
        reader.leave()
      }
    }
    // Where the machine keeps one waiting for longer than its lease, there are more takeovers. No stream is
    // opened without a lease of its own, and in the end one is open.
    expect(streams()).toBeGreaterThanOrEqual(begun + 2)
    expect(streams()).toBeLessThanOrEqual(leases)
    await until(() => upstream.streams() === 1)
  })
})
