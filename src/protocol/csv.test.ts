import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

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
