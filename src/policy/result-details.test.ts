import { expect, test } from 'vitest'
import { detailsText, resultDetails } from './result-details.ts'

test.each([
  [{ uris: ['https://a', 'https://b'] }, 'uris', 'https://a, https://b'],
  [{ keyIds: ['ab'] }, 'key-ids', 'ab'],
  [{ message: 'none found' }, 'message', 'none found'],
  [{ buildTool: 'gradle 9' }, 'build-tool', 'gradle 9'],
  [{ vulnerablePackage: 'pkg:maven/a/b@1' }, 'vulnerable-package', 'pkg:maven/a/b@1'],
  [
    { vulnerablePackage: 'pkg:maven/a/b@1', predicateType: 'https://t' },
    'vulnerable-package',
    'pkg:maven/a/b@1',
  ],
  [{}, 'none', ''],
  [{ description: 'shown elsewhere', remediation: 'too' }, 'none', ''],
  [{ description: 'shown elsewhere', message: 'm' }, 'message', 'm'],
  [{ uris: 'not a list' }, 'other', '{"uris":"not a list"}'],
  [{ uris: [1] }, 'other', '{"uris":[1]}'],
  ['no key matches', 'message', 'no key matches'],
  [['a', { b: 1 }], 'other', '["a",{"b":1}]'],
  [3, 'other', '3'],
  [null, 'none', ''],
  ['', 'none', ''],
  [{ message: 'm', more: 1 }, 'other', '{"message":"m","more":1}'],
])('%j has the shape %s', (details, shape, text) => {
  expect(resultDetails(details).shape).toBe(shape)
  expect(detailsText(details)).toBe(text)
})
