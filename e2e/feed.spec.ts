import type { Page } from '@playwright/test'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { writeQuery } from './query-field.ts'
import { complaintsOf, expect, test } from './sightline.ts'

const buildRows = (page: Page) => page.locator('[data-build-id]')

test('builds are there at once, and more arrive while a person watches', async ({ page, url }) => {
  const complaints = complaintsOf(page, ['error'])
  await page.goto(url)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('in the last minute')
  const first = await buildRows(page).first().getAttribute('data-build-id')
  // Read at one moment: before long the row is below those that are drawn.
  const placeOfFirst = (): Promise<number> =>
    buildRows(page).evaluateAll(
      (rows, id) => rows.findIndex((row) => row.getAttribute('data-build-id') === id),
      first,
    )
  await expect.poll(placeOfFirst).toBeGreaterThan(0)
  await expect(page.locator('[data-build-id][data-outcome="succeeded"]').first()).toBeVisible()
  expect(complaints).toEqual([])
})

test('a click on a minute of the chart shows the builds of that minute', async ({ page, url }) => {
  await page.goto(url)
  const chart = page.getByRole('img', { name: /^Builds per minute, / })
  const minutes = page.getByRole('table', { name: /^Builds per minute, / }).locator('tbody tr')
  await expect(minutes).toHaveCount(60)
  await expect(buildRows(page).first()).toBeVisible()
  let chosen = ''
  // The minutes move on while one is looked for.
  await expect(async () => {
    const counts = await minutes.evaluateAll((rows) =>
      rows.map((row) => {
        const [label = '', ...values] = Array.from(row.children, (cell) => cell.textContent)
        return { label, builds: values.reduce((sum, value) => sum + Number(value), 0) }
      }),
    )
    const most = Math.max(...counts.slice(0, 50).map(({ builds }) => builds))
    const index = counts.findIndex(({ builds }) => builds === most)
    chosen = counts[index]?.label ?? ''
    const { width = 0, height = 0 } = (await chart.boundingBox()) ?? {}
    await chart.hover({ position: { x: (width * (index + 0.5)) / 60, y: height / 2 } })
    await expect(chart.getByText(chosen)).toBeVisible({ timeout: 1000 })
  }).toPass()
  await expect(chart.getByText('Click to show these builds')).toBeVisible()
  await page.mouse.down()
  await page.mouse.up()
  const current = page.locator('[data-current]')
  await expect(current).toBeInViewport()
  await expect(current.locator('time')).toHaveAttribute('datetime', new RegExp(`T${chosen}:`))
  await expect(page).toHaveURL(url)
})

test('pausing holds the list still and counts on; resuming shows all', async ({ page, url }) => {
  await page.goto(url)
  await expect(buildRows(page).first()).toBeVisible()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText('Paused', { exact: true })).toBeVisible()
  const held = await buildRows(page).first().getAttribute('data-build-id')
  await expect(page.getByRole('button', { name: /\d+ new/ })).toBeVisible()
  await expect(buildRows(page).first()).toHaveAttribute('data-build-id', String(held))
  await page.getByRole('button', { name: /\d+ new/ }).click()
  await expect(page.getByText('Paused', { exact: true })).toBeHidden()
  await expect(buildRows(page).first()).not.toHaveAttribute('data-build-id', String(held))
})

test('a filter is a link', async ({ page, url }) => {
  await page.goto(`${url}/?outcome=failed`)
  await expect(page.getByRole('button', { name: /Outcome: failed/ })).toBeVisible()
  await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible()
  await expect(page.locator('[data-build-id][data-outcome="succeeded"]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(`${url}/`)
  await expect(page.locator('[data-build-id][data-outcome="succeeded"]').first()).toBeVisible()
})

test('a query that is too long for an address is followed after a reload, and from a search', async ({
  page,
  url,
}) => {
  const many = Array.from({ length: 500 }, (_, index) => `project:unknown-${index}`)
  const field = page.getByRole('textbox', { name: 'Query to follow' })
  const isFollowed = async (): Promise<void> => {
    await expect(page).toHaveURL(/\/#\?q=/)
    await expect(page.getByText(/unknown-11 or 488 more/)).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('No builds match.')
  }
  await page.goto(url)
  await page.getByRole('button', { name: /^Follow a query/ }).click()
  await writeQuery(field, many.join(' or '))
  await page.getByRole('button', { name: 'Follow', exact: true }).click()
  await isFollowed()
  await page.reload()
  await isFollowed()
  await page.goto(`${url}/builds#?q=${encodeURIComponent(many.join(' or '))}`)
  const watch = page.getByRole('link', { name: 'Watch live' })
  const opened = page.context().waitForEvent('page')
  await watch.click({ modifiers: ['ControlOrMeta'] })
  await expect(await opened).toHaveURL(/\/#\?q=/)
  await page.getByRole('link', { name: 'Trends' }).press('Shift')
  await expect(page.getByRole('link', { name: 'Trends' })).toHaveAttribute('href', /^\S+#\?q=/)
  await watch.click()
  await isFollowed()
})

test('everything is reached by keyboard: pause, a build, the palette, the list of keys', async ({
  page,
  url,
}) => {
  await page.goto(url)
  await expect(buildRows(page).first()).toBeVisible()
  await page.keyboard.press('p')
  await expect(page.getByText('Paused', { exact: true })).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.locator('[data-build-id] a:focus')).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: /^Build / })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('complementary')).toBeHidden()
  await expect(page.locator('[data-build-id] a:focus')).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/builds\/[a-z0-9]{13}$/)
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/^(?:Succeeded|Failed)/)
  await page.goBack()
  await expect(page.getByRole('table', { name: 'Builds, newest first' })).toBeVisible()
  await expect(buildRows(page).first()).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Find' })).toBeFocused()
  await page.keyboard.type('status')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${url}/status`)
})

test('what is typed after "/" is looked for, and no key of the page acts on it', async ({
  page,
  url,
}) => {
  await page.goto(url)
  await expect(buildRows(page).first()).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('payments')
  await expect(page.getByRole('combobox', { name: 'Add filter' })).toHaveValue('payments')
  await expect(page.getByText('Paused', { exact: true })).toBeHidden()
})

test('going back leads to where one was on the page', async ({ page, url }) => {
  await page.goto(`${url}/builds`)
  await expect(buildRows(page).nth(8)).toBeVisible()
  const table = page.getByRole('table', { name: 'Builds, newest first' })
  for (let key = 0; key < 60; key += 1) await page.keyboard.press('j')
  const link = page.locator('[data-build-id] a:focus')
  await expect(link).toBeVisible()
  const opened = await link.getAttribute('href')
  const top = await table.evaluate(({ scrollTop }) => scrollTop)
  expect(top).toBeGreaterThan(500)
  await page.keyboard.press('Enter')
  await expect(page).toHaveTitle(`${String(opened).slice('/builds/'.length)} · Build · Sightline`)
  await page.goBack()
  await expect.poll(() => table.evaluate(({ scrollTop }) => scrollTop)).toBe(top)
})

test('axe finds nothing on the feed and the status page, wide and narrow', async ({
  page,
  url,
}) => {
  await page.goto(url)
  await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
  await page.goto(`${url}/status`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
})

test('a finger on a minute of the chart shows its builds', async ({ browser, url }) => {
  const context = await browser.newContext({
    hasTouch: true,
    viewport: { width: 768, height: 1024 },
  })
  const page = await context.newPage()
  await page.goto(url)
  const chart = page.getByRole('img', { name: /^Builds per minute, (?:last hour|since)/ })
  await expect(chart).toBeVisible()
  await chart.tap()
  const shown = page.locator('[data-current]')
  await expect(shown.or(page.getByText('No builds to show.'))).toBeVisible()
  await context.close()
})

test('an address that does not exist says what does', async ({ page, url }) => {
  await page.goto(`${url}/nowhere`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Page not found')
  await page.getByRole('main').getByRole('link', { name: 'Feed' }).click()
  await expect(page).toHaveURL(`${url}/`)
})
