import { expect, test } from 'vitest'
import { feedAddress } from './feed-address.ts'

const read = (search: string) => feedAddress.read(new URLSearchParams(search))

test('a query survives the way through an address, beside what else is there', () => {
  const followed = { text: 'value:"a&b=c+d" or tag:#1\n-user:é', zone: 'Europe/Berlin' }
  const search = feedAddress.update(new URLSearchParams('tool=gradle&q=old&x=1'), { followed })
  expect(read(search.toString())).toMatchObject({ followed, filter: { tool: ['gradle'] } })
  expect(search.get('x')).toBe('1')
})

test('following nothing leaves nothing behind', () => {
  const search = new URLSearchParams('tool=gradle&q=tag:a&zone=UTC')
  expect(feedAddress.update(search, { followed: undefined }).toString()).toBe('tool=gradle')
  expect(read('q=++').followed).toBeUndefined()
})

test('a zone that nobody knows is left out', () => {
  expect(read('q=tag:a&zone=Mars/Base').followed).toEqual({ text: 'tag:a', zone: undefined })
})

test('opening a build keeps the filter and the query', () => {
  const search = new URLSearchParams('q=tag%3Aa&tool=gradle')
  const opened = feedAddress.update(search, { build: 'aaaaaaaaaaaaa' })
  expect(read(opened.toString())).toEqual({
    filter: { tool: ['gradle'] },
    followed: { text: 'tag:a', zone: undefined },
    build: 'aaaaaaaaaaaaa',
  })
  expect(feedAddress.update(opened, { build: undefined }).has('build')).toBe(false)
})
