import { expect, test } from './sightline.ts'

const widths = [320, 390, 600, 768, 900, 1024, 1100, 1280, 1440, 1920, 3840]

test('nothing in the header overlaps or leaves it, at any width', async ({ page, url }) => {
  await page.goto(url)
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 })
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
    expect(boxes.length).toBeGreaterThan(2)
    for (const { name, box } of boxes) {
      expect(box.left, `${name} at ${width}`).toBeGreaterThanOrEqual(0)
      expect(box.right, `${name} at ${width}`).toBeLessThanOrEqual(width)
      for (const other of boxes) {
        if (other.box === box) continue
        const isApart = other.box.left >= box.right - 0.5 || other.box.right <= box.left + 0.5
        expect(isApart, `${name} and ${other.name} at ${width}`).toBe(true)
      }
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  }
})

test('where the header has no room for the pages, a drawer has them', async ({ page, url }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(url)
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden()
  await page.getByRole('button', { name: 'Pages', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Sightline' })
  await expect(drawer.getByRole('link', { name: 'Feed' })).toHaveAttribute('aria-current', 'page')
  await drawer.getByRole('link', { name: 'Packages' }).click()
  await expect(drawer).toBeHidden()
  await expect(page).toHaveURL(`${url}/packages`)
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
