import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diff } from './diff.ts'
import { parseJsonTree } from './decode/parse-json-tree.ts'

function treeOf(value: unknown) {
  const parsed = parseJsonTree(typeof value === 'string' ? value : JSON.stringify(value))
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.tree
}
const changes = (before: unknown, after: unknown) =>
  diff(treeOf(before), treeOf(after)).map(
    ({ kind, path, before: from, after: to, package: name }) =>
      [kind, path.join(' / '), ...(name === undefined ? [] : [name]), from ?? '-', to ?? '-'].join(
        ' | ',
      ),
  )
const purls = (...list: string[]) => ({
  predicate: { purls: list.map((one) => `pkg:maven/${one}`) },
})

/** The same value with its keys and lists in another order. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled).reverse()
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, shuffled(one)])
      .reverse(),
  )
}

describe('diff', () => {
  test('shows what differs where both values read the same at first', () => {
    expect(changes({ a: 1, b: 'null' }, { a: '1', b: null })).toEqual([
      'changed | a | 1 | "1"',
      'changed | b | "null" | null',
    ])
    const [long = ''] = changes(
      { text: `${'x'.repeat(5000)}one${'y'.repeat(5000)}` },
      { text: `${'x'.repeat(5000)}two${'y'.repeat(5000)}` },
    )
    expect(long).toMatch(/^changed \| text \| …x{40}oney+… \| …x{40}twoy+…$/)
  })

  test('cuts no character in two', () => {
    const start = `${'🚀'.repeat(300)}x`
    expect(changes({ text: `${start}1` }, { text: `${start}2` })).toEqual([
      `changed | text | …${'🚀'.repeat(20)}x1 | …${'🚀'.repeat(20)}x2`,
    ])
    expect(changes({ text: `${'🚀'.repeat(300)}🚀` }, { text: `${'🚀'.repeat(300)}🚁` })).toEqual([
      `changed | text | …${'🚀'.repeat(21)} | …${'🚀'.repeat(20)}🚁`,
    ])
  })

  test('finds nothing where only the order differs', () => {
    const keys = fc
      .string()
      .filter(
        (key) => !/^(?:command|cmd|args|arguments|argv|steps|type|_type|__proto__)$/i.test(key),
      )
    const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
    fc.assert(
      fc.property(fc.dictionary(keys, value), (any) => {
        // Further down too, keys are sometimes generated whose lists are in a meaningful order.
        const text = JSON.stringify(any).replaceAll('__proto__', 'proto')
        const plain: unknown = JSON.parse(text.replaceAll(/"(?:cmd|args|arguments)":/gi, '"a":'))
        expect(changes(plain, shuffled(plain))).toEqual([])
      }),
    )
  })

  test('finds something where anything differs', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(value, value, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other)
        const found = changes({ a: one }, { a: other })
        if (isSame) expect(found).toEqual([])
        else if (JSON.stringify(one).length !== JSON.stringify(other).length) {
          expect(found).not.toEqual([])
        }
      }),
      { examples: [['', '']] },
    )
  })

  test('shows a package in a new version as one change', () => {
    expect(changes(purls('a/b@1', 'a/c@1', 'a/d@1'), purls('a/d@1', 'a/b@2', 'a/e@1'))).toEqual([
      'changed | predicate / purls / pkg:maven/a/b | pkg:maven/a/b | 1 | 2',
      'removed | predicate / purls / pkg:maven/a/c | pkg:maven/a/c@1 | -',
      'added | predicate / purls / pkg:maven/a/e | - | pkg:maven/a/e@1',
    ])
  })

  test('keeps several versions of one package apart', () => {
    expect(changes(purls('a/b@1', 'a/b@2'), purls('a/b@2', 'a/b@3', 'a/b@4'))).toEqual([
      'changed | predicate / purls / pkg:maven/a/b | pkg:maven/a/b | 1 | 3',
      'added | predicate / purls / pkg:maven/a/b | - | pkg:maven/a/b@4',
    ])
  })

  test('compares members of a list by what names them', () => {
    const before = { materials: [{ uri: 'git+x', digest: { sha1: '1' } }, { uri: 'y' }] }
    const after = { materials: [{ uri: 'y' }, { uri: 'git+x', digest: { sha1: '2' } }] }
    expect(changes(before, after)).toEqual(['changed | materials / git+x / digest / sha1 | 1 | 2'])
  })

  test('compares a subject that changed its name with the one it was', () => {
    const subject = (name: string) => ({ subject: [{ name, digest: { sha256: 'a' } }] })
    expect(changes(subject('a-1'), subject('a-2'))).toEqual([
      'changed | subject / name | a-1 | a-2',
    ])
  })

  test('takes both spellings of the fields of a statement for the same', () => {
    const before = { type: 'v1', predicate_type: 'x', predicate: {} }
    expect(changes(before, { _type: 'v1', predicateType: 'x', predicate: {} })).toEqual([])
    expect(changes({ predicate: { type: 1 } }, { predicate: { _type: 1 } })).toHaveLength(2)
  })

  test('minds the order of a command and its arguments', () => {
    expect(changes({ command: ['rm', 'x'] }, { command: ['x', 'rm'] })).toEqual([
      'changed | command | ["rm","x"] | ["x","rm"]',
    ])
  })

  test('compares numbers by all their digits and strings decoded', () => {
    expect(changes('{"a":9007199254740993}', '{"a":9007199254740992}')).toHaveLength(1)
    expect(changes('{"a":"\\u0041"}', '{"\\u0061":"A"}')).toEqual([])
  })

  test('goes down a hundred thousand levels', () => {
    const deep = (leaf: string) => '{"a":'.repeat(1e5) + leaf + '}'.repeat(1e5)
    expect(diff(treeOf(deep('1')), treeOf(deep('2')))).toMatchObject([
      { kind: 'changed', before: '1' },
    ])
  })

  test('compares ten thousand packages without pairing each with each', () => {
    const all = (version: number) =>
      purls(
        ...Array.from({ length: 10_000 }, (_, at) => `g/lib-${at}@${at % 10 === 0 ? version : 1}`),
      )
    expect(changes(all(1), all(2))).toHaveLength(1_000)
  })
})
