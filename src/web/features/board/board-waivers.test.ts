import { expect, test } from 'vitest'
import { reportWaiver } from '../../../policy/scan-report.test-support.ts'
import { endingSentence } from './board-waivers.tsx'

const hour = 3_600_000
/** A Monday. */
const now = Date.UTC(2026, 10, 23, 9)

test.each([
  [[4 * 24], '1 waiver ends on Friday.'],
  [[24, 4 * 24], '2 waivers end by Friday.'],
  [[1, 2], '2 waivers end today.'],
  [[7 * 24], '1 waiver ends next Monday.'],
  [[24, 7 * 24], '2 waivers end by next Monday.'],
])('those that end in %j hours: %s', (hours, sentence) => {
  const ending = hours.map((one) => reportWaiver({ expiresAt: now + one * hour }))
  expect(endingSentence(ending, now, 'utc')).toBe(sentence)
})
