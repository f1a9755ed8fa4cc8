import { expect, test } from 'vitest'
import { createDrafts, type DraftStorage, leftByKey } from './drafts.ts'

function memory(): DraftStorage & { readonly items: Map<string, string> } {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  }
}

test('what is typed is there after the next load of the same page, and only then', () => {
  const storage = memory()
  const before = createDrafts(storage)
  before.put('query', () => 'project:core and')
  before.put('empty', () => undefined)
  before.keep('/builds')

  const after = createDrafts(storage)
  expect(storage.items.size).toBe(0)
  expect(after.kept('query', '/publish')).toBeUndefined()
  expect(after.kept('query', '/builds')).toBe('project:core and')
  expect(after.kept('empty', '/builds')).toBeUndefined()
  after.drop('query')
  expect(after.kept('query', '/builds')).toBeUndefined()
  expect(createDrafts(storage).kept('query', '/builds')).toBeUndefined()
})

test('with what is kept stands whose it is, where that is known', () => {
  const storage = memory()
  const before = createDrafts(storage)
  before.put('empty', () => undefined)
  before.keep('/p', 'ann')
  expect(storage.items.size).toBe(0)
  before.put('reason', () => 'typed')
  before.keep('/p', 'ann')
  before.keep('/p')
  expect(storage.items.get(leftByKey)).toBe('ann')
})

test('what was left before is not kept, and what took its name is', () => {
  const storage = memory()
  const before = createDrafts(storage)
  const leave = before.put('reason', () => 'first')
  before.put('reason', () => 'second')
  leave()
  before.put('gone', () => 'gone')()
  before.keep('/p')
  const after = createDrafts(storage)
  expect([after.kept('reason', '/p'), after.kept('gone', '/p')]).toEqual(['second', undefined])
})

test('what was left for another page of the program is there for who comes back, until it is dropped', () => {
  const drafts = createDrafts(memory())
  drafts.put('wall', () => 'typed', '/walls/edit/a')()
  drafts.put('wall', () => undefined, '/walls/edit/b')()
  expect(drafts.kept('wall', '/walls/edit/a')).toBe('typed')
  expect(drafts.kept('wall', '/walls/edit/b')).toBeUndefined()
  const leave = drafts.put('wall', () => 'saved', '/walls/edit/a')
  expect(drafts.kept('wall', '/walls/edit/a')).toBeUndefined()
  leave()
  expect(drafts.kept('wall', '/walls/edit/a')).toBe('saved')
})

test('what was left for another page is still there after that one is loaded anew', () => {
  const storage = memory()
  const before = createDrafts(storage)
  before.put('wall', () => 'typed', '/walls/edit/a')()
  before.put('here', () => 'not kept')
  before.keepLeft('/builds', 'ann')
  expect(storage.items.get(leftByKey)).toBe('ann')
  const after = createDrafts(storage)
  expect(after.leftBefore).toEqual({ by: 'ann' })
  expect(after.kept('here', '/builds')).toBeUndefined()
  after.keepLeft('/builds', 'ann')
  const again = createDrafts(storage)
  expect(again.kept('wall', '/walls/edit/a')).toBe('typed')
  again.put('wall', () => undefined, '/walls/edit/a')()
  storage.items.clear()
  again.keepLeft('/builds', 'ann')
  expect(storage.items.size).toBe(0)
})

test('what an earlier release kept is there', () => {
  const storage = memory()
  storage.setItem('sightline.drafts', '{"path":"/p","drafts":{"reason":"typed"}}')
  expect(createDrafts(storage).kept('reason', '/p')).toBe('typed')
})

test('a text that is too long is left out, and the others are kept', () => {
  const storage = memory()
  const before = createDrafts(storage)
  before.put('short', () => 'short')
  before.put('long', () => 'x'.repeat(4_000_000))
  before.keep('/p')
  const after = createDrafts(storage)
  expect([after.kept('short', '/p'), after.kept('long', '/p')]).toEqual(['short', undefined])
})

test.each(['https://ann:pw@registry.example.com/shop', 'https%3A%2F%2Fann%40x/', 'slt_abc'])(
  'a text with a credential in it is never kept: %s',
  (text) => {
    const storage = memory()
    const before = createDrafts(storage)
    before.put('form', () => ({ repositoryUrl: text, scan: 'release' }))
    before.keep('/p')
    expect(storage.items.size).toBe(0)
  },
)

const refuse = (): never => {
  throw new DOMException('Blocked', 'SecurityError')
}

test.each([
  ['none', undefined],
  ['one that is blocked', { getItem: refuse, setItem: refuse, removeItem: refuse }],
  ['one with something else', { ...memory(), getItem: () => '{"path":1}' }],
  ['one with half a text', { ...memory(), getItem: () => '{' }],
])('with %s for a storage nothing is kept, and nothing fails', (_, storage) => {
  const drafts = createDrafts(storage)
  drafts.put('a', () => 'b')
  drafts.keep('/p')
  expect(drafts.kept('a', '/p')).toBeUndefined()
})
