import { describe, expect, test } from 'vitest'
import { durationText } from '../../ui/format.ts'
import type { LiveStatus } from '../../../protocol/live-feed.ts'
import { type ConnectionFacts, connectionSentence } from './connection-sentence.ts'

const now = Date.UTC(2026, 0, 5, 9, 20)
const at = (hour: number, minute: number): number => Date.UTC(2026, 0, 5, hour, minute)

const upstream: LiveStatus = {
  upstream: 'live',
  since: now,
  now,
  lastHeardAt: now,
  nextAttemptAt: null,
  message: 'Builds arrive.',
  malformed: 0,
}

/** A feed whose newest build the server received at this time. */
function newest(timestamp: number): ConnectionFacts['row'] {
  return (arrival) => (arrival === 7 ? { build: { timestamp } } : undefined)
}

function say(facts: Partial<ConnectionFacts>): string {
  const { tone, text } = connectionSentence(
    {
      connection: { state: 'live' },
      upstream,
      lastHeardAt: now,
      behindMs: 400,
      clockDifference: 0,
      newest: 7,
      row: newest(now - 400),
      ...facts,
    },
    now,
    {
      timeOfDay: (time) => new Date(time).toISOString().slice(11, 16),
      duration: durationText,
    },
  )
  return `${tone}: ${text}`
}

describe('how this browser stands with the proxy', () => {
  test.each<[string, Partial<ConnectionFacts>]>([
    ['waiting: Connecting to Sightline', { connection: { state: 'idle' } }],
    ['waiting: Connecting to Sightline', { connection: { state: 'connecting' } }],
    [
      'waiting: Catching up, about 56,800 to go',
      { connection: { state: 'catching-up', received: 4200, left: 56_800 } },
    ],
    [
      'waiting: Catching up, 4,200 so far',
      { connection: { state: 'catching-up', received: 4200, left: undefined } },
    ],
    [
      'waiting: Catching up',
      { connection: { state: 'catching-up', received: 0, left: undefined } },
    ],
    [
      "waiting: Reconnecting in 4 s: Can't reach the Sightline server.",
      {
        connection: {
          state: 'retrying',
          nextAttemptAt: now + 3500,
          reason: "Can't reach the Sightline server.",
        },
      },
    ],
    [
      "waiting: Reconnecting: Can't reach the Sightline server.",
      {
        connection: {
          state: 'retrying',
          nextAttemptAt: now - 1,
          reason: "Can't reach the Sightline server.",
        },
      },
    ],
    [
      'bad: Signed out: The session has ended.',
      { connection: { state: 'signed-out', reason: 'The session has ended.' } },
    ],
    ['bad: Access denied: No.', { connection: { state: 'refused', reason: 'No.' } }],
    ['ended: Complete: no more builds to come', { connection: { state: 'complete' } }],
    ['waiting: No data from Sightline since 09:14', { lastHeardAt: at(9, 14) }],
    [
      'waiting: No data from Sightline since 09:14',
      { lastHeardAt: at(9, 14), connection: { state: 'catching-up', received: 1, left: 2 } },
    ],
  ])('%s', (sentence, facts) => {
    expect(say(facts)).toBe(sentence)
  })
})

describe('how the proxy stands with the build server', () => {
  const hour = 3_600_000
  test.each<[string, Partial<ConnectionFacts>]>([
    [
      'waiting: No data from the build server yet, retrying: Lost.',
      {
        connection: { state: 'catching-up', received: 0, left: undefined },
        upstream: { ...upstream, upstream: 'retrying', lastHeardAt: null, message: 'Lost.' },
      },
    ],
    [
      'waiting: Sightline is connecting to the build server',
      {
        connection: { state: 'catching-up', received: 0, left: undefined },
        upstream: { ...upstream, upstream: 'connecting' },
      },
    ],
    ['good: Live', {}],
    ['good: Live', { behindMs: undefined, newest: 0 }],
    ['good: Live', { behindMs: undefined, row: newest(now - 9000) }],
    ['good: Live, last build 12 s ago', { row: newest(now - 12_000) }],
    [
      'good: Live, last build 36 min ago',
      { row: newest(now - 36 * 60_000 - 4000), behindMs: undefined },
    ],
    [
      'good: Live, last build 12 s ago',
      { row: newest(now + hour - 12_000), clockDifference: hour },
    ],
    ['good: Live, 12 s behind', { behindMs: 12_300, row: newest(now - 13_000) }],
    ['good: Live, last build 40 s ago', { behindMs: 12_300, row: newest(now - 40_000) }],
    ['good: Live, 3 min 5 s behind', { behindMs: 185_000 }],
    ['good: Live, 2 h 10 min behind', { behindMs: 2 * hour + 600_000 }],
    ['good: Live, 3 d 3 h behind', { behindMs: 75 * hour }],
    ['waiting: Connected to Sightline', { upstream: undefined }],
    [
      'good: Live (polling), 12 s behind: The stream is refused.',
      {
        behindMs: 12_000,
        upstream: { ...upstream, upstream: 'polling', message: 'The stream is refused.' },
      },
    ],
    [
      'waiting: Sightline is connecting to the build server',
      { upstream: { ...upstream, upstream: 'connecting' } },
    ],
    [
      'waiting: No data from the build server since 09:14, retrying in 4 s: Lost.',
      {
        upstream: {
          ...upstream,
          upstream: 'retrying',
          lastHeardAt: at(9, 14),
          nextAttemptAt: now + 4000,
          message: 'Lost.',
        },
      },
    ],
    [
      'waiting: No data from the build server since 09:14, retrying in 4 s: Lost.',
      {
        clockDifference: hour,
        upstream: {
          ...upstream,
          upstream: 'retrying',
          lastHeardAt: at(10, 14),
          nextAttemptAt: now + hour + 4000,
          message: 'Lost.',
        },
      },
    ],
    [
      'waiting: No data from the build server yet, retrying: Lost.',
      { upstream: { ...upstream, upstream: 'retrying', lastHeardAt: null, message: 'Lost.' } },
    ],
    [
      'bad: The build server rejects the key. Set a valid one.',
      {
        upstream: {
          ...upstream,
          upstream: 'refused',
          message: 'The build server rejects the key. Set a valid one.',
        },
      },
    ],
    [
      'ended: Complete: the build server has nothing more to send',
      { upstream: { ...upstream, upstream: 'complete' } },
    ],
  ])('%s', (sentence, facts) => {
    expect(say(facts)).toBe(sentence)
  })
})
