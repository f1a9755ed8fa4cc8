import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { plainBuild, startPlainUpstream } from './plain-upstream.ts'
import { writeQuery } from './query-field.ts'
import { besideBuildServer, complaintsOf, expect, test } from './sightline.ts'

const rows = (page: Page): Locator => page.locator('[data-build-id]')
const editor = (page: Page): Locator => page.getByRole('textbox', { name: 'Query to follow' })
const suggestions = (page: Page): Locator => page.getByRole('listbox', { name: 'Suggestions' })
const headline = (page: Page): Locator => page.getByRole('heading', { level: 1 })

/** The editor proper, which takes the place of a plain field once it is loaded. */
async function openEditor(page: Page): Promise<void> {
  // Builds are there once the page takes keys.
  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('q')
  await expect(page.locator('.cm-editor.cm-focused')).toBeVisible()
}

/** Holds back the editor proper, so that the plain field serves, until it is released. */
async function holdCodeEditor(page: Page): Promise<{ readonly release: () => void }> {
  const manifest = readFileSync('dist/client/.vite/manifest.json', 'utf8')
  const [, file = ''] =
    /"src\/web\/ui\/query-editor\/code-editor\.tsx": \{\s*"file": "([^"]+)"/.exec(manifest) ?? []
  expect(file).not.toBe('')
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(`**/${file}`, async (route) => {
    await held
    await route.continue()
  })
  return { release }
}

test('a query is typed, fixed, completed, explained and run by keyboard alone', async ({
  page,
  url,
}) => {
  const complaints = complaintsOf(page)
  await page.goto(url)
  await expect(rows(page).first()).toBeVisible()

  await openEditor(page)
  await page.keyboard.type('buildOutcme:failed ')
  await expect(page.locator('.cm-lintRange-error')).toHaveText('buildOutcme')
  await page.keyboard.press('F8')
  await expect(page.locator('.cm-tooltip')).toContainText('buildOutcme')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(editor(page)).toHaveText('buildOutcome:failed')
  await expect(page.locator('.cm-lintRange-error')).toHaveCount(0)

  await page.keyboard.press('End')
  await page.keyboard.type('buildTo')
  await expect(suggestions(page)).toContainText('buildTool')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(suggestions(page)).toContainText('gradle')
  await page.keyboard.press('ArrowDown')
  const chosen = suggestions(page).getByRole('option', { selected: true })
  await expect(chosen).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(editor(page)).toHaveText(/^buildOutcome:failed buildTool:\w+$/)
  await expect(editor(page)).toBeFocused()

  await page.keyboard.press('Home')
  await page.keyboard.press('ControlOrMeta+i')
  await expect(page.locator('.cm-tooltip')).toContainText('Outcome of the build')
  await page.keyboard.press('Escape')
  await expect(page.locator('.cm-tooltip')).toHaveCount(0)

  const section = page.getByRole('region', { name: 'Followed query' })
  await expect(section).toContainText(/Builds .*failed/)
  await expect(section.getByRole('status').first()).toContainText(/Builds .*failed/)

  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\?q=buildOutcome%3Afailed\+buildTool/)
  await expect(headline(page)).toContainText(/\d builds? match/)
  await expect(rows(page).and(page.locator('[data-outcome="failed"]')).first()).toBeVisible()
  await expect(rows(page).and(page.locator('[data-outcome="succeeded"]'))).toHaveCount(0)

  await page.keyboard.press('Tab')
  await expect(editor(page)).not.toBeFocused()
  expect(complaints).toEqual([])
})

test('one undo history takes back chips, fixes and typing; earlier queries come back', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/?q=tag:CI+project:checkout`)
  await expect(page.locator('.cm-editor')).toBeVisible()
  await page.getByRole('button', { name: 'Remove tag: CI' }).click()
  await expect(editor(page)).toHaveText('project:checkout')
  await expect(page).toHaveURL(/\?q=project%3Acheckout$/)
  await editor(page).focus()
  await page.keyboard.press('End')
  // At once: what is typed slowly is taken back in several steps.
  await page.keyboard.insertText(' usr:ann')
  await page.keyboard.press('F8')
  await page.keyboard.press('ControlOrMeta+.')
  await expect(editor(page)).toHaveText('project:checkout user:ann')
  for (const text of ['project:checkout usr:ann', 'project:checkout', 'tag:CI project:checkout']) {
    await page.keyboard.press('ControlOrMeta+z')
    await expect(editor(page)).toHaveText(text)
  }
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.press('ArrowUp')
  await expect(editor(page)).toHaveText('project:checkout')
  await page.keyboard.press('ArrowDown')
  await expect(editor(page)).toHaveText('')
})

test('a query with errors leaves the last good one in force', async ({ page, url }) => {
  await page.goto(`${url}/?q=buildOutcome:failed`)
  await expect(page.locator('.cm-editor')).toBeVisible()
  await editor(page).focus()
  await page.keyboard.press('End')
  await page.keyboard.type(' nothing:here')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^Not followed .*follows buildOutcome:failed$/).first()).toBeVisible()
  await expect(page).toHaveURL(`${url}/?q=buildOutcome:failed`)
  await expect(rows(page).and(page.locator('[data-outcome="succeeded"]'))).toHaveCount(0)
  await page.goto(`${url}/?q=nothing:here`)
  await expect(
    page.getByText(/^Not followed because of errors: all builds are shown/).first(),
  ).toBeVisible()
  await expect(rows(page).first()).toBeVisible()
})

test('what is being typed is not called wrong before it is finished', async ({ page, url }) => {
  await page.goto(url)
  await openEditor(page)
  await page.keyboard.type('nothing:x projct')
  await expect(page.locator('.cm-lintRange-error')).toHaveText(['nothing'])
  await page.keyboard.press('Home')
  await expect(page.locator('.cm-lintRange-error')).toHaveText(['nothing', 'projct'])
})

test('the plain field serves until the editor is there, which takes over text and caret', async ({
  page,
  url,
}) => {
  const { release } = await holdCodeEditor(page)
  await page.goto(url)
  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('q')
  await expect(editor(page)).toBeFocused()
  await page.keyboard.type('tag:a user:b')
  for (const _letter of ' user:b') await page.keyboard.press('ArrowLeft')
  release()
  await expect(page.locator('.cm-editor.cm-focused')).toBeVisible()
  await page.keyboard.type('bc')
  await expect(editor(page)).toHaveText('tag:abc user:b')
})

test('letters typed while the editor takes the place of the plain field keep their order', async ({
  page,
  url,
}) => {
  const { release } = await holdCodeEditor(page)
  await page.goto(url)
  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('q')
  await expect(editor(page)).toBeFocused()
  release()
  const typed = 'tag:abc project:shop'
  await page.keyboard.type(typed)
  await expect(page.locator('.cm-editor.cm-focused')).toBeVisible()
  await expect(editor(page)).toHaveText(typed)
})

test('several lines on demand: typed, formatted, and pasted ones become one', async ({
  page,
  url,
}) => {
  await page.goto(url)
  await openEditor(page)
  await editor(page).evaluate((field) => {
    const data = new DataTransfer()
    data.setData('text/plain', 'tag:“a b”\n  and user:ann\n')
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  })
  await expect(page.locator('.cm-line')).toHaveText(['tag:"a b" and user:ann'])
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('or tag:c')
  await expect(page.locator('.cm-line')).toHaveCount(2)
  await page.getByRole('button', { name: /^Format on one line/ }).click()
  await expect(page.locator('.cm-line')).toHaveCount(1)
})

test('on a phone the query is large enough not to zoom, and a fix is a tap away', async ({
  browser,
  url,
}) => {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const page = await context.newPage()
  await page.goto(`${url}/?q=projct:x`)
  const fix = page.locator('.cm-tooltip').getByRole('button', { name: 'Change to project' })
  const listed = page.getByRole('list', { name: 'Query problems' }).getByRole('button')
  // While the page is still being put together, what was tapped may move away under the finger.
  await expect(async () => {
    await page.locator('.cm-lintRange-error').tap()
    // A browser without a window takes the pointer away at once, which no phone does.
    await page.locator('.cm-lintRange-error').hover()
    await expect(fix).toBeVisible({ timeout: 2000 })
  }).toPass()
  for (const way of [fix, listed]) {
    await expect.poll(async () => (await way.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await fix.tap()
  await expect(editor(page)).toHaveText('project:x')
  await expect(editor(page)).toHaveCSS('font-size', '16px')
  await context.close()
})

test('builds whose facts are not known yet are marked, and then stay or leave', async ({
  page,
  sightline,
}) => {
  const key = 'canary-editor-key'
  const upstream = await startPlainUpstream(key)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/?q=project:shop`)
  await expect(headline(page)).toHaveText('No builds in the last hour.')
  await upstream.heard()
  upstream.refuse(503)
  const arriving = (project: string): Locator => {
    const build = plainBuild(project, false)
    upstream.push(build)
    return page.locator(`[data-build-id="${build.buildId}"]`)
  }
  const [shop, core] = [arriving('shop'), arriving('core')]
  await expect(shop).toContainText('match pending')
  await expect(core).toContainText('match pending')
  await expect(headline(page)).toContainText('No builds match, 2 pending.')
  // Nothing moves in a list that is held: what turns out not to match leaves when it goes on.
  await page.keyboard.press('p')
  upstream.refuse(200)
  await expect(core).toContainText("doesn't match")
  await expect(shop).toHaveAttribute('data-match', 'yes')
  await page.keyboard.press('p')
  await expect(core).toHaveCount(0)
  await expect(headline(page)).toContainText('1 build matches.')

  await page.goto(`${url}/?q=gradle.buildCache.hasError`)
  await expect(shop).toContainText('match unknown')
  await expect(headline(page)).toContainText('2 unknown.')
  await upstream.close()
})

for (const [name, viewport] of [
  ['wide', { width: 1440, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
] as const) {
  test(`axe finds nothing while a query is written, ${name}`, async ({ page, url }) => {
    await page.setViewportSize(viewport)
    await page.goto(`${url}/?q=buildOutcome:failed+(tag:CI+or+-tag:main)+buildStartTime%3E-7d`)
    await expect(page.locator('.cm-editor')).toBeVisible()
    await editor(page).focus()
    await page.keyboard.press('End')
    await page.keyboard.type(' projct:x user>3')
    await page.keyboard.press('F8')
    await expect(page.locator('.cm-tooltip-lint')).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('End')
    await page.keyboard.type(' pro')
    await expect(suggestions(page)).toBeVisible()
    await page.keyboard.press('ArrowDown')
    await expectAccessible(page)
  })
}

test('a query that was typed and not run is there again after a look at the feed, and after a reload', async ({
  page,
  url,
}) => {
  const run = 'buildOutcome:failed'
  await page.goto(`${url}/builds?q=${run}`)
  const field = page.getByRole('textbox', { name: 'Search builds' })
  await expect(rows(page).first()).toBeVisible()
  await writeQuery(field, `${run} user:b`)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Feed' }).click()
  await expect(page).toHaveURL(`${url}/`)
  await page.goBack()
  await expect(field).toHaveText(`${run} user:b`)
  await expect(page).toHaveURL(`${url}/builds?q=${run}`)
  await page.reload()
  await expect(field).toHaveText(`${run} user:b`)
  // Another query is another address: nothing of it is written there.
  await page.getByRole('link', { name: 'Builds', exact: true }).click()
  await expect(field).not.toContainText('user:b')
})
