import { expect, test } from 'vitest'
import { policyKey, policyName } from './policy-name.ts'

test.each([
  ['/policies/BuildTool/supported', 'BuildTool', 'supported'],
  ['https://g.example.com/base/policies/PackageUrl/no%20log4j?x=1', 'PackageUrl', 'no log4j'],
  ['urn:policy:thing', '', 'urn:policy:thing'],
  ['/policies/%ff/x', '%ff', 'x'],
  ['', '', ''],
])('%s is a %s called %s', (uri, kind, name) => {
  expect(policyName(uri)).toEqual({ kind, name })
})

test('a path and an absolute address name the same policy', () => {
  expect(policyKey('https://g.example.com/policies/A/b')).toBe(policyKey('/policies/A/b'))
  expect(policyKey('urn:x')).not.toBe(policyKey('urn:y'))
})
