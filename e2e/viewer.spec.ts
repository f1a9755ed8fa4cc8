import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { headline } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** What somebody sees who may only read, and what an admin reads of what others did. */

const shop = 'registry.acme.example/shop'
const mayNot = 'Requires the role releaser or admin. Your role is viewer.'

function scanOf(version: string): string {
  const sha256 = createHash('sha256').update(`oci checkout ${version}`).digest('hex')
  const search = new URLSearchParams({ sha256, repository: shop })
  return `/packages/oci/checkout/${version}/policy-scans/release?${search.toString()}`
}

/** Signed in by an access token, at the page that was opened first. */
async function signedIn(browser: Browser, address: string, token: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(address)
  await page.getByRole('textbox', { name: 'Access token' }).fill(token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Sign in' })).toBeHidden()
  return page
}

test('a viewer sees the last recorded results and who may do more; an admin reads, filters and exports who did what', async ({
  browser,
  sightline,
}, testInfo) => {
  const tokens = { ada: `slt_${'A'.repeat(4)}${randomSecret()}`, vic: `slt_${randomSecret()}` }
  const config = testInfo.outputPath('sightline.yaml')
  const user = (name: 'ada' | 'vic', role: string) => {
    const sha256 = createHash('sha256').update(tokens[name]).digest('hex')
    const token = `{sha256: ${sha256}, prefix: ${tokens[name].slice(0, 8)}, created: 2026-01-01, expires: 2026-12-31}`
    return `  - {name: ${name}, role: ${role}, tokens: [${token}]}`
  }
  writeFileSync(config, `users:\n${user('ada', 'admin')}\n${user('vic', 'viewer')}\n`)
  const { url } = await sightline({
    SIGHTLINE_SIGN_IN: 'tokens',
    SIGHTLINE_CONFIG: config,
    SIGHTLINE_SESSION_SECRET: randomSecret(),
    SIGHTLINE_EMBEDDED_RATE: '0',
  })

  const admin = await signedIn(browser, `${url}${scanOf('2.4.0')}`, tokens.ada)
  await admin.getByRole('button', { name: 'Evaluate' }).click()
  await expect(headline(admin)).toHaveText(/of 6 policies/)
  await expect(admin.getByRole('button', { name: 'Evaluate again' })).toBeEnabled()

  const viewer = await signedIn(browser, `${url}${scanOf('2.4.0')}`, tokens.vic)
  const posted: string[] = []
  viewer.on('request', (request) => {
    if (request.method() === 'POST') posted.push(new URL(request.url()).pathname)
  })
  await test.step('the page of a scan shows its last run, and nothing is evaluated', async () => {
    await expect(headline(viewer)).toHaveText(/of 6 policies/)
    await expect(viewer.getByTestId('last-run')).toHaveText(
      new RegExp(`^The last recorded run, by ada. ${mayNot}`),
    )
    const evaluate = viewer.getByRole('button', { name: 'Evaluate', exact: true })
    await expect(evaluate).toHaveAttribute('aria-disabled', 'true')
    await expect(evaluate).toHaveAccessibleDescription(new RegExp(mayNot))
    await evaluate.hover()
    await expect(viewer.getByRole('tooltip').filter({ hasText: mayNot })).toBeVisible()
    await expectAccessibleWideAndNarrow(viewer)
  })
  await test.step('a scan that nobody has evaluated says so', async () => {
    await viewer.goto(`${url}${scanOf('2.3.0')}`)
    await expect(headline(viewer)).toHaveText(/^No recorded run of release for pkg:oci\/checkout@2/)
    await expect(viewer.getByRole('button', { name: 'Evaluate' })).toHaveAttribute(
      'aria-disabled',
      'true',
    )
  })
  await test.step('a board shows recorded results and cannot be evaluated', async () => {
    await viewer.goto(`${url}/board/release`)
    await expect(viewer.getByText(/, oldest result /)).toBeVisible()
    const evaluate = viewer.getByRole('button', { name: /^Evaluate \d+ missing$/ })
    await expect(evaluate).toHaveAttribute('aria-disabled', 'true')
    await viewer.keyboard.press('r')
  })
  await test.step('nothing can be published', async () => {
    await viewer.goto(`${url}/publish`)
    const publish = viewer.getByRole('button', { name: 'Publish…' })
    await expect(publish).toHaveAttribute('aria-disabled', 'true')
    await expect(publish).toHaveAccessibleDescription(new RegExp(mayNot))
  })
  await test.step('the activity page says who reads the audit log', async () => {
    await viewer.goto(`${url}/activity?show=actions`)
    await expect(viewer.getByText(/are in the audit log\. Requires the role admin\./)).toBeVisible()
    await expect(viewer.getByRole('link', { name: 'Audit log' })).toHaveCount(0)
    await viewer.goto(`${url}/activity?show=audit`)
    await expect(viewer.getByText("You can't read the audit log.")).toBeVisible()
  })
  expect(
    posted.filter((path) => !['/session', '/history/evaluations/latest'].includes(path)),
  ).toEqual([])

  const refused = await fetch(`${url}/upstream/governor${new URL(scanOf('2.3.0'), url).pathname}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.vic}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(refused.status).toBe(403)

  await test.step('an admin reads, filters and exports what was done and refused', async () => {
    await admin.goto(`${url}/activity`)
    await admin.getByRole('link', { name: 'Audit log' }).click()
    const rows = admin.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
    await expect(rows.filter({ hasText: 'Settings loaded' })).toHaveCount(1)
    await expect(rows.filter({ hasText: 'Evaluated release' })).toContainText('ada')
    await admin.getByLabel('Outcome').selectOption('refused')
    await expect(admin).toHaveURL(/outcome=refused/)
    await expect(rows.filter({ hasText: 'Access refused' })).toContainText('vic')
    await admin.getByLabel('Name').fill('nobody')
    await admin.getByRole('button', { name: 'Show' }).click()
    await expect(admin.getByText('No actions match.')).toBeVisible()
    await admin.goto(`${url}/activity?show=audit`)
    await expect(rows.first()).toBeVisible()
    await expectAccessibleWideAndNarrow(admin)
    await admin.getByRole('button', { name: 'Export' }).click()
    const started = admin.waitForEvent('download')
    await admin.getByRole('menuitem', { name: /^CSV/ }).click()
    const csv = readFileSync(await (await started).path(), 'utf8')
    expect(csv).toContain('person,ada,evaluated,done,/packages/oci/checkout/2.4.0')
    expect(csv).toContain(',vic,access-refused,refused,')
    for (const token of Object.values(tokens)) expect(csv).not.toContain(token)
  })
})

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}
