import { writeFile } from 'node:fs/promises'
import { headline } from './scan-page.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { expect, test } from './sightline.ts'

/** What an account of the embedded services may not do, on the screen and over the network. */

const accounts = `
projectAccessControl: true
accounts:
  - { user: reader, accessKey: key-of-reader, permissions: [accessBuildDataViaApi], projects: [shop], packages: [/packages/maven/*] }
  - { user: exporter, accessKey: key-of-exporter, password: secret, permissions: [exportData], repositories: [registry.example.com/none] }
`

test('an account that may not use the export stream: the builds come by the list, and it is said why', async ({
  page,
  sightline,
}, info) => {
  const path = info.outputPath('accounts.yaml')
  await writeFile(path, accounts)
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_ACCOUNTS: path,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'key-of-reader',
  })
  await page.goto(`${url}/status`)
  await expect(page.getByText(/the permission "Export API"/).first()).toBeVisible()
  await page.goto(
    `${url}/packages/oci/checkout/2.4.0/policy-scans/release?sha256=${'ab'.repeat(32)}&repository=registry.acme.example/shop`,
  )
  await page.getByRole('button', { name: 'Evaluate' }).first().click()
  await expect(headline(page)).toHaveText(/isn't allowed to read this package/)
  await page.goto(
    `${url}/packages/oci/checkout/2.4.0/sha256:${'ab'.repeat(32)}/attestations/s3:release/1`,
  )
  const refusal = page.getByRole('alert').filter({ hasText: 'Technical details' })
  await expect(refusal).toContainText("Sightline isn't allowed to show the attestation.")
  await expect(refusal).toContainText('ask an administrator of the policy service')
})

test('an account that may not use the build data API: the search names the permission', async ({
  page,
  sightline,
}, info) => {
  const path = info.outputPath('accounts.yaml')
  await writeFile(path, accounts)
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_ACCOUNTS: path,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'key-of-exporter',
  })
  await page.goto(`${url}/builds?q=${encodeURIComponent('project:checkout')}`)
  await expect(page.getByText(/permission “Access build data via the API”/).first()).toBeVisible()
})

test('rejected tokens, keys and passwords can be caused over the network', async ({
  request,
  sightline,
}, info) => {
  const path = info.outputPath('accounts.yaml')
  await writeFile(path, accounts)
  const port = await freePort()
  await sightline({ SIGHTLINE_EMBEDDED_ACCOUNTS: path, SIGHTLINE_EMBEDDED_PORT: String(port) })
  const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`
  const status = async (to: string, authorization: string, method = 'GET'): Promise<number> => {
    const headers = authorization === '' ? {} : { Authorization: authorization }
    const answer = await request.fetch(`http://127.0.0.1:${port}${to}`, { method, headers })
    return answer.status()
  }
  const reader = 'Bearer key-of-reader'
  expect(await status('/api/builds?since=0', '')).toBe(401)
  expect(await status('/api/builds?since=0', 'Bearer wrong')).toBe(401)
  expect(await status('/api/builds?since=0', basic('exporter:secret'))).toBe(401)
  expect(await status('/api/builds?since=0', reader)).toBe(200)
  expect(await status('/build-export/v2/builds/since/0', basic('exporter:secret'))).toBe(200)
  expect(await status('/build-export/v2/builds/since/0', reader)).toBe(403)
  expect(await status('/api/auth/token?permissions=exportData', reader, 'POST')).toBe(403)
  expect(await status('/api/auth/token?projectIds=bank', reader, 'POST')).toBe(403)
  expect(await status('/api/auth/token?projectIds=shop', reader, 'POST')).toBe(200)
})

test('accounts that cannot be read stop the start, and no secret is shown', async ({
  sightline,
}, info) => {
  const path = info.outputPath('accounts.yaml')
  await writeFile(path, 'accounts: [{ user: a, password: geheim, permissions: [fly] }]')
  const started = sightline({ SIGHTLINE_EMBEDDED_ACCOUNTS: path })
  await expect(started).rejects.toThrow(/SIGHTLINE_EMBEDDED_ACCOUNTS .*permissions/)
  await expect(started).rejects.not.toThrow(/geheim/)
})
