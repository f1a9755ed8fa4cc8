import type { Feed, FeedRow, FeedView } from '../../data/live/feed-state.ts'
import type { LiveStatus } from '../../../protocol/live-feed.ts'

/** A build of an example: what is said differs from a Gradle build of which no facts are known. */
export interface ExampleBuild {
  readonly id?: string
  readonly timestamp?: number
  readonly tool?: string
  /** Without any of these the facts are on their way. */
  readonly facts?: Partial<NonNullable<FeedRow['facts']>>
}

/** A row for tests: the build with this arrival. */
export function exampleRow(arrival: number, example: ExampleBuild = {}): FeedRow {
  const buildId = example.id ?? `build${String(arrival).padStart(8, '0')}`
  const build = {
    buildId,
    timestamp: example.timestamp ?? 0,
    toolType: example.tool ?? 'gradle',
    toolVersion: '9.2.0',
    agentVersion: '4.2.1',
  }
  return {
    arrival,
    build,
    facts: example.facts && {
      buildId,
      receivedAt: build.timestamp,
      buildTool: build.toolType,
      buildToolVersion: build.toolVersion,
      agentVersion: build.agentVersion,
      ...example.facts,
    },
  }
}

/** A live feed for tests that holds these builds, oldest first, arrivals from 1 on. */
export function exampleView(
  builds: readonly ExampleBuild[] = [],
  more: Partial<FeedView> = {},
): FeedView {
  const rows = builds.map((build, index) => exampleRow(index + 1, build))
  return {
    connection: { state: 'live' },
    upstream: exampleStatus(),
    lastHeardAt: 0,
    oldest: 1,
    newest: rows.length,
    dropped: 0,
    malformed: 0,
    gaps: 0,
    isPartial: false,
    perMinute: [],
    version: 1,
    row: (arrival) => rows[arrival - 1],
    behindMs: undefined,
    clockDifference: 0,
    changed: [],
    ...more,
  }
}

/** What a proxy that hears its build server says of it. */
export function exampleStatus(more: Partial<LiveStatus> = {}): LiveStatus {
  return {
    upstream: 'live',
    since: 0,
    now: 0,
    lastHeardAt: 0,
    nextAttemptAt: null,
    message: 'Builds arrive.',
    malformed: 0,
    ...more,
  }
}

/** A feed that shows a view, and then others. */
export function feedOf(first: FeedView): {
  readonly feed: Feed
  readonly show: (next: FeedView) => void
} {
  let view = first
  return {
    feed: {
      subscribe: () => () => undefined,
      getSnapshot: () => view,
      reconnect: () => undefined,
      skipToNow: () => undefined,
    },
    show: (next) => {
      view = next
    },
  }
}
