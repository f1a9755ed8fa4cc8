import { expect, test } from 'vitest'
import { LiveBuilds } from '../../../protocol/live-feed.ts'
import { createSseReader } from '../../../protocol/sse-reader.ts'
import { encodeEntries } from './encode-entries.ts'
import { buildNumber, buildNumbers, idOf } from './hostile-upstream.test-support.ts'
import { buildEntry, type Entry } from './journal.ts'

function messagesOf(entries: readonly Entry[], batch: boolean): [string | undefined, string][] {
  const messages: [string | undefined, string][] = []
  const reader = createSseReader({
    onMessage: ({ id, event, data }) => messages.push([event, id ?? data]),
  })
  reader.feed(Buffer.from(encodeEntries(entries, batch)))
  return messages
}

const [first, second, third] = buildNumbers(0, 3).map(buildEntry)
const facts: Entry = { kind: 'facts', json: '{"facts":1}' }
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

test('one message stays below a megabyte, however much there is to tell', () => {
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
