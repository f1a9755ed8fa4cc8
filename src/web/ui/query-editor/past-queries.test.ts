import { expect, test } from 'vitest'
import { withPastQuery } from './past-queries.ts'

test('the same query in another spelling is remembered once, as it was run last', () => {
  expect(withPastQuery(['tag:a', 'user:b  AND tag:c'], 'user:b\n and tag:c')).toEqual([
    'user:b\n and tag:c',
    'tag:a',
  ])
})

test('nothing, and what is too long, is not remembered', () => {
  expect(withPastQuery(['tag:a'], '  ')).toEqual(['tag:a'])
  expect(withPastQuery(['tag:a'], `tag:${'x'.repeat(3000)}`)).toEqual(['tag:a'])
})

test('fifty are remembered', () => {
  const past = Array.from({ length: 60 }, (_, index) => `tag:${index}`).reduce<readonly string[]>(
    withPastQuery,
    [],
  )
  expect(past).toHaveLength(50)
  expect(past[0]).toBe('tag:59')
})
