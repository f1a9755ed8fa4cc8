import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LiveBuilds } from '../../../protocol/live-feed.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import { buildNumber, buildNumbers, idOf } from './hostile-upstream.test-support.ts'
import type { Entry } from '../../live-log/live-log.ts'
import { buildEntry, encodeEntries } from './journal.ts'
import { createGzipTrail, gzipHeader, gzipPiece } from './live-client.ts'

function messagesOf(entries: readonly Entry[], batch: boolean): [string | undefined, string][] {
  const messages: [string | undefined, string][] = []
  const reader = createSseReader({
    onMessage: ({ id, event, data }) => messages.push([event, id ?? data]),
  })
  reader.feed(Buffer.from(encodeEntries(entries, batch)))
  return messages
}

const [first, second, third] = buildNumbers(0, 3).map(buildEntry)
const facts: Entry = { kind: 'facts', id: 'b', json: '{"facts":1}' }
const entries = [first, second, facts, third].flatMap((entry) => entry ?? [])

test('builds that follow one another become one message, and order is kept', () => {
  expect(messagesOf(entries, true)).toEqual([
    ['Builds', idOf(1)],
    ['Facts', '{"facts":1}'],
    ['Build', idOf(2)],
  ])
})

test('without batch every entry is a message of its own', () => {
  expect(messagesOf(entries, false).map(([event]) => event)).toEqual([
    'Build',
    'Build',
    'Facts',
    'Build',
  ])
})

test('one message stays below a megabyte, however much there is to send', () => {
  const long = { ...buildNumber(0), agentVersion: 'x'.repeat(10_000) }
  const text = encodeEntries(Array(500).fill(buildEntry(long)), true)
  const messages = text.split('\n\n').filter((message) => message !== '')
  expect(messages.length).toBeGreaterThan(5)
  for (const message of messages) expect(message.length).toBeLessThan(1024 * 1024)
})

test('nothing in a build can break out of its message', () => {
  const nasty = { ...buildNumber(0), toolVersion: '1\n\nevent: Status\ndata: {}\r\n\u2028' }
  const text = encodeEntries([buildEntry(nasty), buildEntry(buildNumber(1))], true)
  const read: unknown[] = []
  const reader = createSseReader({
    onMessage: ({ event, data }) => read.push(event, ...LiveBuilds.parse(JSON.parse(data))),
  })
  reader.feed(Buffer.from(text))
  expect(read).toEqual(['Builds', nasty, buildNumber(1)])
})

test('any choice of shared pieces is a whole gzip file of their texts', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ minLength: 200, maxLength: 2000 }),
    fc
      .nat(1000)
      .map((number) => `id: b${number}\nevent: Build\ndata: {"a":1}\n\n`.repeat(number % 40)),
  )
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 20 }),
      fc.infiniteStream(fc.boolean()),
      (texts, chosen) => {
        const pieces = texts.map((plain) => ({ plain, piece: gzipPiece(Buffer.from(plain)) }))
        // Two readers share the pieces; one of them came later or was somewhere else meanwhile.
        const some = pieces.filter(() => chosen.next().value)
        for (const own of [pieces, some]) {
          const trail = createGzipTrail()
          for (const { piece } of own) trail.add(piece)
          const file = Buffer.concat([
            gzipHeader,
            ...own.map(({ piece }) => piece.bytes),
            trail.trailer(),
          ])
          expect(gunzipSync(file).toString()).toBe(own.map(({ plain }) => plain).join(''))
        }
      },
    ),
  )
})
