import { describe, expect, test } from 'vitest'
import { compareReleases } from './field.ts'

describe('releases', () => {
  test.each([
    ['2024.1', '2024.2', -1],
    ['2024.1.1', '2024.1', 1],
    ['2024.1', '2024.1.0', 0],
    ['2023.4', '2024.1', -1],
    ['2024.1.10', '2024.1.9', 1],
    ['2026.1.0', '2026.1', 0],
    ['2024.10', '2024.9.5', 1],
  ])('%s beside %s', (a, b, sign) => {
    expect(Math.sign(compareReleases(a, b) ?? Number.NaN)).toBe(sign)
    expect(Math.sign(compareReleases(b, a) ?? Number.NaN)).toBe(0 - sign)
  })

  test.each(['', 'latest', '2024.', '2024.1-rc', 'v2024.1', '2024.1.1.x'])(
    '%j is none, so that nothing is said of it',
    (text) => {
      expect(compareReleases(text, '2024.1')).toBeUndefined()
      expect(compareReleases('2024.1', text)).toBeUndefined()
    },
  )
})
