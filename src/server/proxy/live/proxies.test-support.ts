import { onTestFinished } from 'vitest'
import { type HostileUpstream, startHostileUpstream } from './hostile-upstream.test-support.ts'
import {
  createSwiftClock,
  type HubOnSocket,
  startHub,
  type SwiftClock,
  until,
} from './hub-on-socket.test-support.ts'
import type { HubSettings } from './reader-list.ts'
import {
  createScriptedLog,
  type ScriptedConnection,
  type ScriptedLog,
} from './scripted-log.test-support.ts'

/** One of several processes on one log. */
export interface Proxy extends HubOnSocket {
  readonly connection: ScriptedConnection
  /** Ends it without a word to the log. */
  readonly kill: () => Promise<void>
}

/** Several processes that stand before one upstream. */
export interface Proxies {
  readonly upstream: HostileUpstream
  readonly log: ScriptedLog
  readonly clock: SwiftClock
  readonly all: Proxy[]
  /** One more. */
  readonly add: () => Promise<Proxy>
  /** The one that follows the upstream, once there is one that does not take itself for it. */
  readonly holder: () => Promise<Proxy>
  readonly others: () => Promise<Proxy[]>
  readonly stop: () => Promise<void>
}

/** Starts them; ended with the test at the latest. */
export async function startProxies(
  count: number,
  settings: Partial<HubSettings> = {},
  prepare: (upstream: HostileUpstream) => void = () => undefined,
): Promise<Proxies> {
  const upstream = await startHostileUpstream()
  prepare(upstream)
  const clock = createSwiftClock(Date.now, 50)
  const log = createScriptedLog(clock)
  const all: Proxy[] = []
  const remove = (proxy: Proxy): void => {
    const index = all.indexOf(proxy)
    if (index >= 0) all.splice(index, 1)
  }
  const add = async (): Promise<Proxy> => {
    const connection = log.connect()
    const hub = await startHub(upstream.url, clock, settings, { liveLog: connection.log })
    const proxy: Proxy = {
      ...hub,
      connection,
      stop: async () => {
        remove(proxy)
        await hub.stop()
        await connection.log.close()
      },
      kill: async () => {
        remove(proxy)
        connection.kill()
        await hub.stop()
      },
    }
    all.push(proxy)
    return proxy
  }
  for (let index = 0; index < count; index++) await add()
  const stop = async (): Promise<void> => {
    for (const proxy of [...all]) {
      proxy.connection.mend()
      await proxy.stop()
    }
    await upstream.stop()
  }
  onTestFinished(stop)
  await until(() => all.every((proxy) => proxy.metric('upstream_live') === 1))
  const holder = async (): Promise<Proxy> => {
    let found: Proxy[] = []
    await until(() => (found = all.filter(({ hub }) => hub.follows())).length === 1)
    const [one] = found
    if (one === undefined) throw new Error('nobody follows')
    return one
  }
  return {
    upstream,
    log,
    clock,
    all,
    add,
    holder,
    others: async () => {
      const follower = await holder()
      return all.filter((proxy) => proxy !== follower)
    },
    stop,
  }
}
