import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hasUnseen, inQuotes, safeLink, visibleParts, visibleText } from './visible-text.ts'

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

test('a text is cut between characters, so that no mark stands for half of one', () => {
  expect(visibleText('ab🚀', 3)).toBe('ab')
  expect(visibleText('ab🚀', 4)).toBe('ab🚀')
  expect(inQuotes('ab🚀', 3)).toBe('"ab…" (4 characters)')
})

test('inQuotes cuts what is long and stays on one line', () => {
  expect(inQuotes('a\r\nb')).toBe('"a b"')
  expect(inQuotes('x'.repeat(9), 3)).toBe('"xxx…" (9 characters)')
})

test.each([
  ['https://builds.example.com/s/abc', 'builds.example.com'],
  ['http://localhost:8080/x?y=1#z', 'localhost:8080'],
  ['HTTPS://EXAMPLE.com', 'example.com'],
  ['https://gооgle.example/', 'xn--ggle-55da.example'],
])('%s becomes a link that is shown with the host %s', (text, host) => {
  expect(safeLink(text)?.host).toBe(host)
})

test.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<b>x</b>',
  'file:///etc/passwd',
  'ftp://example.com',
  'git+https://github.com/a/b',
  'vbscript:x',
  '//example.com/x',
  '/relative',
  'example.com',
  'https://user:secret@example.com/',
  'https://example.com\\@evil.example/',
  'https://example.com/a b',
  'https://exam\u200Bple.com/',
  'https://example.com/\u202Egpj.exe',
  'https://',
  'https:example.com',
  `https://example.com/${'a'.repeat(10_000)}`,
  '',
])('%j stays text', (text) => {
  expect(safeLink(text)).toBeUndefined()
})

test('nothing but http and https ever becomes a link', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.webUrl().map((url) => `x${url}`),
      ),
      (text) => {
        const link = safeLink(text)
        if (link) expect(link.href).toMatch(/^https?:\/\//)
      },
    ),
  )
})
