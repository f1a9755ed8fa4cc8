import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { person, signInWithTokens } from './people.ts'
import { writeQuery } from './query-field.ts'
import { expect, test } from './sightline.ts'

const vera = person('vera', 'viewer')
const rudi = person('rudi', 'releaser')

/** Settings with which vera may only read, and rudi may release. */
async function twoPeople(): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-tokens-'))
  const settings = signInWithTokens(join(folder, 'sightline.json'), [vera, rudi])
  return { ...settings, SIGHTLINE_EMBEDDED_RATE: '2' }
}

const signInPage = (page: Page) => page.getByRole('dialog', { name: 'Sign in' })

async function signIn(page: Page, token: string): Promise<void> {
  await signInPage(page).getByLabel('Access token', { exact: true }).fill(token)
  await page.keyboard.press('Enter')
  await expect(signInPage(page)).toBeHidden()
}

/** The session ends with the next request to this path; the returned function ends that. */
async function signOutFrom(page: Page, path: RegExp): Promise<() => Promise<void>> {
  const json = {
    type: 'urn:sightline:problem:signed-out',
    title: 'Signed out',
    status: 401,
    detail: 'Sign in with an access token.',
    mode: 'tokens',
  }
  const ended = new RegExp(`/session$|${path.source}`)
  await page.route(ended, (route) =>
    route.fulfill({ status: 401, contentType: 'application/problem+json', json }),
  )
  return () => page.unroute(ended)
}

async function expectSecretless(context: BrowserContext, page: Page): Promise<void> {
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
  )
  expect(stored).not.toContain('slt_')
  expect(page.url()).not.toContain('slt_')
  for (const { name, value, httpOnly } of await context.cookies()) {
    expect([name, httpOnly]).toEqual(['__Host-sightline', true])
    expect(value).not.toContain('slt_')
  }
}

test('a viewer signs in with a token, sees why not to evaluate, and signs out in all tabs; what was typed stays', async ({
  context,
  page,
  sightline,
}) => {
  const { url, output } = await sightline(await twoPeople())

  const plain = await context.newPage()
  await plain.addInitScript(() => {
    Object.defineProperty(window, 'isSecureContext', { value: false })
  })
  await plain.goto(url)
  await expect(signInPage(plain).getByRole('note')).toContainText('Open Sightline over HTTPS.')
  await plain.close()

  await page.goto(`${url}/packages`)
  const dialog = signInPage(page)
  await expect(dialog.getByRole('note')).toHaveCount(0)
  await expect(dialog.getByRole('heading', { name: 'Sign in to Sightline' })).toBeVisible()
  await expect(dialog.getByLabel('Access token', { exact: true })).toBeFocused()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await expectAccessible(page)
  await page.screenshot({ path: test.info().outputPath('sign-in-390.png') })
  await page.setViewportSize({ width: 1280, height: 800 })
  const field = dialog.getByLabel('Access token', { exact: true })
  await field.fill('slt_wrong')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await signIn(page, vera.token)

  await page.getByRole('link', { name: 'release' }).first().click()
  // The page before has a button of that name, too.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^No recorded run of release/)
  const evaluate = page.getByRole('button', { name: /^Evaluate/ }).first()
  await expect(evaluate).toHaveAttribute('aria-disabled', 'true')
  await expect(evaluate).toHaveAccessibleDescription(/Requires the role releaser or admin/)
  await evaluate.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(evaluate).toBeFocused()
  await expect(page.getByRole('tooltip')).toContainText('Requires the role releaser or admin')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Signed in as vera' }).click()
  await expect(page.getByRole('menu')).toContainText('viewer')
  await page.getByRole('menuitem', { name: 'You' }).click()
  const you = page.getByRole('region', { name: 'You', exact: true })
  await expect(you).toContainText('vera')
  await expect(you).toContainText('with an access token')
  await expectAccessible(page)
  await expectSecretless(context, page)

  const other = await context.newPage()
  await other.goto(`${url}/`)
  await expect(other.getByTestId('connection-state')).toContainText('Live')
  await page.goto(`${url}/builds`)
  const editor = page.getByRole('textbox', { name: 'Search builds' })
  await writeQuery(editor, 'project:half-typed')
  await expect(editor).toContainText('project:half-typed')
  await other.getByRole('button', { name: 'Signed in as vera' }).click()
  const at = Date.now()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(signInPage(page)).toBeVisible()
  test.info().annotations.push({ type: 'signed out', description: `${Date.now() - at} ms` })
  await expect(signInPage(other)).toBeVisible()
  await expect(other.getByTestId('connection-state')).toContainText('Signed out')
  // A screen reader finds and announces nothing of the page below.
  const keptFromReaders = other.getByRole('main').locator('xpath=ancestor::*[@inert]')
  await expect(keptFromReaders).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(signInPage(page)).toBeVisible()

  await page.reload()
  await signIn(page, vera.token)
  await expect(editor).toContainText('project:half-typed')
  await expect(signInPage(other)).toBeHidden()
  await expect(keptFromReaders).toHaveCount(0)
  await expect(other.getByTestId('connection-state')).toContainText('Live')
  await expectSecretless(context, page)
  expect(output()).not.toContain(vera.token)
})

test('whoever loses a role in the middle keeps the dialog that is open, and what they typed', async ({
  context,
  page,
  sightline,
}) => {
  const { url } = await sightline(await twoPeople())
  await page.goto(`${url}/packages`)
  await signIn(page, rudi.token)
  await page.getByRole('link', { name: 'release' }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^No recorded run of release/)
  await page
    .getByRole('button', { name: /^Evaluate/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Release/ }).click()
  const reason = page.getByRole('dialog').getByLabel('Reason')
  await reason.fill('Half-typed')

  await context.route('**/session', async (route) => {
    const response = await route.fetch()
    const session = (await response.json()) as { user: object }
    const user = { ...session.user, roles: ['viewer'] }
    await route.fulfill({ response, json: { ...session, user } })
  })
  // Another tab renews the session for all.
  const other = await context.newPage()
  await other.goto(`${url}/status`)
  const you = other.getByRole('region', { name: 'You', exact: true })
  await expect(you).toContainText('rudi')
  await expect(page.getByRole('button', { name: 'Evaluate again' })).toHaveAttribute(
    'aria-disabled',
    'true',
  )
  await expect(reason).toHaveValue('Half-typed')
})

test('a wall that was saved while signed out is said after the sign-in not to be saved, and can be saved then', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline(await twoPeople())
  await page.goto(`${url}/walls/edit`)
  await signIn(page, rudi.token)
  await page.getByLabel('Name', { exact: true }).fill('ours')
  const signedInAgain = await signOutFrom(page, /\/history\/walls\/ours$/)
  const save = page.getByRole('button', { name: 'Save for everyone' })
  await save.click()
  await expect(signInPage(page)).toContainText('Your session has ended, rudi.')
  await signedInAgain()
  await signIn(page, rudi.token)
  await expect(page.getByRole('alert')).toHaveText(
    'You were signed out, so nothing was changed. Try again.',
  )
  await save.click()
  await expect(page).toHaveURL(`${url}/walls/edit/ours`)
})

test('a board that is evaluated when the session ends goes on after the sign-in', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline(await twoPeople())
  await page.goto(`${url}/board/release`)
  await signIn(page, rudi.token)
  const signedInAgain = await signOutFrom(page, /\/upstream\/board$/)
  await page.getByRole('button', { name: /^Evaluate all/ }).click()
  await expect(signInPage(page)).toContainText('Your session has ended, rudi.')
  await signedInAgain()
  await signIn(page, rudi.token)
  await expect(page.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
})

test('where the browser blocks site data, pages open, sign-in says what is lost, and a board is evaluated', async ({
  page,
  sightline,
}) => {
  await page.addInitScript(() => {
    // As Chromium with all cookies blocked, which says that they are enabled.
    const denied = (): DOMException => new DOMException('Access is denied.', 'SecurityError')
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw denied()
        },
      })
    }
    navigator.locks.request = () => Promise.reject(denied())
  })
  const ann = person('ann', 'releaser')
  const { url } = await sightline(signInWithTokens(test.info().outputPath('config.json'), [ann]))
  const list = `pkg:oci/checkout@2.4.0 sha256:${'ab'.repeat(32)} https://registry.example.com/shop`
  await page.goto(`${url}/board?${new URLSearchParams({ list, scans: 'release' }).toString()}`)
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await expect(dialog).toContainText('Your browser blocks cookies')
  await dialog.getByRole('textbox', { name: 'Access token' }).fill(ann.token)
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Evaluate all 1' }).click()
  await expect(page.getByRole('button', { name: /again$/ })).toBeVisible()
  await test.step('what would be stored is said to be lost, or stands in its link', async () => {
    await page.getByRole('link', { name: 'Boards', exact: true }).click()
    await page.getByLabel('Packages, one per line').fill(`${list}\n`.repeat(80))
    await page.getByLabel('Policy scans').fill('release')
    await page.getByRole('button', { name: 'Show board' }).click()
    await expect(page.getByText("This browser can't store the list")).toBeVisible()
    await page.getByRole('link', { name: 'Walls', exact: true }).click()
    await page.getByRole('link', { name: 'New wall' }).click()
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Of ours')
    await page.getByLabel('Name', { exact: true }).fill('ours')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Save on this device' }).click()
    await expect(page).toHaveURL(`${url}/wall/ours?title=Of+ours`)
  })
})
