import { liveEvents } from '../../../protocol/live-feed.ts'
import { pulseMs, type RoleOptions, type SharedRole } from './shared-leader.ts'
import type { SharedMessage } from './shared-message.ts'
import { watchSilence } from '../core/silence-watch.ts'
import type { StreamHappening } from './stream-happening.ts'

/** A leader that says nothing for so long is taken for dead. */
const leaderSilentMs = 4 * pulseMs
/** Timers of a hidden leader may come a minute late: it is woken when it misses its time. */
const missedAttemptMs = 1000
const askAgainMs = 5000

/** Facts come within seconds of their build; where a server tells none, all builds lack them. */
const mostLacking = 10_000

/** What a follower is made with besides. */
export interface FollowOptions extends RoleOptions {
  /** This tab's name among the others. */
  readonly tabId: string
  readonly onLeaderSilent: () => void
}

/**
 * Takes the stream from the leader. First it asks for what the leader holds and this tab does not,
 * piece by piece; until it has got it, what the leader tells is left alone but for facts, as the
 * builds told meanwhile are in the pieces to come. Facts of builds that this tab has may have come
 * to the leader while nobody was listening: it asks for them too. Messages of one tab arrive in
 * order, so nothing is lost between the last piece and what is told next.
 */
export function follow(options: FollowOptions): SharedRole {
  const { sink, clock, post, tabId } = options
  let joined = false
  let missing = false
  let isAnswered = false
  let heardAt = clock.now()
  let cancelAsk = (): void => undefined
  let cancelNudge = (): void => undefined
  const stopWatch = watchSilence({
    clock,
    limitMs: leaderSilentMs,
    lastHeardAt: () => heardAt,
    onSilent: options.onLeaderSilent,
  })

  function ask(): void {
    cancelAsk()
    const lacking = isAnswered ? [] : [...sink.withoutFacts(mostLacking)]
    post({ type: 'ask', from: tabId, after: sink.start().lastId, lacking })
    cancelAsk = clock.after(askAgainMs, ask)
  }

  function join(): void {
    joined = false
    isAnswered = false
    sink.tell({ type: 'attempt' })
    ask()
  }

  function takeHistory(piece: Extract<SharedMessage, { type: 'history' }>): void {
    if (joined || piece.to !== tabId) return
    missing ||= piece.missing
    isAnswered = true
    for (const message of piece.messages) sink.tell({ type: 'message', message, at: clock.now() })
    if (!piece.done) {
      ask()
      return
    }
    cancelAsk()
    joined = true
    sink.tell({ type: 'adopted', state: piece.state })
    if (missing) sink.tell({ type: 'message', message: gapMessage, at: clock.now() })
    missing = false
  }

  function take(happening: StreamHappening): void {
    cancelNudge()
    if (happening.type === 'waiting') {
      const late = happening.nextAttemptAt - clock.now() + missedAttemptMs
      cancelNudge = clock.after(late, () => {
        post({ type: 'command', command: 'reconnect' })
      })
    }
    if (joined || isFacts(happening)) sink.tell(happening)
  }

  join()
  return {
    receive: (message) => {
      if (message.type === 'leads') join()
      if (message.type === 'history') takeHistory(message)
      if (message.type === 'told') message.happenings.forEach(take)
      if (message.type === 'leads' || message.type === 'pulse' || message.type === 'told') {
        heardAt = clock.now()
      }
    },
    reconnect: () => {
      post({ type: 'command', command: 'reconnect' })
    },
    skipToNow: () => {
      post({ type: 'command', command: 'skipToNow' })
    },
    close: () => {
      stopWatch()
      cancelAsk()
      cancelNudge()
      post({ type: 'bye', from: tabId })
    },
  }
}

/** As the proxy tells that builds are missing; from where on is not known here. */
const gapMessage = {
  id: '',
  event: liveEvents.gap,
  data: JSON.stringify({ from: null, oldest: null }),
}

function isFacts(happening: StreamHappening): boolean {
  return happening.type === 'message' && happening.message.event === liveEvents.facts
}
