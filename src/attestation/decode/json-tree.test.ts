import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import {
  anyProperty,
  childrenOf,
  countOf,
  hasKey,
  isString,
  type JsonTree,
  keyOf,
  kindOf,
  noNode,
  property,
  sourceOf,
  stringOf,
  stringsInside,
  textsIn,
  unknownKeys,
} from './json-tree.ts'
import { parseJsonTree } from './parse-json-tree.ts'

function treeOf(text: string): JsonTree {
  const parsed = parseJsonTree(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.tree
}

/** Every character as an escape. */
const escaped = (text: string): string =>
  `"${text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`

test('keys and strings are the same however they are written', () => {
  const text = fc.string({ unit: 'binary', maxLength: 6 })
  fc.assert(
    fc.property(text, text, (one, other) => {
      for (const write of [escaped, JSON.stringify]) {
        const tree = treeOf(`{${write(one)}:${write(one)}}`)
        expect(isString(tree, 1, other)).toBe(one === other)
        expect(isString(tree, 1, one)).toBe(true)
        expect(hasKey(tree, 1, other)).toBe(one === other)
        expect(property(tree, 0, one)).toBe(1)
        expect([keyOf(tree, 1), stringOf(tree, 1)]).toEqual([one, one])
      }
    }),
    { numRuns: runs(200) },
  )
})

test('what is no string, no object or no list has nothing of it', () => {
  const tree = treeOf('{"a":[1,"x",null,"y"],"b":"\\u0078"}')
  const list = property(tree, 0, 'a')
  expect(textsIn(tree, list)).toEqual(['x', 'y'])
  expect(textsIn(tree, 0)).toEqual([])
  expect(unknownKeys(tree, 0, new Set(['a']))).toEqual(['b'])
  expect(unknownKeys(tree, list, new Set())).toEqual([])
  expect(isString(tree, list, 'x')).toBe(false)
  expect(isString(tree, property(tree, 0, 'b'), 'x')).toBe(true)
  expect(isString(tree, property(tree, 0, 'b'), 'xxxxxxx')).toBe(false)
  expect(property(tree, list, 'a')).toBe(noNode)
  expect(anyProperty(tree, 0, 'c', 'b')).toBe(property(tree, 0, 'b'))
})

test('what is not there has no kind, text, key or children', () => {
  const tree = treeOf('[]')
  expect(kindOf(tree, noNode)).toBeUndefined()
  expect([stringOf(tree, noNode), keyOf(tree, noNode), sourceOf(tree, noNode)]).toEqual([
    undefined,
    undefined,
    '',
  ])
  expect([countOf(tree, noNode), ...childrenOf(tree, noNode)]).toEqual([0])
  expect(hasKey(tree, noNode, 'a')).toBe(false)
})

test('texts inside are those that look like a document, a hundred at most, and no payload', () => {
  const inside = `{"_type":"${'x'.repeat(60)}"}`
  const base64 = Buffer.from(inside).toString('base64')
  const tree = treeOf(
    JSON.stringify({ a: inside, b: base64, payload: base64, c: 'short', d: 'x'.repeat(90) }),
  )
  expect(stringsInside(tree)).toEqual([inside, base64])
  const many = treeOf(JSON.stringify(Array.from({ length: 120 }, () => inside)))
  expect(stringsInside(many)).toHaveLength(100)
})
