import { expect, test } from 'vitest'
import { renamedSaved, withoutSaved, withSaved } from './saved-menu.tsx'

const saved = [
  { name: 'a', query: 'tag:a' },
  { name: 'm', query: 'tag:m', zone: 'UTC' },
]

test('a query is kept under its name, by name, once', () => {
  expect(withSaved(saved, { name: 'c', query: 'x' }).map(({ name }) => name)).toEqual([
    'a',
    'c',
    'm',
  ])
  expect(withSaved(saved, { name: 'm', query: 'x' })).toEqual([saved[0], { name: 'm', query: 'x' }])
  expect(withoutSaved(saved, 'a')).toEqual([saved[1]])
})

test('a new name takes all along, and takes the place of one that had it', () => {
  expect(renamedSaved(saved, 'a', ' z ')).toEqual([saved[1], { name: 'z', query: 'tag:a' }])
  expect(renamedSaved(saved, 'm', 'a')).toEqual([{ name: 'a', query: 'tag:m', zone: 'UTC' }])
  expect(renamedSaved(saved, 'a', ' ')).toBe(saved)
  expect(renamedSaved(saved, 'gone', 'x')).toBe(saved)
})
