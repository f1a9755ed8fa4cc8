import type { Page } from '@playwright/test'
import { expectAccessible, expectAccessibleWideAndNarrow } from './accessibility.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { expect, test } from './sightline.ts'

const tokenOn = (page: Page) => page.getByTestId('access-token')

test('nothing in the menu behind the name moves once it is known that there are tokens', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_CREATE_TOKENS: 'on' })
  let answer = (): void => undefined
  const known = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/config', async (route) => {
    await known
    await route.continue()
  })
  await page.goto(`${url}/decode`)
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  const last = page.getByRole('menuitemradio', { name: 'Dark' })
  const before = await last.boundingBox()
  answer()
  await expect(page.getByText(/^Sightline \d/)).toBeVisible()
  expect(await last.boundingBox()).toEqual(before)
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Tokens' }).click()
  await expect(page).toHaveURL(/\/tokens$/)
})

test('an admin creates an access token, uses it, and it is gone when the page is left', async ({
  page,
  sightline,
}) => {
  const port = await freePort()
  const { url, output } = await sightline({
    SIGHTLINE_CREATE_TOKENS: 'on',
    SIGHTLINE_EMBEDDED_PORT: String(port),
    SIGHTLINE_LOG_LEVEL: 'debug',
  })
  await page.goto(`${url}/status`)
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Tokens' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Create an access token for the build server.',
  )

  // Nothing selected is not everything.
  const create = page.getByRole('button', { name: 'Create token' })
  await create.click()
  await expect(page.getByText('Select at least one permission.')).toBeVisible()

  // What the server refuses is said in words, and marked.
  await page.getByLabel('Access build data via the API').check()
  await page.getByLabel('Other permissions').fill('viewScan')
  await create.click()
  await expect(page.getByRole('alert')).toContainText("doesn't have the permission viewScan")
  await expect(page.getByText('Refused: viewScan')).toBeVisible()

  await page.getByLabel('Other permissions').fill('')
  await page.getByLabel('Lifetime in hours').fill('1')
  await create.click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('It is shown only once.')
  await expect(tokenOn(page)).toHaveText(/\S/)
  const token = await tokenOn(page).innerText()
  // A page that comes by http from another machine has none.
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined })
  })
  await page.getByRole('button', { name: 'Copy token' }).click()
  await expect(page.getByText('Copied.')).toBeVisible()

  const status = async (path: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await response.body?.cancel()
    return response.status
  }
  expect(await status('/api/builds?since=0&maxBuilds=1')).toBe(200)
  expect(await status('/build-export/v2/builds/since/0')).toBe(403)

  await page.reload()
  await expect(create).toBeVisible()
  await expect(tokenOn(page)).toHaveCount(0)
  expect(page.url()).toBe(`${url}/tokens`)
  const kept = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  )
  expect(kept + (await page.content()) + output()).not.toContain(token)
  await expectAccessibleWideAndNarrow(page)

  await page.getByLabel('Other permissions').focus()
  await page.keyboard.press('ControlOrMeta+v')
  await expect(page.getByLabel('Other permissions')).toHaveValue(token)
})

test('a build server without access tokens is said to have none', async ({ page, sightline }) => {
  const { url } = await sightline({ SIGHTLINE_CREATE_TOKENS: 'on' })
  const json = { title: 'Not Found', status: 404, detail: 'No such operation.' }
  await page.route('**/api/auth/token*', (route) =>
    route.fulfill({ status: 404, contentType: 'application/problem+json', json }),
  )
  await page.goto(`${url}/tokens`)
  await page.getByLabel('Access build data via the API').check()
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('alert')).toHaveText(
    "The build server doesn't issue access tokens. They need Develocity 2024.1 or newer.",
  )
})
