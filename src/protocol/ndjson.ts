import { problem, type ProblemDetail } from './problem.ts'

/** One value as a line of NDJSON. JSON escapes line breaks, so one value is always one line. */
export function ndjsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}

/**
 * Whether nothing but the end of the connection ends a response (RFC 9112, 6.3), as over HTTP/1.0: one that
 * was cut looks like one that is whole. `header` gives the value of one by its lower-case name.
 */
export function isOpenEnded(header: (name: string) => string | null): boolean {
  // Any other coding ends with the connection, too (RFC 9112, 6.3).
  const isChunked = /(?:^|,)\s*chunked\s*$/i.test(header('transfer-encoding') ?? '')
  return header('content-length') === null && !isChunked
}

/** Why lines that were open-ended don't count as whole: a cut at a line break can't be noticed. `who` sent them. */
export function openEndedProblem(who: string): ProblemDetail {
  return problem(
    502,
    'open-ended',
    'Possibly incomplete response',
    `Only the end of the connection ended the response from ${who}, so it may have been cut. Use HTTP/1.1 all the way to it (nginx: proxy_http_version 1.1).`,
  )
}

/** Why a response is incomplete whose connection broke; `isTooLong`: it has a line that nobody reads. */
export function brokeOffProblem(isTooLong = false): ProblemDetail {
  return problem(
    502,
    'answer-broke-off',
    'Incomplete response',
    isTooLong
      ? 'A line of the response is too long.'
      : 'The connection broke before the response was complete.',
  )
}

/**
 * The chunks of a stream, in browsers that can't iterate over one as well; none where there is no stream.
 * Whoever leaves early lets go of its connection. `onChunk` is called before each is given.
 */
export async function* chunksOf<Chunk>(
  stream: ReadableStream<Chunk> | null,
  onChunk: () => void = () => undefined,
): AsyncGenerator<Chunk, void, undefined> {
  const reader = stream?.getReader()
  if (reader === undefined) return
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onChunk()
      yield value
    }
  } finally {
    // Does nothing at the end; a broken connection is gone.
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * The lines of a byte stream that may be cut anywhere, also inside a UTF-8 sequence. Empty lines
 * are skipped, a last line needs no line break, CRLF is accepted. Throws a RangeError when a line
 * exceeds `maxLineLength` characters, and whatever the stream itself throws.
 */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  maxLineLength?: number,
): AsyncGenerator<string, void, undefined> {
  for await (const lines of readLineBatches(bytes, maxLineLength)) yield* lines
}

/** As `readLines`, in arrays, never empty, of what came in one piece: to wait for each line takes longer. */
export async function* readLineBatches(
  bytes: AsyncIterable<Uint8Array>,
  maxLineLength = 16 * 1024 * 1024,
): AsyncGenerator<readonly string[], void, undefined> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let held = 0
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true })
    const lines: string[] = []
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      const part = text.slice(start, end)
      const line = (held === 0 ? part : [...pieces, part].join('')).trim()
      pieces = []
      held = 0
      start = end + 1
      if (line !== '') lines.push(line)
    }
    if (lines.length > 0) yield lines
    if (start < text.length) {
      pieces.push(text.slice(start))
      held += text.length - start
      if (held > maxLineLength) throw new RangeError(`a line exceeds ${maxLineLength} characters`)
    }
  }
  const last = [...pieces, decoder.decode()].join('').trim()
  if (last !== '') yield [last]
}
