import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import { type PlainServer, startPlainServer } from '../plain-server.test-support.ts'
import type { Identity } from '../sessions.ts'
import { createOidcSignIn } from './oidc.ts'
import { keptOf } from './oidc-identity.ts'

const before: Identity = {
  user: { name: 'ann', roles: ['viewer'] },
  kind: 'person',
  subject: 'issuer#ann',
  claims: { sub: 'ann', groups: ['engineers'] },
  rule: '',
  sealed: JSON.stringify({ refreshToken: 'one', checkedAt: 0 }),
}

/** A provider whose refresh tokens are good once, and answered when `answer` says so. */
async function start() {
  const keys = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k', alg: 'ES256' }
  const clock = createManualClock(Date.now())
  const asked: string[] = []
  let held: (() => void)[] = []
  const server: PlainServer = await startPlainServer(({ url, body }, response) => {
    const issuer = server.url.origin
    const json = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (url === '/jwks') json(200, { keys: [jwk] })
    else if (url !== '/token') {
      const id_token_signing_alg_values_supported = ['ES256']
      const found = { token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` }
      json(200, { issuer, ...found, id_token_signing_alg_values_supported })
    } else {
      const token = new URLSearchParams(body).get('refresh_token') ?? ''
      const isUsed = asked.includes(token)
      asked.push(token)
      held.push(() => {
        if (isUsed) {
          json(400, { error: 'invalid_grant' })
          return
        }
        const time = Math.floor(Date.now() / 1000)
        void new SignJWT({ groups: ['engineers'] })
          .setProtectedHeader({ alg: 'ES256', kid: 'k' })
          .setIssuer(issuer)
          .setAudience('sightline')
          .setSubject('ann')
          .setIssuedAt(time)
          .setExpirationTime(time + 300)
          .sign(keys.privateKey)
          .then((id_token) => {
            const refresh_token = `${token}+`
            json(200, { access_token: 'a', token_type: 'bearer', id_token, refresh_token })
          })
      })
    }
  })
  onTestFinished(server.close)
  const signIn = createOidcSignIn({
    settings: {
      issuer: server.url,
      clientId: 'sightline',
      clientSecret: undefined,
      scopes: 'openid',
    },
    roles: {
      rules: [{ claim: 'groups', value: 'engineers', role: 'viewer' }],
      otherwise: undefined,
    },
    publicUrl: new URL('https://dash.example'),
    sessionSecret: 'a secret of the tests, long enough',
    database: await memoryDatabase(),
    clock,
    random: () => 0,
    logger: pino({ level: 'silent' }),
    audit: { record: () => undefined },
    redact: (text) => text,
    secrets: { add: () => undefined, learn: () => undefined },
  })
  onTestFinished(signIn.close)
  const request = { headers: new Headers(), rawHeaders: [], body: new Uint8Array(), address: '' }
  const renew = async (identity: Identity): Promise<Identity> => {
    clock.advance(60_000)
    return (await signIn.renew?.(identity, { ...request, from: null })) ?? identity
  }
  /** Renews while the provider says nothing for too long. */
  const renewInVain = async (identity: Identity): Promise<Identity> => {
    const renewed = renew(identity)
    await expect.poll(() => held.length).toBe(1)
    clock.advance(10_000)
    return renewed
  }
  // Until its metadata has been read no session is renewed.
  const state = (): Promise<unknown> =>
    signIn.signIn({ ...request, from: null }).catch((error: unknown) => error)
  await expect
    .poll(state)
    .toMatchObject({ problem: { detail: expect.stringMatching(/^Sign in to use/) as unknown } })
  return {
    asked,
    renew,
    renewInVain,
    answer: () => {
      for (const each of held) each()
      held = []
    },
    lose: () => {
      server.server.closeAllConnections()
      held = []
    },
  }
}

test('a refresh token that is answered too late is not sent again: the next renewal has the answer', async () => {
  const { asked, renewInVain, renew, answer } = await start()
  const first = await renewInVain(before)
  expect(first).toMatchObject({
    user: { name: 'ann' },
    rule: expect.stringContaining('engineers') as unknown,
  })
  expect(keptOf(first)?.refreshToken).toBe('one')
  answer()
  expect(keptOf(await renew(first))?.refreshToken).toBe('one+')
  expect(asked).toEqual(['one'])
})

test('where the answer is lost, and with it the token, the session ends so that signing in again goes by itself', async () => {
  const { renewInVain, renew, answer, lose } = await start()
  const first = await renewInVain(before)
  lose()
  // The first one may still wait for the answer that was lost.
  const renewing = renew(first)
    .then(renew, (error: unknown) => error)
    .catch((error: unknown) => error)
  const interval = setInterval(answer, 5)
  onTestFinished(() => {
    clearInterval(interval)
  })
  const fault = await renewing
  if (!(fault instanceof ProblemError)) throw new Error('it goes on')
  expect(fault.problem).toMatchObject({
    status: 401,
    again: true,
    detail: expect.stringMatching(/^Your session couldn't be renewed/) as unknown,
  })
})
