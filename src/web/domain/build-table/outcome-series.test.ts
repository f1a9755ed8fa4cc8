import { expect, test } from 'vitest'
import { outcomesText } from './outcome-series.ts'

test('builds whose outcome is not known are counted apart', () => {
  expect(outcomesText({ failed: 1, succeeded: 0, unknown: 0 })).toBe('1 build, 1 failed, 0 unknown')
  expect(outcomesText({ failed: 0, succeeded: 0, unknown: 1200 })).toBe(
    '1,200 builds, 0 failed, 1,200 unknown',
  )
})
