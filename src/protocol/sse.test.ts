import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseReader, encodeSse, encodeSseComment, encodeSseRetry } from './sse.ts'

interface Read {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: string
}

/** All that a reader delivers of a stream that arrives in the given chunks. */
function read(chunks: readonly Uint8Array[]): Read[] {
  const messages: Read[] = []
  const reader = createSseReader({
    onMessage: ({ id, event, data }) => messages.push({ id, event, data }),
  })
  for (const chunk of chunks) reader.feed(chunk)
  return messages
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const message = fc.record({
  id: fc.option(fc.stringMatching(/^[a-z0-9]{1,13}$/), { nil: undefined }),
  event: fc.option(fc.constantFrom('Build', 'BuildEvent'), { nil: undefined }),
  data: fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.replace(/\r\n?/g, '\n').replace(/\uFEFF/g, ''))
    .filter((text) => text !== ''),
})

describe('reading what was written', () => {
  test('gives every message once, in order, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom('\n', '\r', '\r\n'),
        fc.boolean(),
        (messages, cuts, lineEnd, mark) => {
          const text = messages
            .map((one) => encodeSseComment('hb') + encodeSse(one))
            .join('')
            .replaceAll('\n', lineEnd)
          const all = bytes((mark ? '\uFEFF' : '') + text)
          const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort(
            (a, b) => a - b,
          )
          const chunks = [0, ...places].map((start, i) => all.subarray(start, places[i]))
          expect(read(chunks)).toEqual(messages)
        },
      ),
    )
  })

  test('delivers a message ended by lone CRs without waiting for the next byte', () => {
    expect(read([bytes('id: 1\rdata: a\r\r')])).toEqual([{ id: '1', event: undefined, data: 'a' }])
  })
})

describe('a reader', () => {
  test.each<[string, string, string[]]>([
    ['ignores comments and heartbeats', ': hb\n\ndata: a\n\n:\n\n', ['a']],
    ['does not deliver a message without data', 'event: Build\n\nid: 1\n\n', []],
    ['does not deliver empty data', 'data\n\ndata:\n\n', []],
    ['joins data of many lines', 'data: a\ndata:\ndata: b\n\n', ['a\n\nb']],
    ['drops what the connection died on', 'data: a\n\ndata: b\n', ['a']],
    ['drops unknown fields', 'colour: red\ndata: a\n\n', ['a']],
  ])('%s', (_what, text, data) => {
    expect(read([bytes(text)]).map((one) => one.data)).toEqual(data)
  })

  test('reports a reconnection time and comments', () => {
    const heard: unknown[] = []
    const reader = createSseReader({
      onMessage: () => heard.push('message'),
      onRetry: (ms) => heard.push(ms),
      onComment: () => heard.push('comment'),
    })
    reader.feed(bytes(encodeSseRetry(3000) + encodeSseComment('hb') + 'retry: soon\n\n'))
    expect(heard).toEqual([3000, 'comment'])
  })

  test.each([
    ['one endless line', 'data: ' + 'x'.repeat(3000)],
    ['endless lines of data', 'data: xxxxxxxx\n'.repeat(300)],
  ])('refuses %s past its limit', (_what, text) => {
    const reader = createSseReader({ onMessage: () => undefined }, 1000)
    expect(() => {
      for (let at = 0; at < text.length; at += 100) reader.feed(bytes(text.slice(at, at + 100)))
    }).toThrow(RangeError)
  })

  test('does not count messages that were delivered against its limit', () => {
    const reader = createSseReader({ onMessage: () => undefined }, 100)
    for (let i = 0; i < 50; i += 1) reader.feed(bytes(`data: ${'x'.repeat(60)}\n\n`))
  })
})

describe('a writer', () => {
  test.each(['a\nb', 'a\rb', 'a\0b'])('refuses %j as an id', (id) => {
    expect(() => encodeSse({ id, data: 'x' })).toThrow(RangeError)
    expect(() => encodeSse({ event: id, data: 'x' })).toThrow(RangeError)
  })

  test('cannot be made to write a second message', () => {
    const written = encodeSse({ data: 'a\n\nevent: Evil\r\rdata: b' })
    expect(read([bytes(written)])).toEqual([
      { id: undefined, event: undefined, data: 'a\n\nevent: Evil\n\ndata: b' },
    ])
  })
})
