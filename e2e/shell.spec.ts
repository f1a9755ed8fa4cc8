import { readFileSync } from 'node:fs'
import type { Page, Request } from '@playwright/test'
import { expectAccessible, resize } from './accessibility.ts'
import { complaintsOf, expect, test } from './sightline.ts'

const widths = [320, 390, 600, 768, 900, 1024, 1100, 1280, 1440, 1920, 3840]

/** What of the header overlaps or leaves a window of this width, and whether the page does. */
async function headerFaults(page: Page, width: number): Promise<readonly string[]> {
  const boxes = await page
    .getByRole('banner')
    .locator('a, button, nav + div > span, span')
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.closest('[role="status"]') === null)
        .filter((element) => element.parentElement?.closest('a, button') === null)
        .filter(
          (element) =>
            element.querySelector('a, button, span') === null || element.matches('a, button'),
        )
        .map((element) => ({ name: element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0),
    )
  const pageWidth = await page.evaluate(() => document.documentElement.scrollWidth)
  return [
    ...(boxes.length > 2 ? [] : [`only ${boxes.length} things are in the header`]),
    ...(pageWidth === width ? [] : [`the page is ${pageWidth} wide`]),
    ...boxes.flatMap(({ name, box }, index) => [
      ...(box.left >= 0 && box.right <= width ? [] : [`${name} is outside`]),
      ...boxes
        .slice(index + 1)
        .filter((other) => other.box.left < box.right - 0.5 && other.box.right > box.left + 0.5)
        .map((other) => `${name} and ${other.name} overlap`),
    ]),
  ]
}

test('nothing in the header overlaps or leaves it, at any width', async ({ page, url }) => {
  await page.goto(url)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  for (const width of widths) {
    await resize(page, { width, height: 700 })
    await expect.poll(() => headerFaults(page, width), { message: `at ${width}` }).toEqual([])
  }
})

test('nothing in the header overlaps where a reader spaces letters and words', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/status`)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Demo data' })).toBeVisible()
  await page.evaluate(() => {
    Object.assign(document.documentElement.style, {
      letterSpacing: '0.12em',
      wordSpacing: '0.16em',
    })
  })
  for (const width of [1024, 1280, 1440, 1920]) {
    await resize(page, { width, height: 700 })
    await expect.poll(() => headerFaults(page, width), { message: `at ${width}` }).toEqual([])
  }
})

test('where the header has no room for the pages, a drawer has them', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(url)
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden()
  const open = page.getByRole('button', { name: 'Pages', exact: true })
  const drawer = page.getByRole('dialog', { name: 'Sightline' })

  await test.step('by keyboard it opens, closes, and gives the focus back', async () => {
    await open.focus()
    await page.keyboard.press('Enter')
    await expect(drawer.getByRole('link', { name: 'Feed' })).toHaveAttribute('aria-current', 'page')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(drawer).toBeHidden()
    await expect(open).toBeFocused()
  })

  await test.step('it marks the page that a page of one thing belongs to', async () => {
    await page.locator('[data-build-id] a').first().click()
    await expect(page.getByRole('navigation', { name: 'Build tabs' })).toBeVisible()
    await open.click()
    await expect(drawer.locator('[aria-current="page"]')).toHaveText('Builds')
  })

  await test.step('it leads to pages, also those about the user', async () => {
    await drawer.getByRole('link', { name: 'Packages' }).click()
    await expect(drawer).toBeHidden()
    await expect(page).toHaveURL(`${url}/packages`)
    await open.click()
    await drawer.getByRole('link', { name: 'Status' }).click()
    await expect(drawer).toBeHidden()
    await expect(page).toHaveURL(`${url}/status`)
  })

  await test.step('Back closes it, and it opens again', async () => {
    await open.click()
    await expect(drawer).toBeVisible()
    await page.goBack()
    await expect(page).toHaveURL(`${url}/packages`)
    await expect(drawer).toBeHidden()
    await open.click()
    await expect(drawer.locator('[aria-current="page"]')).toHaveText('Packages')
    await page.keyboard.press('Escape')
  })

  await test.step('it stays open when a page comes that was still loading', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/assets\//, async (route) => {
      await held
      await route.continue()
    })
    await open.click()
    await drawer.getByRole('link', { name: 'Waivers' }).click()
    await expect(page).toHaveURL(`${url}/waivers`)
    await open.click()
    await expect(drawer).toBeVisible()
    release()
    await expect(drawer.locator('[aria-current="page"]')).toHaveText('Waivers')
  })

  await test.step('and has the choices of the device', async () => {
    await drawer.getByText('Dark', { exact: true }).click()
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  })
})

test('boards of one name are all in the palette, and gone from it when something else is meant', async ({
  page,
  url,
}) => {
  const complaints = complaintsOf(page)
  for (const digest of ['a', 'b', 'c']) {
    await page.goto(`${url}/board`)
    await page
      .getByLabel('Packages, one per line')
      .fill(`pkg:npm/left@1.0.0 ${digest.repeat(64)} registry.example.com/${digest}`)
    await page.getByLabel('Policy scans').fill('release')
    await page.getByRole('button', { name: 'Show board' }).click()
    await expect(page).toHaveURL(/list=/)
  }
  await page.keyboard.press('ControlOrMeta+k')
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')
  await page.getByRole('combobox', { name: 'Find' }).fill('1 package')
  await expect(options.filter({ hasText: 'board on this device' })).toHaveCount(3)
  await page.getByRole('combobox', { name: 'Find' }).fill('walls')
  await expect(options.filter({ hasText: 'board on this device' })).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('what was opened last says how many builds and packages it has now', async ({ page, url }) => {
  const opened = [
    { label: 'left', note: 'project, 7 builds in the feed', to: '/builds?q=project%3Aleft' },
    { label: 'Next release', note: 'board, 3 packages', to: '/board/release' },
  ]
  await page.addInitScript(
    (value) => {
      localStorage.setItem('sightline.preferences', value)
    },
    JSON.stringify({ version: 1, opened }),
  )
  await page.goto(url)
  await page.getByRole('button', { name: 'Find pages, builds and commands' }).click()
  const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option')
  await expect(recent.nth(1)).toHaveAccessibleName('Next release board, 12 packages')
  await expect(recent.nth(0)).toHaveAccessibleName('left project')
})

test('the palette finds whatever is meant, by keyboard alone', async ({ page, url, context }) => {
  await page.goto(url)
  const row = page.locator('[data-build-id]').filter({ hasText: 'checkout' }).first()
  await expect(row).toBeVisible()
  const id = (await row.getAttribute('data-build-id')) ?? ''
  const field = page.getByRole('combobox', { name: 'Find' })
  const options = page.getByRole('listbox', { name: 'Results' }).getByRole('option')
  const chosen = options.and(page.locator('[aria-selected="true"]'))
  const find = async (typed: string): Promise<void> => {
    await page.keyboard.press('ControlOrMeta+k')
    await expect(field).toBeFocused()
    await page.keyboard.insertText(typed)
    await expect(options.first()).toBeVisible()
  }

  await test.step('what is typed before it is loaded is not lost', async () => {
    let release: () => void = () => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/*.js', async (route) => {
      await released
      await route.fallback()
    })
    const isComing = page.waitForRequest('**/*.js')
    await page.keyboard.press('ControlOrMeta+k')
    await isComing
    await page.keyboard.type('g wx')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('?')
    release()
    await expect(field).toHaveValue('g w?')
    await page.keyboard.type('!')
    await expect(field).toHaveValue('g w?!')
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
    await page.unroute('**/*.js')
    expect(new URL(page.url()).pathname).toBe('/')
  })

  await test.step('a project, whose letters are marked', async () => {
    await find('chec')
    await expect(chosen).toHaveAccessibleName(/^checkout project, \d+ builds? in the feed$/)
    await expect(chosen.locator('mark')).toHaveText('chec')
    await expect(field).toHaveAttribute(
      'aria-activedescendant',
      (await chosen.getAttribute('id')) ?? '',
    )
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${url}/builds?q=project%3Acheckout`)
    await expect(field).toBeHidden()
  })

  await test.step('a build by the address of its Build Scan', async () => {
    await find(`https://builds.example.com/s/${id}#failure`)
    await expect(chosen).toHaveAccessibleName(new RegExp(`^${id}`))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${url}/builds/${id}`)
    await expect(field).toBeHidden()
  })

  await test.step('boards, walls, scans and settings, by arrows', async () => {
    await find('release')
    await expect(chosen).toHaveAccessibleName(/board, 12 packages/)
    await page.keyboard.press('ArrowUp')
    await expect(chosen).toHaveAccessibleName(/^Search builds for /)
    await page.keyboard.press('ArrowDown')
    await expect(chosen).toHaveAccessibleName(/board, 12 packages/)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${url}/board/release`)
    await expect(field).toBeHidden()
    await find('utc')
    await expect(chosen).toHaveAccessibleName(/^Time zone: UTC/)
    await page.keyboard.press('Enter')
    await expect(field).toBeHidden()
    await find('local')
    await expect(chosen).toHaveAccessibleName(/^Time zone: Local/)
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  })

  await test.step('what was opened last stands first, and Control and Enter open a new tab', async () => {
    await find('')
    await expect(options.nth(0)).toHaveAccessibleName(/board, 12 packages/)
    await expect(options.nth(1)).toHaveAccessibleName(new RegExp(`^${id}`))
    const opening = context.waitForEvent('page')
    await page.keyboard.press('ControlOrMeta+Enter')
    await expect(await opening).toHaveURL(`${url}/board/release`)
    await expect(field).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  })

  await test.step('a test that was read before', async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/tests?/)
    // Whether any of them fails is chance.
    await page.getByRole('link', { name: /^All \(\d/ }).press('Enter')
    await expect(page).toHaveURL(/list=all/)
    const known = page.locator('td').getByRole('link').first()
    await expect(known).toBeVisible()
    const name = (await known.innerText()).split('.').at(-1)?.replace('()', '') ?? ''
    await find(name)
    await expect(
      page.getByRole('group', { name: 'Tests' }).getByRole('option').first(),
    ).toContainText(name)
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  })

  await test.step('a package that nobody has opened, by its package URL', async () => {
    await find('PKG:npm/%40acme/unheard-of@1.2.0?arch=arm64')
    await expect(page.getByText(/^Nothing named .* Open its page to evaluate it\.$/)).toHaveCount(2)
    await expect(chosen).toHaveAccessibleName(/^Open pkg:npm\/%40acme\/unheard-of@1\.2\.0/)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${url}/packages/npm/@acme/unheard-of/1.2.0?sha256=&repository=`)
    await expect(page.getByRole('textbox', { name: 'Package', exact: true })).toHaveValue(
      'pkg:npm/%40acme/unheard-of@1.2.0',
    )
  })

  await test.step('words become the search that they mean', async () => {
    await find('warehouse failed')
    await expect(chosen).toHaveAccessibleName(/^Search builds for /)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${url}/builds?q=project%3Awarehouse+buildOutcome%3Afailed`)
  })
})

test('the header says the state of the connection whole, whatever else is in it', async ({
  page,
  url,
}) => {
  // It has the longest navigation.
  await page.goto(`${url}/activity`)
  const connection = page.getByRole('button', { name: 'Connection: Live' })
  await expect(connection).toBeVisible()
  await expect(page.getByText('Connect your server').first()).toBeAttached()
  const word = connection.getByText('Live', { exact: true })
  for (const width of [1100, 1319, 1320, 1340, 1366, 1440, 1500]) {
    await resize(page, { width, height: 900 })
    const missing = await word.evaluate((one) => one.scrollWidth - one.clientWidth)
    expect(missing, `px of “Live” at ${width} px`).toBeLessThanOrEqual(0)
    await expect(word).toBeInViewport({ ratio: 1 })
  }
})

test('a source that fails is one line, and all else is found', async ({ page, url }) => {
  await page.goto(`${url}/status`)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  await page.route('**/history/queries', (route) => route.fulfill({ status: 403 }))
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await expect(palette.getByText(/^Queries saved on the server can't be shown\./)).toBeVisible()
  await expect(palette.getByRole('combobox', { name: 'Find' })).toBeFocused()
  await page.keyboard.insertText('wall')
  await expect(palette.getByRole('option', { selected: true })).toHaveAccessibleName(/^Walls page/)
})

test('what is opened while the server is away says so there, and opens once it is back', async ({
  page,
  url,
  context,
}) => {
  await page.goto(url)
  const connection = page.getByTestId('connection-state')
  const filter = page.getByRole('button', { name: 'Tool', exact: true })
  const missing = page.getByRole('alert').filter({ hasText: "Can't load this part of the page." })
  const tryAgain = missing.getByRole('button', { name: 'Try again' })
  // The last of what comes by itself.
  await expect(page.getByText('Connect your server').first()).toBeAttached()
  await context.setOffline(true)
  await connection.click()
  await expect(missing).toBeVisible()
  await missing.getByRole('button', { name: 'Close' }).click()
  await expect(missing).toBeHidden()
  await filter.click()
  await expect(missing).toBeVisible()
  await missing.getByRole('button', { name: 'Close' }).click()
  await expect(missing).toBeHidden()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(missing).toBeVisible()
  await tryAgain.click()
  await expect(missing).toBeVisible()
  await expect(page.locator('[data-build-id]').first()).toBeVisible()

  await context.setOffline(false)
  // What was tried again last may have come meanwhile.
  await expect(async () => {
    if (await tryAgain.isVisible()) await tryAgain.click({ timeout: 1000 })
    await expect(page.getByRole('combobox')).toBeFocused({ timeout: 2000 })
  }).toPass()
  const unstyled = () =>
    [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(
      ({ sheet }) => sheet === null,
    ).length
  await expect.poll(() => page.evaluate(unstyled)).toBe(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Command palette' })).toBeHidden()
  await connection.click()
  await expect(page.getByRole('button', { name: 'Reconnect now' })).toBeVisible()
  await page.keyboard.press('Escape')
  await filter.click()
  await expect(page.getByRole('option').first()).toBeVisible()
  await expect(missing).toHaveCount(0)
})

test('what the browser does not ask for again is there after a reload', async ({ page, url }) => {
  // As in Firefox, and after an update: the server answers, and the part of the page still fails.
  // Routed from the start: a request right after the first route may pass it by.
  const script = '**/assets/*.js'
  let isGone = false
  await page.route(script, (route) => (isGone ? route.fulfill({ status: 404 }) : route.continue()))
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  isGone = true
  await page.keyboard.press('ControlOrMeta+k')
  const missing = page.getByRole('alert').filter({ hasText: "Can't load this part of the page." })
  await expect(missing).toContainText('Check your connection')
  await missing.getByRole('button', { name: 'Try again' }).click()
  await expect(missing).toContainText('Reload the page to get it.')
  await page.unroute(script)
  await missing.getByRole('button', { name: 'Reload' }).click()
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Find' })).toBeFocused()
})

test('a page whose code is slow is seen to come, all of it at once, and the page before stays', async ({
  page,
  url,
}) => {
  const requested = new Set<string>()
  let held = Promise.resolve()
  // Routed from the start: a request right after the first route may pass it by.
  await page.route('**/assets/*', async (route) => {
    requested.add(new URL(route.request().url()).pathname.slice(1))
    await held
    await route.continue()
  })
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  const navigation = page.getByRole('navigation')
  const bar = () =>
    page.evaluate(() => getComputedStyle(document.documentElement, '::before').height)
  let release = (): void => undefined
  held = new Promise<void>((resolve) => {
    release = resolve
  })
  expect(await bar()).toBe('auto')
  await navigation.getByRole('link', { name: 'Builds' }).click()
  await expect.poll(bar).toBe('3px')
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  const waited = filesOf('/builds').filter((file) => file.endsWith('.js'))
  expect(waited.length).toBeGreaterThan(3)
  await expect.poll(() => waited.filter((file) => !requested.has(file))).toEqual([])

  await test.step('who goes back meanwhile waits for nothing', async () => {
    await page.goBack()
    await expect.poll(bar).toBe('auto')
    await navigation.getByRole('link', { name: 'Builds' }).click()
    await expect.poll(bar).toBe('3px')
  })

  await test.step('so is what opens above the page', async () => {
    await page.goBack()
    await page.getByRole('button', { name: 'Project', exact: true }).click()
    await expect(page.getByRole('progressbar', { name: 'Loading' })).toHaveCSS('height', '3px')
  })

  release()
  await expect(page.getByRole('option').first()).toBeVisible()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await navigation.getByRole('link', { name: 'Builds' }).click()
  await expect(page.getByRole('heading', { name: 'Builds' })).toBeVisible()
  await expect.poll(bar).toBe('auto')
})

test('a page whose code is gone says so at once, and is loaded anew when it is opened again', async ({
  page,
  url,
}) => {
  const part = decodePart()
  let asked = 0
  let isGone = true
  await page.route(`**/${part}`, (route) => {
    asked += 1
    return isGone ? route.fulfill({ status: 404 }) : route.continue()
  })
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  const link = page.getByRole('navigation').getByRole('link', { name: 'Decode' })
  await link.click()
  await expect(page.getByRole('heading', { name: "Can't show this page." })).toBeVisible()
  expect(asked).toBeLessThan(4)
  await page.getByRole('navigation').getByRole('link', { name: 'Feed' }).click()
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  isGone = false
  await link.click()
  await expect(page.getByRole('textbox', { name: /^Paste an attestation/ })).toBeVisible()
})

test('a page under which another release was installed comes by itself, once all of it is there', async ({
  page,
  url,
}) => {
  for (const missing of ['**/assets/index-*.js', `**/${decodePart()}`]) {
    let loads = 0
    const count = (request: Request): unknown => request.isNavigationRequest() && (loads += 1)
    page.on('request', count)
    await page.route(missing, (route) =>
      loads < 3 ? route.fulfill({ status: 404 }) : route.continue(),
    )
    await page.goto(`${url}/decode`)
    await expect(page.getByRole('textbox', { name: /^Paste an attestation/ })).toBeVisible({
      timeout: 20_000,
    })
    expect(loads).toBe(3)
    page.off('request', count)
    await page.unroute(missing)
  }
})

test('no text becomes a script or markup of the page, wherever it comes from', async ({
  page,
  url,
}) => {
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  const refused = await page.evaluate(() => {
    const tries: (() => unknown)[] = [
      () => (document.createElement('div').innerHTML = '<img src=x>'),
      () => {
        document.createElement('div').insertAdjacentHTML('beforeend', '<b>x</b>')
      },
      () => (document.createElement('script').src = 'https://evil.example/x.js'),
      () => (document.createElement('script').text = 'alert(1)'),
      () => new Worker('https://evil.example/x.js'),
      () => new Worker('/other.js'),
    ]
    return tries.map((attempt) => {
      try {
        attempt()
        return 'allowed'
      } catch (error) {
        return error instanceof TypeError ? 'refused' : String(error)
      }
    })
  })
  expect(refused).toEqual(Array(6).fill('refused'))
})

test('Back gives the focus to the link that was followed', async ({ page, url }) => {
  await page.goto(`${url}/board`)
  const board = page.getByRole('main').getByRole('link', { name: 'Next release' })
  // What writes the title remembers the link, too, and loads after the page.
  await expect(page).toHaveTitle(/^Boards · /)
  await board.focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${url}/board/release`)
  await page.goBack()
  await expect(page).toHaveURL(`${url}/board`)
  await expect(board).toBeFocused()
})

test('an address that was cut within a percent code has a page that says what is wrong', async ({
  page,
  url,
}) => {
  const headings = [
    ['/board/%E0%A4%A', 'Board “%E0%A4%A” not found.'],
    ['/builds/%E0%A4%A', 'Not a build id.'],
    ['/packages/%E0%A4%A', 'Page not found.'],
    ['/wall/%E0%A4%A', 'Wall “%E0%A4%A” not found.'],
    ['//board', 'Page not found.'],
  ] as const
  for (const [path, heading] of headings) {
    await page.goto(url + path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  }
  await page.getByRole('main').getByRole('link', { name: 'Boards' }).click()
  await expect(page).toHaveURL(`${url}/board`)
})

/** The file that has the page for attestations. */
/** The files that the page at an address is drawn with, besides those of every page. */
function filesOf(path: string): readonly string[] {
  const rows = JSON.parse(readFileSync('dist/client/preloads.json', 'utf8')) as {
    readonly path: string
    readonly files: readonly string[]
  }[]
  return rows.find((row) => row.path === path)?.files ?? []
}

function decodePart(): string {
  const manifest = readFileSync('dist/client/.vite/manifest.json', 'utf8')
  const found = /"src\/web\/features\/decode\/decode-page\.tsx": \{\s*"file": "([^"]+)"/.exec(
    manifest,
  )
  return found?.[1] ?? ''
}

test('a page that loads begins where it does once it is there, and one that fails to load has a heading', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_CREATE_TOKENS: 'on' })
  const heading = page.getByRole('heading', { level: 1 })
  const refusal = { title: 'Bad Request', status: 400, detail: 'It was refused.' }
  for (const [address, request, loading] of [
    ['/walls', '**/history/walls', 'Loading walls…'],
    ['/walls/edit', '**/history/walls', 'Loading wall…'],
    ['/waivers', '**/history/waivers', 'Loading waivers…'],
    ['/tokens', '**/config', 'Loading tokens…'],
  ] as const) {
    await test.step(address, async () => {
      let goOn = (): void => undefined
      const seen = new Promise<void>((resolve) => (goOn = resolve))
      await page.route(request, async (route) => {
        await seen
        await route.continue()
      })
      await page.goto(url + address)
      // What the first paint has is drawn anew.
      await expect(page.locator('#frame')).toHaveCount(0)
      await expect(heading).toHaveText(loading)
      const before = await heading.boundingBox()
      goOn()
      await expect(heading).not.toHaveText(/^Loading/)
      expect((await heading.boundingBox())?.x).toBe(before?.x)
      await page.unroute(request)
      await page.route(request, (route) =>
        route.fulfill({ status: 400, contentType: 'application/problem+json', json: refusal }),
      )
      await page.reload()
      await expect(page.getByRole('alert').getByRole('heading', { level: 1 })).toHaveText(/\.$/)
      await expect(heading).toHaveCount(1)
      await page.unroute(request)
    })
  }
})

test('where the configuration fails to load, Boards and Packages say so and load it once more', async ({
  page,
  url,
}) => {
  const refusal = { title: 'Bad Request', status: 400, detail: 'It was refused.' }
  for (const [address, noun, listed] of [
    ['/board', 'boards', page.getByRole('region', { name: 'Configured boards' })],
    ['/packages', 'packages', page.getByRole('table', { name: 'Configured packages' })],
  ] as const) {
    await page.route('**/config', (route) =>
      route.fulfill({ status: 400, contentType: 'application/problem+json', json: refusal }),
    )
    await page.goto(url + address)
    const notice = page
      .getByRole('alert')
      .filter({ hasText: `Configured ${noun} aren't available.` })
    await expect(notice).toContainText('It was refused.')
    await page.unroute('**/config')
    await notice.getByRole('button', { name: 'Try again' }).click()
    await expect(listed).toBeVisible()
    await expect(notice).toBeHidden()
  }
})
