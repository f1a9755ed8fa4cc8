import { expectAccessible } from './accessibility.ts'
import { expect, test } from './sightline.ts'

/** The builds that are chosen for a publication: a few that were typed, and very many. */

const named = `package=pkg%3Aoci%2Fcheckout%409.9.9&sha256=${'cd'.repeat(32)}&repository=r.example`

test('ids that were typed and not added are published of, with the one click', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/publish?${named}`)
  await page.getByLabel('Add builds by id').fill('aaaaaaaaaaaa1\naaaaaaaaaaaa2\naaaaaaaaaaaa3')
  await page.getByRole('button', { name: 'Publish…' }).click()
  await expect(page.getByRole('dialog')).toContainText('Published for 3 builds.')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByLabel('Add builds by id')).toHaveValue('')

  await test.step('removing one by keyboard moves the focus to the next one', async () => {
    await page.getByRole('button', { name: 'Remove aaaaaaaaaaaa2' }).press('Enter')
    await expect(page.getByRole('button', { name: 'Remove aaaaaaaaaaaa3' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Remove aaaaaaaaaaaa1' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByLabel('Add builds by id')).toBeFocused()
  })
})

test('a thousand pasted builds are drawn and loaded as they scroll into view, and outlast a reload', async ({
  page,
  url,
}) => {
  const asked = new Set<string>()
  page.on('request', (request) => {
    if (request.url().includes('/api/builds/a')) asked.add(request.url())
  })
  const ids = Array.from({ length: 1000 }, (_, index) => `a${String(index).padStart(12, '0')}`)
  await page.goto(`${url}/publish?${named}`)
  await page.getByLabel('Add builds by id').fill(ids.join('\n'))
  await page.getByRole('button', { name: 'Add builds' }).click()
  await expect(page.getByText('Builds: 1,000 builds selected')).toBeVisible()
  const rows = page.locator('li[data-build-id]')
  await expect(rows.first()).toContainText('unknown')
  expect(await rows.count()).toBeLessThan(40)
  await expect(rows.first()).toHaveAttribute('aria-setsize', '1000')
  expect(asked.size).toBeLessThan(40)

  await page.reload()
  await expect(page.getByText('Builds: 1,000 builds selected')).toBeVisible()
  // As long as the list is being drawn it may still grow.
  await expect(async () => {
    await page.getByRole('region', { name: 'Selected builds' }).evaluate((list) => {
      list.scrollTo({ top: list.scrollHeight })
    })
    await expect(page.locator('li[data-build-id="a000000000999"]')).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Remove all 1,000' }).press('Enter')
  await expect(page.getByLabel('Add builds by id')).toBeFocused()
  await expect(rows).toHaveCount(0)
})
