import { expect, test } from 'vitest'
import { waitingText } from './follow-bar.tsx'

test('a pause says what came since, and nothing that is untrue while nothing can come', () => {
  expect([0, 1, 1240].map(waitingText)).toEqual([
    'No new builds received since.',
    '1 new build received since.',
    '1,240 new builds received since.',
  ])
})
