import { expect, test } from 'vitest'
import { changesInWords } from './change-words.ts'
import { parseJsonTree } from './decode/parse-json-tree.ts'
import { diff } from './diff.ts'

function tree(predicate: unknown, subject: string) {
  const parsed = parseJsonTree(
    JSON.stringify({ subject: [{ name: subject }], predicateType: 'https://t', predicate }),
  )
  if (!parsed.ok) throw new Error('no JSON')
  return parsed.tree
}

function told(before: unknown, after: unknown): readonly string[] {
  return changesInWords(diff(tree(before, 'a'), tree(after, 'b'))).map(
    ({ kind, what, before: was, after: is }) => [kind, what, was, is].filter(Boolean).join(' | '),
  )
}

test('dependencies are added, removed, upgraded and downgraded', () => {
  expect(
    told(
      { purls: ['pkg:npm/a@1.9.0', 'pkg:npm/b@2.0.0', 'pkg:npm/c@3', 'pkg:npm/d@latest'] },
      { purls: ['pkg:npm/a@1.10.0', 'pkg:npm/b@1.5.0', 'pkg:npm/e@1', 'pkg:npm/d@next'] },
    ).toSorted(),
  ).toEqual([
    'added | pkg:npm/e | 1',
    'changed | pkg:npm/d | latest | next',
    'downgraded | pkg:npm/b | 2.0.0 | 1.5.0',
    'removed | pkg:npm/c | 3',
    'upgraded | pkg:npm/a | 1.9.0 | 1.10.0',
  ])
})

test('fields are named as people read them, and packages stand before them', () => {
  expect(
    told(
      { toolVersion: '9.1.0', uris: ['https://a'], purls: ['pkg:npm/a@1', 'pkg:npm/z@1'] },
      {
        toolVersion: '9.2.0',
        uris: ['https://a', 'https://b'],
        purls: ['pkg:npm/a@2', 'pkg:npm/z@1'],
      },
    ),
  ).toEqual([
    'upgraded | pkg:npm/a | 1 | 2',
    'changed | tool version | 9.1.0 | 9.2.0',
    'added | uris | https://b',
  ])
})

test('a type that changed is named, and so is a key that is no word as it is written', () => {
  const words = (path: readonly string[]) =>
    changesInWords([{ kind: 'changed', path, before: 'a', after: 'b', package: undefined }]).map(
      ({ what }) => what,
    )
  expect(words(['predicateType'])).toEqual(['predicateType'])
  expect(words(['predicate', 'some key!', 'fooBar_baz'])).toEqual(['some key! › foo bar baz'])
  expect(words(['subject', 'name'])).toEqual([])
  expect(words([])).toEqual([])
})

test('two packages of the same content do not differ by their subject', () => {
  expect(told({ toolVersion: '9' }, { toolVersion: '9' })).toEqual([])
})
