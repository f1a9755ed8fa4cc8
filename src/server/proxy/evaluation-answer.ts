import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { readLines } from '../../protocol/ndjson.ts'
import type { ReadableCopy } from './body-copy.ts'
import { readJsonValues } from './evaluation-json-values.ts'

/** How an answer is written. */
export interface AnswerForm {
  /** Media type in lower case, without parameters. */
  readonly type: string
  readonly isGzip: boolean
}

/** The longest part of an answer that is read, in characters: the oldest servers answer in one. */
const longestPart = 16 * 1024 * 1024
/** As much of an answer is read at most, bytes: a few of gzip may hold any number. */
const mostBytes = 512 * 1024 * 1024

/**
 * The parts of an evaluation's answer as they arrive, each as it was written: lines of NDJSON, or the
 * elements of an array, or an object as a whole. Throws where the answer cannot be read on: it was
 * cut off, its gzip is broken, or it is larger than anybody's.
 */
export function readAnswerParts(
  { pieces, isCut }: Pick<ReadableCopy, 'pieces' | 'isCut'>,
  { type, isGzip }: AnswerForm,
): AsyncGenerator<string, void, undefined> {
  const bytes = bounded(isGzip ? gunzipped(pieces) : pieces, isCut)
  const isJson = /^application\/(?:[\w.-]+\+)?json$/.test(type)
  return isJson ? readJsonValues(bytes, longestPart) : readLines(bytes, longestPart)
}

async function* gunzipped(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip()
  const source = Readable.from(pieces, { objectMode: false })
  // Its failure is that of the reading below, which ends the source as well.
  const done = pipeline(source, gunzip).catch(() => undefined)
  try {
    for await (const piece of gunzip) yield Buffer.from(piece)
  } finally {
    gunzip.destroy()
    await done
  }
}

async function* bounded(
  pieces: AsyncIterable<Uint8Array>,
  isCut: () => boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0
  for await (const piece of pieces) {
    read += piece.length
    if (read > mostBytes) throw new RangeError(`the answer exceeds ${mostBytes} bytes`)
    yield piece
  }
  // Half a part behind the last whole one is none.
  if (isCut()) throw new Error('the answer was cut off')
}
