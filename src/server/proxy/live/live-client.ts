import type { ServerResponse } from 'node:http'
import type { Clock } from '../../../protocol/clock.ts'
import { encodeSseRetry } from '../../../protocol/sse-writer.ts'
import type { LiveRequest } from '../live-endpoint.ts'
import { type Block, createBlock } from './block.ts'
import { createGzipTrail, gzipHeader } from './shared-gzip.ts'

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
  readonly outgoing: ServerResponse
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

function isOpen(outgoing: ServerResponse): boolean {
  return !outgoing.destroyed && !outgoing.writableEnded
}
