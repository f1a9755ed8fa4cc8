import { expect, test } from 'vitest'
import type { FeedView } from '../../data/live/feed-state.ts'
import { exampleStatus, exampleView } from './example-view.test-support.ts'
import { feedNotice, type Notice } from './feed-notice.tsx'

const now = 1_000_000

function notice(more: Partial<FeedView>): Notice | undefined {
  return feedNotice(exampleView([{}], { lastHeardAt: now, ...more }), now)
}

test('a live feed needs no notice', () => {
  expect(notice({})).toBeUndefined()
})

test('a lost connection shows why, what stays, and when the next attempt is made', () => {
  expect(
    notice({
      connection: { state: 'retrying', nextAttemptAt: now + 4000, reason: 'Connection lost.' },
      lastHeardAt: now - 12_000,
    }),
  ).toEqual({
    tone: 'waiting',
    text: 'Connection lost. Retrying in 4 s. The builds shown are from 12 s ago.',
    action: 'reconnect',
  })
})

test('while the next attempt is not answered yet, why the connection was lost stays', () => {
  expect(
    notice({
      connection: { state: 'retrying', nextAttemptAt: now - 1, reason: 'Connection lost.' },
      lastHeardAt: now - 12_000,
    })?.text,
  ).toBe('Connection lost. Retrying… The builds shown are from 12 s ago.')
})

test('rows are not mentioned where there are none', () => {
  const view = exampleView([], { connection: { state: 'refused', reason: 'Not allowed.' } })
  expect(feedNotice(view, now)).toMatchObject({ tone: 'bad', text: 'Not allowed.' })
})

test('who is signed out sees why, and from when the builds are', () => {
  expect(notice({ connection: { state: 'signed-out', reason: 'Over.' } })).toMatchObject({
    text: 'Over. The builds shown are from just now.',
    action: 'reconnect',
  })
})

test('catching up shows how much is done, and can be skipped', () => {
  expect(notice({ connection: { state: 'catching-up', received: 250, left: 750 } })).toMatchObject({
    text: 'Catching up with earlier builds: 250 of about 1,000.',
    progress: 0.25,
    action: 'skip',
  })
})

test('what is there in a moment moves no row', () => {
  const connection = { state: 'catching-up', received: 450, left: 90 } as const
  expect(notice({ connection })).toBeUndefined()
})

test('a first connection is no matter; one that is made again is', () => {
  expect(notice({ connection: { state: 'connecting' }, lastHeardAt: undefined })).toBeUndefined()
  expect(notice({ connection: { state: 'connecting' } })?.text).toMatch(/^Reconnecting/)
})

test('a build server that the proxy lost is shown although the proxy itself is there', () => {
  const upstream = exampleStatus({
    upstream: 'retrying',
    message: 'The build server does not answer.',
    lastHeardAt: now - 120_000,
  })
  expect(notice({ upstream })).toEqual({
    tone: 'waiting',
    text: 'The build server does not answer. Last data 2 min ago.',
  })
})

test('a proxy that has gone silent is noticed without anybody saying so', () => {
  expect(notice({ lastHeardAt: now - 60_000 })).toMatchObject({
    text: 'The Sightline server stopped responding. The builds shown are from 1 min ago.',
    action: 'reconnect',
  })
})

test('an ended stream is no failure', () => {
  expect(notice({ connection: { state: 'complete' } })?.tone).toBe('none')
})
