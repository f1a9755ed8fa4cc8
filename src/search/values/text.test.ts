import { describe, expect, test } from 'vitest'
import { parse } from '../parse.ts'
import type { Word } from '../tree.ts'
import { readPair } from './read-condition.ts'
import { isAnything, plainText, readText } from './text.ts'

function word(written: string): Word {
  const { root } = parse(`value:${written}`)
  if (root?.type !== 'term' || root.pattern.type !== 'word') throw new Error('no word')
  return root.pattern
}

describe('a text', () => {
  test.each([
    ['a', ['a'], 'a'],
    ['Ab', ['Ab'], 'Ab'],
    ['""', [''], ''],
    ['"a b"', ['a b'], 'a b'],
    ['a" b"c', ['a bc'], 'a bc'],
    ['"\\"\\\\"', ['"\\'], '"\\'],
    ['\\:app\\:build', [':app:build'], ':app:build'],
    ['a*', ['a', ''], undefined],
    ['*a', ['', 'a'], undefined],
    ['*a*', ['', 'a', ''], undefined],
    ['a*b*c', ['a', 'b', 'c'], undefined],
    ['a**b', ['a', 'b'], undefined],
    ['"a*b"', ['a', 'b'], undefined],
    ['*', ['', ''], undefined],
    ['***', ['', ''], undefined],
  ])('%s has the parts %j', (written, parts, plain) => {
    expect(readText(word(written))).toEqual(parts)
    expect(plainText(word(written))).toBe(plain)
  })

  test('is anything where it has nothing but wildcards', () => {
    expect(['*', '**', '"*"', 'a*', '""'].map((it) => isAnything(word(it)))).toEqual([
      ...[true, true, true],
      ...[false, false],
    ])
  })
})

describe('a pair', () => {
  test.each([
    ['a=b', ['a'], ['b']],
    ['a=b=c', ['a'], ['b=c']],
    ['"CI run=867"', ['CI run'], ['867']],
    ['"Git branch"="a b"', ['Git branch'], ['a b']],
    ['k="c d"', ['k'], ['c d']],
    ['a=', ['a'], ['']],
    ['""=b', [''], ['b']],
    ['a=*', ['a'], ['', '']],
    ['*=b', ['', ''], ['b']],
    ['a*b=c*d', ['a', 'b'], ['c', 'd']],
    ['"a*=*b"', ['a', ''], ['', 'b']],
  ])('%s has a name and a value', (written, name, value) => {
    expect(readPair(word(written))).toEqual({ name, value })
  })

  test.each(['a', '"a b"', '""', 'a*'])('%s is none', (written) => {
    expect(readPair(word(written))).toBeUndefined()
  })
})
