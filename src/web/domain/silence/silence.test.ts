import { expect, test } from 'vitest'
import { silenceText } from './silence.ts'

const heard = { state: 'live', lastHeardAt: 6000 } as const

test.each([
  ['short waits are no silence', 2000, heard, undefined],
  [
    'the proxy is heard, so the build server is silent',
    9000,
    heard,
    'No response from the build server for 8 s.',
  ],
  [
    'the proxy was heard before, but not since',
    9000,
    { ...heard, lastHeardAt: 500 },
    'No response for 8 s.',
  ],
  [
    'nothing was heard of the proxy for two heartbeats',
    40_000,
    heard,
    'No response from the Sightline server for 39 s.',
  ],
  [
    'the feed has lost the proxy',
    9000,
    { state: 'retrying', lastHeardAt: 500 } as const,
    'No response from the Sightline server for 8 s.',
  ],
  [
    'no feed is open',
    9000,
    { state: 'idle', lastHeardAt: undefined } as const,
    'No response for 8 s.',
  ],
])('what does not come shows who is silent: %s', (_, now, proxy, text) => {
  expect(silenceText({ since: 1000, server: 'build server' }, now, proxy)).toBe(text)
})

test('it is the server that was requested who is named', () => {
  expect(silenceText({ since: 1000, server: 'policy service' }, 9000, heard)).toBe(
    'No response from the policy service for 8 s.',
  )
})

test('a server that the proxy sends many requests is not called silent', () => {
  const awaited = { since: 1000, server: 'build server', bySteps: true } as const
  expect(silenceText(awaited, 9000, heard)).toBe('Waiting for the build server for 8 s.')
  expect(silenceText(awaited, 9000, { state: 'retrying', lastHeardAt: 500 })).toBe(
    'No response from the Sightline server for 8 s.',
  )
})
