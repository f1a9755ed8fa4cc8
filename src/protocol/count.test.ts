import { expect, test } from 'vitest'
import { countOf, countText, shareText } from './count.ts'

test('thousands are separated', () => {
  expect(countText(1_234_567)).toBe('1,234,567')
  expect(countText(999)).toBe('999')
})

test('a noun agrees with its count', () => {
  expect(countOf(0, 'build')).toBe('0 builds')
  expect(countOf(1, 'build')).toBe('1 build')
  expect(countOf(4200, 'build')).toBe('4,200 builds')
  expect(countOf(2, 'match', 'matches')).toBe('2 matches')
})

test('a share is whole per cent, and never nothing where there is something, nor all where something is missing', () => {
  expect(shareText(61, 100)).toBe('61%')
  expect(shareText(1, 1000)).toBe('< 1%')
  expect(shareText(0, 1000)).toBe('0%')
  expect(shareText(999, 1000)).toBe('> 99%')
  expect(shareText(1000, 1000)).toBe('100%')
  expect(shareText(0, 0)).toBe('0%')
})
