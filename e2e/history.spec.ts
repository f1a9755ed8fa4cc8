import type { Locator, Page } from '@playwright/test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { signedIn, signInWithTokens, threePeople } from './people.ts'
import { evaluateAt, headline, policy } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** The history of policy scans, and waivers, with the embedded service. */

const shop = 'registry.acme.example/shop'
const failing = 'provenance-present'

/** The page of a scan of a package that the embedded service has from its start. */
function scanOf(version: string, sha256 = digest(`oci checkout ${version}`)): string {
  const search = new URLSearchParams({ sha256, repository: shop })
  return `/packages/oci/checkout/${version}/policy-scans/release?${search.toString()}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Evaluated, and on record. */
async function evaluate(page: Page, address: string): Promise<void> {
  await evaluateAt(page, address)
  await expect(headline(page)).toHaveText(/of 6 policies/)
}

async function waive(page: Page, reason: string): Promise<void> {
  await page.getByRole('button', { name: `Waive ${failing}…` }).click()
  await page.getByLabel('Reason').fill(reason)
  await page.getByRole('button', { name: `Waive ${failing}`, exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
}

function runs(page: Page): Locator {
  return page.locator('[data-evaluation]')
}

async function exported(page: Page, form: string): Promise<string> {
  await page.getByRole('button', { name: 'Export' }).click()
  const started = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: new RegExp(`^${form}`) }).click()
  return readFileSync(await (await started).path(), 'utf8')
}

test('both of two evaluations are in the history, and each has a link that others can open', async ({
  page,
  browser,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.4.0')}`)
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByTestId('comparison')).toContainText(
    "No policy's status changed since the previous run.",
  )
  await expect(page.getByTestId('comparison')).toContainText('by local user')
  await page.getByRole('link', { name: 'History' }).click()
  await expect(headline(page)).toHaveText(
    /^Not releasable in the last run: 1 of 6 .* Same verdict for 2 runs, .* None of 2 runs was releasable\.$/,
  )
  await expect(runs(page)).toHaveCount(2)
  await page.getByRole('link', { name: 'All versions' }).click()
  await expect(runs(page)).toHaveCount(3)
  await expect(runs(page).nth(1)).toContainText(`1 newly failing since 2.4.0: ${failing}.`)
  await expect(runs(page).nth(0)).not.toContainText('failing')

  await page.keyboard.press('j')
  await expect(runs(page).first().getByRole('link')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/policy-scans\/release\/runs\/[\w-]+$/)

  const colleague = await browser.newPage()
  await colleague.goto(page.url())
  await expect(headline(colleague)).toHaveText(/^Not releasable: 1 of 6 policies unsatisfied/)
  await expect(colleague.getByText(/^Recorded \w+ \d+, \d{4}, .* by local user/)).toBeVisible()
  await expect(colleague.getByRole('button', { name: 'Evaluate again' })).toHaveCount(0)
  await expect(colleague.getByRole('button', { name: /^Waive/ })).toHaveCount(0)
  await expect(policy(colleague, failing)).toContainText('still failing')
  await colleague.getByLabel('Compare with').selectOption({ index: 2 })
  await expect(colleague.getByTestId('comparison')).toContainText('1 newly failing')
  await expect(policy(colleague, failing)).toContainText('newly failing')
  await colleague.getByRole('link', { name: 'Previous run' }).click()
  await expect(colleague.getByRole('link', { name: 'Next run' })).toBeVisible()
  await colleague.getByRole('link', { name: 'Latest run' }).click()
  await expect(colleague.getByRole('button', { name: 'Evaluate again' })).toBeVisible()
  await colleague.close()
})

test('a waiver stands beside what the service says, on the page, in exports and on record, until it is ended', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await page.getByRole('button', { name: `Waive ${failing}…` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await expect(dialog.getByLabel('Responsible person')).toHaveValue('local user')
  await dialog.getByRole('button', { name: `Waive ${failing}` }).click()
  await expect(dialog.getByText('Enter a reason')).toBeVisible()
  await dialog.getByLabel('Reason').fill('Known, and not reachable')
  await dialog.getByLabel('Responsible person').fill('alice')
  await dialog.getByRole('button', { name: 'In 30 days' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: `Waive ${failing}` }).press('Enter')

  await expect(headline(page)).toHaveText(
    /^Releasable with 1 waiver until .*: the policy service reports 1 of 6 policies unsatisfied/,
  )
  await expect(headline(page)).toHaveAttribute('data-tone', 'waiting')
  const row = policy(page, failing)
  await expect(row.locator('summary')).toContainText('unsatisfied')
  await expect(row.locator('summary')).toContainText(/waived until .* by alice: Known, and not/)
  await page.getByRole('button', { name: '1 waived' }).click()
  await expect(page).toHaveURL(/waived=yes/)
  await expect(page.locator('[data-policy-uri]')).toHaveCount(1)

  expect(JSON.parse(await exported(page, 'JSON'))).toMatchObject({
    verdict: 'not-releasable',
    verdictWithWaivers: 'releasable-with-waivers',
    waivers: [{ person: 'alice', by: 'local user', reason: 'Known, and not reachable' }],
  })
  expect(await exported(page, 'SARIF')).toContain('"kind": "external"')
  expect(await exported(page, 'Markdown')).toContain('Releasable with 1 waiver until')
  expect(await exported(page, 'JUnit')).toMatch(/failures="1"[^]*waived until/)

  await page.getByRole('button', { name: 'Evaluate again' }).click()
  // Whoever leaves before the answer is there cancels the evaluation.
  await expect(page.getByTestId('comparison')).toContainText(
    "No policy's status changed since the previous run.",
  )
  await page.getByRole('link', { name: 'History' }).click()
  await expect(runs(page).first()).toContainText('1 waived at the time.')

  await page.goBack()
  await page.getByRole('button', { name: `End waiver for ${failing}…` }).click()
  await page.getByRole('button', { name: 'End waiver', exact: true }).click()
  await expect(headline(page)).toHaveText(/^Not releasable: 1 of 6 policies unsatisfied/)
  await page.getByText('Waivers of this scan: 0 in force, 1 ended').click()
  await expect(page.getByText(/ended early/)).toBeVisible()

  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await expect(runs(page)).toHaveCount(2)
  await page.getByRole('link', { name: 'Actions' }).click()
  await expect(page.locator('[data-action]')).toHaveCount(2)
  await expect(page.locator('[data-action]').last()).toContainText('Known, and not reachable')

  await page.goto(`${url}${scanOf('2.3.0').replace('?', '/runs?')}`)
  await runs(page).first().getByRole('link').click()
  await expect(headline(page)).toHaveText(/^Releasable with 1 waiver/)
})

test('a waiver of several versions says where what it covers could not be checked', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  let isAway = true
  await page.route('**/history/evaluations?**', (route) =>
    isAway ? route.fulfill({ status: 503, json: {} }) : route.continue(),
  )
  await page.getByRole('button', { name: `Waive ${failing}…` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Versions of the package' }).check()
  const unchecked = dialog
    .getByRole('alert')
    .filter({ hasText: "Can't check which recorded versions it covers: " })
  const again = unchecked.getByRole('button', { name: 'Try again' })
  await expect(again).toBeVisible()
  isAway = false
  await expect(async () => {
    if (await again.isVisible()) await again.click({ timeout: 1000 })
    await expect(dialog.getByText(/^Covers 2\.3\.0 \(fails\)/)).toBeVisible({ timeout: 2000 })
  }).toPass()
  await expect(unchecked).toBeHidden()
})

test('a waiver that expires is gone by itself', async ({ page, sightline }) => {
  const { url } = await sightline()
  await page.clock.install()
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await page.getByRole('button', { name: `Waive ${failing}…` }).click()
  await page.getByLabel('Reason').fill('For an hour')
  const inAnHour = new Date(Date.now() + 3_600_000)
  const text = await page.evaluate((at) => {
    const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
    return local.toISOString().slice(0, 16)
  }, inAnHour.getTime())
  await page.getByLabel(/^Ends/).fill(text)
  await page.getByRole('button', { name: `Waive ${failing}`, exact: true }).click()
  await expect(headline(page)).toHaveText(/^Releasable with 1 waiver until/)
  await page.clock.fastForward('01:01:00')
  await expect(headline(page)).toHaveText(/^Not releasable: 1 of 6 policies unsatisfied/)
  await page.getByText('Waivers of this scan: 0 in force, 1 ended').click()
  await expect(page.getByText('expired', { exact: true })).toBeVisible()
})

test('a waiver goes to another artifact only by a click, and what was typed survives an error', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await waive(page, 'Known of old')
  await evaluate(page, `${url}${scanOf('2.5.0', digest('unheard of'))}`)
  await expect(headline(page)).toHaveText(/^Not releasable/)
  await expect(policy(page, failing)).toContainText('Version 2.3.0 is waived until')
  await page.getByRole('button', { name: `Carry over the waiver for ${failing}…` }).click()
  await expect(page.getByLabel('Reason')).toHaveValue('Known of old')
  await page.getByLabel('Reason').fill('Known of old, and still so')

  const refusal = {
    type: 'urn:sightline:problem:may-not-waive',
    title: 'Not allowed',
    status: 403,
    detail: 'Waiving policies requires the role releaser or admin.',
  }
  await page.route('**/history/waivers/bulk', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status: 403,
          contentType: 'application/problem+json',
          body: JSON.stringify(refusal),
        })
      : route.continue(),
  )
  const confirm = page.getByRole('button', { name: `Waive ${failing}`, exact: true })
  await confirm.click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(
    'Waiving policies requires the role releaser or admin.',
  )
  await expect(page.getByLabel('Reason')).toHaveValue('Known of old, and still so')
  await page.unroute('**/history/waivers/bulk')
  await confirm.click()
  await expect(headline(page)).toHaveText(/^Releasable with 1 waiver until/)
  await page.getByText('Waivers of this scan').click()
  await expect(page.getByText(/carried over from another version/)).toBeVisible()
})

test('of two who end a waiver the second reads who was faster', async ({
  browser,
  sightline,
}, info) => {
  const { ann, bo } = threePeople()
  const { url } = await sightline(signInWithTokens(info.outputPath('sightline.json'), [ann, bo]))
  const page = await signedIn(browser, url, ann)
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await waive(page, 'Known')
  const colleague = await signedIn(browser, url, bo)
  await evaluate(colleague, `${url}${scanOf('2.3.0')}`)
  for (const one of [page, colleague]) {
    await one.getByRole('button', { name: `End waiver for ${failing}…` }).click()
  }
  await page.getByRole('button', { name: 'End waiver', exact: true }).click()
  await expect(headline(page)).toHaveText(/^Not releasable/)
  await colleague.getByRole('button', { name: 'End waiver', exact: true }).click()
  await expect(colleague.getByRole('dialog').getByRole('alert')).toContainText(
    'ann has already ended it.',
  )
  await colleague.keyboard.press('Escape')
  await expect(headline(colleague)).toHaveText(/^Not releasable/)
})

test('who looks at the history of a scan, or at the activity, sees what a colleague does', async ({
  page,
  context,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}${scanOf('2.3.0').replace('?', '/runs?')}`)
  await expect(page.getByText('No recorded runs yet.')).toBeVisible()
  const ofAll = await context.newPage()
  await ofAll.goto(`${url}${scanOf('2.3.0').replace('?', '/runs?versions=all&')}`)
  await expect(ofAll.getByText('No recorded runs yet.')).toBeVisible()
  const evaluations = await context.newPage()
  await evaluations.goto(`${url}/activity?package=pkg:oci/checkout@2.3.0`)
  await expect(evaluations.getByText('No evaluations match.')).toBeVisible()
  const actions = await context.newPage()
  await actions.goto(`${url}/activity?show=actions&package=pkg:oci/checkout@2.3.0`)
  await expect(actions.getByText('No actions match.')).toBeVisible()
  const colleague = await context.newPage()
  await evaluate(colleague, `${url}${scanOf('2.3.0')}`)
  await expect(runs(page)).toHaveCount(1)
  await expect(headline(page)).toHaveText(/^Not releasable in the last run/)
  await expect(runs(ofAll)).toHaveCount(1)
  await expect(runs(evaluations)).toHaveCount(1)
  await waive(colleague, 'Signed by hand')
  await expect(actions.getByText('Signed by hand')).toBeVisible()
})

test('each alert that was not delivered has a button of its own name to try it again', async ({
  page,
  url,
}) => {
  const deliveries = ['shop', 'pay'].flatMap((tile) =>
    ['a', 'b'].map((to) => ({
      ...{ id: `${tile} ${to}`, to: `alert route ${to}`, createdAt: Date.now(), state: 'failed' },
      ...{ attempts: 6, triedAt: Date.now(), nextAt: null, reason: 'No.' },
      text: `✕ ${tile} is failing (since Mar 3, 2026, 09:14 UTC).`,
    })),
  )
  const list = { configured: true, deliveries, next: null, now: Date.now() }
  await page.route('**/history/deliveries*', (route) => route.fulfill({ json: list }))
  await page.goto(`${url}/activity?show=alerts`)
  await expect(page.getByText('4 messages of 4 not delivered.')).toBeVisible()
  const again = 'Try again, alert route b: ✕ pay is failing (since Mar 3, 2026, 09:14 UTC).'
  await expect(page.getByRole('button', { name: again, exact: true })).toHaveText('Try again')
})

test('pages that were opened in an outage are whole once the connection is back', async ({
  context,
  sightline,
}) => {
  const { url } = await sightline()
  const outage = (requested: URL) =>
    /^\/(?:session|config|live|history|readyz)/.test(requested.pathname)
  await context.route(outage, (route) => route.fulfill({ status: 503, json: {} }))
  const board = await context.newPage()
  const packages = await context.newPage()
  const activity = await context.newPage()
  await board.goto(`${url}/board/release`)
  await activity.goto(`${url}/activity`)
  await packages.goto(`${url}/packages`)
  await expect(board.getByText("Can't load the boards right now.")).toBeVisible()
  await expect(activity.getByText("Can't show recorded evaluations right now.")).toBeVisible()
  for (const page of [board, packages])
    await expect(page.getByRole('button', { name: /^Connection: Reconnecting/ })).toBeVisible()
  await context.unroute(outage)
  await expect(board.getByRole('button', { name: 'Evaluate all 36' })).toBeVisible()
  await expect(packages.locator('a[href*="/policy-scans/"]').first()).toBeVisible()
  await expect(activity.getByText('No evaluations yet.')).toBeVisible()
})

test('a list that is opened offline says so, and is there once the connection is back', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await page.goto(`${url}/activity`)
  await expect(page.getByText('No evaluations yet.')).toBeVisible()
  await page.context().setOffline(true)
  await page.getByLabel('Person').fill('nobody')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('You are offline.')
  await page.context().setOffline(false)
  await expect(page.getByText('No evaluations match.')).toBeVisible()
})

test('what failed at the very end of an outage is loaded, too', async ({ page, sightline }) => {
  const { url } = await sightline()
  let isOver = false
  await page.route('**/config', (route) =>
    isOver ? route.fallback() : route.fulfill({ status: 503, json: {} }),
  )
  // All is well when it is first asked for.
  await page.route('**/readyz', (route) => {
    isOver = true
    return route.fallback()
  })
  await page.goto(`${url}/packages`)
  await expect(page.locator('a[href*="/policy-scans/"]').first()).toBeVisible()
  expect(isOver).toBe(true)
})

test('before waivers are known a failure decides nothing, no decision has lost one, and where they are not read that is said', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await waive(page, 'Known')
  const waived = /^Releasable with 1 waiver until/
  await expect(headline(page)).toHaveText(waived)
  await page.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(page.getByRole('link', { name: 'History' })).toBeVisible()
  await expect(headline(page)).toHaveText(waived)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Release…' }).click()
  await dialog.getByLabel('Reason').fill('Good enough')
  await dialog.getByLabel('I have read this').check()
  await dialog.getByRole('button', { name: 'Release anyway' }).click()
  const decision = page.getByTestId('decision')
  await expect(decision).toContainText('with 1 waiver, despite unchecked policies: Good enough')

  const answers: (() => void)[] = []
  const requested = '**/history/waivers?*'
  await page.route(requested, async (route) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    await route.continue()
  })
  await page.reload()
  await expect(headline(page)).toHaveText('1 policy unsatisfied. Loading waivers…')
  // The decision is read again while waivers are still awaited.
  await expect(decision).toContainText('with 1 waiver, despite unchecked policies: Good enough')
  const uncounted = page.getByText("Waivers aren't loaded, so none are counted here.")
  await page.getByRole('button', { name: 'Release again…' }).click()
  await expect(uncounted).toBeVisible()
  await expect(decision).toContainText('with 1 waiver, despite unchecked policies: Good enough')
  await expect(decision).not.toContainText('lost a waiver')
  for (const answer of answers) answer()
  await expect(uncounted).toBeHidden()
  await page.keyboard.press('Escape')
  await expect(headline(page)).toHaveText(waived)

  await page.unroute(requested)
  await page.getByRole('link', { name: 'History' }).click()
  await runs(page).first().getByRole('link').first().click()
  await expect(headline(page)).toHaveText(waived)
  await page.route(requested, (route) => route.abort())
  await page.reload()
  await expect(page.getByTestId('waiver-notice')).toContainText(
    "Can't load waivers, so none are counted",
  )
})

test('an evaluation that is not recorded says so, and waits for nothing', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline()
  const recording = { ok: false, lost: 3, reason: 'The database is full.' }
  await page.route('**/history/evaluations?*', (route) =>
    route.fulfill({ json: { evaluations: [], next: null, recording } }),
  )
  await page.route('**/history/waivers?*', (route) => route.abort())
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await expect(page.getByTestId('history-notice')).toContainText(
    "This evaluation wasn't recorded: The database is full.",
  )
  await expect(page.getByTestId('waiver-notice')).toContainText(
    "Can't load waivers, so none are counted",
  )
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.getByTestId('recording-notice')).toContainText('3 evaluations are missing')
  await expect(page.getByText('No recorded runs yet.')).toBeVisible()

  await page.goto(`${url}${scanOf('2.3.0').split('?')[0] ?? ''}/runs/never`)
  await expect(page.getByRole('alert')).toContainText('Run not found.')
})

test('history and waivers are accessible, wide and narrow', async ({ page, sightline }) => {
  test.slow()
  const { url } = await sightline()
  await evaluate(page, `${url}${scanOf('2.4.0')}`)
  await evaluate(page, `${url}${scanOf('2.3.0')}`)
  await waive(page, 'Known, and a reason that goes on for a while as reasons do '.repeat(4))
  const runsPath = scanOf('2.3.0').replace('?', '/runs?')
  await page.goto(`${url}${runsPath}`)
  const runPath = await runs(page).first().getByRole('link').getAttribute('href')
  for (const [path, ready] of [
    [scanOf('2.3.0'), /^Releasable with 1 waiver/],
    [runsPath, /in the last run/],
    [`${runsPath}&versions=all`, /in the last run/],
    [runPath ?? '', /of 6 policies/],
    ['/activity', /^Recorded evaluations/],
    ['/activity?show=actions', /^Recorded actions/],
    ['/activity?package=two+words', /^Recorded evaluations/],
  ] as const) {
    await page.goto(`${url}${path}`)
    await expect(headline(page)).toHaveText(ready)
    await expectAccessibleWideAndNarrow(page)
  }
  await evaluateAt(page, `${url}${scanOf('2.5.0', digest('unheard of'))}`)
  await page.getByRole('button', { name: `Waive ${failing}…` }).click()
  await page.getByRole('button', { name: `Waive ${failing}`, exact: true }).click()
  await expectAccessibleWideAndNarrow(page)
})
