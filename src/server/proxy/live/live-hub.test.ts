import { describe, expect, onTestFinished, test } from 'vitest'
import {
  buildNumber,
  buildNumbers,
  type HostileUpstream,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import type { HubSettings } from './hub-settings.ts'
import {
  createSwiftClock,
  type HubOnSocket,
  readHub,
  startHub,
  until,
} from './hub-on-socket.test-support.ts'

async function start(
  settings: Partial<HubSettings> = {},
): Promise<{ upstream: HostileUpstream; hub: HubOnSocket }> {
  const upstream = await startHostileUpstream()
  const hub = await startHub(upstream.url, createSwiftClock(Date.now), settings)
  onTestFinished(async () => {
    await hub.stop()
    await upstream.stop()
  })
  await until(() => hub.metric('upstream_live') === 1)
  return { upstream, hub }
}

const idsOf = (from: number, to: number): string[] => buildNumbers(from, to).map((b) => b.buildId)

describe('the live hub', () => {
  test('tells a reader the state of the upstream and then the builds as they arrive', async () => {
    const { upstream, hub } = await start()
    const reader = readHub(hub.origin, '/?since=now')
    await until(() => reader.messages.length > 0)
    expect(reader.messages[0]?.event).toBe('Status')
    upstream.publish(buildNumber(1))
    upstream.publish(buildNumber(2))
    await until(() => reader.ids.length === 2)
    expect(reader.ids).toEqual(idsOf(1, 3))
  })

  test('replays history and joins it to the live stream', async () => {
    const { upstream, hub } = await start()
    upstream.builds.push(...buildNumbers(0, 500))
    upstream.publish(buildNumber(500))
    const reader = readHub(hub.origin, '/?since=0&batch')
    await until(() => reader.ids.length >= 501)
    upstream.publish(buildNumber(501))
    await until(() => reader.ids.length >= 502)
    expect(reader.ids).toEqual(idsOf(0, 502))
  })
})
