import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { TreeFragment } from '@lezer/common'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { isSpace } from './tokens.ts'
import { parser } from './parser.ts'
import { anyText } from './texts.test-support.ts'

// Where the code is changed to see whether tests notice, it isn't what it is compared with.
test.skipIf('STRYKER_MUTATOR_WORKER' in process.env)('the parser is what the grammar gives', () => {
  const script = fileURLToPath(new URL('../../../scripts/grammar.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test('every text has a tree without an error node, from its start to its end', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const tree = parser.parse(text)
      expect(tree.length).toBe(text.length)
      expect(nodesOf(tree).join(' ')).not.toContain('⚠')
    }),
    { numRuns: runs(1000) },
  )
})

test('the grammar, the tokenizers and regular expressions agree on what a space is', () => {
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code)
    const parts = nodesOf(parser.parse(`tag:a${character}tag:b`)).filter((node) =>
      node.startsWith('Term'),
    ).length
    expect([code, isSpace(code), parts]).toEqual([
      code,
      /\s/.test(character),
      /[\s()]/.test(character) ? 2 : 1,
    ])
  }
})

test('the tree is the same in whatever pieces the text comes', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const inPieces = parser.parse({
        length: text.length,
        lineChunks: false,
        chunk: (from) => text.slice(from, from + size),
        read: (from, to) => text.slice(from, to),
      })
      expect(nodesOf(inPieces)).toEqual(nodesOf(parser.parse(text)))
    }),
    { numRuns: runs(500) },
  )
})

test('the tree of an edited text is the same whether the old one is reused or not', () => {
  const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 30 }), insert: anyText })
  fc.assert(
    fc.property(
      // Lezer reuses nothing near an edit: short texts would prove nothing.
      fc.array(anyText, { minLength: 20, maxLength: 120 }),
      fc.array(edit, { minLength: 1, maxLength: 4 }),
      (parts, edits) => {
        let text = parts.join(' ')
        let fragments = TreeFragment.addTree(parser.parse(text))
        for (const { at, length, insert } of edits) {
          const from = at % (text.length + 1)
          const to = Math.min(text.length, from + length)
          text = text.slice(0, from) + insert + text.slice(to)
          const change = { fromA: from, toA: to, fromB: from, toB: from + insert.length }
          const tree = parser.parse(text, TreeFragment.applyChanges(fragments, [change]))
          expect(nodesOf(tree)).toEqual(nodesOf(parser.parse(text)))
          fragments = TreeFragment.addTree(tree)
        }
      },
    ),
    { numRuns: runs(80) },
  )
})

function nodesOf(tree: ReturnType<typeof parser.parse>): string[] {
  const nodes: string[] = []
  tree.iterate({ enter: ({ name, from, to }) => void nodes.push(`${name} ${from}-${to}`) })
  return nodes
}
