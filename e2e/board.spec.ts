import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type Loopback, onLoopback } from '../src/free-port.test-support.ts'
import { expectAccessibleWideAndNarrow, resize } from './accessibility.ts'
import { headline } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** The release board: on the embedded service, and at one that is busy and breaks off. */

const satisfied = `${JSON.stringify({ policyUri: '/policies/BuildTool/supported', status: 'satisfied' })}\n`

/** A third is refused, each tenth answer breaks off, one cell's twice at most; counts whole answers. */
async function moodyService(): Promise<Loopback & { whole: Map<string, number> }> {
  const whole = new Map<string, number>()
  const broken = new Map<string, number>()
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    const url = request.url ?? ''
    // What Sightline asks at its start counts as no turn.
    if (url.includes('/sightline-check/')) {
      response.writeHead(404).end()
      return
    }
    asked += 1
    const turn = asked
    setTimeout(() => {
      if (turn % 3 === 0) response.writeHead(429).end()
      else {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        const breaks = broken.get(url) ?? 0
        if (turn % 10 === 1 && breaks < 2) {
          broken.set(url, breaks + 1)
          response.write(satisfied, () => request.socket.destroy())
        } else {
          whole.set(url, (whole.get(url) ?? 0) + 1)
          response.end(satisfied)
        }
      }
    }, 300)
  })
  return { ...(await onLoopback(server)), whole }
}

test('a board at a busy service ends complete, though the page is loaded again half way', async ({
  page,
  sightline,
}) => {
  const { url: governor, whole, close } = await moodyService()
  const { url } = await sightline({
    SIGHTLINE_GOVERNOR_URL: governor,
    SIGHTLINE_GOVERNOR_BASIC: 'robot:secret',
  })
  const lines = Array.from(
    { length: 8 },
    (_, index) => `pkg:oci/app-${index}@1.0.0 sha256:${'ab'.repeat(32)} registry.example/shop`,
  )
  await page.goto(`${url}/board`)
  await page.getByLabel('Packages, one per line').fill([...lines, 'no package'].join('\n'))
  await page.getByLabel('Policy scans').fill('release, security')
  await expect(page.getByText("1 line can't be evaluated and is left out:")).toBeVisible()
  await page.getByRole('button', { name: 'Show board' }).click()
  await expect(page).toHaveURL(/\/board\?list=/)
  await expect(headline(page)).toHaveText('None of 8 packages has been evaluated yet.')
  await page.getByRole('button', { name: 'Evaluate all 16' }).click()
  await expect(page.getByTestId('progress')).toContainText('waiting')
  await expect(page.getByRole('progressbar')).toHaveAttribute('aria-valuemax', '16')
  const passed = page.locator('[data-at][data-verdict="releasable"]')
  await expect.poll(() => passed.count()).toBeGreaterThan(3)
  await page.reload()
  await expect(headline(page)).toHaveText('All 8 packages can be released.', { timeout: 90_000 })
  await expect(passed).toHaveCount(16)
  expect(whole.size).toBe(16)
  expect([...whole.values()].filter((count) => count !== 1)).toEqual([])
  await close()
})

test('a board without a package offers nothing but to edit its list', async ({ page, url }) => {
  await page.goto(`${url}/board?list=no+package&scans=release`)
  await expect(page.getByText('No packages to evaluate.')).toBeVisible()
  await expect(page.getByText('Edit the list: each line needs')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Export' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Release…' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Edit list' }).click()
  await expect(page.getByLabel('Packages, one per line')).toHaveValue('no package')
})

test('the board that makes room for another one is named before it goes', async ({ page, url }) => {
  await page.addInitScript(() => {
    const boards = Array.from({ length: 20 }, (_, index) => ({
      id: `pasted-${index}`,
      title: `Board ${index}`,
      text: `pkg:oci/app-${index}@1`,
      scans: ['release'],
    }))
    localStorage.setItem('sightline.preferences', JSON.stringify({ version: 1, boards }))
  })
  await page.goto(`${url}/board`)
  await expect(page.getByRole('form', { name: 'Paste a board' })).toContainText(
    'This browser keeps 20 boards. Showing this one removes the oldest, “Board 19”.',
  )
  await page.goto(`${url}/board?kept=pasted-20`)
  await expect(headline(page)).toHaveText("This browser doesn't have this board.")
})

test('nothing can be evaluated, and nothing is called missing, while recorded results load', async ({
  page,
  browser,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}/board/release`)
  await page.getByRole('button', { name: /^Evaluate all/ }).click()
  await expect(page.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
  const colleague = await browser.newPage()
  let load = (): void => undefined
  const loaded = new Promise<void>((resolve) => (load = resolve))
  await colleague.route('**/history/evaluations/latest', async (route) => {
    await loaded
    await route.continue()
  })
  await colleague.goto(`${url}/board/release`)
  await expect(headline(colleague)).toHaveText('Loading recorded results…')
  // Only then it is known what they may do.
  await expect(colleague.getByLabel('Parallel evaluations')).toBeEnabled()
  const missing = colleague.getByRole('button', { name: /^Evaluate (?:all )?\d/ })
  expect(await missing.isDisabled()).toBe(true)
  await expect(colleague.getByText('not evaluated yet')).toHaveCount(0)
  load()
  await expect(headline(colleague)).toHaveText(/^6 of 12 packages can't be released: /)
})

test('a policy is waived on the board: counted apart everywhere, on record, and failing again when it is ended', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}/board/release`)
  await page.getByRole('button', { name: /^Evaluate all/ }).click()
  await expect(headline(page)).toHaveText(/^6 of 12 packages can't be released: /)
  // Until then rows change their places.
  await expect(page.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
  const row = page.locator('tr[data-package="pkg:oci/recommendations@0.9.4"]')
  const cell = row.locator('[data-scan="production"] button')
  await expect(row).toHaveAttribute('data-verdict', 'not-releasable')
  await page.getByLabel('Failing only').check()
  await cell.click()
  await page.getByRole('button', { name: 'Waive dependency-health…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('pkg:oci/recommendations@0.9.4, scan production')
  await dialog.getByRole('button', { name: 'Waive dependency-health' }).click()
  await expect(dialog).toContainText('Enter a reason')
  await dialog.getByLabel('Reason').fill('Upgraded with the next release')
  await dialog.getByRole('button', { name: 'Waive dependency-health' }).click()
  await expect(dialog).toBeHidden()

  await expect(headline(page)).toHaveText(/^5 of 12 packages can't be released: /)
  await expect(row).toHaveAttribute('data-verdict', 'releasable-with-waivers')
  await expect(cell).toHaveAttribute('data-tone', 'waiting')
  await expect(cell).toContainText('1 waived')
  const told = page.getByRole('region', { name: 'pkg:oci/recommendations@0.9.4, production' })
  await expect(told).toContainText(
    /^5 policies in 10 results, evaluated .*: 3 satisfied, 1 unsatisfied, 1 not applicable\./,
  )
  await expect(told).toContainText(
    /unsatisfied.*waived until .* by local user: Upgraded with the next release/,
  )
  await expect(told.getByRole('link', { name: 'Recorded run' })).toHaveAttribute(
    'href',
    /\/policy-scans\/production\/runs\/[\w-]+$/,
  )
  const end = page.getByRole('button', { name: 'End waiver for dependency-health…' })
  await expect(end).toBeFocused()
  await page.getByRole('button', { name: 'Export' }).click()
  await expect(page.getByRole('menu', { name: 'Export' })).toContainText(
    'All packages, including those that filters hide',
  )
  const started = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /^JSON/ }).click()
  const exported = readFileSync(await (await started).path(), 'utf8')
  const { sentence } = JSON.parse(exported) as { readonly sentence: string }
  expect(sentence).toContain((await headline(page).textContent()) ?? 'a headline')
  expect(JSON.parse(exported)).toMatchObject({
    packages: expect.arrayContaining([
      expect.objectContaining({ verdict: 'releasable-with-waivers' }),
    ]),
  })
  expect(exported).toContain('Upgraded with the next release')

  const opened = page.url()
  const alone = new URLSearchParams({ list: 'pkg:oci/recommendations@0.9.4', scans: 'production' })
  await page.goto(`${url}/board?${alone.toString()}`)
  // It starts from what was recorded.
  await expect(headline(page)).toHaveText(
    'The package can be released with waivers, but a high-severity policy was not checked.',
  )
  await expect(headline(page)).toHaveAttribute('data-tone', 'waiting')

  // Before waivers are known a failure decides nothing, and where they are not read that is said.
  const requested = '**/history/waivers'
  const answers: (() => void)[] = []
  await page.route(requested, async (route) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    await route.continue()
  })
  await page.reload()
  await expect(headline(page)).toHaveText('Loading waivers…')
  for (const answer of answers) answer()
  await expect(headline(page)).toHaveText(/can be released with waivers, /)
  await page.unroute(requested)
  await page.route(requested, (route) => route.abort())
  // Once it is seen that all is well, waivers are loaded without a click.
  await page.route('**/readyz', (route) => route.abort())
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  await page.goto(`${page.url()}&asOf=${day}`)
  await expect(page.getByTestId('waiver-notice')).toContainText(
    "Can't load waivers, so none are counted",
  )
  await expect(page.getByRole('region', { name: /^As of / })).toHaveText("Can't load waivers.")
  await expect(headline(page)).toHaveAttribute('data-tone', 'bad')
  await page.unroute(requested)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(headline(page)).toHaveText(/can be released with waivers, /)
  await page.unroute('**/readyz')

  // Those who may not waive see waivers, and who may.
  await page.route('**/session', async (route) => {
    const response = await route.fetch()
    const session: unknown = await response.json()
    const user = { name: 'vera', roles: ['viewer'] }
    await route.fulfill({ response, json: Object.assign({}, session, { user }) })
  })
  await page.goto(opened)
  await expect(headline(page)).toHaveText(/^5 of 12 packages can't be released: /)
  await expect(page.getByText(/^2 more .*7 can be released, 1 with waivers, /)).toBeVisible()
  await expect(told).toContainText('waived until')
  await expect(end).toHaveAttribute('aria-disabled', 'true')
  await expect(end).toHaveAccessibleDescription(/^Requires the role releaser or admin\./)
  await page.unroute('**/session')

  await page.reload()
  const causes = page.getByRole('region', { name: 'Why packages fail' })
  await causes.getByRole('button', { name: /^Show all \d/ }).click()
  const health = causes.locator('[data-policy-uri$="/dependency-health"]')
  await expect(health).toContainText(/fails 1 package, waived in 1 cell/)
  await page.getByLabel('Failing only').uncheck()
  await health.getByRole('button', { name: 'Show these: dependency-health' }).click()
  await expect(page.locator('tr[data-package]')).toHaveCount(2)
  await health.getByRole('button', { name: '1 more' }).click()
  await health.getByRole('button', { name: /numpy.*\(1 waived\)/ }).click()
  await expect(page.locator('tr[data-package]')).toHaveCount(1)
  await page.getByRole('button', { name: /^Remove the filter Fails dependency-health/ }).click()
  await page.getByLabel('Failing only').check()
  await end.click()
  await dialog.getByRole('button', { name: 'End waiver', exact: true }).click()
  await expect(headline(page)).toHaveText(/^6 of 12 packages can't be released: /)
  await expect(cell).toHaveAttribute('data-verdict', 'not-releasable')
  await expect(page.getByRole('button', { name: 'Waive dependency-health…' })).toBeFocused()
  await told.getByRole('link', { name: 'Open policy scan' }).click()
  await page.getByText('Waivers of this scan: 0 in force, 1 ended').click()
  await expect(page.getByText('ended by local user')).toBeVisible()
})

test('the configured board is evaluated, opened and filtered, and accessible', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}/board`)
  await page.getByRole('region', { name: 'Configured boards' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/\/board\/[\w-]+$/)
  await page.getByRole('button', { name: /^Evaluate all/ }).click()
  await expect(headline(page)).toHaveText(/be released/)
  await expect(page.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
  await headline(page).click()
  await page.keyboard.press('j')
  await expect(page.locator('[data-at="0 0"]')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('link', { name: 'Open policy scan' })).toHaveAttribute(
    'href',
    /^\/packages\/.*\/policy-scans\/.*\?sha256=/,
  )
  await expect(page).toHaveURL(/open=/)
  const packages = page.locator('tr[data-package]')
  await expect(packages).toHaveCount(12)
  await resize(page, { width: 1440, height: 900 })
  const table = await page.getByRole('table', { name: 'Packages by scans' }).boundingBox()
  expect(table?.y, 'px above the table').toBeLessThanOrEqual(480)
  await page.getByLabel('Failing only').check()
  await expect.poll(() => packages.count()).toBeLessThan(12)
  await page.goBack()
  await expect(page.getByLabel('Failing only')).not.toBeChecked()
  await expect(packages).toHaveCount(12)
  await expectAccessibleWideAndNarrow(page)
  // The list of boards says the same, by what is recorded.
  const said = (await headline(page).textContent()) ?? ''
  await page.goto(`${url}/board`)
  const listed = page.getByRole('region', { name: 'Configured boards' }).getByRole('listitem')
  await expect(listed.first()).toContainText(said)
  await expectAccessibleWideAndNarrow(page)
})
