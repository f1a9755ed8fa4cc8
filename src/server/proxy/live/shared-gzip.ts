import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A piece of a gzip stream that can follow any other: it refers to nothing before it. */
export interface GzipPiece {
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
