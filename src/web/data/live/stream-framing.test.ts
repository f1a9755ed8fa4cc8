import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import { readEventSource } from '../core/event-source.ts'

/** How bytes become messages: line guard and library together, byte by byte. */

beforeEach(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  vi.stubGlobal('document', { removeEventListener: () => undefined })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

interface Read {
  readonly messages: readonly { id: string; event: string; data: string }[]
  readonly fault: string | undefined
}

async function read(chunks: readonly Uint8Array[], maxLineBytes = 1_000_000): Promise<Read> {
  const messages: { id: string; event: string; data: string }[] = []
  const left = [...chunks]
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = left.shift()
      if (next === undefined) controller.close()
      else controller.enqueue(next)
    },
  })
  const fault = await readEventSource(
    {
      fetch: () =>
        Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
      clock: createManualClock(),
      isOnline: () => true,
      url: 'http://127.0.0.1/',
      token: 'token',
      lastId: undefined,
      maxLineBytes,
      silenceLimitMs: 1000,
      onOpen: () => undefined,
      onBytes: () => undefined,
      onMessage: (message) => messages.push(message),
      onRetry: () => undefined,
    },
    new AbortController().signal,
  ).then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problem.type : String(error)),
  )
  return { messages, fault }
}

/**
 * What the standard's own reader makes of the same bytes, but for empty lines of data before the
 * first one that is not: the library leaves them out, and the proxy writes none.
 */
function expected(text: string): Read['messages'] {
  const messages: { id: string; event: string; data: string }[] = []
  createSseReader({
    onMessage: ({ id = '', event = '', data: whole }) => {
      const data = whole.replace(/^\n+/, '')
      if (data !== '') messages.push({ id, event, data })
    },
  }).feed(new TextEncoder().encode(text))
  return messages
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = [0, ...at.map((place) => place % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places.slice(1).map((end, index) => bytes.slice(places[index], end))
}

const plain = fc.oneof(
  fc.constantFrom('', 'x', ' y', '1', 'é☃', '{"a":":"}', '0'),
  fc.nat().map(String),
)
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom('data: ', 'data:', 'id: ', 'event:', ': ', 'other: '), plain)
    .map((parts) => parts.join('')),
  fc.constant(''),
  fc.constant('data: end'),
)
const stream = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\r')), { maxLength: 30 })
  .map((lines) => lines.map((parts) => parts.join('')).join(''))

describe('bytes become messages', () => {
  test('as the standard has it, wherever they are cut and whatever ends the lines', async () => {
    await fc.assert(
      fc.asyncProperty(stream, fc.array(fc.nat(), { maxLength: 8 }), async (text, places) => {
        const { messages, fault } = await read(cut(new TextEncoder().encode(text), places))
        expect(fault).toBeUndefined()
        expect(messages).toEqual(expected(text))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('one byte at a time', async () => {
    const text = ': hb\n\nid: A\r\nevent: Build\r\ndata: {"é":1}\r\ndata: two\r\n\r\ndata: 3\n\n'
    const { messages } = await read(
      [...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte)),
    )
    expect(messages).toEqual([
      { id: 'A', event: 'Build', data: '{"é":1}\ntwo' },
      { id: '', event: '', data: '3' },
    ])
  })

  test('but for a byte-order mark, which the library takes from where a value begins', async () => {
    const { messages } = await read([new TextEncoder().encode('data: \uFEFFa\uFEFFb\n\n')])
    expect(messages.map(({ data }) => data)).toEqual(['a\uFEFFb'])
  })

  test('a line at the limit is read, one byte more is not, in one piece or in many', async () => {
    for (const size of [1, 7, 1000, 5000]) {
      const pieces = (text: string): Uint8Array[] => {
        const bytes = new TextEncoder().encode(text)
        return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.slice(index * size, (index + 1) * size),
        )
      }
      const line = `data: ${'x'.repeat(994)}`
      const good = await read(pieces(`data: ok\n\n${line}\n\n`), 1000)
      expect(good.messages).toHaveLength(2)
      expect(good.fault).toBeUndefined()
      const bad = await read(pieces(`data: ok\n\n${line}x\n\ndata: never\n\n`), 1000)
      expect(bad.fault).toBe('urn:sightline:problem:line-too-long')
      expect(bad.messages.map(({ data }) => data)).not.toContain('never')
    }
  })

  test('a message of endless lines is refused before it fills the memory', async () => {
    const chunk = new TextEncoder().encode(`data: ${'x'.repeat(90)}\n`.repeat(10))
    const { fault } = await read(
      Array.from({ length: 100 }, () => chunk),
      1000,
    )
    expect(fault).toBe('urn:sightline:problem:message-too-long')
  })
})
