import { expect, test } from 'vitest'
import { followAddress } from './use-follow.ts'

test('a query survives the way through an address, beside what else is there', () => {
  const followed = { text: 'value:"a&b=c+d" or tag:#1\n-user:é', zone: 'Europe/Berlin' }
  const search = followAddress.write({ followed }, new URLSearchParams('tool=gradle&q=old'))
  const arrived = new URLSearchParams(search.toString())
  expect(followAddress.read(arrived)).toEqual({ followed })
  expect(arrived.get('tool')).toBe('gradle')
})

test('following nothing leaves nothing behind', () => {
  const search = new URLSearchParams('tool=gradle&q=tag:a&zone=UTC')
  expect(followAddress.write({ followed: undefined }, search).toString()).toBe('tool=gradle')
  expect(followAddress.read(new URLSearchParams('q=++')).followed).toBeUndefined()
})

test('a zone that nobody knows is left out', () => {
  expect(followAddress.read(new URLSearchParams('q=tag:a&zone=Mars/Base')).followed).toEqual({
    text: 'tag:a',
    zone: undefined,
  })
})
