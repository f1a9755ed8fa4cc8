import { writeFileSync } from 'node:fs'
import type { BrowserContext, Page } from '@playwright/test'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../src/server/identity-provider.test-support.ts'
import { expectAccessible } from './accessibility.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { expect, test as base } from './sightline.ts'

/** The product for a team, and the provider that it signs people in with. */
const test = base.extend<{ team: { readonly url: string; readonly provider: IdentityProvider } }>({
  team: async ({ sightline }, use) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const provider = await startIdentityProvider(url)
    provider.setUser(undefined)
    provider.setGroups('ann', ['engineers'])
    provider.setLogoutTarget(url)
    const config = base.info().outputPath('sightline.yaml')
    writeFileSync(
      config,
      [
        'signIn:',
        `  oidc: {issuer: "${provider.issuer}", clientId: ${provider.clientId}}`,
        '  roles:',
        '    - {claim: groups, value: engineers, role: viewer}',
        '    - {claim: groups, value: release-managers, role: releaser}',
        '    - {claim: groups, value: admins, role: admin}',
      ].join('\n'),
    )
    await sightline({
      SIGHTLINE_PORT: String(port),
      SIGHTLINE_SIGN_IN: 'oidc',
      SIGHTLINE_PUBLIC_URL: url,
      SIGHTLINE_OIDC_CLIENT_SECRET: provider.clientSecret,
      SIGHTLINE_SESSION_SECRET: 'a secret of the tests, long enough',
      SIGHTLINE_CONFIG: config,
      SIGHTLINE_CREATE_TOKENS: 'on',
      SIGHTLINE_EMBEDDED_RATE: '5',
    })
    await use({ url, provider })
    await provider.close()
  },
})

const signInPage = (page: Page) => page.getByRole('dialog', { name: 'Sign in' })

async function signIn(page: Page, name: string): Promise<void> {
  await signInPage(page).getByRole('button', { name: 'Sign in with single sign-on' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Sign in at Acme' }).click()
}

/** Ends the session of this browser in another tab. */
async function signOutElsewhere(page: Page, context: BrowserContext, url: string): Promise<void> {
  const other = await context.newPage()
  await other.goto(url)
  await other.getByRole('button', { name: /^Signed in as/ }).click()
  await other.getByRole('menuitem', { name: 'Sign out' }).click()
  await other.getByRole('button', { name: 'Yes, sign me out' }).click()
  await expect(signInPage(other)).toBeVisible()
  await other.close()
  await expect(signInPage(page)).toBeVisible()
}

test('people sign in with the identity provider, come back to their page, work in many tabs, and sign out of all at once', async ({
  page,
  context,
  team: { url },
}) => {
  await page.goto(`${url}/builds?query=buildTool%3Agradle`)
  await expect(signInPage(page)).toBeVisible()
  await expectAccessible(page, 'dark')

  await test.step('whom no rule gives a role is told which claims came', async () => {
    await signIn(page, 'eve')
    const refusal = signInPage(page).getByRole('alert')
    await expect(refusal).toContainText(
      'eve is signed in with the identity provider but has no role',
    )
    await expect(refusal).toContainText('groups')
  })

  await signIn(page, 'ann')
  await expect(page).toHaveURL(`${url}/builds?query=buildTool%3Agradle`)
  await expect(signInPage(page)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()

  const cookies = await context.cookies(url)
  const own = cookies.find(({ name }) => name === '__Host-sightline')
  expect(own).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  expect(await page.evaluate(() => document.cookie)).toBe('')

  await test.step('twenty tabs that renew at once stay signed in', async () => {
    const statuses = await page.evaluate(() =>
      Promise.all(
        Array.from(
          { length: 20 },
          async () => (await fetch('/session', { method: 'POST' })).status,
        ),
      ),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    await page.reload()
    await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
  })

  const feed = await context.newPage()
  await feed.goto(url)
  await expect(feed.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
  await expect(signInPage(feed)).toBeHidden()

  await page.getByRole('button', { name: 'Signed in as ann' }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  // As after an update of Sightline: no more of its code can be loaded.
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }))
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(signInPage(feed)).toBeVisible()
  // The provider asks whether to end its own session as well, and sends the browser back.
  await expect(page.getByRole('button', { name: 'Yes, sign me out' })).toBeVisible()
  await page.unroute('**/assets/**')
  await page.getByRole('button', { name: 'Yes, sign me out' }).click()
  await expect(page).toHaveURL(`${url}/`)
  await expect(signInPage(page)).toBeVisible()
  expect((await context.cookies(url)).map(({ name }) => name)).not.toContain('__Host-sightline')
})

test('whom a reverse proxy signs in is led to its sign-out where that is configured', async ({
  page,
  sightline,
}, info) => {
  const config = info.outputPath('header.yaml')
  const secret = 'what only the reverse proxy knows, long'.replaceAll(/\W/g, '-')
  writeFileSync(
    config,
    `signIn:
  header: {user: X-User, from: [127.0.0.1], secretHeader: X-Proof, signOutUrl: /icon-good.svg}
  roles: [{claim: user, value: ann, role: viewer}]
`,
  )
  const { url } = await sightline({
    SIGHTLINE_SIGN_IN: 'header',
    SIGHTLINE_HEADER_SECRET: secret,
    SIGHTLINE_SESSION_SECRET: 'a secret of the tests, long enough',
    SIGHTLINE_CONFIG: config,
  })
  await page.setExtraHTTPHeaders({ 'x-user': 'ann', 'x-proof': secret })
  await page.goto(`${url}/board`)
  await page.getByRole('button', { name: 'Signed in as ann' }).click()
  const signOut = page.getByRole('menuitem', { name: 'Sign out' })
  await expect(signOut).toBeVisible()
  await page.route('**/*', (route) => route.abort())
  await signOut.click()
  await expect(page.getByRole('alert').filter({ hasText: "Can't sign out." })).toBeVisible()
  await page.unroute('**/*')
  await signOut.click()
  await expect(page).toHaveURL(`${url}/icon-good.svg`)
  await page.goto(`${url}/board`)
  await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('combobox', { name: 'Find' }).fill('sign out')
  await page.getByRole('option', { name: /^Sign out/ }).click()
  await expect(page).toHaveURL(`${url}/icon-good.svg`)
  await page.setExtraHTTPHeaders({ 'x-user': 'eve', 'x-proof': secret })
  await page.goto(`${url}/board`)
  await expect(signInPage(page).getByRole('alert')).toContainText('gives no role in Sightline')
  await signInPage(page).getByRole('link', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(`${url}/icon-good.svg`)
})

test('what somebody was typing is there for them when they sign in again, and never for the next person', async ({
  page,
  context,
  team: { url, provider },
}) => {
  provider.setGroups('bob', ['engineers'])
  const list = page.getByLabel('Packages, one per line')
  await page.goto(`${url}/board`)
  await signIn(page, 'ann')
  await list.fill('pkg:oci/secret-of-ann@1')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
  await expect(list).toHaveValue('pkg:oci/secret-of-ann@1')

  await signOutElsewhere(page, context, url)
  await signIn(page, 'bob')
  await expect(page.getByRole('button', { name: 'Signed in as bob' })).toBeVisible()
  await expect(list).toHaveValue('')
  await page.reload()
  await expect(list).toHaveValue('')
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('secret-of-ann')
})

test('what somebody was typing to release a board or assign a failure is there when they sign in again', async ({
  page,
  context,
  team: { url, provider },
}) => {
  provider.setGroups('ann', ['release-managers'])
  await page.goto(`${url}/board/release`)
  await signIn(page, 'ann')
  await page.getByRole('button', { name: 'Evaluate all' }).click()
  // Until then what fails together changes.
  await expect(page.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
  const headline = page.getByRole('heading', { level: 1 })
  const said = (await headline.textContent()) ?? ''
  const dialog = page.getByRole('dialog', { name: /^Release / })
  const reason = dialog.getByLabel('Reason')
  await page
    .getByRole('button', { name: /^Release/ })
    .first()
    .click()
  await reason.fill('Agreed with the team.')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(reason).toHaveValue('Agreed with the team.')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page
    .getByRole('button', { name: /^Release/ })
    .first()
    .click()
  await expect(reason).toHaveValue('')
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  const assign = page.getByRole('button', { name: /^Assign.*…$/ }).first()
  await assign.click()
  await page.getByLabel('Note').fill('Waits for the new scanner.')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
  await expect(headline).toHaveText(said)
  await expect(page.getByLabel('Note')).toHaveValue('Waits for the new scanner.')
})

test('what somebody was typing to let a tile sleep, save a wall or create a token is there when they sign in again', async ({
  page,
  context,
  team: { url, provider },
}) => {
  provider.setGroups('ann', ['admins'])
  await page.goto(`${url}/tokens`)
  await signIn(page, 'ann')
  await page.getByLabel('Other permissions').fill('viewReports')
  await page.getByLabel('Build cache data').first().check()
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(page.getByLabel('Other permissions')).toHaveValue('viewReports')
  await expect(page.getByLabel('Build cache data').first()).toBeChecked()

  await page.goto(`${url}/walls/edit`)
  await page.getByLabel('What changed').fill('For the third floor')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(page.getByLabel('What changed')).toHaveValue('For the third floor')

  await page.goto(`${url}/builds?q=buildOutcome%3Afailed`)
  const failed = page
    .getByRole('row', { name: /failed/ })
    .getByRole('link')
    .first()
  await page.goto(`${url}${await failed.getAttribute('href')}?tile=project:checkout`)
  const reason = page.getByRole('dialog', { name: /^Let .* sleep$/ }).getByLabel('Reason')
  await page.getByRole('button', { name: 'Sleep until…' }).click()
  await reason.fill('Fixed on Monday')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await page.getByRole('button', { name: 'Sleep until…' }).click()
  await expect(reason).toHaveValue('Fixed on Monday')
})

test('what somebody left in a tab is not given to who signs in elsewhere in the browser meanwhile', async ({
  page,
  context,
  team: { url, provider },
}) => {
  provider.setGroups('bob', ['engineers'])
  const note = page.getByLabel('What changed')
  await page.goto(`${url}/walls/edit`)
  await signIn(page, 'ann')
  await note.fill('Half-typed by ann')
  await page.goto(`${provider.issuer}/.well-known/openid-configuration`)
  const other = await context.newPage()
  await context.clearCookies()
  await other.goto(`${url}/session/sign-in?to=/status`)
  await other.getByLabel('Name').fill('bob')
  await other.getByRole('button', { name: 'Sign in at Acme' }).click()
  await expect(other.getByRole('button', { name: 'Signed in as bob' })).toBeVisible()

  await page.goto(`${url}/walls/edit`)
  await expect(page.getByRole('button', { name: 'Signed in as bob' })).toBeVisible()
  await expect(note).toHaveValue('')
})

test('the reason for a release outlives a sign-in, and pages of one person begin anew when another signs in', async ({
  page,
  context,
  team: { url, provider },
}) => {
  provider.setGroups('ann', ['release-managers'])
  provider.setGroups('bob', ['release-managers'])
  await page.goto(`${url}/packages`)
  await signIn(page, 'ann')
  await page.getByRole('link', { name: 'release' }).first().click()
  // The form of the page before evaluates, too.
  await expect(page.getByLabel('SHA-256 digest')).toBeHidden()
  await page
    .getByRole('button', { name: /^Evaluate/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^Release/ }).click()
  const reason = page.getByRole('dialog', { name: /^Release/ }).getByLabel('Reason')
  await reason.fill('Half-typed by ann')
  await signOutElsewhere(page, context, url)
  await signIn(page, 'ann')
  await expect(reason).toHaveValue('Half-typed by ann')

  // The provider's own session, in which it would ask nothing.
  await context.clearCookies({ name: /^_(?:session|interaction)/ })
  const other = await context.newPage()
  await other.goto(`${url}/session/sign-in?to=/status`)
  await other.getByLabel('Name').fill('bob')
  await other.getByRole('button', { name: 'Sign in at Acme' }).click()
  await expect(other.getByRole('button', { name: 'Signed in as bob' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Signed in as bob' })).toBeVisible()
  await expect(reason).toBeHidden()
  await expect(page.getByRole('alert')).toContainText(
    "This page was reloaded because bob signed in. What was typed here before isn't kept.",
  )
  await page.reload()
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('ann')
})
