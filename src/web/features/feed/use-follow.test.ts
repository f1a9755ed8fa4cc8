import { expect, test } from 'vitest'
import { followFromAddress, followToAddress } from './use-follow.ts'

test('a query survives the way through an address, beside what else is there', () => {
  const followed = { text: 'value:"a&b=c+d" or tag:#1\n-user:é', zone: 'Europe/Berlin' }
  const search = followToAddress(followed, new URLSearchParams('tool=gradle&q=old'))
  const arrived = new URLSearchParams(search.toString())
  expect(followFromAddress(arrived)).toEqual(followed)
  expect(arrived.get('tool')).toBe('gradle')
})

test('following nothing leaves nothing behind', () => {
  const search = new URLSearchParams('tool=gradle&q=tag:a&zone=UTC')
  expect(followToAddress(undefined, search).toString()).toBe('tool=gradle')
  expect(followFromAddress(new URLSearchParams('q=++'))).toBeUndefined()
})

test('a zone that nobody knows is left out', () => {
  expect(followFromAddress(new URLSearchParams('q=tag:a&zone=Mars/Base'))).toEqual({
    text: 'tag:a',
    zone: undefined,
  })
})
