import { writeFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { resize } from './accessibility.ts'
import { longName, startLongNames } from './long-names.ts'
import { bareBuilds, startPlainBuildList } from './plain-build-list.ts'
import { faultsOf, shifts } from './rectangles.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

/**
 * Every page at every width: nothing overlaps, nothing pans sideways, nothing is cut that does not say its
 * end on demand, and each page ends where its content ends.
 */

/** The widths of windows, and what 200 and 400 % zoom leave of a small one. */
const windows = [
  [320, 700],
  [390, 844],
  [600, 900],
  [768, 1024],
  [900, 700],
  [1024, 768],
  [1280, 800],
  [1440, 900],
  [1920, 1080],
  [3840, 2160],
  [720, 450],
  [320, 256],
] as const
const fewWindows = windows.filter(([width]) => width === 320 || width === 768 || width === 1440)
const touchWindows = [
  [390, 844],
  [820, 1180],
] as const

type Windows = readonly (readonly [width: number, height: number])[]

/** The faults of the page as it stands, each with the windows in which it is seen. */
async function faultsIn(page: Page, sizes: Windows = windows): Promise<readonly string[]> {
  return measured(page, sizes, false)
}

/** The same where fingers point, which changes sizes, too. */
async function touchFaults(page: Page): Promise<readonly string[]> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 })
  const faults = await measured(page, touchWindows, true)
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false })
  await cdp.detach()
  return faults
}

async function measured(page: Page, sizes: Windows, isTouch: boolean): Promise<readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [width, height] of sizes) {
    await resize(page, { width, height })
    for (const fault of await faultsOf(page, { isTouch })) {
      found.set(fault, [...(found.get(fault) ?? []), `${width} x ${height}`])
    }
  }
  await resize(page, { width: 1440, height: 900 })
  const pointer = isTouch ? ', by touch' : ''
  return [...found].map(([fault, where]) => `${fault}, at ${where.join(', ')}${pointer}`)
}

/** The entry of the navigation that is marked as where one is. */
const here = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current="page"]')

/** All pages of the demo: their addresses, entries in the navigation, and what shows that they are there. */
async function pagesOf(page: Page, url: string) {
  await page.goto(url)
  const rows = page.locator('[data-build-id]')
  const build = await rows.first().getAttribute('data-build-id')
  const gradle = await rows.filter({ hasText: 'gradle' }).first().getAttribute('data-build-id')
  await page.goto(`${url}/packages`)
  const scan = await page.locator('a[href*="/policy-scans/"]').first().getAttribute('href')
  const [path = '', search = ''] = scan?.split('?') ?? []
  return [
    ['/', 'Feed', page.locator('[data-build-id]').first()],
    ['/builds?q=buildOutcome:failed', 'Builds', page.locator('[data-build-id]').first()],
    ['/builds?view=groups', 'Builds', page.getByRole('table').first()],
    ['/builds?view=trends', 'Builds', page.getByRole('figure').first()],
    ['/tests', 'Tests', page.locator('h1')],
    [`/builds/${build ?? ''}`, 'Builds', page.getByRole('navigation', { name: 'Build tabs' })],
    // The names of its fields are the longest there are.
    [`/builds/${gradle ?? ''}?tab=environment`, 'Builds', page.getByText('Searchable fields')],
    ['/packages', 'Packages', page.locator('a[href*="/policy-scans/"]').first()],
    [`${path.replace(/\/policy-scans.*/, '')}?${search}`, 'Packages', page.locator('h1')],
    [scan ?? '', 'Packages', page.getByRole('button', { name: /^Evaluate/ })],
    [`${path}/runs?${search}`, 'Packages', page.locator('h1')],
    ['/board', 'Boards', page.getByRole('link', { name: /release/i }).first()],
    ['/board/release', 'Boards', page.locator('[data-package]').first()],
    ['/waivers', 'Waivers', page.locator('h1')],
    ['/publish', 'Publish', page.getByRole('textbox').first()],
    ['/decode', 'Decode', page.getByRole('textbox').first()],
    ['/activity', 'Activity', page.locator('h1')],
    ['/status', 'Status', page.getByText('Write time')],
    ['/nowhere', undefined, page.locator('h1')],
  ] as const
}

test('every page fits every window, and its entry in the navigation is marked', async ({
  page,
  url,
}) => {
  for (const [address, entry, ready] of await pagesOf(page, url)) {
    await test.step(address, async () => {
      await page.goto(url + address)
      await expect(ready).toBeVisible()
      await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
      expect.soft(await faultsIn(page)).toEqual([])
      expect.soft(await touchFaults(page)).toEqual([])
      await (entry === undefined
        ? expect(here(page)).toHaveCount(0)
        : expect(here(page)).toHaveText(entry))
    })
  }
})

test('on a phone nothing moves while a page loads', async ({ page, url }) => {
  const pages = await pagesOf(page, url)
  await resize(page, { width: 390, height: 844 })
  for (const [address, , ready] of pages) {
    await test.step(address, async () => {
      await page.goto(url + address)
      await expect(ready).toBeVisible()
      await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
      await expect(page.locator('main [aria-busy="true"]')).toHaveCount(0)
      expect.soft(await shifts(page), address).toBeLessThan(0.05)
    })
  }
})

test('walls, menus, drawers and dialogs fit every window', async ({ page, url }) => {
  await test.step('the wall', async () => {
    await page.goto(`${url}/wall`)
    await expect(page.getByRole('article').first()).toBeVisible()
    expect.soft(await faultsIn(page)).toEqual([])
  })
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible()
  await test.step('the palette', async () => {
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('combobox', { name: 'Find' })
    for (const typed of ['', 'checkout', 'k3j7q2m5x7a4c']) {
      await field.fill(typed)
      await expect(page.getByRole('option').first()).toBeVisible()
      expect.soft(await faultsIn(page, fewWindows)).toEqual([])
    }
    await page.keyboard.press('Escape')
    await expect(field).toBeHidden()
  })
  await test.step('the list of keys', async () => {
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(list).toBeVisible()
    expect.soft(await faultsIn(page, fewWindows)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(list).toBeHidden()
  })
  await test.step('the menu of the user', async () => {
    await page.getByRole('button', { name: /^Signed in as/ }).click()
    await expect(page.getByRole('menuitem', { name: 'Status' })).toBeVisible()
    expect
      .soft(
        await faultsIn(page, [
          [1440, 900],
          [768, 1024],
        ]),
      )
      .toEqual([])
    await page.keyboard.press('Escape')
  })
  await test.step('the drawer', async () => {
    await resize(page, { width: 390, height: 844 })
    await page.getByRole('button', { name: 'Pages', exact: true }).click()
    await expect(page.getByRole('dialog', { name: 'Sightline' })).toBeVisible()
    expect
      .soft(
        await faultsIn(page, [
          [390, 844],
          [320, 256],
          [768, 1024],
        ]),
      )
      .toEqual([])
  })
})

const key = 'canary-long-names'
const purl = `pkg:oci/${longName('package').toLowerCase()}@1.0.0`

test('names of 200 characters fit every window, or say their ends on demand', async ({
  page,
  sightline,
}, info) => {
  const upstream = await startLongNames(key)
  const config = info.outputPath('sightline.yaml')
  const query = `project:${longName('project')}`
  const packages = [{ purl, sha256: 'ab'.repeat(32), repositoryUrl: longName('repository') }]
  writeFileSync(
    config,
    JSON.stringify({
      boards: [
        { name: 'long', title: longName('title'), scans: ['release', longName('scan')], packages },
      ],
      walls: [
        { name: 'long', title: longName('wall'), tiles: [{ title: longName('tile'), query }] },
      ],
      savedQueries: [{ name: longName('saved'), query }],
    }),
  )
  const { url } = await sightline({
    ...besideBuildServer(upstream.url, key),
    SIGHTLINE_GOVERNOR_URL: upstream.url,
    SIGHTLINE_GOVERNOR_BEARER: key,
    SIGHTLINE_CONFIG: config,
  })
  const search = `sha256=${'ab'.repeat(32)}&repository=${longName('repository')}`
  const scan = `/packages/oci/${longName('package').toLowerCase()}/1.0.0/policy-scans/release?${search}`
  const builds = page.locator('[data-build-id]').first()
  const evaluate = page.getByRole('button', { name: /^Evaluate/ }).first()
  const pages = [
    ['/', builds, undefined],
    [`/builds?q=${query}`, builds, undefined],
    [
      `/builds/${upstream.ids[0] ?? ''}`,
      page.getByRole('navigation', { name: 'Build tabs' }),
      undefined,
    ],
    ['/packages', page.locator('a[href*="/policy-scans/"]').first(), undefined],
    [scan, evaluate, page.locator('[data-policy-uri]').first()],
    ['/board/long', evaluate, page.getByText(/unsatisfied/).first()],
    ['/wall/long', page.getByRole('article').first(), undefined],
  ] as const
  for (const [address, ready, evaluated] of pages) {
    await test.step(address.slice(0, 40), async () => {
      await page.goto(url + address)
      await expect(ready).toBeVisible()
      if (evaluated !== undefined) {
        await ready.click()
        await expect(evaluated).toBeVisible()
      }
      expect.soft(await faultsIn(page)).toEqual([])
    })
  }
  await upstream.close()
})

test('charts of many thousands of builds show their scales whole', async ({ page, sightline }) => {
  // Before the feed's hour, which would read each of them as well.
  const upstream = await startPlainBuildList(key, bareBuilds(6000, Date.now() - 7_200_000))
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/builds?view=trends&q=${encodeURIComponent('buildStartTime>-5h')}`)
  const builds = page.getByRole('region', { name: 'Builds', exact: true })
  await expect(
    builds.getByRole('img', { name: /: 6,000 builds, 0 failed, 6,000 unknown/ }),
    'all of a long list, which takes a busy machine its time',
  ).toBeVisible({ timeout: 150_000 })
  await expect(builds.getByText('in 10 min', { exact: true })).toBeVisible()
  expect.soft(await faultsIn(page)).toEqual([])
  await upstream.close()
})
