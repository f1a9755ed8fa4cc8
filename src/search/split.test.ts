import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { check } from './check.ts'
import { parse } from './parse.ts'
import { splitQuery } from './split.ts'
import { leavesOf } from './tree.ts'

const upTo = (most: number) => (text: string) => text.length <= most

describe('a query that is too long', () => {
  test.each([
    ['tag:a or tag:b or tag:c', 15, ['tag:a or tag:b', 'tag:c']],
    ['tag:a', 5, ['tag:a']],
    [
      'user:x (tag:a or tag:b or tag:c) project:y',
      35,
      ['user:x (tag:a or tag:b) project:y', 'user:x (tag:c) project:y'],
    ],
    ['(tag:a or tag:b)', 10, ['(tag:a)', '(tag:b)']],
    ['(tag:a\\ or tag:b)', 10, ['(tag:a\\ )', '(tag:b)']],
    ['user:x and ((tag:a or tag:b))', 22, ['user:x and ((tag:a))', 'user:x and ((tag:b))']],
    ['(user:x or user:y) (tag:a or tag:b or tag:c)', 10, undefined],
    ['tag:a tag:b tag:c', 10, undefined],
    ['-(tag:a or tag:b or tag:c)', 20, undefined],
    ['tag:a or tag:b or (', 15, undefined],
    ['tag:a or tag:averylongone', 15, undefined],
  ])('%s in parts of %i characters', (text, most, parts) => {
    expect(splitQuery(text, upTo(most))).toEqual(parts)
  })

  test('each alternative is in exactly one part, with all that is around them, and no part has an error', () => {
    const term = fc.constantFrom('tag:a', 'tag:b', 'user:"c d"', '-tag:e', '(tag:f project:g)')
    const around = fc.constantFrom(
      '',
      'project:x',
      'project:x and',
      'buildDuration>5m (user:y or user:z)',
    )
    fc.assert(
      fc.property(fc.array(term, { minLength: 2, maxLength: 40 }), around, (terms, before) => {
        const list = terms.join(' or ')
        const text = before === '' ? list : `${before} (${list})`
        const parts = splitQuery(text, upTo(90))
        if (parts === undefined) throw new Error(`not split: ${text}`)
        const own = leavesOf(parse(before).root).length
        const count = parts.map((part) => leavesOf(parse(part).root).length - own)
        expect(count.reduce((sum, one) => sum + one, 0)).toBe(leavesOf(parse(list).root).length)
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(90)
          expect(check(parse(part)).filter(({ severity }) => severity === 'error')).toEqual([])
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
