import { createJsonSplitter, isJsonType, jsonTexts } from '../../../protocol/json-splitter.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import type { ActionOrigin } from '../../store/actions.ts'
import type { BodyCopy, ReadableCopy } from '../upstream/body-stream.ts'

/** The longest part of an answer that is read, in characters: the oldest servers answer in one. */
const longestPart = 16 * 1024 * 1024
/** As much of an answer is read at most, bytes: a few of gzip may hold any number. */
const mostBytes = 512 * 1024 * 1024

/**
 * The parts of an evaluation's answer as they arrive, each as it was written: lines of NDJSON, or the
 * elements of an array, or an object as a whole. Throws where the answer cannot be read on: it was
 * cut off, or it is larger than anybody's.
 */
export function readResponseParts(
  { pieces, isCut }: Pick<ReadableCopy, 'pieces' | 'isCut'>,
  contentType: string,
): AsyncGenerator<string, void, undefined> {
  const bytes = bounded(pieces, isCut)
  return isJsonType(contentType)
    ? readJsonValues(bytes, longestPart)
    : readLines(bytes, longestPart)
}

async function* bounded(
  pieces: AsyncIterable<Uint8Array>,
  isCut: () => boolean,
): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0
  for await (const piece of pieces) {
    read += piece.length
    if (read > mostBytes) throw new RangeError(`the response exceeds ${mostBytes} bytes`)
    yield piece
  }
  // Half a part behind the last whole one is none.
  if (isCut()) throw new Error('the response was cut off')
}

/**
 * The values of a text of JSON whose bytes may be cut anywhere, each as it was written: the elements
 * of arrays, or values on lines of their own. What is no JSON comes as a text that is none. Throws a
 * RangeError when a value exceeds `longest` characters, and what the stream itself throws.
 */
export async function* readJsonValues(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  const splitter = createJsonSplitter(undefined, longest)
  for await (const piece of bytes) {
    for (const { text } of splitter.push(decoder.decode(piece, { stream: true }))) yield text.trim()
  }
  for (const { text } of splitter.push(decoder.decode())) yield text.trim()
  const { elements, was } = splitter.end()
  for (const { text } of elements) yield text.trim()
  if (was.is === 'broken') yield ''
  // Nothing at all is no JSON text.
  else if (was.is === 'other') yield* jsonTexts(was.text.trim())
}

/** A request that is passed on to an upstream. */
export interface PassedRequest {
  /** The pattern of its route, and its path in decoded segments. */
  readonly pattern: string
  readonly segments: readonly string[]
  readonly body: Uint8Array | null
  readonly contentType: string | null
  /** Whose request it is. */
  readonly origin: ActionOrigin
}

/** The status of an upstream's response; null: there was none, `unusable`: what came is no data. */
export type ResponseStatus = number | 'unusable' | null

/** Whoever watches one request. Never throws, and never holds it up. */
export interface RequestWatch {
  /** How the upstream responded. Called once. */
  readonly answered: (status: ResponseStatus) => void
  /** The answer is passed on: under which header, and who reads along. Asked after `answered`. */
  readonly passed: (mediaType: string) => {
    readonly headers: Readonly<Record<string, string>>
    readonly copy: BodyCopy | undefined
  }
}

/** Says who watches a request; undefined where nobody does. */
export type ForwardWatch = (request: PassedRequest) => RequestWatch | undefined
