import { gzipPiece, type GzipPiece } from './shared-gzip.ts'

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
