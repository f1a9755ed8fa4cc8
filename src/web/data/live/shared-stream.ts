import * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { liveEvents } from '../../../protocol/live-feed.ts'
import { StreamEvent } from './event-stream.ts'
import { type FeedRow, FeedState } from './feed-state.ts'
import type { OpenStream, StreamSink, StreamSource } from './stream-source.ts'
import { StreamMessage } from '../core/event-source.ts'
import type { Tabs } from '../core/session.ts'
import { joinTabs, type TabRole } from '../core/tab-group.ts'

export interface SharedSourceOptions extends Tabs {
  /** Reads the stream from the proxy, for the tab that leads. */
  readonly own: StreamSource
  readonly clock: Clock
  /** This tab's name among the others. */
  readonly tabId: string
}

/** To be changed with the messages: tabs of different versions do not understand each other. */
const sharedName = 'sightline-feed-3'

/**
 * One stream for all tabs of a browser, which may keep only six connections to an origin: the tab
 * that leads reads the stream, the others follow. When the leader goes away the next one resumes
 * after the last build that it has.
 */
export function createSharedSource({ own, tabId, ...tabs }: SharedSourceOptions): StreamSource {
  return (sink) => {
    const parts = { sink, clock: tabs.clock }
    const group = joinTabs<SharedMessage, SharedRole>({
      ...tabs,
      name: sharedName,
      read: (data) => SharedMessage.safeParse(data).data,
      lead: (post) => lead({ ...parts, post, own }),
      follow: (post) => follow({ ...parts, post, tabId }),
      pulse: { type: 'pulse' },
      isFromLeader: ({ type }) => type === 'leads' || type === 'pulse' || type === 'events',
    })
    return {
      reconnect: () => {
        group.role().reconnect()
      },
      skipToNow: () => {
        group.role().skipToNow()
      },
      close: group.leave,
    }
  }
}

/** Rows sent at once: a few ms of work on either side. */
const rowsAtOnce = 500

interface SharedRole extends OpenStream, TabRole<SharedMessage> {}

interface RoleOptions {
  readonly sink: StreamSink
  readonly clock: Clock
  readonly post: (message: SharedMessage) => void
}

/** Reads the stream from its `own` source, passes it on, and sends those who join what they lack. */
function lead({ sink, post, own }: Omit<RoleOptions, 'clock'> & { own: StreamSource }): SharedRole {
  /** Those who have joined and not left: where there are none, nothing is passed on. */
  const followers = new Set<string>()
  let unsent: StreamEvent[] = []
  post({ type: 'leads' })
  const stream = own({
    ...sink,
    emit: (event) => {
      sink.emit(event)
      if (followers.size === 0 || event.type === 'adopted') return
      // What came in one piece goes on in one: a thousand facts a second are dear one by one.
      if (unsent.push(event) === 1) queueMicrotask(passOn)
    },
  })

  function passOn(): void {
    if (unsent.length > 0) post({ type: 'events', events: unsent })
    unsent = []
  }

  function answer({ from: to, after, lacking }: Extract<SharedMessage, { type: 'request' }>): void {
    // The rows hold what has not been sent yet, and what is sent after them has to be new.
    passOn()
    followers.add(to)
    const { rows, missing } = sink.rowsAfter(after, rowsAtOnce)
    const messages = [...messagesOf(rows), ...factsMessages(sink.factsOf(lacking))]
    const done = rows.length < rowsAtOnce
    post({ type: 'history', to, messages, missing, done, state: sink.state() })
  }

  return {
    ...stream,
    close: () => {
      stream.close()
      passOn()
    },
    receive: (message) => {
      if (message.type === 'request') answer(message)
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

/** Timers of a hidden leader may come a minute late: it is woken when it misses its time. */
const missedAttemptMs = 1000
const requestAgainMs = 5000

/** Facts come within seconds of their build; where a server has none, all builds lack them. */
const mostLacking = 10_000

export interface FollowOptions extends RoleOptions {
  readonly tabId: string
}

/**
 * Takes the stream from the leader. First it requests what the leader holds and this tab does not,
 * piece by piece; until it has got it, what the leader sends is left alone but for facts, as the
 * builds sent meanwhile are in the pieces to come. Facts of builds that this tab has may have come
 * to the leader while no one was listening: it requests them too. Messages of one tab arrive in
 * order, so nothing is lost between the last piece and what is sent next.
 */
function follow(options: FollowOptions): SharedRole {
  const { sink, clock, post, tabId } = options
  let joined = false
  let missing = false
  let isAnswered = false
  let cancelRequest = (): void => undefined
  let cancelNudge = (): void => undefined

  function request(): void {
    cancelRequest()
    const lacking = isAnswered ? [] : [...sink.withoutFacts(mostLacking)]
    post({ type: 'request', from: tabId, after: sink.start().lastId, lacking })
    cancelRequest = clock.after(requestAgainMs, request)
  }

  function join(): void {
    joined = false
    isAnswered = false
    sink.emit({ type: 'attempt' })
    request()
  }

  function takeHistory(piece: Extract<SharedMessage, { type: 'history' }>): void {
    if (joined || piece.to !== tabId) return
    missing ||= piece.missing
    isAnswered = true
    for (const message of piece.messages) sink.emit({ type: 'message', message, at: clock.now() })
    if (!piece.done) {
      request()
      return
    }
    cancelRequest()
    joined = true
    sink.emit({ type: 'adopted', state: piece.state })
    if (missing) sink.emit({ type: 'message', message: gapMessage, at: clock.now() })
    missing = false
  }

  function take(event: StreamEvent): void {
    cancelNudge()
    if (event.type === 'waiting') {
      const late = event.nextAttemptAt - clock.now() + missedAttemptMs
      cancelNudge = clock.after(late, () => {
        post({ type: 'command', command: 'reconnect' })
      })
    }
    if (joined || isFacts(event)) sink.emit(event)
  }

  join()
  return {
    receive: (message) => {
      if (message.type === 'leads') join()
      if (message.type === 'history') takeHistory(message)
      if (message.type === 'events') message.events.forEach(take)
    },
    reconnect: () => {
      post({ type: 'command', command: 'reconnect' })
    },
    skipToNow: () => {
      post({ type: 'command', command: 'skipToNow' })
    },
    close: () => {
      cancelRequest()
      cancelNudge()
      post({ type: 'bye', from: tabId })
    },
  }
}

/** As the proxy announces that builds are missing; from where on is unknown here. */
const gapMessage = {
  id: '',
  event: liveEvents.gap,
  data: JSON.stringify({ from: null, oldest: null }),
}

function isFacts(event: StreamEvent): boolean {
  return event.type === 'message' && event.message.event === liveEvents.facts
}

/** What the tabs send each other about the stream: the one that leads reads it, the others follow. */
const SharedMessage = z.discriminatedUnion('type', [
  /** The leader: a new one has begun, and followers should request what is missing. */
  z.object({ type: z.literal('leads') }),
  /** The leader: still here. */
  z.object({ type: z.literal('pulse') }),
  /** The leader: the next events of the stream, in order. */
  z.object({ type: z.literal('events'), events: z.array(StreamEvent) }),
  /** A follower: what came after this build, or everything, and the facts that earlier ones lack. */
  z.object({
    type: z.literal('request'),
    from: z.string(),
    after: z.union([z.string(), z.undefined()]),
    lacking: z.array(z.string()),
  }),
  /** The leader, to one follower: the next rows, as the messages that made them. */
  z.object({
    type: z.literal('history'),
    to: z.string(),
    messages: z.array(StreamMessage),
    /** Builds between the last known and these are no longer kept. */
    missing: z.boolean(),
    /** Nothing is left: what is sent from here on continues it. */
    done: z.boolean(),
    state: FeedState,
  }),
  /** A follower: needs nothing any more. */
  z.object({ type: z.literal('bye'), from: z.string() }),
  /** A follower: someone there pressed it. */
  z.object({ type: z.literal('command'), command: z.enum(['reconnect', 'skipToNow']) }),
])
type SharedMessage = z.infer<typeof SharedMessage>
