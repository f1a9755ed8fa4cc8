import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithin, mayDo, permittedOf, rolesFor, subjectAt, whyNot } from './permission.ts'

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

  test('leave of several things those within them, or say by one of them why it is none', () => {
    const user = { name: 'ada', roles: ['releaser' as const] }
    const scan = 'release'
    const places = ['shop', 'cart', 'shop'].map((name) => ({
      packagePath: `/packages/npm/%40acme/${name}/1`,
      scan,
    }))
    const within = (...packages: readonly string[]) =>
      permittedOf({ ...user, limits: { packages: [...packages] } }, 'waive', places, subjectAt)
    expect(within('npm/@acme/shop')).toEqual({
      allowed: [places[0], places[2]],
      subject: undefined,
    })
    const subject = { packageName: 'npm/@acme/shop', scan }
    expect(within('oci/*')).toEqual({ allowed: [], subject })
    expect(permittedOf(user, 'waive', places, subjectAt).allowed).toEqual(places)
    const viewer = { ...user, roles: ['viewer' as const] }
    expect(permittedOf(viewer, 'waive', places, subjectAt)).toEqual({ allowed: [], subject })
    expect(permittedOf(viewer, 'waive', [], subjectAt).subject).toBeUndefined()
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

test.each([
  [
    'a viewer who evaluates',
    ['viewer'],
    'evaluate',
    'Requires the role releaser or admin. Your role is viewer. Ask your administrator for access.',
  ],
  [
    'a releaser who reads the audit log',
    ['viewer', 'releaser'],
    'read-audit-log',
    'Requires the role admin. Your roles are viewer and releaser. Ask your administrator for access.',
  ],
  [
    'somebody without any role',
    [],
    'read',
    'Requires the role viewer, releaser, or admin. You have no role. Ask your administrator for access.',
  ],
  ['a releaser who publishes', ['releaser'], 'publish', undefined],
  ['an admin who waives', ['admin'], 'waive', undefined],
] as const)('says to %s which roles may', (_, roles, permission, reason) => {
  expect(whyNot({ name: 'ann', roles: [...roles] }, permission)).toBe(reason)
})

const limited = {
  name: 'ann',
  roles: ['releaser' as const],
  limits: { packages: ['npm/acme/*', 'maven/*'], scans: ['release'] },
}

test.each([
  [{ packageName: 'npm/acme/ui', scan: 'release' }, undefined],
  [{}, undefined],
  [
    { packageName: 'npm/other/ui', scan: 'release' },
    'Your roles cover the packages npm/acme/*, maven/*. Ask your administrator for access.',
  ],
  [
    { packageName: 'npm/acme/ui', scan: 'nightly' },
    'Your roles cover the policy scans release. Ask your administrator for access.',
  ],
])('says what the roles cover where %j is outside', (subject, reason) => {
  expect(whyNot(limited, 'evaluate', subject)).toBe(reason)
})

test('says that limits without a pattern cover nothing', () => {
  const user = { ...limited, limits: { packages: [] } }
  expect(whyNot(user, 'evaluate', { packageName: 'npm/a' })).toBe(
    'Your roles cover no packages. Ask your administrator for access.',
  )
})
