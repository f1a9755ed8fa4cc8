import type { Clock } from '../../../protocol/clock.ts'
import { encodeSseRetry } from '../../../protocol/sse.ts'
import {
  type Block,
  createBlock,
  createGzipTrail,
  encodeEntries,
  gzipHeader,
  type Pages,
} from './blocks.ts'
import type { Entry } from '../../live-log/live-log.ts'
import type { Journal } from './journal.ts'
import type { LiveRequest } from './live-route.ts'
import type { Outgoing } from '../sessions.ts'

/** One reader's connection: takes blocks, and knows whether it keeps up. */
export interface LiveClient {
  readonly request: LiveRequest
  /** Writes a block, whatever is still unsent; nothing once the connection is gone. */
  readonly send: (block: Block) => void
  /** Whether more can be written without piling up in memory. */
  readonly ready: () => boolean
  /** What was written but has not left the process, in bytes. */
  readonly unsentBytes: () => number
  /** Since when nothing more could be written (epoch ms); undefined while it can. */
  readonly blockedSince: () => number | undefined
  /** When this connection is to end, epoch ms. */
  readonly endsAt: number
  /** Aborts when the connection is gone, for whatever reason. */
  readonly gone: () => AbortSignal
  /** Resolves when more can be written or the connection is gone. */
  readonly untilReady: () => Promise<void>
  /** Whether the stream was ended, though what is unsent may still be on its way. */
  readonly isEnding: () => boolean
  /** Ends the stream after what is unsent: the reader will come back by its last id. */
  readonly end: () => void
  /** Cuts the connection and frees what is unsent. */
  readonly drop: () => void
}

export interface LiveClientOptions {
  readonly request: LiveRequest
  readonly outgoing: Outgoing
  readonly clock: Clock
  readonly gzip: boolean
  readonly endsAt: number
  /** Called each time that more can be written again. */
  readonly onReady: () => void
  /** Called once, when the connection is gone. */
  readonly onGone: () => void
}

/**
 * Takes over a response and sends the head and the first bytes at once, so that no proxy on the way
 * waits for them. Writes to Node's own response: a web stream per reader halves what can be
 * delivered.
 */
export function openLiveClient(options: LiveClientOptions): LiveClient {
  const { outgoing, clock, endsAt, request } = options
  // Made when it is first asked for: most readers live without one, and it is not small.
  let gone: AbortController | undefined
  const trail = options.gzip ? createGzipTrail() : undefined
  let waiting: (() => void)[] = []
  let blockedSince: number | undefined

  const wake = (): void => {
    const woken = waiting
    waiting = []
    for (const resolve of woken) resolve()
  }
  outgoing.on('drain', () => {
    blockedSince = undefined
    options.onReady()
    wake()
  })
  // A reader that goes away in the middle of a write is everyday life: `close` follows.
  outgoing.on('error', () => undefined)
  outgoing.once('close', () => {
    gone?.abort()
    options.onGone()
    wake()
  })

  const write = (bytes: Buffer): void => {
    if (!outgoing.write(bytes)) blockedSince ??= clock.now()
  }
  const send = (block: Block): void => {
    if (!isOpen(outgoing)) return
    if (trail === undefined) {
      write(block.plain)
    } else {
      const piece = block.gzip()
      trail.add(piece)
      write(piece.bytes)
    }
  }

  outgoing.writeHead(200, trail === undefined ? head : { ...head, 'content-encoding': 'gzip' })
  if (trail !== undefined) write(gzipHeader)
  send(firstBlock)

  return {
    request,
    endsAt,
    gone: () => {
      gone ??= new AbortController()
      if (outgoing.destroyed) gone.abort()
      return gone.signal
    },
    send,
    ready: () => blockedSince === undefined && isOpen(outgoing),
    unsentBytes: () => outgoing.writableLength,
    blockedSince: () => blockedSince,
    untilReady: async () => {
      if (blockedSince === undefined || outgoing.destroyed) return
      await new Promise<void>((resolve) => waiting.push(resolve))
    },
    isEnding: () => outgoing.writableEnded,
    end: () => {
      if (isOpen(outgoing)) outgoing.end(trail?.trailer())
    },
    drop: () => {
      outgoing.destroy()
    },
  }
}

/** The hub answers by itself, so what the rest of the proxy adds to answers is said here too. */
const head = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
} as const

const firstBlock = createBlock(`: ok\n\n${encodeSseRetry(1000)}`)

function isOpen(outgoing: Outgoing): boolean {
  return !outgoing.destroyed && !outgoing.writableEnded
}

/** A reader that follows the journal from some entry on; it holds a place, not a queue. */
export interface Follower {
  /** Writes what it has not got, up to entry `upTo`, while its connection takes it. */
  readonly advance: (upTo: number) => void
  /** How many bytes it is behind, beyond those that it had to catch up with from the start. */
  readonly unsentBytes: () => number
  /** The number of the last entry that it has been sent. */
  readonly place: () => number
  /** Whether entries that it has not got are no longer kept: it must be served anew. */
  readonly isLost: () => boolean
}

export interface FollowerOptions {
  readonly client: LiveClient
  readonly journal: Journal
  readonly pages: Pages
  /** The number of the last entry that it has. */
  readonly after: number
  /**
   * Builds that the upstream's history has given it already. As both come in one order, the first
   * entry that is not among them ends the overlap.
   */
  readonly seen: ReadonlySet<string>
}

/** Lets a connection follow the journal. Does not write before `advance`. */
export function createFollower(options: FollowerOptions): Follower {
  const { client, journal, pages } = options
  let after = options.after
  let allowance = journal.bytesBetween(after, journal.head())
  let seen: ReadonlySet<string> | undefined = options.seen.size === 0 ? undefined : options.seen

  /** The next stretch, without what the reader has: only until the overlap is over. */
  const skipOverlap = (upTo: number): void => {
    const fresh: Entry[] = []
    const end = Math.min(upTo, after + 256)
    for (; after < end; after++) {
      const entry = journal.entry(after + 1)
      if (entry === undefined) continue
      if (entry.kind === 'build' && seen?.has(entry.id)) continue
      if (entry.kind !== 'facts') seen = undefined
      fresh.push(entry)
    }
    if (fresh.length > 0) client.send(createBlock(encodeEntries(fresh, client.request.batch)))
  }

  return {
    advance: (upTo) => {
      // What is no longer kept must not be passed over in silence.
      while (after < upTo && after >= journal.tail() && client.ready()) {
        if (seen !== undefined) {
          skipOverlap(upTo)
        } else {
          const page = pages.next(after, upTo, client.request.batch)
          client.send(page.block)
          after = page.end
        }
      }
      if (after >= upTo) allowance = 0
    },
    unsentBytes: () =>
      client.unsentBytes() + Math.max(0, journal.bytesBetween(after, journal.head()) - allowance),
    place: () => after,
    isLost: () => after < journal.tail(),
  }
}
