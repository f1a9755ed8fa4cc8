import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithin, mayDo, rolesFor } from './permission.ts'

describe('permissions', () => {
  test.each([
    ['viewer', 'read', true],
    ['viewer', 'evaluate', false],
    ['releaser', 'read', true],
    ['releaser', 'waive', true],
    ['releaser', 'create-access-tokens', false],
    ['admin', 'publish', true],
    ['admin', 'read-audit-log', true],
    ['screen', 'read', false],
  ] as const)('%s, %s: %s', (role, permission, allowed) => {
    expect(mayDo({ roles: [role] }, permission)).toBe(allowed)
  })

  test('nobody without a role may do anything', () => {
    expect(mayDo({ roles: [] }, 'read')).toBe(false)
  })

  test('the roles of a permission are named in words', () => {
    expect(rolesFor('publish')).toBe('releaser or admin')
    expect(rolesFor('read-audit-log')).toBe('admin')
  })
})

describe('limits', () => {
  test.each([
    [['maven/com.acme/*'], 'maven/com.acme/checkout', true],
    [['maven/com.acme/*'], 'maven/com.acmeevil/checkout', false],
    [['*/checkout', 'npm/@acme/*'], 'npm/@acme/ui', true],
    [['a*a'], 'a', false],
    [['a*a'], 'aa', true],
    [[], 'npm/ui', false],
    [['*'], '', true],
  ])('%j and %s: %s', (packages, packageName, within) => {
    expect(isWithin({ limits: { packages } }, { packageName })).toBe(within)
  })

  test('of scans are apart from those of packages, and none allow all', () => {
    const limits = { scans: ['release-*'] }
    expect(isWithin({ limits }, { packageName: 'npm/ui', scan: 'release-next' })).toBe(true)
    expect(isWithin({ limits }, { packageName: 'npm/ui', scan: 'nightly' })).toBe(false)
    expect(isWithin({}, { packageName: 'npm/ui', scan: 'nightly' })).toBe(true)
  })

  test('a pattern matches what a regular expression made from it matches', () => {
    const short = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(short, text, (pattern, name) => {
        const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name)
        expect(isWithin({ limits: { scans: [pattern] } }, { scan: name })).toBe(expected)
      }),
    )
  })
})
