import { expect, test } from 'vitest'
import { whyNot } from './may.ts'

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
