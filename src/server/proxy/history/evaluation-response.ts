import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { readLines } from '../../../protocol/ndjson.ts'
import type { BodyCopy, ReadableCopy } from '../upstream/body-stream.ts'

/** How an answer is written. */
export interface ResponseForm {
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
export function readResponseParts(
  { pieces, isCut }: Pick<ReadableCopy, 'pieces' | 'isCut'>,
  { type, isGzip }: ResponseForm,
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
    if (read > mostBytes) throw new RangeError(`the response exceeds ${mostBytes} bytes`)
    yield piece
  }
  // Half a part behind the last whole one is none.
  if (isCut()) throw new Error('the response was cut off')
}

/**
 * The values of a text of JSON whose bytes may be cut anywhere, each as it was written: the elements
 * of an array, or values that follow one another. Nothing is parsed: what is no JSON comes as it is,
 * and an array that is not closed, or has nothing between two commas, gives one text that is none.
 * Throws a RangeError when a value exceeds `longest` characters, and what the stream itself throws.
 */
export async function* readJsonValues(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  const scan = createScan(longest)
  for await (const piece of bytes) yield* scan.next(decoder.decode(piece, { stream: true }))
  yield* scan.next(decoder.decode())
  yield* scan.end()
}

interface Scan {
  readonly next: (text: string) => readonly string[]
  readonly end: () => readonly string[]
}

function createScan(longest: number): Scan {
  /** What came of the value that is not complete yet. */
  let begun: string[] = []
  let begunLength = 0
  /** Brackets that are open, those of the array itself included. */
  let depth = 0
  let isArray = false
  let isAfterComma = false
  let isInString = false
  let isEscaped = false
  let values: string[] = []

  function keep(text: string): void {
    begun.push(text)
    begunLength += text.length
    if (begunLength > longest) throw new RangeError(`a value exceeds ${longest} characters`)
  }

  /** The end of a value; `isOwed` where there must be one. */
  function close(isOwed: boolean): void {
    const value = begun.join('').trim()
    if (value !== '' || isOwed) values.push(value)
    begun = []
    begunLength = 0
  }

  function next(text: string): readonly string[] {
    values = []
    let start = 0
    for (let at = 0; at < text.length; at += 1) {
      if (isInString) {
        at = stringEnd(text, at)
        continue
      }
      switch (text.charCodeAt(at)) {
        case quote:
          isInString = true
          break
        case openBrace:
        case openBracket:
          if (depth === 0 && text.charCodeAt(at) === openBracket) {
            isArray = true
            isAfterComma = false
            start = at + 1
          }
          depth += 1
          break
        case comma:
          if (!isArray || depth !== 1) break
          keep(text.slice(start, at))
          close(true)
          isAfterComma = true
          start = at + 1
          break
        case closeBrace:
        case closeBracket:
          if (isArray && depth === 1) {
            // A brace closes no array: it stays, and what it stands in is no JSON.
            if (text.charCodeAt(at) === closeBrace) break
            keep(text.slice(start, at))
            close(isAfterComma)
            isArray = false
            depth = 0
            start = at + 1
          } else {
            depth -= 1
            if (depth > 0) break
            depth = 0
            if (isArray) break
            keep(text.slice(start, at + 1))
            close(true)
            start = at + 1
          }
          break
      }
    }
    keep(text.slice(start))
    return values
  }

  /** The place of the closing quote, or the last one of the text. */
  function stringEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      if (isEscaped) {
        isEscaped = false
        continue
      }
      const code = text.charCodeAt(at)
      if (code === backslash) isEscaped = true
      else if (code === quote) {
        isInString = false
        return at
      }
    }
    return text.length - 1
  }

  return {
    next,
    end: () => {
      values = []
      // What no bracket closes is no JSON, however complete its last element looks.
      if (isArray) begun.unshift('[')
      close(false)
      return values
    },
  }
}

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125

/** A request that is passed on to an upstream. */
export interface PassedRequest {
  /** The pattern of its route, and its path in decoded segments. */
  readonly pattern: string
  readonly segments: readonly string[]
  readonly body: Uint8Array | null
  readonly contentType: string | null
  /** The user of the session. */
  readonly by: string
}

/** Whoever watches one request. Never throws, and never holds it up. */
export interface RequestWatch {
  /** The upstream answered with this status, or not at all (null). Told once. */
  readonly answered: (status: number | null) => void
  /** The answer is passed on: under which header, and who reads along. Asked after `answered`. */
  readonly passed: (form: ResponseForm) => {
    readonly headers: Readonly<Record<string, string>>
    readonly copy: BodyCopy | undefined
  }
}

/** Says who watches a request; undefined where nobody does. */
export type ForwardWatch = (request: PassedRequest) => RequestWatch | undefined
