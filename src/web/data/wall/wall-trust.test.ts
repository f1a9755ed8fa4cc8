import { describe, expect, test } from 'vitest'
import type { Connection } from '../live/feed-state.ts'
import { type SilentSide, type TrustFacts, trustOf } from './wall-trust.ts'

type View = TrustFacts['view']
type Upstream = NonNullable<View['upstream']>

function upstream(more: Partial<Upstream>): Upstream {
  return {
    upstream: 'live',
    since: 0,
    now: 0,
    lastHeardAt: 90_000,
    nextAttemptAt: null,
    message: 'Words.',
    malformed: 0,
    ...more,
  }
}

const heard: View = {
  connection: { state: 'live' },
  upstream: upstream({}),
  lastHeardAt: 95_000,
  clockDifference: 10_000,
}

function judge(view: Partial<View>, more: Partial<TrustFacts> = {}): SilentSide | 'live' {
  const trust = trustOf({
    view: { ...heard, ...view },
    now: 100_000,
    isOnline: true,
    answers: undefined,
    ...more,
  })
  return trust.is === 'live' ? 'live' : trust.side
}

test('a wall that hears the proxy, which hears the server, is live', () => {
  expect(judge({})).toBe('live')
  expect(judge({ connection: { state: 'catching-up', received: 3, left: 7 } })).toBe('live')
  expect(judge({ upstream: upstream({ upstream: 'polling' }) })).toBe('live')
})

describe('who is silent', () => {
  test.each<[string, SilentSide, Partial<View>]>([
    ['nothing came for two heartbeats', 'proxy', { lastHeardAt: 68_000 }],
    ['the connection is lost', 'proxy', { connection: retrying() }],
    ['the proxy refuses', 'proxy', { connection: { state: 'refused', reason: 'No.' } }],
    ['there is no session', 'session', { connection: { state: 'signed-out', reason: 'Out.' } }],
    ['the proxy has lost the server', 'upstream', { upstream: upstream({ upstream: 'retrying' }) }],
    ['the server refuses the proxy', 'upstream', { upstream: upstream({ upstream: 'refused' }) }],
    [
      'the proxy tries the server again, which it had heard',
      'upstream',
      { upstream: upstream({ upstream: 'connecting' }) },
    ],
    [
      'the proxy tries the server for the first time',
      'starting',
      { upstream: upstream({ upstream: 'connecting', lastHeardAt: null }) },
    ],
    ['the stream has come to its end', 'ended', { connection: { state: 'complete' } }],
    [
      'nothing has been heard since the page was opened',
      'starting',
      { connection: { state: 'connecting' }, lastHeardAt: undefined, upstream: undefined },
    ],
  ])('%s: %s', (_, side, view) => {
    expect(judge(view)).toBe(side)
  })

  test('without a network nothing else is known', () => {
    expect(judge({ connection: retrying() }, { isOnline: false })).toBe('network')
  })

  test('a proxy that does not answer at the start is not starting', () => {
    const never = { connection: { state: 'connecting' }, lastHeardAt: undefined } as const
    expect(judge(never, { answers: false })).toBe('proxy')
  })
})

test('since when the server is silent is told by the clock of this browser', () => {
  const trust = trustOf({
    view: { ...heard, upstream: upstream({ upstream: 'retrying', lastHeardAt: 70_000 }) },
    now: 100_000,
    isOnline: true,
    answers: undefined,
  })
  expect(trust).toMatchObject({ is: 'silent', since: 60_000, reason: 'Words.' })
})

function retrying(): Connection {
  return { state: 'retrying', nextAttemptAt: 130_000, reason: 'Broken.' }
}
