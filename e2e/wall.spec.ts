import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { onLoopback } from '../src/free-port.test-support.ts'
import { expectAccessible, resize } from './accessibility.ts'
import { plainBuild, startPlainUpstream } from './plain-upstream.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

const sizes = [
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
  { width: 1280, height: 720 },
  { width: 390, height: 844 },
]

const tiles = (page: Page) => page.getByRole('article')
const live = (page: Page) => page.getByText(/^Live · \d+ s ago$/)

/** A link to a wall of so many tiles, each with another query: all red, or none. */
function wallOf(count: number, outcome = 'succeeded', settings = ''): string {
  const each = Array.from(
    { length: count },
    (_, index) =>
      `Team ${index + 1} with a long name~buildOutcome:${outcome} -tag:none-of-${index + 1}`,
  )
  const query = new URLSearchParams({ tiles: each.join(';'), ...(settings && { settings }) })
  return `/wall/team#${query.toString()}`
}

/** What is wider or higher than its place: the page, and each tile. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollingElement } = document
    const boxes = [...document.querySelectorAll<HTMLElement>('main, main ul, article')]
    return [...(scrollingElement === null ? [] : [scrollingElement]), ...boxes]
      .filter(
        ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
          scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1,
      )
      .map(
        (box) =>
          `${box.tagName} ${box.getAttribute('aria-label') ?? ''} ${box.scrollWidth}x${box.scrollHeight} in ${box.clientWidth}x${box.clientHeight}`,
      )
  })
}

/** The size of the smallest text of tiles, px. */
function smallestText(page: Page): Promise<number> {
  return page.evaluate(() =>
    Math.min(
      ...[...document.querySelectorAll('article p, article a, article span')]
        .filter((part) => part.textContent !== '' && part.getClientRects().length > 0)
        .map((part) => Number.parseFloat(getComputedStyle(part).fontSize)),
    ),
  )
}

test('walls of 1 to 300 tiles fit on every screen, and can be read', async ({ page, url }) => {
  const measured: string[] = []
  for (const [index, count] of [1, 12, 60, 300].entries()) {
    // Only what is behind the # differs: the page has to be left in between.
    await page.goto('about:blank')
    // Each is loaded in another size, and then shown in all others.
    for (const size of [...sizes.slice(index), ...sizes.slice(0, index)]) {
      await resize(page, size)
      if (page.url() === 'about:blank') await page.goto(`${url}${wallOf(count)}`)
      await expect(tiles(page).first()).toBeVisible()
      // All are there, or it says that there are more.
      await expect(
        tiles(page)
          .nth(count - 1)
          .or(page.getByText(/^Page \d+ of \d/))
          .first(),
      ).toBeVisible()
      const shown = await tiles(page).count()
      const message = `${count} tiles at ${size.width}`
      await expect.poll(() => overflowing(page), { message }).toEqual([])
      const least = size.width >= 1920 ? 12 : 9
      await expect.poll(() => smallestText(page), { message }).toBeGreaterThanOrEqual(least)
      const text = await smallestText(page)
      measured.push(`${size.width}x${size.height}: ${count} tiles, ${shown} shown, ${text} px`)
    }
  }
  test.info().annotations.push({ type: 'smallest text', description: measured.join('; ') })
})

test('a wall says what is broken, not before its tiles are there; one where all is well says that large', async ({
  page,
  url,
}) => {
  await page.addInitScript(() => {
    const early: string[] = []
    Object.assign(window, { early })
    const watch = (): void => {
      const headline = document.querySelector('h1')?.textContent ?? ''
      if (document.querySelector('article') !== null) return
      if (/\d|No tiles/.test(headline)) early.push(headline)
      requestAnimationFrame(watch)
    }
    watch()
  })
  await page.goto(`${url}/wall?tiles=Good~buildOutcome:succeeded;Bad~buildOutcome:failed`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('1 failing: Bad')
  const bad = page.getByRole('article', { name: /^Bad: Failing, build / })
  await expect(bad).toBeVisible()
  await expect(page).toHaveTitle('1 failing · Unsaved wall')
  // The newest outcome stands at the edge, however wide the tile is.
  const [outer, strip] = await Promise.all([
    bad.boundingBox(),
    bad.getByRole('img', { name: /^Last / }).boundingBox(),
  ])
  const [right, end] = [outer, strip].map((box) => (box === null ? NaN : box.x + box.width))
  expect(Number(right) - Number(end)).toBeLessThan(60)
  expect(await page.evaluate('window.early')).toEqual([])
  // The device follows the time of day, the wall keeps the colors that were chosen for it.
  const root = page.locator('html')
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark')
  }
  await expectAccessible(page, 'dark')

  await page.goto(`${url}${wallOf(3, 'succeeded', 'scheme:light')}`)
  await expect(page.getByRole('main').getByText('All 3 healthy')).toBeVisible()
  await expectAccessible(page, 'light')
})

test('a tile that sleeps isn’t called failing while claims load, and what isn’t loaded is said', async ({
  page,
  sightline,
  request,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '0' })
  const query = 'buildOutcome:failed'
  const { token } = (await (await request.post(`${url}/session`)).json()) as { token: string }
  const slept = await request.post(`${url}/history/claims`, {
    headers: { authorization: `Bearer ${token}` },
    data: { query, kind: 'sleep', reason: 'known flake', until: Date.now() + 3_600_000 },
  })
  expect(slept.status()).toBe(201)
  const held: (() => Promise<void>)[] = []
  await page.route('**/history/claims', (route) => void held.push(() => route.continue()))
  await page.addInitScript(() => {
    new MutationObserver(() => {
      performance.mark(`${document.title} / ${document.querySelector('h1')?.textContent ?? ''}`)
    }).observe(document, { childList: true, characterData: true, subtree: true })
  })
  await page.goto(`${url}/wall/team#tiles=${encodeURIComponent(`Red~${query}`)}`)
  await expect(live(page)).toBeVisible()
  await expect.poll(() => held.length).toBeGreaterThan(0)
  for (const go of held.splice(0)) await go()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('1 asleep')
  await expect(page.getByText(/^Sleeps until .*: known flake$/)).toBeVisible()
  const headlines = await page.evaluate(() =>
    performance.getEntriesByType('mark').map(({ name }) => name),
  )
  expect(headlines.some((text) => text.includes('1 asleep'))).toBe(true)
  expect(headlines.filter((text) => text.includes('failing'))).toEqual([])

  await page.unroute('**/history/claims')
  await page.route('**/history/claims', (route) => route.fulfill({ status: 400 }))
  await page.reload()
  await expect(
    page.getByText("Claims and sleeps aren't loaded. A failing tile may be asleep."),
  ).toBeVisible()
})

test('a tile that sleeps is asleep again after the clock of its screen went wrong', async ({
  page,
  sightline,
  request,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '5' })
  const query = 'buildOutcome:failed'
  const { token } = (await (await request.post(`${url}/session`)).json()) as { token: string }
  await request.post(`${url}/history/claims`, {
    headers: { authorization: `Bearer ${token}` },
    data: { query, kind: 'sleep', reason: 'known flake', until: Date.now() + 3_600_000 },
  })
  await page.addInitScript(() => {
    const { now } = Date
    Date.now = () => now() + Number(Reflect.get(window, 'ahead') ?? 0)
  })
  await page.goto(`${url}/wall/team#tiles=${encodeURIComponent(`Red~${query}`)}`)
  const headline = page.getByRole('heading', { level: 1 })
  await expect(headline).toHaveText('1 asleep')
  const held: (() => Promise<void>)[] = []
  await page.route('**/history/claims', (route) => void held.push(() => route.continue()))
  await page.evaluate(() => Object.assign(window, { ahead: 3 * 3_600_000 }))
  await expect(headline).toHaveText('1 failing: Red')
  await page.unroute('**/history/claims')
  for (const go of held.splice(0)) await go()
  await expect(headline).toHaveText('1 asleep', { timeout: 30_000 })
})

test('before its code and its styles are there, a wall says that it loads, in its own colors', async ({
  page,
  url,
}) => {
  let letThrough = (): void => undefined
  const code = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route(/\/assets\/.*\.(?:js|css)$/, async (route) => {
    await code
    await route.continue()
  })
  const root = page.locator('html')
  const loading = page.getByRole('heading', { name: 'Loading builds…' })
  await page.emulateMedia({ colorScheme: 'light' })
  const explained = page.getByText('This wall shows a tile for each project')
  for (const [path, scheme, explanations] of [
    ['/wall?settings=scheme:light', 'light', 1],
    [wallOf(3, 'succeeded', ''), 'dark', 0],
    ['/wall', 'dark', 1],
  ] as const) {
    await page.goto(url + path, { waitUntil: 'commit' })
    await expect(loading).toBeVisible()
    await expect(root).toHaveAttribute('data-mantine-color-scheme', scheme)
    await expect(explained).toHaveCount(explanations)
  }
  letThrough()
  await expect(tiles(page).first()).toBeVisible()
  await expect(loading).toHaveCount(0)
  await expect(root).toHaveAttribute('data-mantine-color-scheme', 'dark')
})

test('a wall that has heard nothing from Sightline yet says so, and no longer that it loads', async ({
  page,
  url,
}) => {
  await page.route('**/live/**', async (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: { title: 'Service Unavailable', status: 503 },
    }),
  )
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No data from Sightline.')).toBeVisible()
  await expect(page.getByText(/^Service Unavailable\. Trying again/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Nothing to show yet.' })).toBeVisible()
  await expect(page.getByText('Loading builds…')).toHaveCount(0)
  await page.unroute('**/live/**')
  await expect(tiles(page).first()).toBeVisible()
})

test('where nothing is configured and nothing arrives, the wall says what would appear', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_BUILDS: '0', SIGHTLINE_EMBEDDED_RATE: '0' })
  await page.goto(`${url}/wall`)
  await expect(page.getByText('No builds in the last hour.')).toBeVisible()
  await page.goto(`${url}/wall/nowhere`)
  await expect(page.getByText('Wall “nowhere” not found.')).toBeVisible()
})

test('an address below that of a wall says that there is no such page', async ({ page, url }) => {
  await page.goto(`${url}/wall/team/edit`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Page not found')
  await page.goto(`${url}/wall/team/`)
  await expect(page.getByText('Wall “team” not found.')).toBeVisible()
})

test('projects that arrive make tiles of themselves', async ({ page, sightline }) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '5' })
  await page.goto(`${url}/wall`)
  await expect(tiles(page).nth(5)).toBeVisible()
})

test('a tile with an error says so and leaves the others alone; a broken link says what it ignored', async ({
  page,
  url,
}) => {
  await page.goto(
    `${url}/wall?tiles=Wrong~projct:a;Good~buildOutcome:succeeded;Empty~&settings=margin:99`,
  )
  await expect(page.getByRole('article', { name: 'Wrong: Invalid query' })).toContainText('projct')
  await expect(page.getByRole('article', { name: /^Good: Healthy/ })).toBeVisible()
  await expect(page.getByText('Tile 3 in the link has no query')).toBeVisible()
  await expect(page.getByText('Unknown setting “margin:99” in the link.')).toBeVisible()
  const many = Array.from({ length: 10_000 }, (_, index) => `tag:t${index}`).join(';')
  await page.goto(`${url}/wall/many#tiles=${many}`)
  await expect(page.getByText('The first 300 are shown; 9700 are omitted.')).toBeVisible()
})

test('a wall of a link is edited, saved on the device, and shared as a link', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/wall?tiles=Good~buildOutcome:succeeded`)
  await expect(tiles(page).first()).toBeVisible()
  await page.keyboard.press('e')
  await page.getByRole('button', { name: 'Add a tile' }).click()
  await page.getByLabel('Tile title').fill('Broken')
  const query = page.getByRole('textbox', { name: 'Tile query' })
  await query.click()
  await page.keyboard.type('buildOutcome:failed')
  await expect(page.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('mine')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Save on this device' }).click()
  await expect(page).toHaveURL(`${url}/wall/mine`)
  await expect(page.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('article', { name: /^Broken: Failing/ })).toBeVisible()
  await page.keyboard.press('l')
  await expect(page.getByRole('textbox', { name: 'Link to this wall' })).toHaveValue(
    `${url}/wall/mine?tiles=Good~buildOutcome:succeeded;Broken~buildOutcome:failed`,
  )
  await expect(page.getByRole('textbox', { name: 'For the configuration file' })).toHaveValue(
    /query: "buildOutcome:failed"/,
  )
})

/** What a browser kept of a wall, once it has the page of walls, too. */
function keptOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const name = 'sightline-walls'
    const isThere = (await indexedDB.databases()).some((one) => one.name === name)
    if (!isThere || (await caches.match('/wall')) === undefined) return ''
    // Until then what opens the page without the proxy is not at work.
    const worker = (await navigator.serviceWorker.getRegistration())?.active
    if (worker?.state !== 'activated') return ''
    return new Promise<string>((resolve, reject) => {
      const opening = indexedDB.open(name)
      opening.onerror = () => {
        reject(new Error('the kept walls cannot be opened'))
      }
      opening.onsuccess = () => {
        const { result: database } = opening
        const all = database.transaction('walls').objectStore('walls').getAll()
        all.onsuccess = () => {
          database.close()
          resolve(all.result.join('\n'))
        }
      }
    })
  })
}

test('a wall that is opened again beside a build server without a search says what its tiles were, and never that there are no builds', async ({
  page,
  sightline,
}) => {
  const first = await startPlainUpstream('key')
  const settings = besideBuildServer(first.url, 'key')
  const before = await sightline(settings)
  const address = `${before.url}/wall#tiles=Web~project:web`
  await page.goto(address)
  await first.heard()
  first.push(plainBuild('web', true))
  await expect(page.getByRole('article', { name: /^Web: Failing, / })).toBeVisible()
  await expect.poll(() => keptOf(page), { timeout: 40_000 }).toContain('"status":"failing"')
  await Promise.all([first.close(), before.stop()])

  // As after more than an hour: neither of them has the build any more.
  const second = await startPlainUpstream('key', Number(new URL(first.url).port))
  await sightline({ ...settings, SIGHTLINE_PORT: new URL(before.url).port })
  await page.addInitScript(() => {
    const seen = new Set<string>()
    Object.assign(window, { seen })
    new MutationObserver(() => {
      for (const { ariaLabel } of document.querySelectorAll('article')) seen.add(ariaLabel ?? '')
    }).observe(document, { subtree: true, childList: true, attributes: true })
  })
  await page.goto('about:blank')
  await page.goto(address)
  await expect(page.getByRole('article', { name: /^Web: Was failing, / })).toContainText(
    /Was failing (just now|.* ago)/,
  )
  const seen = await page.evaluate(() => [...(Reflect.get(window, 'seen') as Set<string>)])
  expect(seen.filter((label) => !label.startsWith('Web: Was failing'))).toEqual([])
  await second.close()
})

test('a lost proxy is named, the picture stays and is grey, and all is whole again by itself', async ({
  page,
  sightline,
}) => {
  const first = await sightline({ SIGHTLINE_EMBEDDED_RATE: '2' })
  await page.goto(`${first.url}${wallOf(3)}`)
  await expect(page.getByText('All 3 healthy').first()).toBeVisible()
  await expect.poll(() => keptOf(page)).toContain('"status":"healthy"')
  await first.stop()
  await expect(page.getByText(/^No data from Sightline since \d\d:\d\d\.$/)).toBeVisible()
  await expect(page.getByRole('article', { name: /: Was healthy/ }).first()).toBeVisible()
  await expect(page.getByRole('main').getByText('All 3 healthy')).toBeHidden()
  await expect(page).toHaveTitle(/^Not live/)

  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^As of \d\d:\d\d, /)

  await sightline({ SIGHTLINE_EMBEDDED_RATE: '2', SIGHTLINE_PORT: new URL(first.url).port })
  await expect(live(page)).toBeVisible()
  await expect(page.getByRole('main').getByText('All 3 healthy')).toBeVisible()
})

test('after a power cut without the proxy a wall shows its last state, gray with its age, and is live again by itself', async ({
  sightline,
}) => {
  const { CHROMIUM_PATH: executablePath } = process.env
  const profile = await mkdtemp(join(tmpdir(), 'sightline-profile-'))
  const boot = async () => {
    const context = await chromium.launchPersistentContext(profile, {
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--no-sandbox', '--disable-gpu'],
      viewport: { width: 1280, height: 720 },
    })
    return { context, screen: context.pages()[0] ?? (await context.newPage()) }
  }
  const config = join(profile, 'sightline.yaml')
  await writeFile(
    config,
    'walls: [{name: team, tiles: [{title: Good, query: "buildOutcome:succeeded"}, {title: Bad, query: "buildOutcome:failed"}]}]',
  )
  const settings = { SIGHTLINE_EMBEDDED_RATE: '2', SIGHTLINE_CONFIG: config }
  const first = await sightline(settings)
  const { port } = new URL(first.url)
  const bad = (screen: Page, state: string) =>
    screen.getByRole('article', { name: new RegExp(`^Bad: ${state}`) })

  const before = await boot()
  await before.screen.goto(`${first.url}/wall/team`)
  await expect(bad(before.screen, 'Failing')).toBeVisible()
  await expect.poll(() => keptOf(before.screen)).toContain('"status":"failing"')
  await first.stop()
  await before.context.close()

  const after = await boot()
  const { screen } = after
  const headline = screen.getByRole('heading', { level: 1 })
  const isGray = async () => {
    await expect(headline).toHaveText(/^As of \d\d:\d\d, (?:just now|\d+ (?:s|min) ago)\.$/)
    await expect(bad(screen, 'Was failing')).toBeVisible()
    await expect(screen.getByRole('article', { name: /^Good: Was healthy/ })).toBeVisible()
    await expect(screen).toHaveTitle(/^Not live/)
  }
  await screen.goto(`${first.url}/wall/team`)
  await isGray()
  await expect(
    screen.getByText(/^Sightline doesn't respond\. Trying again(?: in [1-5] s)?\.$/),
  ).toBeVisible()
  await screen.screenshot({ path: test.info().outputPath('after-power-cut.png') })
  await screen.evaluate(() => {
    document.documentElement.dataset.opened = 'once'
  })

  // In front of it something answers with pages of its own.
  const front = createServer((_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>')
  })
  const { close } = await onLoopback(front, Number(port))
  await screen.reload()
  await isGray()
  await close()
  await screen.evaluate(() => {
    document.documentElement.dataset.opened = 'once'
  })
  const again = await sightline({ ...settings, SIGHTLINE_PORT: port })
  await expect(live(screen)).toBeVisible()
  await expect(bad(screen, 'Failing')).toBeVisible()
  await expect(screen.locator('[data-opened="once"]')).toHaveCount(1)
  const isShell = (path: string) =>
    /^\/(?:wall|assets\/[\w.-]+\.(?:js|css|woff2)|icon-\w+\.svg|(?:no-eval|frame)\.js)$/.test(path)
  const kept = await screen.evaluate(async () => {
    const names = await caches.keys()
    const caches_ = await Promise.all(names.map((name) => caches.open(name)))
    const requests = await Promise.all(caches_.map((cache) => cache.keys()))
    return requests.flat().map(({ url }) => new URL(url).pathname)
  })
  expect(kept).toContain('/wall')
  expect(kept.filter((path) => !isShell(path))).toEqual([])

  await again.stop()
  await expect(headline).toHaveText(/^No data from Sightline since/)
  const program = await otherRelease(test.info().outputPath('release'))
  await sightline({ ...settings, SIGHTLINE_PORT: port }, program)
  await expect(screen.locator('script[src*="/release2-"]')).toBeAttached()
  await expect(live(screen)).toBeVisible()
  const shell = () =>
    screen.evaluate(async () =>
      (await (await caches.match('/wall'))?.text())?.includes('/release2-'),
    )
  await expect.poll(shell).toBe(true)
  await after.context.close()
  await rm(profile, { recursive: true, force: true })
})

/** The built product as another release of it: each file that is named by its content has another name. */
async function otherRelease(folder: string): Promise<string> {
  await cp('dist/server', join(folder, 'server'), { recursive: true })
  const paths = await readdir('dist/client', { recursive: true })
  const built = paths.flatMap((path) => /^assets\/([\w.-]+\.(?:js|css))$/.exec(path)?.[1] ?? [])
  const names = new RegExp(built.map((name) => name.replaceAll('.', '\\.')).join('|'), 'g')
  const renamed = (text: string) => text.replace(names, (name) => `release2-${name}`)
  await mkdir(join(folder, 'client', 'assets'), { recursive: true })
  for (const path of paths) {
    if (/\.(?:js|css|html)$/.test(path)) {
      const text = await readFile(join('dist/client', path), 'utf8')
      await writeFile(join(folder, 'client', renamed(path)), renamed(text))
    } else if (/\.(?:svg|woff2|png|json)$/.test(path)) {
      await cp(join('dist/client', path), join(folder, 'client', path))
    }
  }
  return join(folder, 'server/main.js')
}

test('without a network the wall says so, and goes on when it is back', async ({
  page,
  context,
  url,
}) => {
  await page.goto(`${url}${wallOf(3)}`)
  await expect(page.getByRole('main').getByText('All 3 healthy')).toBeVisible()
  await context.setOffline(true)
  await expect(
    page.getByRole('heading', { name: /^This screen (?:is|has been) offline/ }),
  ).toBeVisible()
  await context.setOffline(false)
  await expect(page.getByRole('main').getByText('All 3 healthy')).toBeVisible()
})

test('controls and pointer go away when nobody touches the screen, and come back by keyboard', async ({
  page,
  url,
}) => {
  await page.goto(`${url}${wallOf(1)}`)
  const controls = page.getByRole('navigation', { name: 'Wall' })
  await expect(controls).toHaveCSS('opacity', '1')
  await expect(controls).toHaveCSS('opacity', '0')
  await page.keyboard.press('Tab')
  await expect(controls).toHaveCSS('opacity', '1')
  await page.keyboard.press('s')
  await expect(page.getByRole('dialog', { name: 'Wall settings' })).toBeVisible()
  await page.getByLabel('Palette').selectOption('blue')
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-palette="blue"]')).toBeVisible()
})

test('after leaving a wall the feed is whole, which the wall does not keep', async ({
  page,
  url,
}) => {
  await page.goto(`${url}${wallOf(1)}`)
  await expect(live(page)).toBeVisible()
  await page.evaluate(() => {
    document.documentElement.dataset.loaded = 'as a wall'
  })
  await page.getByRole('navigation', { name: 'Wall' }).getByRole('link', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('in the last minute')
  await expect(page.locator('[data-loaded]')).toHaveCount(0)
  await page.goBack()
  await expect(tiles(page)).toHaveCount(1)
})
