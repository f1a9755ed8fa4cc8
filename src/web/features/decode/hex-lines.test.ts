import { expect, test } from 'vitest'
import { hexLine } from './hex-lines.ts'

test('a line has its offset, its bytes in two groups, and their letters', () => {
  const bytes = new TextEncoder().encode('0123456789abcdefGrüße')
  expect(hexLine(bytes, 0)).toEqual({
    offset: '00000000',
    hex: '30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66',
    letters: '0123456789abcdef',
  })
  expect(hexLine(bytes, 1)).toEqual({
    offset: '00000010',
    hex: '47 72 c3 bc c3 9f 65',
    letters: 'Gr····e',
  })
})
