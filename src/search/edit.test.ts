import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { applyEdits } from './diagnostic.ts'
import { addTerm, pathTo, removePart, termsOf } from './edit.ts'
import { format } from './format.ts'
import { anyText } from './grammar/texts.test-support.ts'
import { meaning } from './meaning.test-support.ts'
import { parse } from './parse.ts'
import { quoteValue } from './values/text.ts'
import type { Expression, Span } from './tree.ts'

const added = (text: string, term: string): string => applyEdits(text, addTerm(parse(text), term))

const removed = (text: string, part: string): string =>
  applyEdits(text, removePart(parse(text), spanOf(text, part)))

function spanOf(text: string, part: string): Span {
  const from = text.indexOf(part)
  return { from, to: from + part.length }
}

describe('the terms that must all be true', () => {
  test.each([
    ['', []],
    ['tag:a', ['tag:a']],
    ['tag:a flag -b:c and not d>5', ['tag:a', 'flag', 'not -b:c', 'not not d>5']],
    ['(tag:a) -(tag:b) --c', ['(tag:a)', 'not -(tag:b)', '--c']],
    ['a or b', ['other a or b']],
    ['x (a or b) not (c d) "text"', ['x', 'other (a or b)', 'other not (c d)', 'other "text"']],
    ['a and', ['a']],
  ])('%j', (text, expected) => {
    const chips = termsOf(parse(text)).map((chip) => {
      const kind = chip.type === 'other' ? 'other ' : chip.negated ? 'not ' : ''
      return kind + text.slice(chip.from, chip.to)
    })
    expect(chips).toEqual(expected)
  })
})

describe('adding a term', () => {
  test.each([
    ['', 'tag:x', 'tag:x'],
    ['   ', 'tag:x', 'tag:x   '],
    ['a', 'tag:x', 'a tag:x'],
    ['a b ', 'tag:x', 'a b tag:x '],
    ['a and b', 'tag:x', 'a and b and tag:x'],
    ['a and b c', 'tag:x', 'a and b c tag:x'],
    ['a or b', 'tag:x', '(a or b) tag:x'],
    ['(a or b)', 'tag:x', '(a or b) tag:x'],
    ['a or b:\\', 'tag:x', '(a or b:\\ ) tag:x'],
    ['not a', 'tag:x', 'not a tag:x'],
    ['a', 'x or y', 'a (x or y)'],
    ['user:', 'tag:x', 'user: tag:x'],
    ['(a or b', 'tag:x', 'tag:x (a or b'],
    ['a "b', 'tag:x', 'tag:x a "b'],
    ['a:[1 to', 'tag:x', 'tag:x a:[1 to'],
    ['a or b or', 'tag:x', 'tag:x (a or b) or'],
    ['and', 'tag:x', 'tag:x and'],
    ['not', 'tag:x', 'tag:x not'],
  ])('to %j: %j gives %j', (text, term, expected) => {
    expect(added(text, term)).toBe(expected)
  })
})

describe('removing a part', () => {
  test.each([
    ['a', 'a', ''],
    ['tag:a tag:b tag:c', 'tag:a', 'tag:b tag:c'],
    ['tag:a tag:b tag:c', 'tag:b', 'tag:a tag:c'],
    ['tag:a tag:b tag:c', 'tag:c', 'tag:a tag:b'],
    ['a and b or c', 'b', 'a or c'],
    ['a or b or c', 'a', 'b or c'],
    ['x -(tag:a) y', 'tag:a', 'x y'],
    ['x and not ((z)) y', 'z', 'x y'],
    ['x (a or b) y', 'a', 'x (b) y'],
    ['x (a or b) y', '(a or b)', 'x y'],
    ['not (a)', 'a', ''],
    ['a(b)c', '(b)', 'a c'],
    ['a:(b)c', '(b)', 'a: c'],
    ['(a)b', '(a)', 'b'],
    ['a\nb\nc', 'b', 'a\nc'],
    ['a and', 'a', ' and'],
    ['(a\\ z)', 'z', '(a\\ )'],
    ['a b', 'zzz', 'a b'],
  ])('from %j: %j leaves %j', (text, part, expected) => {
    expect(removed(text, part)).toBe(expected)
  })
})

describe('for any text', () => {
  test('what was added is the last or the first of its terms, and the others stay as they are', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const before = parse(text)
        // Parentheses around alternatives with a stray one do not hold.
        if (before.root?.type === 'or' && before.faults.length > 0) return
        const after = parse(added(text, 'tag:new'))
        expect(after.faults.map(({ code }) => code)).toEqual(before.faults.map(({ code }) => code))
        const terms = termsOf(after)
        const isLast = after.text.slice(terms.at(-1)?.from).startsWith('tag:new')
        const others = (isLast ? terms.slice(0, -1) : terms.slice(1)).map(({ part }) => part.type)
        const expected = termsOf(before).map(({ part }) => part.type)
        const isWrapped = before.root?.type === 'or'
        expect(others).toEqual(isWrapped ? ['group'] : expected)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('removing what was added gives an equivalent query back', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const before = parse(text)
        if (before.root?.type === 'or' && before.faults.length > 0) return
        const after = parse(added(text, 'tag:new'))
        const terms = termsOf(after)
        const chip = terms.find(({ from }) => after.text.startsWith('tag:new', from))
        const back = parse(applyEdits(after.text, removePart(after, chip ?? { from: 0, to: 0 })))
        const wrapped = before.root?.type === 'or' ? parse(`(${format(before)} )`) : before
        if (before.faults.length === 0) expect(meaning(back)).toEqual(meaning(wrapped))
        else expect(back.faults.length).toBe(before.faults.length)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('a part that is removed is gone', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), (text, choice) => {
        const query = parse(text)
        if (query.faults.length > 0) return
        const parts = partsOf(query.root)
        const part = parts[choice % parts.length]
        if (!part) return
        const less = parse(applyEdits(text, removePart(query, part)))
        expect(less.faults).toEqual([])
        expect(partsOf(less.root).length).toBeLessThan(parts.length)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('a quoted value is one word that says exactly the value, but for its wildcards', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), anyText), (value) => {
        const { root, faults } = parse(`tag:${quoteValue(value)} x`)
        expect(faults).toEqual([])
        const [term] = root?.type === 'and' ? root.operands : []
        const pattern = term?.type === 'term' ? term.pattern : undefined
        const segments = pattern?.type === 'word' ? pattern.segments : []
        const said = segments.map((part) => (part.type === 'wildcard' ? '*' : part.text)).join('')
        expect(said).toBe(value)
      }),
      { numRuns: runs(1000) },
    )
  })
})

test.each([
  ['shop', 'shop'],
  ['andr_core', 'andr_core'],
  ['release/1.2', 'release/1.2'],
  ['branch=main', 'branch=main'],
  ['CI run=867', '"CI run=867"'],
  [':app:build', '":app:build"'],
  ['-x', '"-x"'],
  ['[a]', '"[a]"'],
  ['', '""'],
  ['say "hi"', '"say \\"hi\\""'],
  ['C:\\dir', '"C:\\\\dir"'],
  ['“x”', '"“x”"'],
  ['a*', 'a*'],
])('the value %j is written %j', (value, expected) => {
  expect(quoteValue(value)).toBe(expected)
})

test('the way to a part goes through all that is around it', () => {
  const text = 'x -(a or b)'
  const path = pathTo(parse(text).root, spanOf(text, 'b'))
  expect(path?.around.map(({ type }) => type)).toEqual(['and', 'not', 'group', 'or'])
  expect(path?.part.type).toBe('flag')
  expect(pathTo(parse(text).root, spanOf(text, 'a o'))).toBeUndefined()
})

function partsOf(part: Expression | undefined): Expression[] {
  if (!part) return []
  if (part.type === 'and' || part.type === 'or') return [part, ...part.operands.flatMap(partsOf)]
  if (part.type === 'not') return [part, ...partsOf(part.operand)]
  return part.type === 'group' ? [part, ...partsOf(part.inner)] : [part]
}
