import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { format } from './format.ts'
import { adversarial, repeated } from './grammar/adversarial.test-support.ts'
import { anyText } from './grammar/texts.test-support.ts'
import { meaning } from './meaning.test-support.ts'
import { parse } from './parse.ts'

const formatted = (text: string): string => format(parse(text))
const formattedLines = (text: string): string => format(parse(text), { multiline: true })

describe('on one line', () => {
  test.each([
    ['', ''],
    ['  \n ', ''],
    ['tag:ci', 'tag:ci'],
    ['  tag:a \n\t tag:b  ', 'tag:a tag:b'],
    ['tag:a\u00a0tag:b', 'tag:a tag:b'],
    ['a AND b Or NOT c', 'a and b or not c'],
    ['buildDuration:>=5m', 'buildDuration>=5m'],
    ['a:<1 b:<=2 c:>3', 'a<1 b<=2 c>3'],
    ['a:=1 b:!=2 c==3', 'a:=1 b:!=2 c==3'],
    ['a:[ 1   TO  2 ]', 'a:[1 to 2]'],
    ['a:[1 to ]', 'a:[1 to]'],
    ['( a or  b )c', '(a or b) c'],
    ['((a or b))', '(a or b)'],
    ['(((a)))', '(a)'],
    ['((a) b)', '((a) b)'],
    ['not(a)', 'not (a)'],
    ['- (a)', '- (a)'],
    ['-( a )', '-(a)'],
    ['( a:b\\ )', '(a:b\\ )'],
    ['a:[1 to b\\  ]', 'a:[1 to b\\ ]'],
    ['!f:*', '!f:*'],
    ['--a', '--a'],
    ['value:"CI  run=8"', 'value:"CI  run=8"'],
    ['requested:\\:app\\:x', 'requested:\\:app\\:x'],
    ['a: b', 'a: b'],
    ['a:(b)', 'a: (b)'],
    ['"some  words" x', '"some  words" x'],
  ])('%j becomes %j', (text, expected) => {
    expect(formatted(text)).toBe(expected)
  })
})

describe('with faults, only the spaces change', () => {
  test.each([
    ['(a  OR\n b', '(a OR b'],
    ['a )  b:>4', 'a ) b:>4'],
    ['a:"b  c d:"e  f', 'a:"b  c d:"e f'],
    ['a  and', 'a and'],
    ['a:["1  2" 3   to 4] b', 'a:["1  2" 3   to 4] b'],
    ['  "x   y', '"x y'],
  ])('%j becomes %j', (text, expected) => {
    expect(formatted(text)).toBe(expected)
  })

  test('what lies too deep to be read stays as it is', () => {
    const deep = `${'('.repeat(101)}tag:"a  b"${')'.repeat(101)}`
    expect(formatted(`x  ${deep}`)).toBe(`x ${deep}`)
  })

  test('a text that is too long stays as it is', () => {
    const long = '"a  b" '.repeat(20_000)
    expect(formatted(long)).toBe(long)
  })

  test('line breaks stay where lines are wanted', () => {
    expect(formattedLines('(a \n  or   b')).toBe('(a\nor b')
  })
})

describe('on several lines', () => {
  test('a short query is one line', () => {
    expect(formattedLines('a\nor\nb')).toBe('a or b')
  })

  test('each term and group of a long one has its own', () => {
    const text =
      'project:shop and (tag:"a rather long tag" or tag:"another rather long tag" or (tag:x tag:y)) ' +
      '-tag:z not (user:somebody-with-a-long-name or user:somebody-else-with-a-much-longer-name-again)'
    expect(formattedLines(text)).toBe(
      [
        'project:shop',
        'and (tag:"a rather long tag" or tag:"another rather long tag" or (tag:x tag:y))',
        '-tag:z',
        'not (',
        '  user:somebody-with-a-long-name',
        '  or user:somebody-else-with-a-much-longer-name-again',
        ')',
      ].join('\n'),
    )
  })

  test('the terms of an alternative stand below its first', () => {
    const tags = ['a', 'b', 'c', 'd'].map((letter) => `tag:${letter.repeat(30)}`)
    expect(formattedLines(`${tags.join(' ')} or tag:x`)).toBe(
      [tags[0], ...tags.slice(1).map((tag) => `  ${tag}`), 'or tag:x'].join('\n'),
    )
  })
})

describe('for any text', () => {
  test('the meaning stays', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(meaning(parse(formatted(text)))).toEqual(meaning(parse(text)))
        expect(meaning(parse(formattedLines(text)))).toEqual(meaning(parse(text)))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('formatting again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, longText), (text) => {
        const once = formatted(text)
        expect(formatted(once)).toBe(once)
        const lines = formattedLines(text)
        expect(formattedLines(lines)).toBe(lines)
        expect(formatted(lines).replace(/\s+/g, ' ')).toBe(once.replace(/\s+/g, ' '))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('with faults it keeps each run of characters', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, longText), (text) => {
        if (parse(text).faults.length === 0) return
        expect(formatted(text).split(/\s+/)).toEqual(text.trim().split(/\s+/))
        expect(formattedLines(text).split(/\s+/)).toEqual(text.trim().split(/\s+/))
      }),
      { numRuns: runs(1000) },
    )
  })

  test.each(adversarial)('20 KB of %j are formatted', (piece) => {
    const text = repeated(piece, 20_000)
    expect(formatted(formatted(text))).toBe(formatted(text))
    expect(formattedLines(text).replace(/\s/g, '')).toBe(formatted(text).replace(/\s/g, ''))
  })
})

/** Long enough to need several lines. */
const longText = fc.array(anyText, { minLength: 4, maxLength: 10 }).map((texts) => texts.join(' '))
