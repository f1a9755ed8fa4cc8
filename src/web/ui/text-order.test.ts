import { expect, test } from 'vitest'
import { orderedText } from './text-order.ts'

test('plain text stays as it is', () => {
  for (const text of ['', 'checkout', 'Busiest: checkout, 3 failed.', 'zażółć – 東京 🚀'])
    expect(orderedText(text)).toBe(text)
})

test('what would turn the rest of a line is written out', () => {
  expect(orderedText('photo\u202Egnp.exe')).toBe('photo‹U+202E›gnp.exe')
  expect(orderedText('\u2067a\u061c')).toBe('‹U+2067›a‹U+061C›')
})

test('names in a sentence that are read from right to left leave its order as it is', () => {
  expect(orderedText('2 failing: חנות, מלאי; 12 healthy')).toBe(
    '2 failing: \u2068חנות\u2069, \u2068מלאי\u2069; 12 healthy',
  )
  expect(orderedText('by دانا الخطيب in 3 h')).toBe('by \u2068دانا الخطيب\u2069 in 3 h')
})

test('a name alone, and what is in order already, stays as it is', () => {
  for (const text of ['חנות', 'חנות מלאי, 3', 'by \u2068חנות\u2069 in 3 h'])
    expect(orderedText(text)).toBe(text)
})
