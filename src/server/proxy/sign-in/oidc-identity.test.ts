import { createServer } from 'node:http'
import { createLocalJWKSet } from 'jose'
import { allowInsecureRequests, Configuration, None } from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Loopback, onLoopback } from '../../../free-port.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Provider } from './oidc-connection.ts'
import { identifyBy, NoRole } from './oidc-identity.ts'

// A user info endpoint that answers what it is told to, and nothing else of a provider.

let server: Loopback
let info: Record<string, unknown> = {}
let provider: Provider
const issuer = new URL('https://login.example.com')
const noKeys = createLocalJWKSet({ keys: [] })

beforeAll(async () => {
  const http = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(info))
  })
  server = await onLoopback(http)
  const metadata = {
    issuer: issuer.href,
    userinfo_endpoint: `${server.url}/userinfo`,
  }
  const configuration = new Configuration(metadata, 'sightline', {}, None())
  allowInsecureRequests(configuration)
  provider = { configuration, patient: configuration, withKeys: (verify) => verify(noKeys) }
})
afterAll(() => server.close())

const identify = identifyBy({
  settings: { issuer, clientId: 'sightline', clientSecret: undefined, scopes: 'openid' },
  roles: {
    rules: [
      { claim: 'groups', value: 'release-managers', role: 'releaser' },
      { claim: 'department', value: 'engineering', role: 'viewer' },
    ],
    otherwise: undefined,
  },
  clock: createManualClock(1_780_000_000_000),
  redact: (text) => text.replaceAll('hush', '[secret]'),
})

const signedIn = (claims: Record<string, unknown>) =>
  identify(provider, { access_token: 'a', claims: () => ({ sub: 'ann', ...claims }) })

/** A renewal whose answer has no ID token, as many providers leave it out. */
const renewed = async (before: ReturnType<typeof signedIn>) =>
  identify(provider, { access_token: 'b', claims: () => undefined }, await before)

test('a group that only the user info names is gone when the user info is without it', async () => {
  info = { sub: 'ann', groups: ['release-managers'] }
  const before = signedIn({})
  expect((await before).user.roles).toEqual(['releaser'])
  info = { sub: 'ann' }
  await expect(renewed(before)).rejects.toThrow(NoRole)
})

test('a claim of the ID token stays through renewals that bring none', async () => {
  info = { sub: 'ann', groups: ['release-managers'] }
  const before = signedIn({ department: 'engineering' })
  expect((await before).user.roles).toEqual(['releaser'])
  info = { sub: 'ann', groups: [] }
  const after = renewed(before)
  expect((await after).user.roles).toEqual(['viewer'])
  info = { sub: 'ann', groups: ['release-managers'] }
  expect((await renewed(after)).user.roles).toEqual(['releaser'])
})

test('no claim shows a secret that the provider sends back', async () => {
  info = { sub: 'ann', groups: ['release-managers'] }
  const { claims } = await signedIn({ department: 'engineering', note: { was: ['hush!'] } })
  expect(claims).toMatchObject({ department: 'engineering', note: { was: ['[secret]!'] } })
  info = { sub: 'ann' }
  await expect(signedIn({ note: 'hush' })).rejects.toMatchObject({
    claims: { note: '[secret]' },
  })
})
