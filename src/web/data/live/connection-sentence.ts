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

export interface TimeTexts {
  /** An instant of this browser's clock, epoch ms, in the viewer's zone, such as "09:14". */
  readonly timeOfDay: (epochMs: number) => string
  /** Such as "3 min 5 s". */
  readonly duration: (ms: number) => string
}

/** The proxy sends a heartbeat every 15 s; after two have been missed, quiet is silence. */
export const proxySilentMs = 31_000

/** How the feed stands at `now` (epoch ms, this browser's clock): this browser first, then the build server. */
export function connectionSentence(
  facts: ConnectionFacts,
  now: number,
  texts: TimeTexts,
): ConnectionSentence {
  const { connection, lastHeardAt } = facts
  switch (connection.state) {
    // Whoever shows the sentence listens, or is about to.
    case 'idle':
    case 'connecting':
      return { text: 'Connecting to Sightline', tone: 'waiting' }
    case 'retrying': {
      const wait = waitText(connection.nextAttemptAt - now, texts)
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
        return {
          text: `No data from Sightline since ${texts.timeOfDay(lastHeardAt)}`,
          tone: 'waiting',
        }
      }
      return connection.state === 'live' || isLost(facts.upstream) || isUnanswered(facts)
        ? upstreamSentence(facts, now, texts)
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
  texts: TimeTexts,
): ConnectionSentence {
  const { upstream, clockDifference } = facts
  if (upstream === undefined) {
    return { text: 'Connected to Sightline', tone: 'waiting' }
  }
  const fresh = freshness(facts, now, texts)
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
          ? 'No data from the build server yet'
          : `No data from the build server since ${texts.timeOfDay(lastHeardAt - clockDifference)}`
      const wait =
        nextAttemptAt === null ? '' : waitText(nextAttemptAt - clockDifference - now, texts)
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
  { duration }: TimeTexts,
): string {
  const last = row(newest)
  const age = last === undefined ? 0 : now + clockDifference - last.build.timestamp
  if (behindMs !== undefined && behindMs >= lagMs && age < behindMs + quietMs) {
    return `, ${duration(behindMs)} behind`
  }
  const minute = 60_000
  const rounded = age < minute ? age : Math.floor(age / minute) * minute
  return age < quietMs ? '' : `, last build ${duration(rounded)} ago`
}

function catchingUp(received: number, left: number | undefined): string {
  if (left !== undefined) return `Catching up, about ${countText(left)} to go`
  return received === 0 ? 'Catching up' : `Catching up, ${countText(received)} so far`
}

/** " in 4 s", or nothing once the time has come. */
function waitText(ms: number, { duration }: TimeTexts): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds <= 0 ? '' : ` in ${duration(seconds * 1000)}`
}
