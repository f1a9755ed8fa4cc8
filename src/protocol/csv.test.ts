import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  [['a', 'b'], 'a,b\r\n'],
  [['say "no"', 'a,b', 'two\nlines'], '"say ""no""","a,b","two\nlines"\r\n'],
  [['', ''], ',\r\n'],
  [['=1+1', '+1', '-1', '@x', '\tx'], "'=1+1,'+1,'-1,'@x,'\tx\r\n"],
  [['=cmd("a,b")'], '"\'=cmd(""a,b"")"\r\n'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
