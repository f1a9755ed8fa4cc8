import { expect, test } from 'vitest'
import { factsFailure, failedTestText, storedFailures } from './failure-text.ts'

const failure = { message: 'no', exception: 'a.E' }

test('facts hold the beginning of a message', () => {
  expect(factsFailure({ ...failure, message: 'x'.repeat(999) }).message).toHaveLength(300)
  expect(factsFailure(failure)).toEqual(failure)
})

test('a build failed of all that its facts have, and of nothing where they have nothing', () => {
  const other = { message: 'neither' }
  expect(storedFailures({ failure, otherFailures: [other] })).toEqual([failure, other])
  expect(storedFailures({ failure })).toEqual([failure])
  expect(storedFailures({ failure: null })).toEqual([])
  expect(storedFailures({})).toEqual([])
})

test.each([
  [{ name: 'opens', className: 'com.acme.ShopTest', others: 0 }, 'ShopTest.opens'],
  [{ name: 'opens', others: 2 }, 'opens'],
  [undefined, undefined],
])('the test %j is shown as %j', (of, text) => {
  expect(failedTestText({ ...failure, test: of })).toBe(text)
})
