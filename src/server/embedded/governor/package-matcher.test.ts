import { expect, test } from 'vitest'
import { packageMatcher } from './package-matcher.ts'

test.each([
  ['pkg:maven/a/b', 'pkg:maven/a/b@1', true],
  ['pkg:maven/a/b@1', 'pkg:maven/a/b@1?type=jar', true],
  ['pkg:maven/a/b@1', 'pkg:maven/a/b@2', false],
  ['pkg:maven/a/*@6.2.7', 'pkg:maven/a/beans@6.2.7', true],
  ['pkg:maven/a/*@6.2.7', 'pkg:maven/a.b/beans@6.2.7', false],
  ['pkg:maven/a*/x', 'pkg:maven/a.b/x@1', true],
  ['pkg:npm/%40acme/ui', 'pkg:npm/@acme/ui@1', true],
  ['pkg:npm/ui', 'pkg:npm/%40acme/ui@1', true],
  ['pkg:maven/a/b?type=jar', 'pkg:maven/a/b@1', false],
  ['*log4j*', 'pkg:maven/org.apache/log4j-core@1', true],
  ['pkg:maven/a/b', 'not a package', false],
])('%s means %s: %s', (pattern, purl, expected) => {
  expect(packageMatcher(pattern)(purl)).toBe(expected)
})
