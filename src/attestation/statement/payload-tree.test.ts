import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyOf, sourceOf } from '../decode/json-tree.ts'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import { addressOf, findNodes, pathTo, rowOf, shownTree } from './payload-tree.ts'

function treeOf(text: string) {
  const parsed = parseJsonTree(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.tree
}
const tree = treeOf('{"a":{"b":[10,{"c d":"Text"}],"e":9007199254740993},"f":"","g":[]}')
const lines = (opened: number[]) => {
  const shown = shownTree(tree, new Set(opened))
  return Array.from(shown.nodes, (_, line) => {
    const { level, name, value, count } = rowOf(tree, shown, line)
    return `${'  '.repeat(level)}${name ?? '$'} ${value ?? `(${count})`}`
  })
}

describe('a payload tree', () => {
  test('shows what is open, with exact numbers and the places in lists', () => {
    expect(lines([])).toEqual(['$ (3)'])
    expect(lines([0])).toEqual(['$ (3)', '  a (2)', '  f ', '  g (0)'])
    expect(lines([0, 1, 2, 4])).toEqual([
      '$ (3)',
      '  a (2)',
      '    b (2)',
      '      0 10',
      '      1 (1)',
      '        c d Text',
      '    e 9007199254740993',
      '  f ',
      '  g (0)',
    ])
  })

  test('shows every node once where all are open', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const any = treeOf(json)
        const all = shownTree(any, new Set(Array.from({ length: any.size }, (_, node) => node)))
        expect([...all.nodes]).toEqual(Array.from({ length: any.size }, (_, node) => node))
      }),
    )
  })

  test('finds keys and values, whatever the case', () => {
    const found = (sought: string) =>
      [...findNodes(tree, sought)].map((node) => addressOf(tree, node))
    expect(found('TEXT')).toEqual(['$.a.b[1]["c d"]'])
    expect(found('c d')).toEqual(['$.a.b[1]["c d"]'])
    expect(found('54740993')).toEqual(['$.a.e'])
    expect(found('"f"')).toEqual(['$.f'])
    expect(found('')).toEqual([])
    expect(found('nowhere')).toEqual([])
  })

  test('finds in each node only what is its own', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('a', '1', 'e', '"'), (json, sought) => {
        const any = treeOf(json)
        const wanted = Array.from({ length: any.size }, (_, node) => node).filter((node) => {
          const key =
            keyOf(any, node) === undefined
              ? ''
              : any.text.slice(any.keyStarts[node], any.keyEnds[node])
          const isLeaf = (any.counts[node] ?? 0) === 0
          return `${key}:${isLeaf ? sourceOf(any, node) : ''}`.toLowerCase().includes(sought)
        })
        expect([...findNodes(any, sought)]).toEqual(wanted)
      }),
    )
  })

  test('says which containers to open for a node', () => {
    expect(pathTo(tree, 5)).toEqual([0, 1, 2, 4])
    expect(pathTo(tree, 0)).toEqual([])
  })
})
