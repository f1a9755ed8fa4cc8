import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasUnseen, inQuotes, visibleParts, visibleText } from './visible-text.ts'

describe('visibleText', () => {
  test.each([
    ['user\u202Etxt.exe', 'user‹U+202E›txt.exe'],
    ['a\u200Bb', 'a‹U+200B›b'],
    ['nul\u0000', 'nul‹U+0000›'],
    ['esc\u001b[31m', 'esc‹U+001B›[31m'],
    ['no\u00A0break', 'no‹U+00A0›break'],
    ['half\uD800', 'half‹U+D800›'],
    ['tag\u{E0041}', 'tag‹U+E0041›'],
    ['hangul\u3164filler', 'hangul‹U+3164›filler'],
    ['p\u0430ypal', 'p‹U+0430›ypal'],
    ['gοοgle', 'g‹U+03BF›‹U+03BF›gle'],
  ])('marks %j', (text, shown) => {
    expect(visibleText(text)).toBe(shown)
  })

  test.each([
    'plain text',
    'größe 数据 données',
    'привет мир',
    'π = 3.14',
    'two\n\tlines',
    '❤️ done',
  ])('leaves %j alone', (text) => {
    expect(visibleParts(text)).toEqual([{ text, hidden: undefined }])
  })

  test('leaves nothing in a text that is not seen, and loses nothing that is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 30 }), (codes) => {
        const text = String.fromCodePoint(...codes)
        expect(hasUnseen(visibleText(text))).toBe(false)
        const plain = visibleParts(text).filter(({ hidden }) => hidden === undefined)
        for (const part of plain) expect(text).toContain(part.text)
      }),
    )
  })

  test('names what it marks', () => {
    expect(visibleParts('a\u202E')[1]).toEqual({
      text: '‹U+202E›',
      hidden: 'right-to-left override (U+202E)',
    })
  })
})

test('inQuotes cuts what is long and stays on one line', () => {
  expect(inQuotes('a\r\nb')).toBe('"a b"')
  expect(inQuotes('x'.repeat(9), 3)).toBe('"xxx…" (9 characters)')
})
