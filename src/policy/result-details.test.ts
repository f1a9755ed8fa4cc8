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
  [{ toolchains: ['Temurin 11'] }, 'toolchains', 'Temurin 11'],
  [
    {
      overallScore: 62,
      baseline: 70,
      categories: { UPGRADE: { score: 62, compliant: 5, total: 8 } },
      tier: null,
      nextTier: { name: 'Bronze', pointsNeeded: 8 },
      overdue: ['CVE-1', 'CVE-2'],
    },
    'score',
    'Score 62 of 100, 70 required; CVE-1; CVE-2',
  ],
  [{ overallScore: 'high' }, 'other', '{"overallScore":"high"}'],
  [{ message: 'm', more: 1 }, 'other', '{"message":"m","more":1}'],
])('%j has the shape %s', (details, shape, text) => {
  expect(resultDetails(details).shape).toBe(shape)
  expect(detailsText(details)).toBe(text)
})

test('details that nobody has seen before are read field by field', () => {
  const details = { lastSeenAt: 3, hosts: ['a', 'b'], nested: { deep: [1] }, ['x'.repeat(80)]: '' }
  const read = resultDetails(details)
  expect(read.shape === 'other' && read.fields).toEqual([
    { name: 'hosts', text: 'a, b' },
    { name: 'last seen at', text: '3' },
    { name: 'nested', text: '{"deep":[1]}' },
    { name: 'x'.repeat(60), text: '' },
  ])
})
