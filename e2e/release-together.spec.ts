import { createServer } from 'node:http'
import type { Page } from '@playwright/test'
import { onLoopback } from '../src/free-port.test-support.ts'
import { EvaluationList } from '../src/protocol/evaluation.ts'
import { expectAccessibleWideAndNarrow } from './accessibility.ts'
import { signedIn, signInWithTokens, threePeople } from './people.ts'
import { headline } from './scan-page.ts'
import { expect, test } from './sightline.ts'

/** Several people on one release: they see each other's runs and decisions, and looking changes nothing. */

test('a decision that is being written outlives newer results, and they are to be read first', async ({
  context,
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '0' })
  await page.goto(`${url}/packages`)
  await page
    .getByRole('link', { name: /^release/ })
    .first()
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('No recorded run of release')
  await page.getByRole('button', { name: 'Evaluate', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Evaluate again' })).toBeVisible()
  const other = await context.newPage()
  for (const one of [other, page]) await one.goto(page.url())
  await page.getByRole('button', { name: 'Release…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill('The window closes tonight')
  const read = dialog.getByLabel('I have read this')
  await expect(read).toBeHidden()

  await other.getByRole('button', { name: 'Evaluate again' }).click()
  await expect(dialog.getByTestId('concerns')).toContainText(
    /\(release\) was evaluated in the meantime\./,
  )
  await expect(dialog.getByLabel('Reason')).toHaveValue('The window closes tonight')
  await expect(read).not.toBeChecked()
  await read.check()
  await dialog.getByRole('button', { name: 'Release anyway' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('region', { name: 'Release decision' })).toContainText(
    'The window closes tonight',
  )
})

test('two people evaluate and decide one release together: each sees at once what the other did', async ({
  browser,
  request,
  sightline,
}, testInfo) => {
  test.slow()
  const people = threePeople()
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), Object.values(people)),
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  const board = `${url}/board/release`
  const ann = await signedIn(browser, board, people.ann)
  const bo = await signedIn(browser, board, people.bo)
  const evaluated: string[] = []
  bo.on('request', (request) => {
    if (/\/upstream\/(board|governor)/.test(request.url())) evaluated.push(request.url())
  })
  const decision = (page: Page) => page.getByRole('region', { name: 'Release decision' })

  await test.step('what one evaluates arrives at the other', async () => {
    await expect(headline(bo)).toHaveText('None of 12 packages has been evaluated yet.')
    await ann.getByRole('button', { name: /^Evaluate all/ }).click()
    await expect(headline(bo)).toHaveText(/^6 of 12 packages can't be released: /)
    await bo.locator('tr[data-package="pkg:oci/recommendations@0.9.4"] button').first().click()
    await expect(bo.getByText(/evaluated .* by ann/).first()).toBeVisible()
    await bo.reload()
    await expect(headline(bo)).toHaveText(/^6 of 12 packages can't be released: /)
    await ann.getByRole('button', { name: 'Evaluate some' }).click()
    await expect(ann.getByRole('menuitem', { name: 'Older than a day (0)' })).toBeDisabled()
    const failing = ann.getByRole('menuitem', { name: /^Failing \(\d+\)$/ })
    const again = Number(/\d+/.exec((await failing.textContent()) ?? ''))
    const evaluating = ann.waitForResponse(/\/upstream\/board/)
    await failing.click()
    await evaluating
    await expect(ann.getByRole('button', { name: 'Evaluate all again' })).toBeVisible()
    // What is recorded while bo decides would be to be read first.
    const headers = { authorization: `Bearer ${people.ann.token}` }
    const recorded = async () =>
      EvaluationList.parse(
        await (await request.get(`${url}/history/evaluations`, { headers })).json(),
      ).evaluations.length
    await expect.poll(recorded).toBe(36 + again)
    await bo.reload()
    await expect(headline(bo)).toHaveText(/^6 of 12 packages can't be released: /)
  })

  await test.step('what speaks against a release is to be confirmed', async () => {
    await expect(decision(ann)).toContainText('No release decision yet.')
    for (const page of [ann, bo]) await page.getByRole('button', { name: 'Release…' }).click()
    const dialog = ann.getByRole('dialog')
    await expect(dialog.getByTestId('concerns')).toContainText(/runs have unsatisfied policies: /)
    await dialog.getByLabel('Reason').fill('The window closes tonight')
    await dialog.getByRole('button', { name: 'Release anyway' }).click()
    await expect(dialog).toContainText('Select this to go on.')
    await dialog.getByLabel('I have read this').check()
    await dialog.getByRole('button', { name: 'Release anyway' }).click()
    await expect(dialog).toBeHidden()
    await expect(decision(ann)).toContainText(
      /^Released by ann on \d+ runs of .*: The window closes/,
    )
  })

  await test.step('who decides at the same time sees the first decision before theirs counts', async () => {
    const dialog = bo.getByRole('dialog')
    await expect(dialog.getByTestId('newer')).toContainText('The window closes tonight')
    await dialog.getByLabel('Reason').fill('Checked by hand')
    await dialog.getByLabel('I have read this').check()
    await dialog.getByRole('button', { name: 'Release anyway' }).click()
    await expect(dialog).toContainText('Select this to go on.')
    await dialog.getByLabel('Release after this decision').check()
    await dialog.getByRole('button', { name: 'Release anyway' }).click()
    await expect(dialog).toBeHidden()
    await expect(decision(ann)).toContainText(/^Released by bo on .*: Checked by hand/)
    await ann.getByText('1 earlier decision').click()
    await expect(decision(ann)).toContainText('The window closes tonight')
  })

  await test.step('a release is revoked with a reason, and both are in the activity', async () => {
    await ann.getByRole('button', { name: 'Revoke…' }).click()
    const dialog = ann.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('A key leaked')
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
    await expect(decision(bo)).toContainText('Revoked by ann: A key leaked')
    await expectAccessibleWideAndNarrow(bo)
    await bo.goto(`${url}/activity?show=actions`)
    await expect(bo.getByText('Revoked by ann: A key leaked')).toBeVisible()
  })

  await test.step('a viewer reads the decision and who may make one', async () => {
    const vic = await signedIn(browser, board, people.vic)
    await expect(decision(vic)).toContainText('Revoked by ann: A key leaked')
    const release = decision(vic).getByRole('button', { name: 'Release…' })
    await expect(release).toHaveAttribute('aria-disabled', 'true')
    await expect(release).toHaveAccessibleDescription(/^Requires the role releaser or admin/)
  })
  expect(evaluated).toEqual([])
})

test('opening, reloading, going back and comparing evaluate nothing', async ({
  page,
  sightline,
}) => {
  const requested: string[] = []
  const service = createServer((request, response) => {
    request.resume()
    const path = request.url ?? ''
    if (path.includes('/sightline-check/')) {
      response.writeHead(404).end()
      return
    }
    requested.push(path)
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.end(`${JSON.stringify({ policyUri: '/policies/T/one', status: 'satisfied' })}\n`)
  })
  const { url: governor, close } = await onLoopback(service)
  const { url } = await sightline({
    SIGHTLINE_GOVERNOR_URL: governor,
    SIGHTLINE_GOVERNOR_BASIC: 'robot:secret',
  })
  const scan = (version: string): string =>
    `${url}/packages/oci/app/${version}/policy-scans/release?sha256=${'ab'.repeat(32)}&repository=registry.example%2Fshop`

  await page.goto(scan('1.0.0'))
  await expect(headline(page)).toHaveText(/^No recorded run of release/)
  expect(requested).toEqual([])
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await expect(headline(page)).toHaveText(/^Releasable: 1 of 1 policy satisfied/)
  expect(requested).toHaveLength(1)
  await page.reload()
  await expect(headline(page)).toHaveText(/^Releasable/)
  await expect(page.getByTestId('last-run')).toHaveText('by local user')
  await page.getByRole('link', { name: 'History' }).click()
  await expect(headline(page)).toHaveText(/in the last run/)
  await page.goBack()
  await expect(headline(page)).toHaveText(/^Releasable/)
  await page.goto(scan('2.0.0'))
  await page.getByRole('button', { name: 'Evaluate' }).click()
  await expect(headline(page)).toHaveText(/^Releasable/)
  expect(requested).toHaveLength(2)
  await page.getByLabel('Compare with').selectOption({ label: 'Version 1.0.0' })
  await expect(page.getByTestId('comparison')).toContainText(
    "No policy's status changed since version 1.0.0.",
  )
  expect(requested).toHaveLength(2)
  await close()
})
