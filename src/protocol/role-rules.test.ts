import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchRole, type RoleRule, valuesOf } from './role-rules.ts'

const rules: RoleRule[] = [
  { claim: 'groups', value: 'engineers', role: 'viewer' },
  {
    claim: 'groups',
    value: 'payments',
    role: 'releaser',
    limits: { packages: ['maven/com.acme.pay/*'] },
  },
  { claim: 'groups', value: 'release-managers', role: 'releaser' },
  { claim: 'realm.roles', value: 'owner', role: 'admin' },
]

describe('the role that claims give', () => {
  test.each([
    [{ groups: ['engineers'] }, ['viewer']],
    [{ groups: 'engineers' }, ['viewer']],
    [{ groups: ['engineers', 'release-managers'] }, ['releaser']],
    [{ realm: { roles: ['owner'] }, groups: ['engineers'] }, ['admin']],
    [{ 'realm.roles': 'owner' }, ['admin']],
  ])('%j: %j', (claims, roles) => {
    expect(matchRole(claims, { rules, otherwise: undefined })?.roles).toEqual(roles)
  })

  test('is not limited where another rule gives the same role without limits', () => {
    const both = matchRole(
      { groups: ['payments', 'release-managers'] },
      { rules, otherwise: undefined },
    )
    expect(both).toEqual({
      roles: ['releaser'],
      rule: 'groups contains “release-managers”: releaser',
    })
    expect(matchRole({ groups: ['payments'] }, { rules, otherwise: undefined })?.limits).toEqual({
      packages: ['maven/com.acme.pay/*'],
    })
  })

  test.each([
    [{}],
    [{ groups: [] }],
    [{ groups: 'engineers,release-managers' }],
    [{ groups: [['engineers']] }],
    [{ groups: { engineers: true } }],
    [{ Groups: ['engineers'] }],
    [{ groups: ['Engineers'] }],
    [{ realm: [{ roles: 'owner' }] }],
  ])('is none for %j, unless everybody gets one', (claims) => {
    expect(matchRole(claims, { rules, otherwise: undefined })).toBeUndefined()
    expect(matchRole(claims, { rules, otherwise: 'viewer' })?.roles).toEqual(['viewer'])
  })

  test('never comes from what a name inherits', () => {
    expect(valuesOf({}, 'constructor.name')).toEqual([])
    expect(valuesOf({}, '__proto__')).toEqual([])
  })

  test("exists only where a claim has a rule's value, whatever else came", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (claims) => {
        const found = matchRole(claims, { rules, otherwise: undefined })
        const fits = rules.some(({ claim, value }) => valuesOf(claims, claim).includes(value))
        expect(found !== undefined).toBe(fits)
      }),
    )
  })
})
