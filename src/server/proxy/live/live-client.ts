import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { Clock } from '../../../protocol/clock.ts'
import { encodeSseRetry } from '../../../protocol/sse.ts'
import type { Outgoing } from '../sessions.ts'
import type { LiveRequest } from './live-route.ts'

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

/** A piece of the feed that may go to any number of readers; each form is made at most once. */
export interface Block {
  readonly plain: Buffer
  readonly gzip: () => GzipPiece
}

/** Makes a block of whole messages. */
export function createBlock(text: string): Block {
  const plain = Buffer.from(text)
  let piece: GzipPiece | undefined
  return { plain, gzip: () => (piece ??= gzipPiece(plain)) }
}

/** A piece of a gzip stream that can follow any other: it refers to nothing before it. */
interface GzipPiece {
  readonly bytes: Buffer
  /** Of the piece's plain bytes: what the trailer of the stream is made of. */
  readonly crc: number
  readonly length: number
}

/** One reader's gzip stream: the pieces are shared, the running checksum is its own. */
export interface GzipTrail {
  /** Notes a piece that is written to this stream. */
  readonly add: (piece: GzipPiece) => void
  /** What ends the stream (RFC 1952 2.3.1), so that an ended connection is a whole file. */
  readonly trailer: () => Buffer
}

/** What a gzip stream begins with (RFC 1952 2.3): deflate, no name, no time, unknown system. */
export const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/**
 * Compresses for many streams at once: raw deflate, closed by a full flush, so that each reader can
 * be given the same bytes wherever its own stream stands.
 */
export function gzipPiece(plain: Buffer): GzipPiece {
  const bytes =
    plain.length < worthCompressing
      ? stored(plain)
      : deflateRawSync(plain, { level: 6, finishFlush: constants.Z_FULL_FLUSH })
  return { bytes, crc: crc32(plain), length: plain.length }
}

/** Follows one stream from its header on. */
export function createGzipTrail(): GzipTrail {
  let crc = 0
  let length = 0
  return {
    add: (piece) => {
      crc = crc === 0 && length === 0 ? piece.crc : combineCrc(crc, piece)
      length += piece.length
    },
    trailer: () => {
      const end = Buffer.alloc(10)
      // The empty last block, with fixed codes: RFC 1951 3.2.6.
      end.writeUInt16LE(0x0003, 0)
      end.writeUInt32LE(crc, 2)
      end.writeUInt32LE(length % 2 ** 32, 6)
      return end
    },
  }
}

/** Below this a compressor's set-up costs more than it saves. */
const worthCompressing = 256

/** A block as it is (RFC 1951 3.2.4): needs no compressor. Pieces this short fit one block. */
function stored(plain: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(plain.length, 1)
  head.writeUInt16LE(~plain.length & 0xffff, 3)
  return Buffer.concat([head, plain])
}

/** The checksum of two texts joined, from those of each: a CRC is linear over GF(2). */
function combineCrc(crc: number, next: GzipPiece): number {
  return (multiply(shiftOf(next), crc) ^ next.crc) >>> 0
}

const shifts = new WeakMap<GzipPiece, number>()

/** x to the power of the piece's bits, modulo the polynomial: the same for all readers. */
function shiftOf(piece: GzipPiece): number {
  let shift = shifts.get(piece)
  if (shift === undefined) {
    shift = 0x80000000
    let power = 0x00800000
    for (let bytes = piece.length; bytes > 0; bytes = Math.floor(bytes / 2)) {
      if (bytes % 2 === 1) shift = multiply(power, shift)
      power = multiply(power, power)
    }
    shifts.set(piece, shift)
  }
  return shift
}

/** Multiplies two polynomials modulo that of CRC-32, in its reflected form (x^0 is bit 31). */
function multiply(a: number, b: number): number {
  let product = 0
  let factor = b
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= factor
    factor = factor & 1 ? (factor >>> 1) ^ 0xedb88320 : factor >>> 1
  }
  return product >>> 0
}
