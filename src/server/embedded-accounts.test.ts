import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryDatabase } from './store/memory-database.test-support.ts'
import { readAccounts } from './embedded/credentials.ts'
import { openSigner } from './embedded/governor/publish.ts'
import { usualPolicies } from './embedded/governor/usual-policies.ts'
import { build } from './embedded/seed.test-support.ts'
import { serve, type Serving } from './embedded/serving.test-support.ts'

const file = `
projectAccessControl: true
accounts:
  - { user: ada, password: "pass:word", accessKey: key-of-ada, permissions: all, projects: [shop, bank] }
  - { user: reader, accessKey: key-of-reader, permissions: [accessBuildDataViaApi], projects: [shop] }
  - { user: exporter, password: secret, accessKey: key-of-exporter, permissions: [exportData] }
  - { user: late, accessKey: key-of-late, accessKeyExpiresAt: 1970-01-01T01:16:40Z, permissions: all }
  - { user: gone, accessKey: key-of-gone, accessKeyExpiresAt: 1970-01-01T00:00:01Z, permissions: all }
  - { user: maven, password: m, permissions: [], packages: [/packages/maven/*] }
  - { user: shop, password: s, permissions: [], repositories: [registry.example.com/shop] }
`

const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`
const callers: Readonly<Record<string, string>> = {
  nobody: '',
  ada: 'Bearer key-of-ada',
  'ada by password': basic('ada:pass:word'),
  'ada in base64': `Bearer ${Buffer.from('key-of-ada').toString('base64')}`,
  reader: 'Bearer key-of-reader',
  exporter: 'Bearer key-of-exporter',
  'exporter by password': basic('exporter:secret'),
  late: 'Bearer key-of-late',
  gone: 'Bearer key-of-gone',
  stranger: 'Bearer key-of-nobody',
  'a wrong password': basic('exporter:public'),
  maven: basic('maven:m'),
  shop: basic('shop:s'),
}
const sha256 = '4f2f6cf1c1b5a3b8d1d4b7ce0aa6a3e9f9a0a3d6e7c1b2a4958f0e1d2c3b4a59'
const attestation = `sha256:${sha256}/attestations/af:evidence/x`

/** What is requested, by whom, below which service, and what must be answered. */
const table = `
  GET  build-export/v2/builds/since/0                  | ada                  | 200
  GET  build-export/v2/builds/since/0                  | ada by password      | 200
  GET  build-export/v2/builds/since/0                  | ada in base64        | 200
  GET  build-export/v2/builds/since/0                  | exporter by password | 200
  GET  build-export/v2/builds/since/0                  | nobody               | 401
  GET  build-export/v2/builds/since/0                  | stranger             | 401
  GET  build-export/v2/builds/since/0                  | gone                 | 401 expired
  GET  build-export/v2/builds/since/0                  | a wrong password     | 401
  GET  build-export/v2/builds/since/0                  | reader               | 403 Export?API
  GET  build-export/v1/builds/since/0                  | reader               | 403 Export?API
  GET  build-export/v2/builds/sinceBuild/aaaaaaaaaaaaa | reader               | 403 Export?API
  GET  build-export/v2/build/aaaaaaaaaaaaa/events      | exporter             | 200
  GET  build-export/v2/build/aaaaaaaaaaaaa/events      | reader               | 403 Export?API
  GET  build-export/v2/build/aaaaaaaaaaaaa/events      | nobody               | 401
  GET  api/builds?since=0&maxBuilds=1                  | reader               | 200
  GET  api/builds?since=0                              | nobody               | 401
  GET  api/builds?since=0                              | stranger             | 401
  GET  api/builds?since=0                              | ada by password      | 401
  GET  api/builds?since=0                              | exporter             | 403 Access?build?data?via?the?API
  GET  api/builds/aaaaaaaaaaaaa                        | exporter             | 403 Access?build?data?via?the?API
  POST api/auth/token                                  | reader               | 200
  POST api/auth/token                                  | nobody               | 401
  POST api/auth/token                                  | gone                 | 401
  POST api/auth/token?permissions=exportData           | exporter             | 200
  POST api/auth/token?permissions=exportData           | reader               | 403 exportData
  POST api/auth/token?permissions=exportData,accessBuildDataViaApi | exporter | 403 accessBuildDataViaApi
  POST api/auth/token?projectIds=shop                  | reader               | 200
  POST api/auth/token?projectIds=shop,bank             | reader               | 403 bank
  POST api/auth/token?projectIds=shop&projectIds=bank  | ada                  | 200
  POST api/auth/token?expiresInHours=1                 | late                 | 200
  POST api/auth/token?expiresInHours=2                 | late                 | 403 expir
  POST packages/maven/a/b/1/policy-scans/release       | ada                  | 200
  POST packages/maven/a/b/1/policy-scans/release       | ada by password      | 200
  POST packages/maven/a/b/1/policy-scans/release       | maven                | 200
  POST packages/maven/a/b/1/policy-scans/release       | nobody               | 401 Full?authentication?is?required
  POST packages/maven/a/b/1/policy-scans/release       | stranger             | 401 Full?authentication?is?required
  POST packages/oci/b/1/policy-scans/release           | maven                | 403 Access?to?this?resource?is?forbidden
  POST packages/oci/b/1/policy-scans/release           | shop                 | 403 Access?to?this?resource?is?forbidden
  POST packages/maven/a/b/1/attestations               | maven                | 200
  POST packages/maven/a/b/1/attestations               | a wrong password     | 401 Full?authentication?is?required
  POST packages/oci/b/1/attestations                   | maven                | 403 Access?to?this?resource?is?forbidden
  POST packages/oci/b/1/attestations                   | shop                 | 403 Access?to?this?resource?is?forbidden
  GET  packages/maven/a/b/1/${attestation}             | maven                | 404 No?attestation?found
  GET  packages/maven/a/b/1/${attestation}             | nobody               | 401 Full?authentication?is?required
  GET  packages/oci/b/1/${attestation}                 | maven                | 403 Access?to?this?resource?is?forbidden
  GET  packages/oci/b/1/${attestation}                 | shop                 | 403 Access?to?this?resource?is?forbidden
  POST embedded/builds                                 | exporter             | 403 Publish?Build?Scan
`

describe('accounts of a file', () => {
  let serving: Omit<Serving, 'database'>
  beforeAll(async () => {
    const database = await memoryDatabase()
    const signer = await openSigner(database)
    serving = await serve({
      ...readAccounts(file, 'accounts.yaml'),
      database,
      governor: { signer, policies: usualPolicies(signer.publicPem) },
    })
    await serving.addAll([build('aaaaaaaaaaaaa', 1000)])
  })
  afterAll(() => serving.stop())

  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  test.each(rows)('%s by %s: %s', async (operation = '', caller = '', answer = '') => {
    const [method = '', path = ''] = operation.split(/ +/)
    const [status, ...words] = answer.split(' ')
    const response = await serving.request(`/${path}`, {
      method,
      headers: { Authorization: callers[caller] ?? '', 'Content-Type': 'application/json' },
      ...(path.startsWith('packages') && method === 'POST'
        ? { body: JSON.stringify({ sha256, repositoryUrl: 'registry.example.com/other' }) }
        : {}),
    })
    expect(response.status).toBe(Number(status))
    const text = await response.text()
    for (const word of words) expect(text).toContain(word.replaceAll('?', ' '))
    if (response.status === 401) expect(response.headers.get('WWW-Authenticate')).not.toBeNull()
  })
})

test.each([
  [
    'no key and no password',
    'accounts: [{ user: a, permissions: all }]',
    'accounts[0]: has neither',
  ],
  [
    'a permission that there is not',
    'accounts: [{ user: a, password: geheim, permissions: [fly] }]',
    'permissions',
  ],
  [
    'a misspelled right',
    'accounts: [{ user: a, password: geheim, permissions: all, repos: [x] }]',
    'repos',
  ],
  [
    'a day that there is not',
    'accounts: [{ user: a, accessKey: geheim, accessKeyExpiresAt: soon, permissions: all }]',
    'not a date',
  ],
  [
    'two of one name',
    'accounts: [{ user: a, password: geheim, permissions: all }, { user: a, password: geheim, permissions: all }]',
    'same user',
  ],
  [
    'a name with a colon',
    'accounts: [{ user: "a:b", password: geheim, permissions: all }]',
    'colon',
  ],
  ['no list', 'geheim', 'expected object'],
  ['what is no YAML', 'accounts: [{ password: "geheim', 'YAML'],
])('accounts with %s are refused in words that show no secret', (_, source, part) => {
  let message = ''
  try {
    readAccounts(source, 'accounts.yaml')
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain('accounts.yaml: ')
  expect(message).toContain(part)
  expect(message).not.toContain('geheim')
})
