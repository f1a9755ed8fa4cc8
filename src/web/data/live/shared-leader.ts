import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { liveEvents } from '../../../protocol/live-feed.ts'
import type { FeedRow } from './feed-snapshot.ts'
import type { SharedMessage } from './shared-message.ts'
import type { StreamHappening, StreamMessage } from './stream-happening.ts'
import type { OpenStream, StreamSink, StreamSource } from './stream-source.ts'

/** How often a leader says that it is still there, ms. */
export const pulseMs = 10_000
/** Rows told at once: a few ms of work on either side. */
const rowsAtOnce = 500

/** A tab's part in a shared stream: what it does with what the others say. */
export interface SharedRole extends OpenStream {
  readonly receive: (message: SharedMessage) => void
}

/** What either part is made with. */
export interface RoleOptions {
  readonly sink: StreamSink
  readonly clock: Clock
  readonly post: (message: SharedMessage) => void
}

/** Reads the stream from its `own` source, tells it on, and answers those who join. */
export function lead({ sink, clock, post, own }: RoleOptions & { own: StreamSource }): SharedRole {
  /** Those who asked, and did not say that they go: where there are none, nothing is told on. */
  const followers = new Set<string>()
  let untold: StreamHappening[] = []
  post({ type: 'leads' })
  const stream = own({
    ...sink,
    tell: (happening) => {
      sink.tell(happening)
      if (followers.size === 0 || happening.type === 'adopted') return
      // What came in one piece goes on in one: a thousand facts a second are dear one by one.
      if (untold.push(happening) === 1) queueMicrotask(tellOn)
    },
  })
  let cancelPulse = beat()

  function beat(): () => void {
    return clock.after(pulseMs, () => {
      post({ type: 'pulse' })
      cancelPulse = beat()
    })
  }

  function tellOn(): void {
    if (untold.length > 0) post({ type: 'told', happenings: untold })
    untold = []
  }

  function answer({ from: to, after, lacking }: Extract<SharedMessage, { type: 'ask' }>): void {
    // The rows hold what has not been told yet, and what is told after them has to be new.
    tellOn()
    followers.add(to)
    const { rows, missing } = sink.rowsAfter(after, rowsAtOnce)
    const messages = [...messagesOf(rows), ...factsMessages(sink.factsOf(lacking))]
    const done = rows.length < rowsAtOnce
    post({ type: 'history', to, messages, missing, done, state: sink.state() })
  }

  return {
    ...stream,
    close: () => {
      cancelPulse()
      stream.close()
      tellOn()
    },
    receive: (message) => {
      if (message.type === 'ask') answer(message)
      if (message.type === 'bye') followers.delete(message.from)
      if (message.type === 'command') stream[message.command]()
    },
  }
}

/** Rows as the live feed would send them: one way of reading serves both. */
function messagesOf(rows: readonly FeedRow[]): StreamMessage[] {
  const last = rows.at(-1)
  if (last === undefined) return []
  const builds = rows.map(({ build }) => build)
  const facts = rows.flatMap((row) => (row.facts === undefined ? [] : [row.facts]))
  return [
    { id: last.build.buildId, event: liveEvents.builds, data: JSON.stringify(builds) },
    ...factsMessages(facts),
  ]
}

function factsMessages(facts: readonly Facts[]): StreamMessage[] {
  return facts.map((known) => ({
    id: '',
    event: liveEvents.facts,
    data: JSON.stringify({ buildId: known.buildId, facts: known }),
  }))
}
