import { expect, test } from 'vitest'
import { bytesText } from './bytes-text.ts'

test.each([
  [0, '0 bytes'],
  [812, '812 bytes'],
  [999.6, '1.0 kB'],
  [4_100_000, '4.1 MB'],
  [99_940_000, '99.9 MB'],
  [209_274_241, '209 MB'],
  [999_600_000, '1.0 GB'],
  [1.5e15, '1500 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
