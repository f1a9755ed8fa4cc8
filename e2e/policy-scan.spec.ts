import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { evaluateAt, headline, policy } from './scan-page.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

/** The policy scan page with the embedded service. */

/** A package that the embedded service has from its start (seed-packages.ts). */
function seeded(
  type: string,
  namespace: string | undefined,
  name: string,
  version: string,
  repository: string,
): { readonly path: string; readonly sha256: string; readonly search: string } {
  const parts = [type, ...(namespace === undefined ? [] : [namespace]), name, version]
  const sha256 = createHash('sha256').update(parts.join(' ')).digest('hex')
  return {
    path: `/packages/${parts.join('/')}`,
    sha256,
    search: `?sha256=${sha256}&repository=${encodeURIComponent(repository)}`,
  }
}

const shop = 'registry.acme.example/shop'
const checkout = seeded('oci', undefined, 'checkout', '2.4.0', shop)
const catalog = seeded(
  'maven',
  'com.acme.shop',
  'catalog-service',
  '5.0.1',
  'artifacts.acme.example/maven-release',
)

test('a pasted image is evaluated, and the answer says why not and what to do', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}/packages`)
  await page
    .getByLabel('Package', { exact: true })
    .fill(`${shop}/checkout:2.4.0@sha256:${checkout.sha256}`)
  await expect(page.getByText('Read as image reference: pkg:oci/checkout@2.4.0')).toBeVisible()
  await expect(page.getByLabel('SHA-256 digest')).toHaveValue(checkout.sha256)
  await expect(page.getByLabel('Repository')).toHaveValue(shop)
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await expect(page.getByText('Enter the name of the policy scan.')).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Policy scan' })).toBeFocused()
  await page.keyboard.type('release')
  const requested: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  const evaluated = page
    .waitForResponse((response) => response.url().includes('/upstream/governor/'))
    .then((response) => response.headers()['sightline-evaluation'])
  const listed = page.waitForResponse(
    async (response) =>
      response.url().includes('/history/evaluations?') &&
      (await response.text()).includes(`"${await evaluated}"`),
  )
  await page.keyboard.press('Enter')

  await expect(page).toHaveURL(/\/packages\/oci\/checkout\/2\.4\.0\/policy-scans\/release\?sha256=/)
  await expect(headline(page)).toHaveText(/^(Releasable|Not releasable): \d of 6 policies/)
  await expect(
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Packages' }),
  ).toHaveAttribute('aria-current', 'page')
  const keys = policy(page, 'release-keys')
  await keys.getByText('release-keys').click()
  await expect(keys.getByRole('link', { name: /^Attestation/ }).first()).toHaveAttribute(
    'href',
    new RegExp(`^/packages/oci/checkout/2.4.0/sha256:${checkout.sha256}/attestations/`),
  )
  await expect(keys.getByRole('link', { name: /^Build [a-z0-9]{13}$/ }).first()).toBeVisible()
  await expect(keys.locator('[data-keyid]').first()).toBeVisible()
  // What the page has evaluated itself is not loaded once more from its record.
  await listed
  expect(requested).not.toContain(`/history/evaluations/${await evaluated}`)

  await page.goto(`${url}/packages`)
  const here = page.getByRole('region', { name: 'Used on this device' })
  await expect(here.getByRole('link', { name: 'pkg:oci/checkout@2.4.0' })).toBeVisible()
  await here
    .getByRole('link', { name: /^release \((?:passes|\d failing|not all checked), / })
    .click()
  // What was evaluated is shown again, and nothing else is.
  await expect(page.getByText('No previous run.')).toBeVisible()
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByTestId('comparison')).toContainText(
    "No policy's status changed since the previous run.",
  )
})

test('packages are rows of a table, found by name, digest or repository', async ({ page, url }) => {
  await page.goto(`${url}/packages`)
  const table = page.getByRole('table', { name: 'Configured packages' })
  const rows = table.getByRole('row').filter({ has: page.getByRole('rowheader') })
  await expect(rows).toHaveCount(12)
  const find = page.getByRole('searchbox', { name: 'Find a package' })
  for (const text of ['PAYMENTS@3', checkout.sha256.slice(0, 8)]) {
    await find.fill(text)
    await expect(rows).toHaveCount(1)
  }
  await expect(page).toHaveURL(/\?q=/)
  await expect(page.getByText('1 of 12 packages shown')).toBeVisible()
  await find.fill('nothing is called so')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows).toHaveCount(12)
})

test('from the verdict it is one step to publishing for the same package', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluateAt(page, `${url}${checkout.path}/policy-scans/release${checkout.search}`)
  await page.getByRole('link', { name: 'Publish…' }).click()
  await expect(page.getByRole('textbox', { name: 'Package' })).toHaveValue('pkg:oci/checkout@2.4.0')
  await expect(page.getByRole('textbox', { name: 'SHA-256 digest' })).toHaveValue(checkout.sha256)
  await expect(page.getByRole('textbox', { name: 'Repository' })).toHaveValue(shop)
})

test('filters and groups are in the address, and keys go through the policies', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluateAt(page, `${url}${catalog.path}/policy-scans/release${catalog.search}`)
  await expect(headline(page)).toHaveText(/of 6 policies/)
  const rows = page.locator('[data-policy-uri]')
  await expect(rows).toHaveCount(6)
  await page.getByRole('button', { name: 'severity' }).click()
  await page.getByRole('menuitemcheckbox', { name: /critical/ }).click()
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/label=policy.acme.example%2Fseverity%3Dcritical/)
  await expect(rows).toHaveCount(2)
  await expect(page.getByText('2 of 6 policies shown')).toBeVisible()
  await page.reload()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByLabel('Group by').selectOption({ label: 'Severity' })
  await expect(page.getByRole('region', { name: 'severity: critical' })).toBeVisible()
  await expect(page).toHaveURL(/by=label/)

  await page.getByRole('searchbox').pressSequentially('supported-jdks')
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('searchbox')).toHaveValue('supported-jdks')
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(rows).toHaveCount(6)
  await headline(page).click()
  await page.keyboard.press('j')
  await expect(rows.first().locator('summary')).toBeFocused()
  const wasOpen = await rows.first().getAttribute('open')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows.first().getAttribute('open')).not.toBe(wasOpen)
  await page.keyboard.press('j')
  await expect(rows.nth(1).locator('summary')).toBeFocused()
})

test('one policy has a link, which opens it alone whatever was filtered', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluateAt(page, `${url}${catalog.path}/policy-scans/release${catalog.search}&by=kind`)
  const rows = page.locator('[data-policy-uri]')
  await expect(rows).toHaveCount(6)
  const verdict = (await headline(page).textContent()) ?? ''
  await page.getByRole('searchbox').fill('jdks')
  await expect(rows).toHaveCount(1)
  await rows.locator('summary').click()
  const link = page.getByRole('link', { name: 'Link to this policy, supported-jdks' })
  await link.click()
  await expect(page).toHaveURL(/by=kind/)
  await expect(page.getByText('1 of 6 policies shown')).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue('')
  await page.reload()
  await expect(rows).toHaveCount(1)
  await expect(rows).toHaveAttribute('open')
  await expect(headline(page)).toHaveText(verdict)
  await expect(link).toBeHidden()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(rows).toHaveCount(6)
  await page.goBack()
  await expect(rows).toHaveCount(1)
})

test('two versions are compared, and the report can be taken along', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const older = seeded('oci', undefined, 'checkout', '2.3.0', shop)
  await evaluateAt(page, `${url}${older.path}/policy-scans/release${older.search}`)
  await expect(headline(page)).toHaveText(/^Not releasable: 1 of 6 policies unsatisfied/)
  await evaluateAt(page, `${url}${checkout.path}/policy-scans/release${checkout.search}`)
  await page.getByLabel('Compare with').selectOption({ label: 'Version 2.3.0' })
  await expect(page).toHaveURL(/with=2.3.0/)
  await expect(page.getByTestId('comparison')).toContainText('Since version 2.3.0:')
  await expect(policy(page, 'provenance-present')).toContainText('fixed')

  for (const [name, ending, words] of [
    ['Markdown', 'md', '## Policy scan release'],
    ['CSV', 'csv', 'package,scan,policy'],
    ['SARIF 2.1.0', 'sarif', '"version": "2.1.0"'],
    ['JUnit XML', 'xml', '<testsuites>'],
    ['JSON', 'json', '"verdict":'],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click()
    const started = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe(`policy-scan-release-oci-checkout-2.4.0.${ending}`)
    expect(readFileSync(await download.path(), 'utf8')).toContain(words)
  }
})

test('a scan that is not defined offers those that were used, and errors are shown first', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluateAt(page, `${url}${checkout.path}/policy-scans/release${checkout.search}`)
  await expect(headline(page)).toHaveText(/of 6 policies/)
  await evaluateAt(page, `${url}${checkout.path}/policy-scans/nightly${checkout.search}`)
  await expect(page.getByRole('alert')).toContainText('Policy scan “nightly” not found.')
  await page.getByRole('link', { name: 'release', exact: true }).click()
  await expect(headline(page)).toHaveText(/of 6 policies/)

  await page.goto(`${url}/packages/oci/checkout/2.4.0/policy-scans/release?sha256=abc`)
  await expect(
    page.getByText('A SHA-256 digest has 64 hexadecimal digits, but this one has 3.'),
  ).toBeVisible()
  await expect(page.getByLabel('Repository')).toHaveValue(shop)
})

test('where only a build server is connected, these pages say how to connect a policy service, and offer no packages', async ({
  page,
  sightline,
}) => {
  // Nothing listens there: the build server is a real one that is down.
  const { url } = await sightline(besideBuildServer('http://127.0.0.1:9', 'canary-access-key'))
  for (const path of [
    '/packages',
    catalog.path,
    '/board',
    '/board/release',
    '/waivers',
    '/publish',
  ]) {
    await page.goto(`${url}${path}`)
    await expect(headline(page)).toHaveText('No policy service is connected.')
    await expect(page.getByText('SIGHTLINE_GOVERNOR_URL')).toBeVisible()
    await expect(page.getByRole('link', { name: /checkout|catalog/ })).toHaveCount(0)
  }
  await evaluateAt(page, `${url}${catalog.path}/policy-scans/release${catalog.search}`)
  await expect(headline(page)).toHaveText('No policy service is configured.')
})

const aScan = '/policy-scans/release'
for (const [what, path, names, loading] of [
  [
    'scan',
    aScan,
    ['pkg:npm/%40acme/shop@1.2', 'release'],
    /Loading policy scan….*registry\.acme\.example\/a/s,
  ],
  ['package', '', ['pkg:npm/%40acme/shop@1.2'], /Loading package…/],
] as const) {
  test(`a ${what} is named from the first paint on, and nothing moves when its code comes`, async ({
    page,
    url,
  }) => {
    const middle = async (place: Locator): Promise<number> => {
      const { y, height } = (await place.boundingBox()) ?? { y: Number.NaN, height: 0 }
      return y + height / 2
    }
    let letThrough = (): void => undefined
    const code = new Promise<void>((resolve) => (letThrough = resolve))
    await page.route(/\/assets\/.*\.js$/, async (route) => {
      await code
      await route.continue()
    })
    // What is loaded stays on its way.
    await page.route(/\/history\/evaluations\?|\/config$/, () => undefined)
    const artifact = `sha256=${'ab'.repeat(32)}&repository=registry.acme.example/a`
    await page.goto(`${url}/packages/npm/@acme/shop/1.2${path}?${artifact}`, {
      waitUntil: 'commit',
    })
    const frame = page.locator('#frame')
    const [name] = names
    await expect(frame.locator('.frame-place strong')).toHaveText([...names])
    const before = await middle(frame.getByText(name))
    letThrough()
    await expect(frame).toHaveCount(0)
    await expect(headline(page)).toHaveText(/^Loading /)
    await expect(page.getByRole('main')).toHaveText(loading)
    const after = await middle(page.getByRole('main').getByText(name, { exact: true }))
    expect(after).toBeCloseTo(before, 0)
  })
}

test('the pages of a package are accessible, wide and narrow', async ({ page, url }) => {
  test.slow()
  for (const [path, ready] of [
    ['/packages', /^Can this package/],
    [`${catalog.path}${catalog.search}`, /^The package /],
    [`${catalog.path}/policy-scans/release${catalog.search}`, /of 6 policies/],
    [`${catalog.path}/policy-scans/nightly${catalog.search}`, /^Policy scan “nightly” not found/],
  ] as const) {
    if (path.includes('/policy-scans/')) await evaluateAt(page, `${url}${path}`)
    else await page.goto(`${url}${path}`)
    await expect(headline(page)).toHaveText(ready)
    await expectAccessibleWideAndNarrow(page)
  }
})

test('on A4 paper everything is open and nothing is to press', async ({ page, url }) => {
  await evaluateAt(page, `${url}${catalog.path}/policy-scans/release${catalog.search}`)
  await expect(headline(page)).toHaveText(/of 6 policies/)
  await page.emulateMedia({ media: 'print' })
  await page.setViewportSize({ width: 688, height: 1000 })
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Evaluate again' })).toBeHidden()
  await expect(page.getByText(catalog.sha256).last()).toBeVisible()
  await expect(policy(page, 'supported-jdks').getByText('Java toolchains are')).toBeVisible()
  const isTooWide = () =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  await expect.poll(isTooWide).toBe(false)
})
