import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hexLine, rowStarts, rowText } from './payload-tab.tsx'

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

const rowsOf = (text: string): string[] => {
  const starts = rowStarts(text)
  return Array.from(starts, (_, row) => rowText(text, starts, row))
}

test('rows are lines, and a long line goes on in the next row', () => {
  expect(rowsOf('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c'])
  expect(rowsOf('x'.repeat(400)).map((row) => row.length)).toEqual([160, 160, 80])
  expect(rowsOf('')).toEqual([''])
  const emoji = `${'x'.repeat(159)}🚀${'y'.repeat(200)}`
  expect(rowsOf(emoji)).toEqual(['x'.repeat(159), `🚀${'y'.repeat(158)}`, 'y'.repeat(42)])
})

test('no character but line breaks is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', 'b'.repeat(170), 'é')), (parts) => {
      const text = parts.join('')
      expect(rowsOf(text).join('')).toBe(text.replaceAll('\n', ''))
    }),
  )
})
