import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { person, signedIn, signInWithTokens } from './people.ts'
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

test('a viewer sees the last recorded results and who may do more; an admin reads, filters and exports who did what', async ({
  browser,
  sightline,
}, testInfo) => {
  const ada = person('ada', 'admin')
  const vic = person('vic', 'viewer')
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), [ada, vic]),
    SIGHTLINE_EMBEDDED_RATE: '0',
  })

  const admin = await signedIn(browser, `${url}${scanOf('2.4.0')}`, ada)
  await admin.getByRole('button', { name: 'Evaluate' }).click()
  await expect(headline(admin)).toHaveText(/of 6 policies/)
  await expect(admin.getByRole('button', { name: 'Evaluate again' })).toBeEnabled()

  const viewer = await signedIn(browser, `${url}${scanOf('2.4.0')}`, vic)
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
    // Where the button moves away from the pointer, what it says goes away, too.
    await expect(async () => {
      await viewer.mouse.move(0, 0)
      await evaluate.hover()
      const tooltip = viewer.getByRole('tooltip').filter({ hasText: mayNot })
      await expect(tooltip).toBeVisible({ timeout: 2000 })
    }).toPass()
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
    await expect(viewer.getByRole('note')).toContainText(
      `You can't publish attestations. ${mayNot}`,
    )
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
    headers: { authorization: `Bearer ${vic.token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(refused.status).toBe(403)

  await test.step('an admin reads, filters and exports what was done and refused', async () => {
    await admin.goto(`${url}/activity`)
    await admin.getByRole('link', { name: 'Audit log' }).click()
    const rows = admin.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
    await expect(rows.filter({ hasText: 'Settings loaded' })).toHaveCount(1)
    await expect(rows.filter({ hasText: 'Evaluated' })).toContainText(
      /ada.*release\. pkg:oci\/checkout@2\.4\.0/,
    )
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
    for (const { token } of [ada, vic]) expect(csv).not.toContain(token)
  })
})
