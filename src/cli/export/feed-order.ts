import type { Clock } from '../../protocol/clock.ts'
import type { ServerRequest } from '../server-request.ts'
import type { ExportBuild } from './export-line.ts'

/** Up to where builds were handled, in the order of the build server. Times are epoch ms of that server. */
export type Position =
  /** Nothing old is wanted. */
  | { readonly kind: 'now' }
  /** All from an instant on are wanted. */
  | { readonly kind: 'instant'; readonly at: number }
  /** All after a build are wanted. */
  | { readonly kind: 'after'; readonly id: string; readonly receivedAt: number }

/** Builds in order, and the position after the last of them. */
export interface Portion {
  readonly builds: readonly ExportBuild[]
  readonly position: Position
}

export interface FeedOptions {
  readonly server: ServerRequest
  readonly clock: Clock
  readonly random: () => number
  readonly log: (line: string) => void
  readonly signal: AbortSignal
  readonly from: Position
  /** Builds that an earlier run handled, oldest first: they may come again. */
  readonly handled: readonly string[]
  /** Epoch ms; builds received later are not wanted, and the feed ends. */
  readonly until: number
  readonly follow: boolean
  /** How long the facts of a build are waited for, ms. */
  readonly factsMs: number
  /** How long a server may fail before that is given up, ms; while following, never. */
  readonly patienceMs: number
}

/** What was handled, so that nothing is handled twice where list and live feed meet. */
export interface Order {
  readonly position: () => Position
  /** Whether the id of the position is of no use any more: its time is, then. */
  readonly isByTime: () => boolean
  readonly forgetId: () => void
  readonly isHandled: (buildId: string, receivedAt: number) => boolean
  /** Takes the builds that weren't handled yet and were received in time; `start` is where an empty feed stands. */
  readonly take: (
    builds: readonly ExportBuild[],
    until: number,
    start?: Position,
  ) => Portion & { readonly isOver: boolean }
}

/** As many handled builds are remembered; more than the list and the live feed can overlap by. */
const remembered = 20_000

/** Nothing but what stands before a position, and what an earlier run handled, is handled yet. */
export function createOrder(from: Position, handled: readonly string[]): Order {
  let position = from
  let isByTime = false
  const recent = new Set(from.kind === 'after' ? [...handled, from.id] : handled)

  function isHandled(buildId: string, receivedAt: number): boolean {
    if (recent.has(buildId)) return true
    if (position.kind === 'instant') return receivedAt < position.at
    return isByTime && position.kind === 'after' && receivedAt < position.receivedAt
  }

  return {
    position: () => position,
    isByTime: () => isByTime,
    forgetId: () => {
      isByTime = true
    },
    isHandled,
    take: (builds, until, start) => {
      const taken: ExportBuild[] = []
      let isOver = false
      for (const one of builds) {
        const { buildId, timestamp } = one.build
        if (isHandled(buildId, timestamp)) continue
        if (timestamp > until) {
          isOver = true
          break
        }
        taken.push(one)
        recent.add(buildId)
        position = positionAfter(position, buildId, timestamp)
        isByTime = false
      }
      for (const id of recent) {
        if (recent.size <= remembered) break
        recent.delete(id)
      }
      if (start !== undefined && position.kind === 'now') position = start
      return { builds: taken, position, isOver }
    },
  }
}

/**
 * The position once a build was handled. One that was received long before those that were handled already, as a server
 * repeats it or is late with it, doesn't lead back.
 */
export function positionAfter(position: Position, id: string, receivedAt: number): Position {
  return position.kind === 'after' && receivedAt < position.receivedAt - lateMs
    ? position
    : { kind: 'after', id, receivedAt }
}

/** Builds of a minute may come in another order than that of their times. */
const lateMs = 60_000
