import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createHeaderSignIn } from './header-sign-in.ts'

// What a socket on loopback cannot show; the headers themselves are in hostile-requests.test.ts.

const options: Parameters<typeof createHeaderSignIn>[0] = {
  settings: { user: 'X-User', from: ['10.0.0.0/24', '::1'], secretHeader: 'X-Proof' },
  secret: { reveal: () => 'the secret' },
  roles: { rules: [{ claim: 'user', value: 'ann', role: 'admin' }], otherwise: 'viewer' },
  logger: pino({ level: 'silent' }),
}
const signIn = createHeaderSignIn(options)

const request = (address: string | undefined, name = 'ann') => ({
  headers: new Headers(),
  rawHeaders: ['x-user', name, 'X-PROOF', 'the secret', 'X-Forwarded-For', '10.0.0.7'],
  body: new Uint8Array(),
  address,
  from: null,
})

test.each(['10.0.0.7', '::ffff:10.0.0.7', '::1'])(
  'a connection from %s is believed',
  async (address) => {
    expect(await signIn.signIn(request(address))).toMatchObject({
      user: { name: 'ann', roles: ['admin'] },
      subject: 'ann',
      rule: 'user contains “ann”: admin',
    })
  },
)

test.each(['10.0.1.7', '127.0.0.1', '::ffff:127.0.0.1', '', undefined])(
  'a connection from %s is not, whatever it says of itself',
  async (address) => {
    await expect(signIn.signIn(request(address))).rejects.toMatchObject({ status: 401 })
  },
)

test('a session ends when its cookie comes with another name, or with none that is believed', async () => {
  const before = await signIn.signIn(request('::1'))
  expect(signIn.isStill?.(before, request('::1'))).toBe(true)
  expect(signIn.isStill?.(before, request('::1', 'bob'))).toBe(false)
  expect(signIn.isStill?.(before, request('10.0.1.7'))).toBe(false)
})

test('a request that names somebody else than the user of its session is refused, one that names nobody or several is not', () => {
  const names = ['ann', 'bob', ' ann ', '', 'Ann']
  const others = names.map((name) =>
    signIn.isOthers?.({ name: 'ann', roles: [] }, request('', name)),
  )
  expect(others).toEqual([false, true, false, false, true])
  expect(signIn.isOthers?.({ name: 'ann', roles: [] }, { rawHeaders: [] })).toBe(false)
  const twice = { rawHeaders: ['X-User', 'bob', 'x-user', 'ann'] }
  expect(signIn.isOthers?.({ name: 'ann', roles: [] }, twice)).toBe(false)
})

test('whose headers name nobody, or somebody without a role, is told that, and not where to open Sightline', async () => {
  for (const name of ['', 'ann,bob', 'j\u00f3zef']) {
    await expect(signIn.signIn(request('::1', name))).rejects.toMatchObject({
      status: 401,
      message: expect.stringContaining('sent no user name that can be used') as string,
    })
  }
  const strict = createHeaderSignIn({
    ...options,
    settings: { ...options.settings, signOutUrl: '/out' },
    roles: { ...options.roles, otherwise: undefined },
  })
  await expect(strict.signIn(request('::1', 'eve'))).rejects.toMatchObject({
    status: 403,
    problem: {
      failure: {
        detail:
          'You are signed in as eve with no groups, which gives no role in Sightline. Ask your administrator for access.',
        claims: { user: 'eve', groups: [] },
      },
      endSessionUrl: '/out',
    },
  })
})
