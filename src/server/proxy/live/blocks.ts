import { constants, crc32, deflateRawSync } from 'node:zlib'
import { liveEvents } from '../../../protocol/live-feed.ts'
import type { Entry } from '../../live-log/live-log.ts'
import type { Journal } from './journal.ts'

/** A stretch of the journal, ready to be written. */
export interface Page {
  readonly block: Block
  /** The number of its last entry. */
  readonly end: number
}

/** Stretches of the journal, each made once for all readers that stand at the same place. */
export interface Pages {
  /** What follows entry `after`, at most up to `upTo`; the caller knows that there is something. */
  readonly next: (after: number, upTo: number, batch: boolean) => Page
}

/** Makes pages of a journal; the newest are kept, as readers come back in crowds. */
export function createPages(journal: Journal): Pages {
  const kept = new Map<string, Page>()
  return {
    next: (after, upTo, batch) => {
      // Aligned, so that readers that resumed at different places soon share what they are sent.
      const limit = Math.min(upTo, after - (after % pageEntries) + pageEntries)
      const key = `${after}:${limit}:${batch}`
      const known = kept.get(key)
      if (known !== undefined) return known
      const page = makePage(journal, after, limit, batch)
      kept.set(key, page)
      if (kept.size > keptPages) kept.delete(kept.keys().next().value ?? '')
      return page
    },
  }
}

const pageEntries = 512
/** A reader is blocked after one page: this bounds what one that never reads can cost. */
const pageBytes = 128 * 1024
const keptPages = 64

function makePage(journal: Journal, after: number, limit: number, batch: boolean): Page {
  const entries: Entry[] = []
  let end = after
  for (let bytes = 0; end < limit && bytes < pageBytes; end++) {
    const entry = journal.entry(end + 1)
    if (entry === undefined) continue
    entries.push(entry)
    bytes += entry.json.length
  }
  return { block: createBlock(encodeEntries(entries, batch)), end }
}

/**
 * Entries as messages of the feed. With `batch`, builds that follow one another become one `Builds`
 * message whose id is that of its last build, so that a reader parses once and resumes correctly.
 * Each message is one line of our own JSON: what an upstream sent cannot break the framing.
 */
export function encodeEntries(entries: Iterable<Entry>, batch: boolean): string {
  let text = ''
  let run: (Entry & { kind: 'build' })[] = []
  let runLength = 0
  const flushRun = (): void => {
    text += encodeBuilds(run)
    run = []
    runLength = 0
  }
  for (const entry of entries) {
    if (entry.kind === 'build') {
      run.push(entry)
      runLength += entry.json.length
      if (!batch || runLength > maxRunLength) flushRun()
    } else {
      flushRun()
      text += `event: ${liveEvents[entry.kind]}\ndata: ${entry.json}\n\n`
    }
  }
  flushRun()
  return text
}

/** Keeps one message far below the 1 MB that readers accept, in characters. */
const maxRunLength = 256 * 1024

function encodeBuilds(run: readonly (Entry & { kind: 'build' })[]): string {
  const last = run.at(-1)
  if (last === undefined) return ''
  const name = run.length === 1 ? liveEvents.build : liveEvents.builds
  const data = run.length === 1 ? last.json : `[${run.map(({ json }) => json).join(',')}]`
  return `id: ${last.id}\nevent: ${name}\ndata: ${data}\n\n`
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
