import { describe, expect, test } from 'vitest'
import { readConfigFile } from '../config-file.ts'

const sha256 = 'ab'.repeat(32)
const token = `{sha256: ${sha256}, prefix: slt_Ab12cd, created: 2026-11-22, expires: 2027-02-20T12:00:00Z}`

function mistakes(text: string): readonly string[] {
  const read = readConfigFile('f', text)
  return read.ok ? [] : read.mistakes
}

test('users are read with their roles, limits and tokens', () => {
  const read = readConfigFile(
    'f',
    `users:
  - name: ann
    role: releaser
    limits: {packages: ["maven/com.acme/*"], scans: [release]}
    tokens:
      - ${token}
  - {name: bob, roles: [viewer, admin]}
`,
  )
  expect(read.ok ? read.users : read.mistakes).toEqual([
    {
      name: 'ann',
      roles: ['releaser'],
      limits: { packages: ['maven/com.acme/*'], scans: ['release'] },
      tokens: [
        {
          sha256,
          prefix: 'slt_Ab12cd',
          created: Date.UTC(2026, 10, 22),
          expires: Date.UTC(2027, 1, 20, 12),
        },
      ],
    },
    { name: 'bob', roles: ['viewer', 'admin'], tokens: [] },
  ])
})

describe('a mistake is named with its line and what to do', () => {
  test.each([
    ['{name: ann}', 'users[0] must have either role or roles.'],
    ['{name: ann, role: root}', 'users[0].role must be viewer, releaser or admin, not “root”.'],
    ['{name: ann, role: [a]}', 'users[0].role must be viewer, releaser or admin.'],
    ['{name: ann, role: admin, roles: [viewer]}', 'users[0] must have either role or roles.'],
    ['{name: ann, roles: []}', 'users[0].roles has no roles.'],
    ['{role: admin}', 'users[0].name is missing.'],
    ['{name: ann, role: admin, tokens: [slt_x]}', 'users[0].tokens[0] must have sha256,'],
    ['{name: ann, role: admin, token: x}', 'users[0].token is unknown. Did you mean tokens?'],
    [
      '{name: ann, role: admin, limits: {package: [x]}}',
      'users[0].limits.package is unknown. Did you mean packages?',
    ],
    [
      '{name: ann, role: admin, limits: {scans: []}}',
      'users[0].limits.scans has no policy scans. Remove it to allow all.',
    ],
    ...(
      [
        ['sha256: abc', 'users[0].tokens[0].sha256 must be 64 hexadecimal digits.'],
        ['prefix: ann', 'users[0].tokens[0].prefix must be the first characters of the token'],
        ['prefix: slt_Ab12cdefghijkl', 'users[0].tokens[0].prefix must be the first'],
        ['expires: 2026-11-22', 'users[0].tokens[0].expires must be after created.'],
        ['expires: 2027-13-01', "users[0].tokens[0].expires isn't a date of the calendar."],
        ['expires: 2027-02-30', "users[0].tokens[0].expires isn't a date of the calendar."],
        ['expires: in 90 days', 'users[0].tokens[0].expires must be a date such as 2027-02-20'],
        ['expires: 2028-01-01', 'users[0].tokens[0].expires is more than 366 days after created.'],
      ] as const
    ).map(([change, mistake]) => {
      const [key = ''] = change.split(':')
      const changed = token.replace(new RegExp(`${key}: [^,}]+`), change)
      return [`{name: ann, role: admin, tokens: [${changed}]}`, mistake]
    }),
    [
      `{name: ann, role: admin, tokens: [${token.replace(/, expires[^}]+/, '')}]}`,
      'users[0].tokens[0].expires is missing.',
    ],
    [
      `{name: ann, role: admin, tokens: [${token}, ${token}]}`,
      'users[0].tokens[1].sha256 is the one of users[0].tokens[0].',
    ],
  ])('%s', (user, mistake) => {
    const found = mistakes(`users:\n  - ${user}\n`)
    expect(found[0]).toContain(`f line 2: ${mistake}`)
  })

  test('two users of one name', () => {
    expect(mistakes('users: [{name: ann, role: admin}, {name: ann, role: viewer}]')).toEqual([
      'f line 1: users[1].name: users[0] is already named “ann”. Names must be unique.',
    ])
  })

  test('a token in place of its hash, which is not repeated', () => {
    const secret = `slt_${'x'.repeat(43)}`
    const [found = ''] = mistakes(
      `users: [{name: ann, role: admin, tokens: [${token.replace(sha256, secret)}]}]`,
    )
    expect(found).toContain('contains the token itself')
    expect(found).not.toContain(secret)
  })

  test.each([
    ['{header: {user: X-User}}', 'signIn.header.from must be a list of addresses.'],
    ['{header: {user: X_User, from: [::1], secretHeader: X-S}}', 'user must be the name of a'],
    ['{header: {user: X-User, from: [], secretHeader: X-S}}', 'signIn.header.from has no address'],
    ['{header: {user: X-User, from: [proxy], secretHeader: X-S}}', 'from[0] must be an IP address'],
    ['{header: {user: X-User, from: [10.0.0.0/33], secretHeader: X-S}}', 'must be an IP address'],
    [
      '{header: {user: X-User, from: [::1], secretHeader: X-S, signOutUrl: //evil}}',
      'signIn.header.signOutUrl must be a path, or a URL',
    ],
    ['{headers: {}}', 'signIn.headers is unknown. Did you mean header?'],
    ['{header: {usr: X}}', 'signIn.header.usr is unknown. Did you mean user?'],
    ['{roles: [{claim: groups, value: x}]}', 'signIn.roles[0].role is missing.'],
    ['{roles: [{claim: groups, value: x, role: screen}]}', 'or admin, not “screen”.'],
    [
      '{everyoneElse: nobody}',
      'signIn.everyoneElse must be viewer, releaser or admin, not “nobody”.',
    ],
  ])('signIn: %s', (text, mistake) => {
    expect(mistakes(`signIn: ${text}`).join('\n')).toContain(mistake)
  })
})
