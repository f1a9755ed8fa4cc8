import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rowStarts, rowText } from './text-lines.ts'

const rowsOf = (text: string): string[] => {
  const starts = rowStarts(text)
  return Array.from(starts, (_, row) => rowText(text, starts, row))
}

test('rows are lines, and a long line goes on in the next row', () => {
  expect(rowsOf('a\r\nb\n\nc')).toEqual(['a', 'b', '', 'c'])
  expect(rowsOf('x'.repeat(400)).map((row) => row.length)).toEqual([160, 160, 80])
  expect(rowsOf('')).toEqual([''])
})

test('no character but line breaks is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '\n', 'b'.repeat(170), 'é')), (parts) => {
      const text = parts.join('')
      expect(rowsOf(text).join('')).toBe(text.replaceAll('\n', ''))
    }),
  )
})
