import { expect, test } from 'vitest'
import { shortenMiddle } from './shorten-middle.ts'

test('an id keeps its beginning and its end', () => {
  expect(shortenMiddle('k3j7abcde7a4c')).toBe('k3j7…7a4c')
  expect(shortenMiddle('sha256')).toBe('sha256')
})
