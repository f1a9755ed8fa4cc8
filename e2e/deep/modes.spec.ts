import type { Page } from '@playwright/test'
import { resize } from '../accessibility.ts'
import { expectFocusSeen } from '../focus.ts'
import { expect, test } from '../sightline.ts'

/** Every page at 200 and 400 % zoom, with forced colors and with reduced motion, walked through by Tab. */

const addresses = [
  '/',
  '/builds?q=buildOutcome:failed',
  '/builds?view=groups',
  '/builds?view=trends',
  '/tests',
  '/packages',
  '/board',
  '/board/release',
  '/waivers',
  '/publish',
  '/decode',
  '/activity',
  '/activity?show=audit',
  '/status',
  '/walls',
  '/walls/edit',
  '/wall',
]
/** 1,280 by 800 pixels at 100, 200 and 400 %. */
const windows = [
  { width: 1280, height: 800 },
  { width: 640, height: 400 },
  { width: 320, height: 256 },
]

/** Opens each address, and the pages of a build and a scan. */
async function onEachPage(page: Page, url: string, look: () => Promise<void>): Promise<void> {
  await page.goto(url)
  const build = await page.locator('[data-build-id]').first().getAttribute('data-build-id')
  await page.goto(`${url}/packages`)
  const scan = await page.locator('a[href*="/policy-scans/"]').first().getAttribute('href')
  for (const address of [...addresses, `/builds/${build ?? ''}`, scan ?? '']) {
    await test.step(address, async () => {
      await page.goto(url + address)
      await expect(page.locator('h1').first()).toBeVisible()
      await look()
    })
  }
}

/** Tab from the top of the page to its end, or as far as so many stops; what is wrong on the way. */
async function walk(page: Page, most: number): Promise<string[]> {
  const faults: string[] = []
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  })
  for (let stops = 0; stops < most && faults.length < 3; stops++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement === document.body)) break
    await expectFocusSeen(page).catch((error: unknown) => {
      faults.push(/Received: +(.+)/.exec(String(error))?.[1] ?? String(error))
    })
  }
  return faults
}

test('at every zoom a page scrolls in one place, pans nowhere, and shows where the focus is', async ({
  page,
  url,
}) => {
  test.setTimeout(600_000)
  await onEachPage(page, url, async () => {
    for (const size of windows) {
      await resize(page, size)
      const past = await page.evaluate(() => {
        const { scrollHeight, scrollWidth } = document.documentElement
        return [scrollWidth - innerWidth, scrollHeight - innerHeight]
      })
      expect.soft(past, `what is past the window of ${size.width} px`).toEqual([0, 0])
      const faults = await walk(page, size.width === 1280 ? 120 : 40)
      expect.soft(faults, `at ${size.width} px`).toEqual([])
    }
  })
})

test('at 400 % a dialog is within the window, and shows where the focus is', async ({
  page,
  url,
}) => {
  await page.setViewportSize({ width: 320, height: 256 })
  await page.goto(url)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  const openers = {
    palette: () => page.keyboard.press('ControlOrMeta+k'),
    keys: () => page.keyboard.press('?'),
    pages: () => page.getByRole('button', { name: 'Pages', exact: true }).click(),
    connection: () => page.getByTestId('connection-state').click(),
  }
  for (const [name, open] of Object.entries(openers)) {
    await test.step(name, async () => {
      await open()
      const dialog = page.getByRole('dialog').last()
      await expect(dialog).toBeVisible()
      const outside = () =>
        dialog.evaluate((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect()
          return [left < 0, top < 0, right > innerWidth, bottom > innerHeight]
        })
      await expect.poll(outside).toEqual([false, false, false, false])
      for (let stops = 0; stops < 12; stops++) {
        await page.keyboard.press('Tab')
        await expectFocusSeen(page)
      }
      await page.keyboard.press('Escape')
      await expect(dialog).toBeHidden()
    })
  }
})

test('with forced colors what is chosen, current or focused is seen', async ({ page, url }) => {
  test.setTimeout(300_000)
  await page.emulateMedia({ forcedColors: 'active' })
  await onEachPage(page, url, async () => {
    expect.soft(await page.evaluate(unmarked)).toEqual([])
    expect.soft(await walk(page, 60)).toEqual([])
  })
})

/** Runs in the page: what is current or pressed and looks like what is not. */
function unmarked(): string[] {
  const marked = '[aria-current], [aria-pressed="true"], [aria-selected="true"]'
  return [...document.querySelectorAll(marked)]
    .filter((one) => one.checkVisibility() && one.getAttribute('aria-current') !== 'false')
    .filter((one) => {
      const { outlineStyle, borderBottomColor, fontWeight } = getComputedStyle(one)
      const others = [...(one.parentElement?.children ?? [])].filter(
        (other) => other !== one && other.tagName === one.tagName && !other.matches(marked),
      )
      return !(
        outlineStyle !== 'none' ||
        others.length === 0 ||
        others.every((other) => getComputedStyle(other).borderBottomColor !== borderBottomColor) ||
        others.every((other) => getComputedStyle(other).fontWeight !== fontWeight)
      )
    })
    .map((one) => `${one.tagName} “${one.textContent.trim().slice(0, 40)}”`)
}

test('with reduced motion nothing moves', async ({ page, url }) => {
  test.setTimeout(300_000)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await onEachPage(page, url, async () => {
    await page.keyboard.press('?')
    const longest = await page.evaluate(() =>
      Math.max(
        0,
        ...document
          .getAnimations()
          .map(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0)),
      ),
    )
    expect.soft(longest, 'ms').toBeLessThanOrEqual(1)
    await page.keyboard.press('Escape')
  })
})
