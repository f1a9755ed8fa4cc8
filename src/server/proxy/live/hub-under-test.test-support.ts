import { onTestFinished } from 'vitest'
import {
  type Answer,
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

/** Starts both; `prepare` may arm the upstream before the hub's first request. */
export async function startSilent(
  prepare: (upstream: HostileUpstream) => void,
  settings: Partial<HubSettings> = {},
  clock: SwiftClock = createSwiftClock(Date.now),
  more: Parameters<typeof startHub>[3] = {},
): Promise<HubUnderTest> {
  const upstream = await startHostileUpstream()
  prepare(upstream)
  const hub = await startHub(upstream.url, clock, settings, more)
  onTestFinished(async () => {
    await hub.stop()
    await upstream.stop()
  })
  return { upstream, hub, clock }
}

/** Starts both, and waits until the hub hears the upstream. */
export async function start(
  settings: Partial<HubSettings> = {},
  clock?: SwiftClock,
  answers: readonly Answer[] = [],
): Promise<HubUnderTest> {
  const parts = await startSilent(({ answers: all }) => all.push(...answers), settings, clock)
  await until(() => parts.hub.metric('upstream_live') === 1)
  return parts
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
