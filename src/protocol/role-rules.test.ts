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

  const a = { packages: ['maven/a/*'] }
  const b = { packages: ['maven/b/*'] }
  const both = { packages: ['maven/a/*', 'maven/b/*'] }
  const snapshot = { scans: ['snapshot'] }
  const release = { scans: ['release'] }
  test.each<[string, [RoleRule['role'], RoleRule['limits']][], RoleRule['limits'], number[]]>([
    [
      'two teams',
      [
        ['releaser', a],
        ['releaser', b],
      ],
      both,
      [0, 1],
    ],
    [
      'the same limits',
      [
        ['releaser', a],
        ['releaser', a],
      ],
      a,
      [0],
    ],
    [
      'a narrower one',
      [
        ['releaser', a],
        ['releaser', { ...a, ...release }],
      ],
      a,
      [0],
    ],
    [
      'a wider one',
      [
        ['releaser', { ...a, ...release }],
        ['releaser', a],
      ],
      a,
      [0, 1],
    ],
    [
      'one scan of two teams',
      [
        ['releaser', { ...a, ...release }],
        ['releaser', { ...b, ...release }],
      ],
      { ...both, ...release },
      [0, 1],
    ],
    [
      'limits that no others are the sum of',
      [
        ['releaser', { ...a, ...release }],
        ['releaser', { ...b, ...snapshot }],
      ],
      { ...a, ...release },
      [0],
    ],
    [
      'packages here, scans there',
      [
        ['releaser', a],
        ['releaser', release],
      ],
      a,
      [0],
    ],
    [
      'a limited admin who may release all',
      [
        ['admin', { ...a, ...release }],
        ['releaser', undefined],
      ],
      undefined,
      [0, 1],
    ],
    [
      'an admin of one team who releases another',
      [
        ['admin', a],
        ['releaser', b],
      ],
      both,
      [0, 1],
    ],
    [
      'a viewer of everything',
      [
        ['releaser', a],
        ['viewer', undefined],
      ],
      a,
      [0],
    ],
  ])('has the limits of all rules that let somebody release: %s', (_what, given, limits, from) => {
    const fitting = given.map(([role, of], at) => ({
      ...{ claim: 'groups', value: String(at), role },
      ...(of && { limits: of }),
    }))
    const found = matchRole({ groups: ['0', '1'] }, { rules: fitting, otherwise: undefined })
    expect([found?.limits, found?.rule]).toEqual([
      limits,
      from.map((at) => `groups contains “${at}”: ${given[at]?.[0]}`).join('; '),
    ])
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
