import { headline } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** A release manager: may checkout 2.4.0 go to production, and who must do what for the rest? */

test('a release manager finds out what fails, whose it is and what was not checked, in a few clicks', async ({
  page,
  sightline,
}, { annotations }) => {
  const { url } = await sightline()
  let clicks = 0
  const click = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
    clicks += 1
    await page.getByRole(role, { name }).first().click()
  }
  await page.goto(`${url}/board/release`)
  await click(/^Evaluate all/)
  await expect(headline(page)).toHaveText(/^6 of 12 packages can't be released: /)

  await test.step('why, and whose it is, stands on top', async () => {
    const causes = page.getByRole('region', { name: 'Why packages fail' })
    const repositories = causes.locator('[data-policy-uri$="/approved-repositories"]')
    await click(/^Show all \d/)
    await expect(repositories).toContainText('owner security fails 2 packages')
    await click('Show these: approved-repositories')
    await expect(page.locator('tr[data-package]')).toHaveCount(2)
    await click(/^https:\/\/jitpack\.io\/ \(1\)$/)
    await expect(page.locator('tr[data-package]')).toHaveCount(1)
    await page.reload()
    await expect(page.locator('tr[data-package]')).toHaveCount(1)
    await expect(page.locator('tr[data-package]')).toHaveAttribute(
      'data-package',
      'pkg:oci/shop-android@11.0.0',
    )
    await click(/^Remove the filter/)
  })

  await test.step('what has evidence, and what lacks it', async () => {
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('evidence')
    const evidence = page.getByRole('region', { name: 'Evidence', exact: true })
    const outage = '**/attestations/**'
    await page.route(outage, (route) => route.abort())
    await page.getByRole('button', { name: 'Check evidence of 12 packages' }).click()
    await expect(evidence.getByRole('status')).toContainText(
      'Not all evidence of 12 packages could be loaded.',
    )
    await page.unroute(outage)
    await click('Check evidence of 12 packages')
    const provenance = page.locator('[data-scan="SLSA provenance v1"]')
    await expect(
      page.locator('tr[data-package="pkg:oci/checkout@2.4.0"]').locator(provenance),
    ).toHaveText('valid')
    await expect(
      page.locator('tr[data-package="pkg:oci/checkout@2.3.0"]').locator(provenance),
    ).toHaveText('missing')
  })

  await test.step('the scan is found by its name, and says what was not checked', async () => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find' }).fill('checkout@2.4.0 production')
    const found = page.getByRole('listbox', { name: 'Results' })
    await expect(found.getByRole('option', { selected: true })).toHaveAccessibleName(
      /^pkg:oci\/checkout@2\.4\.0 production/,
    )
    await page.keyboard.press('Enter')
    await expect(headline(page)).toHaveText(
      'Releasable, but 1 high-severity policy was not checked: 4 of 5 policies satisfied, 1 not applicable.',
    )
    await expect(headline(page)).toHaveAttribute('data-tone', 'waiting')
  })

  await test.step('what changed since 2.3.0, in policies and in evidence', async () => {
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('Version 2.3.0')
    await expect(page.getByTestId('comparison')).toContainText('fixed')
    await expect(page.locator('[data-policy-uri$="/provenance-present"]')).toContainText(
      'unsatisfied → satisfied',
    )
    await click('Compare attestations')
    const differences = page.getByRole('region', { name: 'What the attestations say differently' })
    await expect(differences).toContainText('Version 2.3.0')
  })
  annotations.push({ type: 'clicks', description: String(clicks) })
  expect(clicks).toBeLessThanOrEqual(7)
})
