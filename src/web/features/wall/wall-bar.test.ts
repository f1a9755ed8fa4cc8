import { expect, test } from 'vitest'
import type { SilentSide } from '../../data/wall/wall-watch.ts'
import { trustWords } from './wall-bar.tsx'

const wordsOf = (side: SilentSide, reason?: string) =>
  trustWords(
    { is: 'silent', side, since: 0, reason },
    { since: '09:14', age: '2 min ago', retry: undefined, isKept: false },
  )

test.each([
  ['network', 'This screen has been offline since 09:14.'],
  ['session', 'This screen has been signed out since 09:14.'],
  ['ended', 'The build stream ended at 09:14.'],
  ['upstream', 'No data from the build server since 09:14.'],
] as const)('a wall says since when, or when (%s)', (side, title) => {
  expect(wordsOf(side).title).toBe(title)
})

test('that it reconnects is said once', () => {
  const state = 'Showing the state from 2 min ago.'
  expect(wordsOf('upstream', 'The build server responded with 503. Reconnecting.').meaning).toBe(
    `${state} The build server responded with 503. Reconnecting.`,
  )
  expect(wordsOf('ended', 'It is complete.').meaning).toBe(
    `${state} It is complete. Reconnects automatically.`,
  )
})

test('a screen that has heard nothing yet says once that there is no data', () => {
  const reason = 'No data from the Sightline server for 38 s.'
  const times = { since: undefined, age: undefined, retry: '2 s', isKept: false }
  expect(trustWords({ is: 'silent', side: 'proxy', since: undefined, reason }, times)).toEqual({
    title: 'No data from Sightline.',
    meaning: `${reason} Trying again in 2 s.`,
  })
})
