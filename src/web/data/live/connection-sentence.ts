import { countText } from '../../../protocol/count.ts'
import type { FeedView } from './feed-state.ts'

/** How a sentence about the connection should look: never by colour alone. */
export type ConnectionTone = 'good' | 'waiting' | 'bad' | 'ended'

/** One plain sentence that is true at the moment for which it was made. */
export interface ConnectionSentence {
  readonly text: string
  readonly tone: ConnectionTone
}

/** What the sentence is made from; a `FeedView` has it. */
export type ConnectionFacts = Pick<
  FeedView,
  'connection' | 'upstream' | 'lastHeardAt' | 'behindMs' | 'clockDifference' | 'newest'
> & {
  readonly row: (arrival: number) => { readonly build: { readonly timestamp: number } } | undefined
}

/** The proxy sends a heartbeat every 15 s; after two have been missed, quiet is silence. */
const proxySilentMs = 31_000

/**
 * Says how the feed stands at `now` (epoch ms, this browser's clock): first how this browser
 * stands with the proxy, then how the proxy stands with the build server. `timeOfDay` writes an
 * instant of this browser's clock in the viewer's zone, such as "09:14".
 */
export function connectionSentence(
  facts: ConnectionFacts,
  now: number,
  timeOfDay: (epochMs: number) => string,
): ConnectionSentence {
  const { connection, lastHeardAt } = facts
  switch (connection.state) {
    // Whoever shows the sentence listens, or is about to.
    case 'idle':
    case 'connecting':
      return { text: 'Connecting to Sightline', tone: 'waiting' }
    case 'retrying': {
      const wait = secondsUntil(connection.nextAttemptAt, now)
      return { text: `Reconnecting${wait}: ${connection.reason}`, tone: 'waiting' }
    }
    case 'signed-out':
      return { text: `Signed out: ${connection.reason}`, tone: 'bad' }
    case 'refused':
      return { text: `Access denied: ${connection.reason}`, tone: 'bad' }
    case 'complete':
      return { text: 'Complete: no more builds to come', tone: 'ended' }
    case 'catching-up':
    case 'live':
      if (lastHeardAt !== undefined && now - lastHeardAt > proxySilentMs) {
        return { text: `No data from Sightline since ${timeOfDay(lastHeardAt)}`, tone: 'waiting' }
      }
      return connection.state === 'live' || isLost(facts.upstream) || isUnanswered(facts)
        ? upstreamSentence(facts, now, timeOfDay)
        : { text: catchingUp(connection.received, connection.left), tone: 'waiting' }
  }
}

/** Whether what is still to come waits for the build server. */
function isLost(upstream: ConnectionFacts['upstream']): boolean {
  return upstream?.upstream === 'retrying' || upstream?.upstream === 'refused'
}

/** Whether nothing has come yet, as the build server has not responded to Sightline. */
export function isUnanswered({
  connection,
  upstream,
}: Pick<ConnectionFacts, 'connection' | 'upstream'>): boolean {
  return (
    connection.state === 'catching-up' &&
    connection.received === 0 &&
    upstream?.upstream === 'connecting'
  )
}

function upstreamSentence(
  facts: ConnectionFacts,
  now: number,
  timeOfDay: (epochMs: number) => string,
): ConnectionSentence {
  const { upstream, clockDifference } = facts
  if (upstream === undefined) {
    return { text: 'Connected to Sightline', tone: 'waiting' }
  }
  const fresh = freshness(facts, now)
  switch (upstream.upstream) {
    case 'live':
      return { text: `Live${fresh}`, tone: 'good' }
    case 'polling':
      return { text: `Live (polling)${fresh}: ${upstream.message}`, tone: 'good' }
    case 'connecting':
      return { text: 'Sightline is connecting to the build server', tone: 'waiting' }
    case 'retrying': {
      const { lastHeardAt, nextAttemptAt } = upstream
      const silent =
        lastHeardAt === null
          ? 'Build server unreachable'
          : `No data from the build server since ${timeOfDay(lastHeardAt - clockDifference)}`
      const wait = nextAttemptAt === null ? '' : secondsUntil(nextAttemptAt - clockDifference, now)
      return { text: `${silent}, retrying${wait}: ${upstream.message}`, tone: 'waiting' }
    }
    case 'refused':
      return { text: upstream.message, tone: 'bad' }
    case 'none':
      return { text: 'No build server is connected', tone: 'ended' }
    case 'complete':
      return { text: 'Complete: the build server has nothing more to send', tone: 'ended' }
  }
}

/** A server that is silent looks like a quiet one, so the age of what came last is said. */
const quietMs = 10_000
/** A lag that is worth a word. */
const lagMs = 2_000

function freshness(
  { behindMs, clockDifference, newest, row }: ConnectionFacts,
  now: number,
): string {
  const last = row(newest)
  const age = last === undefined ? 0 : now + clockDifference - last.build.timestamp
  if (behindMs !== undefined && behindMs >= lagMs && age < behindMs + quietMs) {
    return `, ${durationText(behindMs)} behind`
  }
  const minute = 60_000
  const rounded = age < minute ? age : Math.floor(age / minute) * minute
  return age < quietMs ? '' : `, last build ${durationText(rounded)} ago`
}

function catchingUp(received: number, left: number | undefined): string {
  if (left !== undefined) return `Catching up, ${countText(left)} to go`
  return received === 0 ? 'Catching up' : `Catching up, ${countText(received)} so far`
}

/** " in 4 s", or nothing once the time has come. */
function secondsUntil(then: number, now: number): string {
  const seconds = Math.ceil((then - now) / 1000)
  return seconds <= 0 ? '' : ` in ${durationText(seconds * 1000)}`
}

/** "0.4 s", "12 s", "3 min 5 s", "2 h 10 min", "3 days". */
function durationText(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(ms < 1000 || ms % 1000 !== 0 ? 1 : 0)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days`
}
