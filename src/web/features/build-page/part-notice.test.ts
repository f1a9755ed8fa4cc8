import { describe, expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { partSentence, refusalText, unreadableText } from './part-notice.tsx'
import type { PartState } from '../../data/build/build-part-loader.ts'

const amount = { events: 1234, bytes: 4_100_000, malformed: 0, unreadable: [] }
const busy = new ProblemError({
  type: 'urn:x:busy',
  title: 'Busy',
  status: 503,
  detail: 'Not yet.',
})

describe('how a part stands', () => {
  test.each<[PartState, string | undefined, string | undefined]>([
    [{ state: 'idle' }, undefined, undefined],
    [
      { state: 'loading', since: 500, ...amount },
      'Loading build events: 1,234 events, 4.1 MB so far.',
      'cancel',
    ],
    [
      { state: 'waiting', attempt: 3, nextAttemptAt: 5200, problem: busy },
      'The build server is still storing this build or is unavailable (503). Retrying in 5 s (attempt 3).',
      'cancel',
    ],
    [
      { state: 'waiting', attempt: 3, nextAttemptAt: 100, problem: busy },
      'The build server is still storing this build or is unavailable (503). Retrying now (attempt 3).',
      'cancel',
    ],
    [
      { state: 'stopped', because: null, ...amount },
      'Loading build events was canceled; 1,234 events, 4.1 MB loaded.',
      'go-on',
    ],
    [
      { state: 'stopped', because: busy, ...amount },
      'Loading build events was interrupted; 1,234 events, 4.1 MB loaded. Not yet.',
      'go-on',
    ],
    [{ state: 'refused', problem: busy }, 'No events: Not yet.', 'again'],
    [{ state: 'complete', ...amount }, undefined, undefined],
    [{ state: 'complete', ...amount, malformed: 1 }, "1 event couldn't be read.", undefined],
  ])('%j', (state, text, action) => {
    const sentence = partSentence('executions', state, { now: 1000, silence: '' })
    expect(sentence?.text).toBe(text)
    expect(sentence?.action).toBe(action)
  })
})

describe('an error answer', () => {
  const refused = (status: number, code: string): string =>
    refusalText('aaaaaaaaaaaaa', new ProblemError(problem(status, code, 'Title', 'Detail.')))
      .meaning

  test('by 404 may be a missing permission', () => {
    expect(refused(404, 'not-found')).toContain("isn't allowed to see it")
  })

  test('of the proxy names the permission', () => {
    expect(refused(502, 'upstream-auth')).toContain('“Export API”')
  })

  test('by a server of version 1 is explained', () => {
    expect(refused(400, 'version-1-only')).toContain('Newer servers have them')
  })

  test('of any other kind shows its detail', () => {
    expect(refused(500, 'x')).toContain('Detail.')
  })
})

test.each([
  [{ number: 1017, type: 'TaskFinished' }, 'Event 1,017, TaskFinished: “timestamp” is missing.'],
  [{ number: 3, type: null }, 'Event 3: “timestamp” is missing.'],
  [{ number: 0, type: null }, 'Build message: “timestamp” is missing.'],
])('a message that could not be read is named: %j', (event, text) => {
  expect(unreadableText({ ...event, reason: '“timestamp” is missing', text: '{}' })).toBe(text)
})
