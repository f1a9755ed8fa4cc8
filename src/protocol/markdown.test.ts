import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { code, codeBlock, inline } from './markdown.ts'

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

test('no text brings control characters of a terminal along', () => {
  expect(inline('a\u001b[31mb')).toBe('a \\[31mb')
})
