import type { Clock } from '../../../protocol/clock.ts'
import { encodeSseComment } from '../../../protocol/sse-writer.ts'
import { createBlock } from './block.ts'
import type { HubSettings } from './hub-settings.ts'
import type { LiveReader } from './live-reader.ts'

/** Why a reader was let go. */
export type Departure = 'stalled' | 'lagging' | 'overtaken' | 'ended'

/** The readers that are here now, and the one timer that looks after them. */
export interface Roster {
  readonly readers: ReadonlySet<LiveReader>
  /** Why there is no place for one more of a session; undefined when there is. */
  readonly full: (sessionId: string) => 'all' | 'session' | undefined
  readonly add: (reader: LiveReader) => void
  readonly remove: (reader: LiveReader) => void
  /** Whether more than half of them cannot take more now. */
  readonly mostAreBlocked: () => boolean
  /** Drops whoever is too far behind: asked after each flush. */
  readonly dropLagging: () => void
}

/**
 * Keeps the readers. While there are some, it sends heartbeats, drops those whose connection takes
 * nothing, and ends those whose time is over; when the last one has gone, no timer is left.
 */
export function createRoster(
  clock: Clock,
  settings: HubSettings,
  onDeparture: (departure: Departure) => void,
): Roster {
  const readers = new Set<LiveReader>()
  const perSession = new Map<string, number>()
  let heartbeatAt = 0
  let cancelTimer: (() => void) | undefined

  const drop = (reader: LiveReader, departure: Departure): void => {
    onDeparture(departure)
    reader.client.drop()
  }
  const end = (reader: LiveReader, departure: Departure): void => {
    onDeparture(departure)
    reader.client.end()
  }

  const lookAfter = (): void => {
    const now = clock.now()
    const beats = now >= heartbeatAt
    if (beats) heartbeatAt = now + settings.heartbeatMs
    for (const reader of readers) {
      const { client } = reader
      const blockedSince = client.blockedSince()
      if (blockedSince !== undefined && now - blockedSince >= settings.stallMs) {
        drop(reader, 'stalled')
      } else if (isDue(client, now) && !client.isEnding()) {
        end(reader, 'ended')
      } else if (reader.follower()?.isLost() === true && !client.isEnding()) {
        end(reader, 'overtaken')
      } else if (beats && client.ready()) {
        client.send(heartbeat)
      }
    }
    cancelTimer = clock.after(lookMs, lookAfter)
  }

  return {
    readers,
    full: (sessionId) => {
      if (readers.size >= settings.maxClients) return 'all'
      const own = perSession.get(sessionId) ?? 0
      return own >= settings.maxClientsPerSession ? 'session' : undefined
    },
    add: (reader) => {
      const { id } = reader.client.request.session
      readers.add(reader)
      perSession.set(id, (perSession.get(id) ?? 0) + 1)
      if (cancelTimer !== undefined) return
      heartbeatAt = clock.now() + settings.heartbeatMs
      cancelTimer = clock.after(lookMs, lookAfter)
    },
    remove: (reader) => {
      if (!readers.delete(reader)) return
      const { id } = reader.client.request.session
      const left = (perSession.get(id) ?? 1) - 1
      if (left === 0) perSession.delete(id)
      else perSession.set(id, left)
      if (readers.size > 0) return
      cancelTimer?.()
      cancelTimer = undefined
    },
    mostAreBlocked: () => {
      let blocked = 0
      for (const { client } of readers) if (client.blockedSince() !== undefined) blocked++
      return blocked > readers.size / 2
    },
    dropLagging: () => {
      const lately = clock.now() - lagGraceMs
      for (const reader of readers) {
        if ((reader.client.blockedSince() ?? lately) >= lately) continue
        const unsent = reader.follower()?.unsentBytes() ?? 0
        if (unsent > settings.maxUnsentBytes) drop(reader, 'lagging')
      }
    },
  }
}

/** Whether a connection has lived its time, or its session was revoked. */
function isDue({ endsAt, request }: LiveReader['client'], now: number): boolean {
  return request.session.isOver?.() === true || now >= endsAt
}

const lookMs = 1000
/** A burst alone puts every reader behind for a moment: only one that takes nothing lags. */
const lagGraceMs = 2000
const heartbeat = createBlock(encodeSseComment('hb'))
