import { expect, test } from 'vitest'
import { parseJsonTree } from '../decode/parse-json-tree.ts'
import { purlParts, purlProblem, shortJson, timeProblem } from './predicate-facts.ts'

test('JSON that is cut short has no half of a character at its end', () => {
  const parsed = parseJsonTree('["ab🚀"]')
  const shown = (most: number) => parsed.ok && shortJson({ tree: parsed.tree, node: 0 }, most)
  expect([5, 6, 8].map(shown)).toEqual(['["ab…', '["ab🚀…', '["ab🚀"]'])
})

test.each([
  '2026-01-31T12:00:00Z',
  '2024-02-29T23:59:60+05:30',
  '2023-11-25T16:11:11.546716349-06:00',
  '2026-01-31 12:00:00z',
])('%s is a timestamp', (text) => {
  expect(timeProblem(text)).toBeUndefined()
})

test.each([
  ['2026-01-31T12:00:00', /no time zone/],
  ['2026-02-30T12:00:00Z', /date or time doesn't exist/],
  ['2026-01-31T25:00:00Z', /date or time doesn't exist/],
  ['2026-01-31T12:00:00+24:00', /date or time doesn't exist/],
  ['2026-01-31T12:00:00-05:60', /date or time doesn't exist/],
  ['2026-01-31T12:00:00+99:99', /date or time doesn't exist/],
  ['9999-12-31T23:59:59Z', /year 9999/],
  ['0001-01-01T00:00:00Z', /year 0001/],
  ['1718048845', /isn't an RFC 3339 timestamp/],
  ['yesterday', /isn't an RFC 3339 timestamp/],
])('%s is doubted', (text, problem) => {
  expect(timeProblem(text)).toMatch(problem)
})

test.each([
  ['pkg:npm/left-pad@1.0.0', 'pkg:npm/left-pad', '1.0.0'],
  ['pkg:npm/%40scope/name@2', 'pkg:npm/%40scope/name', '2'],
  ['pkg:npm/@scope/name', 'pkg:npm/@scope/name', ''],
  ['pkg:maven/org.acme/lib@1?type=jar#sub', 'pkg:maven/org.acme/lib?type=jar#sub', '1'],
  ['pkg:oci/app@sha256:abc?tag=a@b/c', 'pkg:oci/app?tag=a@b/c', 'sha256:abc'],
  ['pkg://Maven/org.acme/lib@1', 'pkg:maven/org.acme/lib', '1'],
  ['PKG:npm/x', 'pkg:npm/x', ''],
])('%s is %s in version "%s"', (text, named, version) => {
  expect(purlParts(text)).toEqual({ package: named, version })
})

test.each(['', 'npm/left-pad', 'pkg:', 'pkg:npm', 'pkg:npm/', 'pkg:1npm/x', 'https://pkg:npm/x'])(
  '%j is no package URL',
  (text) => {
    expect(purlParts(text)).toBeUndefined()
    expect(purlProblem(text)).toMatch(/isn't a package URL/)
  },
)

test.each([
  ['pkg:npm/x@1', undefined],
  ['pkg:npm/x@%zz', /percent/],
  ['pkg:generic/a%2Fb@1', /contains an encoded slash/],
  ['pkg:oci/app@1?repository_url=host%2Fpath', undefined],
  ['pkg:npm/x y', /must encode/],
  [`pkg:npm/${'x'.repeat(10_000)}`, /10008 characters/],
])('%s has this problem: %s', (text, problem) => {
  if (problem === undefined) expect(purlProblem(text)).toBeUndefined()
  else expect(purlProblem(text)).toMatch(problem)
})
