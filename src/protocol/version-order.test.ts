import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { compareVersions, isWithinVersions } from './version-order.ts'

test.each([
  ['2.9', '2.10'],
  ['2.4.0-rc.1', '2.4.0'],
  ['2.4.0-alpha', '2.4.0-beta'],
  ['2.4.0-rc.2', '2.4.0-rc.10'],
  ['1.0-SNAPSHOT', '1.0'],
  ['v1.2.3', '1.2.4'],
  ['9007199254740993.1', '9007199254740994'],
  ['2.5.0', '2.5.0-SP1'],
  ['2.5.0-rc.1', '2.5.0.post1'],
  ['2.5.0.post1', '2.5.1'],
  ['1.0b2', '1.0'],
  ['2024-01-05', '2024-02-01'],
])('%s comes before %s', (earlier, later) => {
  expect(compareVersions(earlier, later)).toBeLessThan(0)
  expect(compareVersions(later, earlier)).toBeGreaterThan(0)
})

test.each([
  ['1.0', '1.0.0'],
  ['1.0.0+build.7', '1.0'],
  ['v2', '2'],
  ['1.07', '1.7'],
])('neither of %s and %s comes first', (one, other) => {
  expect(compareVersions(one, other)).toBe(0)
})

test.each(['latest', 'main', '', 'sha256:ab', '4f2fabc', '9e1abc2', '73f9a1'])(
  '"%s" can not be compared',
  (version) => {
    expect(compareVersions(version, '1.0')).toBeUndefined()
    expect(isWithinVersions(version, { from: '1.0', until: null })).toBe(false)
    expect(isWithinVersions(version, { from: version, until: null })).toBe(true)
  },
)

test.each([
  ['2.4.0', true],
  ['2.4.9', true],
  ['2.5', true],
  ['2.5.1', false],
  ['2.4.0-rc.1', false],
  ['2.5.0-SP1', false],
  ['2.5.0.post1', false],
])('from 2.4.0 to 2.5.0 has %s: %s', (version, isWithin) => {
  expect(isWithinVersions(version, { from: '2.4.0', until: '2.5.0' })).toBe(isWithin)
})

const part = fc.oneof(fc.nat(20).map(String), fc.constantFrom('rc', 'alpha', 'x', 'sp', 'post'))
const version = fc
  .tuple(fc.nat(3), fc.array(part, { maxLength: 4 }))
  .map(([first, rest]) => [String(first), ...rest].join('.'))

test('the order of versions is one: of any three, what is first is first of all', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const order = (one: string, other: string) => Math.sign(compareVersions(one, other) ?? NaN)
      expect(order(a, b) + order(b, a)).toBe(0)
      if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0)
    }),
    { numRuns: runs(500) },
  )
})
