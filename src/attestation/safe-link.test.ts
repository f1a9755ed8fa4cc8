import fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeLink } from './safe-link.ts'

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
