import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { code, codeBlock, csvLine, cutText, inline, shortText } from './untrusted-text.ts'

test('code on a line stays code, whatever is in it', () => {
  expect(code('a `b` ``c``')).toBe('``` a `b` ``c`` ```')
  expect(code('two\nlines\u202e')).toBe('`two lines `')
})

test('a block of code ends only where it is closed', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('`', '~', '\n', '\r', '\u2028', 'a', '#', '<') }),
      (text) => {
        const [open = '', ...rest] = codeBlock(text).split('\n')
        const fence = open.replace('text', '')
        expect(fence).toMatch(/^`{3,}$/)
        expect(rest.pop()).toBe(fence)
        for (const line of rest) expect(line).not.toMatch(new RegExp(`^\\s*\`{${fence.length},}`))
      },
    ),
    { numRuns: runs(200) },
  )
})

test('a line has no markup, however it is written', () => {
  expect(inline('a ~~b~~ *c* &lt;d&gt; &#35; R&D')).toBe(
    'a \\~\\~b\\~\\~ \\*c\\* \\&lt;d\\&gt; \\&#35; R&D',
  )
})

test('no text brings control characters of a terminal along', () => {
  expect(inline('a\u001b[31mb')).toBe('a \\[31mb')
})

test.each([
  ['plain text', ['a', 'b c'], 'a,b c'],
  ['numbers and nothing', [-1, 1.5, null, ''], '-1,1.5,,'],
  [
    'commas, quotes and line breaks',
    ['a,b', 'say "x"', 'two\nlines'],
    '"a,b","say ""x""","two\nlines"',
  ],
  ['space at the ends', [' a', 'b '], '" a","b "'],
  ['a formula', ['=HYPERLINK("http://x","y")'], `"'=HYPERLINK(""http://x"",""y"")"`],
  ['each beginning of a formula', ['+1', '-1', '@a', '=a'], "'+1,'-1,'@a,'=a"],
  ['a formula behind a tab or a space', ['\t=1', ' =1'], `'\t'=1,' =1`],
  ['a formula behind the separator of others', ['a;=1', 'b; @c', 'd;e'], "a;'=1,b;' @c,d;e"],
  ['a formula on a line of its own', ['a\n=1'], `"a\n'=1"`],
  ['a formula in full width', ['＝1'], "'＝1"],
  ['a task, which is none', [':app:check'], ':app:check'],
])('%s', (_, values, line) => {
  expect(csvLine(values)).toBe(`${line}\r\n`)
})

test('no character of a text is cut in two', () => {
  expect(cutText('ab🚀', 4)).toBe('ab🚀')
  expect(cutText('ab🚀', 3)).toBe('ab')
  expect(cutText('ab🚀c', 4)).toBe('ab🚀')
  expect(shortText('ab🚀c', 4)).toBe('ab…')
  expect(shortText('ab🚀', 4)).toBe('ab🚀')
})
