import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { expectAccessibleWideAndNarrow, resize } from './accessibility.ts'
import { person, signedIn, signInWithTokens } from './people.ts'
import { type PlainBuild, startPlainUpstream } from './plain-upstream.ts'
import { faultsOf } from './rectangles.ts'
import { writeQuery } from './query-field.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

const key = 'tests-page-key'
const minute = 60_000
const className = 'com.acme.checkout.CartTest'

/** A build as a server without any list announces it; `tests` are `name=letters`, a letter a run. */
function build(at: number, place: number, text: string): PlainBuild {
  const [branch = '', commit = '', ...tests] = text.split(' ')
  const start = at + place * minute
  let id = 100
  return {
    buildId: `a${String(place).padStart(12, '0')}`,
    timestamp: start + 5_000,
    ...{ toolType: 'gradle', toolVersion: '9.2', agentVersion: '4.1' },
    events: [
      ['BuildStarted', start, {}],
      ['BuildRequestedTasks', start, { requested: ['check'], excluded: [] }],
      [
        'ProjectStructure',
        start,
        { rootProjectName: 'checkout', projects: [{ projectPath: ':', buildPath: ':' }] },
      ],
      ['UserNamedValue', start, { key: 'Git branch', value: branch }],
      ['UserNamedValue', start, { key: 'Git commit id', value: commit }],
      ['TaskStarted', start, { id: 1, path: ':test', className: 'Test' }],
      ...tests.flatMap((one) => {
        const [name = '', letters = ''] = one.split('=')
        return Array.from(letters).flatMap((letter, run): PlainBuild['events'] & object => {
          id += 1
          const failed = letter === 'f'
          const ended = { task: 1, id, failed, skipped: false, failureId: failed ? 7 : null }
          const began = { task: 1, id, parent: null, name, className, suite: false }
          const from = start + run * 500
          return [
            ['TestStarted', from, began],
            ['TestFinished', from + 400 + place * 10, ended],
          ]
        })
      }),
      [
        'ExceptionData',
        start + 4_000,
        {
          exceptions: {
            7: {
              ...{ className: 'java.lang.AssertionError', message: 'expected 2 but was 3' },
              ...{ stackTrace: 1, causes: [] },
            },
          },
          ...{ stackTraces: {}, stackFrames: {} },
        },
      ],
      ['BuildFinished', start + 5_000, { failureId: null, failure: null }],
    ],
  }
}

const history = [
  'main c1 adds=p pays=p sums=p',
  'main c2 adds=p pays=fp sums=p',
  'main c3 adds=f pays=p sums=p',
  'fix c4 adds=p pays=p sums=f',
  'main c5 adds=f pays=p sums=p',
  'main c5 adds=f pays=f sums=p',
]

/** Clicks by the links and buttons of a page, counted. */
function counted(page: Page) {
  let clicks = 0
  return {
    clicks: () => clicks,
    click: async (role: 'link' | 'button', name: string | RegExp) => {
      clicks += 1
      await page.getByRole(role, { name }).first().click()
    },
  }
}

test('which tests are flaky on main is three steps away, and a quarantine is seen by others at once', async ({
  browser,
  sightline,
}, info) => {
  const upstream = await startPlainUpstream(key)
  const begin = Date.now() - 60 * minute
  for (const [place, text] of history.entries()) upstream.push(build(begin, place, text))
  const [ada, ben] = [person('ada', 'releaser'), person('ben', 'viewer')]
  const { url } = await sightline({
    ...signInWithTokens(join(info.outputDir, '..', `tests-page-${info.workerIndex}.json`), [
      ada,
      ben,
    ]),
    ...besideBuildServer(upstream.url, key),
  })
  const page = await signedIn(browser, `${url}/`, ada)
  const { click, clicks } = counted(page)

  await test.step('which tests are flaky on main', async () => {
    await click('link', 'Tests')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      /^Of \d+ tests in 6 builds, 1 fails, newly, and 1 is flaky\.$/,
    )
    const editor = page.getByRole('textbox', { name: 'Builds whose tests are shown' })
    await writeQuery(editor, 'value:"Git branch=main"')
    await editor.press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/ in 5 builds on main, /)
    await expect(page.getByText("1 doesn't match the query")).toBeVisible()
    await click('link', /^Flaky/)
    await expect(page.getByRole('row')).toHaveCount(2)
    await expect(page.getByRole('row').last()).toContainText('CartTest.pays')
    await expect(page.getByRole('row').last()).toContainText('Flaky 2 times')
    info.annotations.push({
      type: 'clicks',
      description: `which tests are flaky on main: ${clicks()} clicks and one query`,
    })
    process.stdout.write(`which tests are flaky on main: ${clicks()} clicks and one query\n`)
    expect(clicks()).toBeLessThanOrEqual(2)
  })

  await test.step('since when a test fails, and why', async () => {
    await click('link', /^Newly failing/)
    await expect(
      page.getByRole('cell', { name: /^Newly failing, 3 in a row since .+ on main$/ }),
    ).toBeVisible()
    // Where columns are narrowest, before they are cards.
    await resize(page, { width: 900, height: 700 })
    expect(await faultsOf(page, { isTouch: false })).toEqual([])
    await resize(page, { width: 1280, height: 720 })
    await click('link', 'CartTest.adds')
    const panel = page.getByRole('complementary', { name: 'Test CartTest.adds' })
    await expect(panel).toContainText('Newly failing, 3 in a row')
    await expect(panel).toContainText('AssertionError: expected 2 but was 3')
    await expect(panel.getByRole('link', { name: /at c3 on main$/ })).toHaveAttribute(
      'href',
      '/builds/a000000000002?tab=tests',
    )
    await expect(panel.getByRole('listitem').filter({ hasText: 'Failed' })).toHaveCount(3)
    await expectAccessibleWideAndNarrow(page)
  })

  const other = await signedIn(browser, page.url(), ben)
  await test.step('one quarantines it, another sees it', async () => {
    const seen = other.getByRole('complementary', { name: 'Test CartTest.adds' })
    await expect(seen).toBeVisible()
    await page.setViewportSize({ width: 1440, height: 900 })
    await page
      .getByRole('complementary', { name: 'Test CartTest.adds' })
      .getByRole('button', { name: 'Quarantine…' })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Quarantine CartTest.adds' })
    await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click()
    await expect(dialog).toContainText('Enter why this test may fail for a while.')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The gateway changes on Monday')
    await dialog.getByRole('button', { name: 'In 7 days' }).click()
    const end = await dialog.getByLabel(/^Ends/).inputValue()
    await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click()
    await expect(seen).toContainText('by ada: The gateway changes on Monday')
    await other.getByRole('button', { name: 'Change quarantine…' }).click()
    await expect(other.getByRole('dialog')).toContainText('Requires the role releaser or admin')
    await expect(other.getByRole('dialog').getByLabel(/^Ends/)).toHaveValue(end)
  })

  await test.step('the dialog says why the last request failed, and is over when what it sent was done', async () => {
    const dialog = page.getByRole('dialog', { name: 'Quarantine CartTest.adds' })
    const panel = page.getByRole('complementary', { name: 'Test CartTest.adds' })
    const refuse = (status: number, detail: string) =>
      page.route(/\/history\/quarantine.*/, async (route) => {
        if (route.request().method() !== 'POST') return route.fallback()
        const body = JSON.stringify({ type: 'about:blank', title: 'No', status, detail })
        return route.fulfill({ status, contentType: 'application/problem+json', body })
      })
    const loseResponse = () =>
      page.route(/\/history\/quarantine.*/, async (route) => {
        if (route.request().method() !== 'POST') return route.fallback()
        await route.fetch()
        return route.abort('connectionreset')
      })
    await panel.getByRole('button', { name: 'Change quarantine…' }).click()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The gateway changes on Tuesday')
    await refuse(500, 'The database is full.')
    await dialog.getByRole('button', { name: 'Change quarantine' }).click()
    await expect(dialog).toContainText('The database is full.')
    await refuse(403, 'Only releasers may.')
    await dialog.getByRole('button', { name: 'End quarantine' }).click()
    await expect(dialog).toContainText('Only releasers may.')
    await expect(dialog).not.toContainText('The database is full.')
    await loseResponse()
    await dialog.getByRole('button', { name: 'End quarantine' }).click()
    await expect(dialog).toHaveCount(0)
    await panel.getByRole('button', { name: 'Quarantine…' }).click()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('The gateway changes on Monday')
    await dialog.getByRole('button', { name: 'Quarantine', exact: true }).click()
    await expect(dialog).toHaveCount(0)
    await expect(panel).toContainText('by ada: The gateway changes on Monday')
    await page.unrouteAll()
  })

  await test.step('facets narrow every list, with counts, and the address keeps it', async () => {
    await page.goto(`${url}/tests?list=all`)
    await page.getByRole('button', { name: 'Quarantine', exact: true }).click()
    await expect(page.getByRole('option')).toHaveText([/Not quarantined\s*2$/, /quarantined\s*1$/])
    await page.getByRole('option', { name: /^quarantined/ }).click()
    await expect(page.getByRole('row')).toHaveCount(2)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('option')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Quarantine: quarantined' })).toBeFocused()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      /^Filtered: of 1 test in .* 1 fails/,
    )
    await page.reload()
    await expect(page.getByRole('row').last()).toContainText('CartTest.adds')
    await page.getByRole('button', { name: 'Owner', exact: true }).click()
    await page.getByRole('option', { name: /^No owner/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('owner')).toBe(' ')
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect(page.getByRole('row')).toHaveCount(4)
    await expectAccessibleWideAndNarrow(page)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  await test.step('the list is exported for the project that is looked at', async () => {
    await page.goto(`${url}/tests?q=project:docs`)
    const none = page.getByRole('button', { name: 'Export quarantine list of docs' })
    await expect(none).toBeDisabled()
    await expect(none).toHaveAttribute('title', 'No tests of docs are quarantined.')
    await page.goto(`${url}/tests?project=checkout`)
    const download = page.waitForEvent('download')
    const file = page.waitForResponse(/\/history\/quarantine\?format=gradle&project=checkout$/)
    await page.getByRole('button', { name: 'Export quarantine list of checkout' }).click()
    expect((await file).ok()).toBe(true)
    expect((await download).suggestedFilename()).toBe('quarantine.txt')
  })

  await test.step('the build reads the list with an access token', async () => {
    const file = await page.request.get(`${url}/history/quarantine?format=gradle`, {
      headers: { authorization: `Bearer ${ben.token}` },
    })
    expect(await file.text()).toMatch(
      /^# checkout :test, [^\n]+\ncom\.acme\.checkout\.CartTest\.adds\n$/,
    )
  })

  await test.step('what is known stays in an outage, with a way to try again', async () => {
    upstream.refuse(503)
    await page.goto(`${url}/tests?q=project%3Aother`)
    const again = page.getByRole('button', { name: 'Try again' })
    await expect(again).toBeVisible()
    upstream.refuse(200)
    const answer = page
      .getByText('No builds match the query.')
      .or(page.getByText('No test results in these builds.'))
      .first()
    // The page may try again by itself just then.
    await expect(async () => {
      if (await again.isVisible()) await again.click({ timeout: 1000 })
      await expect(answer).toBeVisible({ timeout: 5000 })
    }).toPass()
  })
  await upstream.close()
})

test('a list that has become shorter than the page of a link is not said to be empty', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/tests?list=all&from=100000`)
  await expect(page.getByText(/^0 of \d+$/)).toBeVisible()
  await expect(page.getByText('No tests.', { exact: true })).toHaveCount(0)
  await page.getByRole('link', { name: 'Previous', exact: true }).click()
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  await expect(page).toHaveURL(`${url}/tests?list=all`)
})
