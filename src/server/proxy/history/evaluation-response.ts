import {
  createJsonSplitter,
  isJsonType,
  type JsonElement,
  jsonTexts,
} from '../../../protocol/json-splitter.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import type { ActionOrigin } from '../../store/actions.ts'
import type { BodyCopy, ReadableCopy } from '../upstream/body-stream.ts'

/** The longest part of an answer that is read, in characters: the oldest servers answer in one. */
const longestPart = 16 * 1024 * 1024
/** As much of an answer is read at most, bytes: a few of gzip may hold any number. */
const mostBytes = 512 * 1024 * 1024

/** A part of a response as it was written. */
export interface ResponsePart {
  readonly text: string
  /** One of an array: it is a result or none, and never a response of its own. */
  readonly isElement: boolean
}

/**
 * The parts of an evaluation's answer as they arrive: lines of NDJSON, or the
 * elements of an array, or an object as a whole. Throws where the answer cannot be read on: it was
 * cut off, or it is larger than anybody's.
 */
export async function* readResponseParts(
  { pieces, isCut }: Pick<ReadableCopy, 'pieces' | 'isCut'>,
  contentType: string,
): AsyncGenerator<ResponsePart, void, undefined> {
  const bytes = bounded(pieces, isCut)
  if (isJsonType(contentType)) yield* readJsonValues(bytes, longestPart)
  else for await (const text of readLines(bytes, longestPart)) yield { text, isElement: false }
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
): AsyncGenerator<ResponsePart, void, undefined> {
  const elementsOf = (elements: readonly JsonElement[]): readonly ResponsePart[] =>
    elements.map(({ text }) => ({ text: text.trim(), isElement: true }))
  const decoder = new TextDecoder()
  const splitter = createJsonSplitter(undefined, longest)
  for await (const piece of bytes) {
    yield* elementsOf(splitter.push(decoder.decode(piece, { stream: true })))
  }
  yield* elementsOf(splitter.push(decoder.decode()))
  const { elements, was } = splitter.end()
  yield* elementsOf(elements)
  if (was.is === 'broken') yield { text: '', isElement: false }
  else if (was.is === 'other') {
    // Nothing at all is no JSON text.
    for (const text of jsonTexts(was.text.trim())) yield { text, isElement: false }
  }
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
export type ResponseStatus = number | 'unusable' | 'canceled' | null

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
