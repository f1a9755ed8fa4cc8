import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import type { TextPattern } from '../values/condition.ts'
import { textMatcher } from './wildcard.ts'

/** A pattern as it is written, without escapes: `a*b`. */
function patternOf(written: string): TextPattern {
  const [first = '', ...rest] = written.split('*')
  return [first, ...rest]
}

function matches(written: string, text: string): boolean {
  return textMatcher(patternOf(written))(text)
}

/** The textbook table: row by row, whether each beginning of the pattern matches each of the text. */
function naiveMatch(written: string, text: string): boolean {
  const pattern = written.toLowerCase()
  const folded = text.toLowerCase()
  let row = Array.from({ length: folded.length + 1 }, (_, column) => column === 0)
  for (const letter of pattern.split('')) {
    const next = [letter === '*' && row[0] === true]
    for (let column = 1; column <= folded.length; column += 1) {
      next[column] =
        letter === '*'
          ? row[column] === true || next[column - 1] === true
          : row[column - 1] === true && folded[column - 1] === letter
    }
    row = next
  }
  return row[folded.length] === true
}

describe('a text pattern', () => {
  test.each([
    // pattern, text, matches
    ['main', 'main', true],
    ['main', 'MAIN', true],
    ['MAIN', 'main', true],
    ['main', 'mainline', false],
    ['main', 'mai', false],
    ['main', '', false],
    ['', '', true],
    ['', 'x', false],
    ['*', '', true],
    ['*', 'anything at all', true],
    ['*', 'over\ntwo lines', true],
    ['**', '', true],
    ['release/*', 'release/1.0', true],
    ['release/*', 'Release/', true],
    ['release/*', 'a release/1', false],
    ['*Test', 'quarantinedTest', true],
    ['*Test', 'testing', false],
    ['*quarantined*', 'run quarantinedTest now', true],
    ['*quarantined*', 'Quarantined', true],
    ['*quarantined*', 'quarantine', false],
    ['a*b', 'ab', true],
    ['a*b', 'a/b', true],
    ['a*b', 'a', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['ab*ba', 'aba', false],
    ['ab*b*ba', 'abba', false],
    ['ab*b*ba', 'abbba', true],
    ['*a*a*', 'a', false],
    ['*a*a*', 'xaxax', true],
    ['a**b', 'a-b', true],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a.c', 'abc', false],
    ['[x]*', '[x]y', true],
    ['größe', 'GRÖSSE', false],
    ['größe', 'GRÖßE', true],
    ['straße*', 'STRAßE 1', true],
    ['*ŁÓDŹ*', 'w łódź', true],
    ['k', '\u212a', true],
    ['\u0130', 'i\u0307', true],
    ['i\u0307', '\u0130', true],
    ['i\u0307*', '\u0130stanbul', true],
    ['*\u0130', 'x\u0130', true],
    ['😀*', '😀😀', true],
    ['日本*', '日本語', true],
  ])('%j over %j is %j', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected)
    expect(naiveMatch(pattern, text)).toBe(expected)
  })

  test('means what the textbook table says, for any pattern and text', () => {
    const letters = fc.constantFrom('a', 'b', 'A', 'B', 'é', 'É', '\u0130', '\u212a', 'k')
    const text = fc.string({ unit: letters, maxLength: 12 })
    const pattern = fc.string({ unit: fc.oneof(letters, fc.constant('*')), maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (written, value) => {
        expect(matches(written, value)).toBe(naiveMatch(written, value))
      }),
      { numRuns: runs(3000) },
    )
  })

  test('finds parts too long for the search of the engine as well', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 2, maxLength: 6 })
    const repeated = (unit: string): string => unit.repeat(Math.ceil(230 / unit.length))
    fc.assert(
      fc.property(part, part, fc.nat(300), (unit, other, cut) => {
        const text = repeated(unit) + other + repeated(unit)
        const wanted = text.slice(cut, cut + 240)
        expect(matches(`*${wanted}*`, text)).toBe(true)
        expect(matches(`*${wanted}*`, text.slice(0, cut + 239))).toBe(
          text.slice(0, cut + 239).includes(wanted),
        )
        const absent = `${wanted.slice(0, 120)}c${wanted.slice(121)}`
        expect(matches(`*${absent}*`, text)).toBe(false)
      }),
      { numRuns: runs(300) },
    )
  })

  // Backtracking would take centuries over the first two, the search of the engine half a minute
  // over the third: more than a test is given.
  test.each([
    ['many wildcards', 'a*a*a*a*a*a*a*a*b'],
    ['a wildcard between all letters', `${'a*'.repeat(5000)}b`],
    ['a long part', `*${'a'.repeat(20_000)}b${'a'.repeat(20_000)}*`],
  ])('%s over 100 KB is decided at once', (_, pattern) => {
    const matcher = textMatcher(patternOf(pattern))
    const text = 'a'.repeat(100_000)
    for (let round = 0; round < 100; round += 1) expect(matcher(text)).toBe(false)
  })
})
