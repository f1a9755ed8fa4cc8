import { onTestFinished } from 'vitest'
import {
  buildNumbers,
  type HostileUpstream,
  startHostileUpstream,
} from './hostile-upstream.test-support.ts'
import {
  createSwiftClock,
  type HubOnSocket,
  startHub,
  type SwiftClock,
  type TestReader,
  until,
} from './hub-on-socket.test-support.ts'
import type { HubSettings } from './reader-list.ts'

/** A hub that listens to a hostile upstream; both end with the test. */
export interface HubUnderTest {
  readonly upstream: HostileUpstream
  readonly hub: HubOnSocket
  readonly clock: SwiftClock
}

/** Starts both, and waits until the hub hears the upstream. */
export async function start(
  settings: Partial<HubSettings> = {},
  clock: SwiftClock = createSwiftClock(Date.now),
): Promise<HubUnderTest> {
  const upstream = await startHostileUpstream()
  const hub = await startHub(upstream.url, clock, settings)
  onTestFinished(async () => {
    await hub.stop()
    await upstream.stop()
  })
  await until(() => hub.metric('upstream_live') === 1)
  return { upstream, hub, clock }
}

/** Lets the hub learn builds, and waits until it has. */
export async function publish(
  { upstream, hub }: HubUnderTest,
  from: number,
  to: number,
): Promise<void> {
  for (const build of buildNumbers(from, to)) upstream.publish(build)
  await until(() => hub.metric('builds') >= to - from)
}

/** The data of all messages of a name that a reader got. */
export function eventsOf(reader: TestReader, name: string): unknown[] {
  return reader.messages.flatMap(({ event, data }): unknown[] =>
    event === name ? [JSON.parse(data)] : [],
  )
}
