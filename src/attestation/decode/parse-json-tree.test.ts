import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { duplicateKeys } from '../statement/payload-content.ts'
import {
  childrenOf,
  countOf,
  type JsonTree,
  keyOf,
  kindOf,
  property,
  sourceOf,
  stringOf,
} from './json-tree.ts'
import { isPlainRange, parseJsonTree } from './parse-json-tree.ts'

function treeOf(text: string): JsonTree {
  const parsed = parseJsonTree(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.tree
}

/** The value of a tree as JSON.parse would have it, built by the accessors alone. */
function valueOf(tree: JsonTree, node = 0): unknown {
  const kind = kindOf(tree, node)
  if (kind === 'string') return stringOf(tree, node)
  if (kind === 'array') return [...childrenOf(tree, node)].map((child) => valueOf(tree, child))
  if (kind === 'object') {
    return Object.fromEntries(
      [...childrenOf(tree, node)].map((child) => [keyOf(tree, child), valueOf(tree, child)]),
    )
  }
  return kind === 'number' ? Number(sourceOf(tree, node)) : kind === 'null' ? null : kind === 'true'
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('parseJsonTree', () => {
  test('reads every JSON value as JSON.parse does, however it is laid out', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        expect(JSON.stringify(valueOf(treeOf(text)))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test('accepts exactly the texts that JSON.parse accepts', () => {
    const pieces = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '1',
        '-',
        '0',
        '.5',
        'e+1',
        '\\',
        '\\n',
        '\\u00',
      ],
      ...['true', 'nul', 'l', ' ', '\n', '\u0001', '\u00a0', '"\\u0041"', '""'],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        expect([text, parseJsonTree(text).ok]).toEqual([text, isJson(text)])
      }),
      { numRuns: runs(5_000) },
    )
  })

  test('accepts exactly the same where strings are long', () => {
    const piece = fc.constantFrom('x', '\\n', '\\', '"', '\n', 'é', '\\"')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 3 }), fc.nat(600), (parts, length) => {
        const text = `["${'a'.repeat(length)}${parts.join('b')}${'c'.repeat(600 - length)}",1]`
        const parsed = parseJsonTree(text)
        expect(parsed.ok).toBe(isJson(text))
        if (parsed.ok) expect(valueOf(parsed.tree)).toEqual(JSON.parse(text))
      }),
      { numRuns: runs(500) },
    )
  })

  test('keeps for each value the text it was read from', () => {
    const text = '{"big":9007199254740993,"far":1e400,"less":-0,"low":1E-400,"s":"\\u0041"}'
    const tree = treeOf(text)
    const sources = [...childrenOf(tree, 0)].map((child) => sourceOf(tree, child))
    expect(sources).toEqual(['9007199254740993', '1e400', '-0', '1E-400', '"\\u0041"'])
    expect(sourceOf(tree, 0)).toBe(text)
  })

  test('has every node within its parent and behind the one before', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const tree = treeOf(json)
        for (let node = 1; node < tree.size; node++) {
          const parent = tree.parents[node] ?? -1
          expect(parent).toBeLessThan(node)
          expect(tree.starts[node]).toBeGreaterThan(tree.starts[parent] ?? 0)
          expect(tree.ends[node]).toBeLessThan(tree.ends[parent] ?? 0)
          expect(tree.nexts[node]).toBeLessThanOrEqual(tree.nexts[parent] ?? 0)
        }
      }),
    )
  })

  test('nests a hundred thousand levels without running out of stack', () => {
    const deep = 100_000
    const tree = treeOf('['.repeat(deep) + ']'.repeat(deep))
    expect([tree.size, tree.depth]).toEqual([deep, deep - 1])
    const cut = parseJsonTree('['.repeat(deep))
    expect(cut).toMatchObject({ ok: false, isCut: true, offset: deep })
    expect(treeOf('{"a":'.repeat(deep) + '1' + '}'.repeat(deep)).depth).toBe(deep)
  })

  test.each([
    ['{"a":1', 6, { isCut: true }],
    ['{"a"', 4, { isCut: true }],
    ['{"a":"x', 7, { isCut: true }],
    ['{"a":tru', 8, { isCut: true }],
    ['{"a":1}x', 7, { isTrailing: true }],
    ['{"a" 1}', 5, { isCut: false }],
    ['{a:1}', 1, { isCut: false }],
    ['[1,]', 3, { isCut: false }],
    ['[1 2]', 3, { isCut: false }],
    ['[01]', 2, { isCut: false }],
    ['["a\nb"]', 3, { isCut: false }],
    ['["\\x"]', 2, { isCut: false }],
    ["['a']", 1, { isCut: false }],
    ['[NaN]', 1, { isCut: false }],
    ['', 0, { isCut: true }],
  ])('refuses %j at offset %d', (text, offset, how) => {
    expect(parseJsonTree(text)).toMatchObject({ ok: false, offset, ...how })
  })

  test('takes __proto__ for a key like any other and the last of two for the value', () => {
    const tree = treeOf('{"__proto__":{"polluted":1},"a":1,"\\u0061":2}')
    expect(kindOf(tree, property(tree, 0, '__proto__'))).toBe('object')
    expect(sourceOf(tree, property(tree, 0, 'a'))).toBe('2')
    expect(countOf(tree, 0)).toBe(3)
    expect('polluted' in {}).toBe(false)
  })
})

describe('duplicateKeys', () => {
  test('finds them decoded, in small objects and large ones', () => {
    const many = Array.from({ length: 100 }, (_, at) => `"k${at}":0`).join(',')
    const tree = treeOf(`[{"a":1,"b":2,"\\u0061":3},{${many},"k7":1},{"a":1}]`)
    const keys = duplicateKeys(tree).map(({ first, second }) => [
      sourceOf(tree, first),
      sourceOf(tree, second),
      keyOf(tree, second),
    ])
    expect(keys).toEqual([
      ['1', '3', 'a'],
      ['0', '1', 'k7'],
    ])
  })

  test('finds as many as there are too many', () => {
    const key = fc.constantFrom('a', 'b', 'aa', 'Aa', 'BB', 'C#', '\\u0061')
    fc.assert(
      fc.property(fc.array(key, { maxLength: 30 }), (keys) => {
        const text = `{${keys.map((name) => `"${name}":1`).join(',')}}`
        const kept = new Set(keys.map((name) => name.replace('\\u0061', 'a'))).size
        expect(duplicateKeys(treeOf(text))).toHaveLength(keys.length - kept)
      }),
    )
  })
})

test('finds control characters and backslashes wherever they stand, and nothing else', () => {
  const code = fc.oneof({ weight: 30, arbitrary: fc.integer({ min: 32, max: 127 }) }, fc.nat(127))
  fc.assert(
    fc.property(fc.array(code, { maxLength: 40 }), fc.nat(8), fc.nat(8), (all, cut, shift) => {
      const padded = Uint8Array.from([...Array.from({ length: shift }, () => 0), ...all])
      const codes = padded.subarray(shift)
      const range = all.slice(cut)
      const isPlain = range.every((one) => one >= 32 && one !== 0x5c)
      expect(isPlainRange(codes, Math.min(cut, all.length), all.length)).toBe(isPlain)
    }),
    { numRuns: runs(2_000) },
  )
})
