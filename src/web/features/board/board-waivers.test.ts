import { expect, onTestFinished, test } from 'vitest'
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

test('a day that clocks make an hour longer is still today at its end', () => {
  const before = process.env.TZ
  onTestFinished(() => {
    process.env.TZ = before ?? 'UTC'
  })
  process.env.TZ = 'Europe/Berlin'
  // Clocks are put back on Oct 25, 2026: from 00:10 to 23:50 of it.
  const [morning, expiresAt] = [Date.UTC(2026, 9, 24, 22, 10), Date.UTC(2026, 9, 25, 22, 50)]
  const ending = [reportWaiver({ expiresAt })]
  expect(endingSentence(ending, morning, 'local')).toBe('1 waiver ends today.')
})
