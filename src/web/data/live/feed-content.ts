import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createFeedRows } from './feed-rows.ts'
import type { FeedView } from './feed.ts'
import type { FeedRow } from './feed-snapshot.ts'
import { type FeedHappening, type FeedState, idleFeed, reduceFeed } from './feed-state.ts'
import { decodeLiveMessage } from './live-message.ts'
import { createMinuteCounts, endingOf } from './minute-counts.ts'
import type { StreamMessage } from './stream-happening.ts'
import type { SourceHappening, StreamSink, StreamStart } from './stream-source.ts'

/** All that a feed knows; changes as things happen, and is read as a whole by `view`. */
export interface FeedContent {
  /** Takes in what happened. */
  readonly apply: (happening: SourceHappening | { readonly type: 'closed' }) => void
  /** How all stands at `now` (epoch ms), with what changed since the last view. */
  readonly view: (now: number) => FeedView
  readonly state: () => FeedState
  /** Where a stream has to begin, or to go on; see `StreamStart`. */
  readonly start: (now: number) => StreamStart
  /** See `StreamSink`. */
  readonly rowsAfter: StreamSink['rowsAfter']
  readonly withoutFacts: StreamSink['withoutFacts']
  readonly factsOf: StreamSink['factsOf']
}

interface Viewed {
  readonly newest: number
  readonly version: number
  readonly changed: readonly number[]
}

/** Keeps the newest `limit` builds; the first start asks for the last `historyMs`. */
export function createFeedContent(limit: number, historyMs: number): FeedContent {
  const rows = createFeedRows(limit)
  const minutes = createMinuteCounts()
  let state = idleFeed
  let start: StreamStart | undefined
  let viewed: Viewed = { newest: 0, version: 0, changed: [] }
  let changed = new Set<number>()

  const happen = (happening: FeedHappening): void => {
    state = reduceFeed(state, happening)
  }

  function takeMessage(message: StreamMessage, at: number): void {
    const said = decodeLiveMessage(message)
    switch (said.type) {
      case 'builds':
        if (said.malformed > 0) happen({ type: 'malformed', count: said.malformed })
        takeBuilds(said.builds, at)
        break
      case 'facts':
        takeFacts(said.facts.facts)
        break
      case 'status':
        happen({ type: 'status', status: said.status, at })
        break
      case 'gap':
        happen({ type: 'gap' })
        break
      case 'malformed':
        happen({ type: 'malformed', count: 1 })
        break
      case 'other':
        break
    }
  }

  function takeBuilds(builds: readonly BuildMessage[], at: number): void {
    for (const build of builds) {
      if (rows.add(build)) minutes.add(build.timestamp)
    }
    const newest = builds.at(-1)
    if (newest === undefined) return
    start = { lastId: newest.buildId, since: newest.timestamp }
    happen({ type: 'builds', count: builds.length, newestTimestamp: newest.timestamp, at })
  }

  function takeFacts(facts: Facts): void {
    const before = rows.join(facts)
    if (before === undefined) return
    minutes.move(before.build.timestamp, endingOf(before.facts), endingOf(facts))
    if (before.arrival <= viewed.newest) changed.add(before.arrival)
  }

  return {
    apply: (happening) => {
      if (happening.type === 'message') {
        takeMessage(happening.message, happening.at)
        return
      }
      happen(happening)
      if (happening.type === 'skipped')
        start = { lastId: undefined, since: happening.at + state.clockDifference }
    },
    view: (now) => {
      happen({ type: 'tick', at: now })
      const oldest = rows.oldest()
      const newest = rows.newest()
      const touched = [...changed].filter((arrival) => arrival >= oldest)
      // A view in which no row moved has the version of the one before, and so its changes too.
      if (newest !== viewed.newest || touched.length > 0) {
        viewed = { newest, version: viewed.version + 1, changed: touched }
      }
      changed = new Set()
      return {
        ...state,
        malformed: state.malformed + (state.upstream?.malformed ?? 0),
        oldest,
        newest,
        dropped: oldest - 1,
        perMinute: minutes.last(now + state.clockDifference),
        version: viewed.version,
        row: rows.row,
        changed: viewed.changed,
      }
    },
    state: () => state,
    start: (now) => {
      start ??= { lastId: undefined, since: now + state.clockDifference - historyMs }
      return start
    },
    rowsAfter: (buildId, count) => {
      const known = buildId === undefined ? undefined : rows.arrivalOf(buildId)
      const from = known === undefined ? rows.oldest() : known + 1
      const found: FeedRow[] = []
      for (let arrival = from; found.length < count; arrival++) {
        const row = rows.row(arrival)
        if (row === undefined) break
        found.push(row)
      }
      const missing = buildId !== undefined && known === undefined && rows.oldest() > 1
      return { rows: found, missing }
    },
    withoutFacts: (count) => {
      const found: string[] = []
      for (let arrival = rows.newest(); found.length < count; arrival--) {
        const row = rows.row(arrival)
        if (row === undefined) break
        if (row.facts === undefined) found.push(row.build.buildId)
      }
      return found
    },
    factsOf: (buildIds) => buildIds.flatMap((id) => rows.row(rows.arrivalOf(id) ?? 0)?.facts ?? []),
  }
}
