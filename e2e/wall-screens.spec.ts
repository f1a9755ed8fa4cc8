import { createServer, request } from 'node:http'
import type { Page } from '@playwright/test'
import { onLoopback } from '../src/free-port.test-support.ts'
import { Activation } from '../src/protocol/screen.ts'
import { Session } from '../src/protocol/session.ts'
import { expectAccessible } from './accessibility.ts'
import { type Person, person, signedIn, signInWithTokens } from './people.ts'
import { expect, type Sightline, test } from './sightline.ts'

const codeOnScreen = (page: Page) => page.getByText(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)

async function openScreens(page: Page, url: string) {
  await page.goto(`${url}/wall`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('c')
  const panel = page.getByRole('dialog', { name: 'Screens' })
  await expect(panel.getByText('No screens are paired.')).toBeVisible()
  return panel
}

test('who signs in from a wall comes back to that wall', async ({ page, sightline }, testInfo) => {
  const ann = person('ann', 'viewer')
  const { url } = await sightline(signInWithTokens(testInfo.outputPath('sightline.json'), [ann]))
  const address = `${url}/wall?turn=20#tiles=Good~buildOutcome:succeeded`
  await page.goto(address)
  await expect(codeOnScreen(page)).toBeVisible()
  await page.getByRole('link', { name: 'sign in as yourself' }).click()
  await page.getByRole('textbox', { name: 'Access token' }).fill(ann.token)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('article', { name: /^Good: / })).toBeVisible()
  await expect(page).toHaveURL(address)
  // As in a second tab, left at the sign-in before somebody signed in by the first.
  await page.goto(`${url}/#to=${encodeURIComponent(address.slice(url.length))}`)
  await expect(page.getByRole('article', { name: /^Good: / })).toBeVisible()
  await expect(page).toHaveURL(address)
  await page.goto(`${url}/#to=https://example.com/wall`)
  await expect(page.getByRole('button', { name: 'Signed in as ann' })).toBeVisible()
})

test('screens are let in and sent away: wrong codes are refused with a sentence', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const panel = await openScreens(page, url)
  const letIn = async (code: string, name: string): Promise<void> => {
    await panel.getByLabel('Code on the screen').fill(code)
    await panel.getByLabel('Screen name').fill(name)
    await panel.getByRole('button', { name: 'Pair screen' }).click()
  }
  await letIn('AAAA-AAAA', 'Lobby')
  await expect(panel.getByRole('status')).toContainText('No screen is showing this code.')
  await expectAccessible(page, 'dark')

  const asked = await page.request.post(`${url}/session/activation`)
  const { code, secret } = Activation.parse(await asked.json())
  await letIn(code.toLowerCase(), 'Third floor, left')
  await expect(panel.getByText('Third floor, left')).toBeVisible()
  await expect(panel.getByRole('status')).toHaveText('')
  await expect(panel.getByLabel('Code on the screen')).toHaveValue('')
  await expect(panel.getByText('never')).toBeVisible()
  await expectAccessible(page, 'dark')

  const claimed = await page.request.post(`${url}/session/activation/claim`, { data: { secret } })
  const { token } = Session.parse(await claimed.json())
  const read = async (path: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await page.request.get(`${url}${path}`, { headers })).status()
  }
  expect([await read('/config'), await read('/live/search?query=project:core')]).toEqual([200, 200])
  expect([await read('/screens'), await read('/upstream/build-data/api/builds')]).toEqual([
    403, 403,
  ])

  await panel.getByRole('button', { name: 'Revoke Third floor, left' }).click()
  await expect(panel.getByText('No screens are paired.')).toBeVisible()
  await expect.poll(() => read('/config')).toBe(401)
})

test('screens that ended, as nobody used them, are named where screens are paired', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const ended = [
    { id: 'a', name: 'Lobby', by: 'ann', createdAt: 1, expiresAt: 2, lastSeenAt: 1 },
    { id: 'b', name: 'Third floor, left', by: 'ann', createdAt: 1, expiresAt: 2, lastSeenAt: 1 },
  ]
  await page.route('**/screens', (route) => route.fulfill({ json: { screens: [], ended } }))
  const panel = await openScreens(page, url)
  await expect(
    panel.getByText('Ended, not used for 90 days: Lobby, Third floor, left.'),
  ).toBeVisible()
  await expectAccessible(page, 'dark')
})

test('a wall without a session shows a code, opens when it is confirmed, stays, and shows a new one when it was revoked', async ({
  page,
  browser,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '2' })
  const panel = await openScreens(page, url)
  const wall = await (await browser.newContext()).newPage()
  // As a proxy with sign-in answers a device on which nobody is signed in.
  await wall.route('**/session', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: 'urn:sightline:problem:sign-in',
        title: 'Sign in',
        status: 401,
        detail: 'Sign in to see builds.',
      }),
    }),
  )
  const letIn = async (name: string): Promise<void> => {
    await panel.getByLabel('Code on the screen').fill(await codeOnScreen(wall).innerText())
    await panel.getByLabel('Screen name').fill(name)
    await panel.getByRole('button', { name: 'Pair screen' }).click()
  }
  const isOpen = () => expect(wall.getByText(/^Live · \d+ s ago$/)).toBeVisible()

  await wall.goto(`${url}/wall#tiles=Good~buildOutcome:succeeded`)
  await expect(codeOnScreen(wall)).toBeVisible()
  await expect(wall.getByText(/^Someone with the role releaser or admin opens/)).toBeVisible()
  await wall.screenshot({ path: test.info().outputPath('code.png') })
  await expectAccessible(wall, 'dark')
  await letIn('Lobby')
  await isOpen()
  await expect(wall.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()

  await wall.reload()
  await isOpen()
  await expect(codeOnScreen(wall)).toBeHidden()

  await panel.getByRole('button', { name: 'Revoke Lobby' }).click()
  const revokedAt = Date.now()
  await expect(codeOnScreen(wall)).toBeVisible({ timeout: 90_000 })
  test.info().annotations.push({
    type: 'revoked',
    description: `a code again after ${Date.now() - revokedAt} ms`,
  })
  await letIn('Lobby again')
  await isOpen()
  await expect(wall.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()

  await wall.goto(`${url}/wall/nowhere`)
  await expect(wall.getByRole('heading', { name: /not found/ })).toBeVisible()
  await panel.getByRole('button', { name: 'Revoke Lobby again' }).click()
  await expect(codeOnScreen(wall)).toBeVisible({ timeout: 20_000 })
})

/** Like a reverse proxy that sends everybody to its own sign-in page, but for what passes it. */
async function signInProxy(product: string, passes: (path: string) => boolean) {
  const target = new URL(product)
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url?.split('?')[0] ?? ''
    if (path === '/sso') {
      outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Corporate sign-in</h1>')
      return
    }
    if (!proxy.passes(path)) {
      outgoing.writeHead(302, { location: '/sso' }).end()
      return
    }
    const { method, headers, url } = incoming
    const onward = request(
      { host: target.hostname, port: target.port, method, headers, path: url },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  const proxy = { passes, ...(await onLoopback(server)) }
  return proxy
}

test('behind another sign-in page a wall shows its code by itself and opens; what is blocked is named with the cure', async ({
  page,
  browser,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '2' })
  const isDocument = (path: string): boolean => /^\/(wall|assets\/|[\w-]+\.(js|svg)$)/.test(path)
  const proxy = await signInProxy(url, isDocument)
  const wall = await (await browser.newContext()).newPage()

  await wall.goto(`${proxy.url}/wall#tiles=Good~buildOutcome:succeeded`)
  await expect(wall.getByRole('status')).toContainText(
    'Let /session/activation, /config and /live pass your sign-in proxy',
  )
  await expect(wall.getByRole('status')).toContainText('answered /session/activation instead')
  await expectAccessible(wall)

  proxy.passes = (path) => isDocument(path) || path.startsWith('/session/activation')
  await expect(codeOnScreen(wall)).toBeVisible()
  await expect(wall.getByText(/^The code changes in \d+ min/)).toBeVisible()
  await expectAccessible(wall)

  const panel = await openScreens(page, url)
  await panel.getByLabel('Code on the screen').fill(await codeOnScreen(wall).innerText())
  await panel.getByLabel('Screen name').fill('Lobby')
  await panel.getByRole('button', { name: 'Pair screen' }).click()
  await expect(
    wall.getByRole('heading', { name: 'A sign-in page in front of Sightline blocks this screen.' }),
  ).toBeVisible()
  await expect(wall.getByText('answered /config instead')).toBeVisible()

  proxy.passes = (path) =>
    isDocument(path) || /^\/(session\/activation|config$|live|healthz$)/.test(path)
  await expect(wall.getByText(/^Live · \d+ s ago$/)).toBeVisible()
  await expect(wall.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()
  await wall.reload()
  await expect(wall.getByText(/^Live · \d+ s ago$/)).toBeVisible()
  await wall.close()
  await proxy.close()
})

test('a wall whose session expires keeps its last state, gray, goes on by itself after a sign-in or with a code, and a sign-out removes what it kept', async ({
  browser,
  sightline,
}, testInfo) => {
  test.setTimeout(600_000)
  const startWith = async (people: readonly Person[]): Promise<Sightline> =>
    sightline({
      ...signInWithTokens(testInfo.outputPath('sightline.json'), people),
      SIGHTLINE_EMBEDDED_BUILDS: '20',
      SIGHTLINE_EMBEDDED_RATE: '2',
    })
  const isLive = (page: Page) => expect(page.getByText(/^Live · \d+ s ago$/)).toBeVisible()
  const hang = async (url: string, who: Person): Promise<Page> => {
    const page = await signedIn(browser, url, who)
    await page.goto(`${url}/wall#tiles=Good~buildOutcome:succeeded`)
    await isLive(page)
    return page
  }
  const admin = person('cleo', 'admin')
  // Walls have to hang before their sessions expire: how long that takes on this machine is tried.
  const begunAt = Date.now()
  const trial = await startWith([admin])
  await (await hang(trial.url, admin)).context().close()
  await trial.stop()
  const expires = Date.now() + 10_000 + 3 * (Date.now() - begunAt)
  const ann = { ...person('ann', 'releaser'), expires, spare: person('', '').token }
  const bob = { ...person('bob', 'releaser'), expires: expires + 10_000 }
  const { url } = await startWith([ann, bob, admin])
  const isGray = async (page: Page): Promise<void> => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      /^This screen has been signed out since \d\d:\d\d\.$/,
      { timeout: Math.max(0, expires - Date.now()) + 90_000 },
    )
    await expect(page.getByRole('article', { name: /^Good: Was healthy/ })).toBeVisible()
    await expect(page.getByText(/^Showing the state from /)).toBeVisible()
  }
  const [wall, other] = await Promise.all([hang(url, ann), hang(url, bob)])

  await isGray(wall)
  const notice = wall.getByRole('complementary', { name: 'Session expired' })
  await expect(notice).toContainText('The session of ann has expired.')
  await wall.screenshot({ path: testInfo.outputPath('expired.png') })
  await expectAccessible(wall, 'dark')
  const tab = await wall.context().newPage()
  const signIn = notice.getByRole('link', { name: 'Sign in' })
  await tab.goto(new URL((await signIn.getAttribute('href')) ?? '', url).href)
  await tab.getByRole('textbox', { name: 'Access token' }).fill(ann.spare)
  await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
  await isLive(wall)
  await expect(notice).toBeHidden()
  await expect(wall.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()

  // The other one is let in by somebody with its code.
  await isGray(other)
  const code = await other.getByText(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/).innerText()
  const cleo = await signedIn(browser, url, admin)
  const panel = await openScreens(cleo, url)
  await panel.getByLabel('Code on the screen').fill(code)
  await panel.getByLabel('Screen name').fill('Lobby')
  await panel.getByRole('button', { name: 'Pair screen' }).click()
  await isLive(other)

  const kept = () =>
    wall.evaluate(async () => {
      // To open one that is not there would make it.
      const isThere = (await indexedDB.databases()).some(({ name }) => name === 'sightline-walls')
      if (!isThere) return 0
      const opening = indexedDB.open('sightline-walls')
      await new Promise((resolve) => (opening.onsuccess = resolve))
      const { result: database } = opening
      const has = database.objectStoreNames.contains('walls')
      const counting = has ? database.transaction('walls').objectStore('walls').count() : undefined
      if (counting !== undefined) await new Promise((resolve) => (counting.onsuccess = resolve))
      database.close()
      return counting?.result ?? 0
    })
  await expect.poll(kept).toBe(1)
  // Whoever signs in from a wall comes back to it.
  await tab.goto(url)
  await tab.getByRole('button', { name: /ann/ }).click()
  await tab.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(codeOnScreen(wall)).toBeVisible()
  await expect(wall.getByRole('article')).toHaveCount(0)
  await expect(wall.getByRole('heading', { name: "This screen isn't signed in." })).toBeVisible()
  await expect.poll(kept).toBe(0)
  // What stays is the program.
  const cached = await wall.evaluate(async () => {
    const stores = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
    const requests = await Promise.all(stores.map((store) => store.keys()))
    return requests.flat().map((request) => new URL(request.url).pathname)
  })
  const isProgram = (path: string) =>
    /^\/(?:wall$|assets\/|icon-\w+\.svg$|(?:frame|no-eval)\.js$)/.test(path)
  expect(cached.filter((path) => !isProgram(path))).toEqual([])
})
