import type { Page } from '@playwright/test'
import { expectAccessible } from './accessibility.ts'
import { signedIn, signInWithTokens, threePeople } from './people.ts'
import { writeQuery } from './query-field.ts'
import { expect, test } from './sightline.ts'

/** Queries under their names, shared by people who are there at the same time, and what one searched for. */

const menu = (page: Page) => page.getByRole('dialog', { name: 'Saved' })
const section = (page: Page, name: string) => menu(page).getByRole('region', { name })
const queryOf = (page: Page) => new URL(page.url()).searchParams.get('q')

async function search(page: Page, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Search builds' })
  await writeQuery(editor, text)
  await editor.press('ControlOrMeta+Enter')
  await expect.poll(() => queryOf(page)).toBe(text)
}

async function openSaved(page: Page): Promise<void> {
  // The button would close one that is still open.
  await expect(menu(page)).toBeHidden()
  await page.getByRole('button', { name: 'Saved', exact: true }).click()
  await expect(menu(page)).toBeVisible()
}

async function save(page: Page, name: string): Promise<void> {
  await menu(page).getByRole('textbox', { name: 'Name for this query' }).fill(name)
  await menu(page).getByRole('button', { name: 'Save', exact: true }).click()
}

test("one saves a query for everyone: the other has it at once, and neither undoes the other's change", async ({
  browser,
  sightline,
}, testInfo) => {
  test.slow()
  const people = threePeople()
  const { url } = await sightline({
    ...signInWithTokens(testInfo.outputPath('sightline.json'), Object.values(people)),
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  const ann = await signedIn(browser, `${url}/builds`, people.ann)
  const bo = await signedIn(browser, `${url}/builds`, people.bo)

  await test.step('what is shared arrives while the menu is open', async () => {
    await openSaved(bo)
    await expect(section(bo, 'Yours')).toContainText('None yet.')
    await search(ann, 'buildOutcome:failed')
    await openSaved(ann)
    await menu(ann).getByRole('checkbox', { name: 'Share with everyone' }).check()
    await save(ann, 'Red')
    await expect(section(bo, 'Shared with everyone')).toContainText('Red by ann')
    await ann.keyboard.press('Escape')
    await section(bo, 'Shared with everyone').getByRole('button', { name: /^Red/ }).click()
    await expect.poll(() => queryOf(bo)).toBe('buildOutcome:failed')
  })

  await test.step('a long name pushes nothing out of the menu', async () => {
    await openSaved(ann)
    await save(ann, 'a-name-without-a-break-'.repeat(6).slice(0, 90))
    const change = menu(ann).getByRole('button', { name: /^Edit a-name/ })
    await expect(change).toBeInViewport({ ratio: 0.9 })
    await expect(menu(ann).getByRole('radio', { name: 'History' })).toBeInViewport()
    await change.click()
    await menu(ann).getByRole('button', { name: 'Delete' }).click()
    await expect(change).toHaveCount(0)
    await ann.keyboard.press('Escape')
  })

  await test.step('of two who change it the second sees what the first made of it', async () => {
    await search(ann, 'buildOutcome:failed tag:CI')
    await search(bo, 'buildOutcome:failed tag:local')
    await openSaved(bo)
    await menu(bo).getByRole('button', { name: 'Edit Red' }).click()
    // What bo has seen is held back, as over a slow network.
    await bo.route('**/history/queries', (route) =>
      route.request().method() === 'GET' ? undefined : route.continue(),
    )
    await openSaved(ann)
    await menu(ann).getByRole('button', { name: 'Edit Red' }).click()
    await menu(ann).getByRole('button', { name: 'Replace with this query' }).click()
    await expect(section(ann, 'Shared with everyone')).toContainText('tag:CI')
    await menu(bo).getByRole('button', { name: 'Replace with this query' }).click()
    await expect(menu(bo).getByRole('alert')).toContainText(
      "ann changed Red in the meantime. Your change wasn't saved.",
    )
    await expect(menu(bo).getByRole('alert')).toContainText('buildOutcome:failed tag:CI')
    await bo.unroute('**/history/queries')
    await menu(bo).getByRole('button', { name: 'Replace it' }).click()
    await expect(section(ann, 'Shared with everyone')).toContainText('tag:local')
  })

  await test.step('a deletion is seen by all, and taken back', async () => {
    await menu(ann).getByRole('button', { name: 'Edit Red' }).click()
    await menu(ann).getByRole('button', { name: 'Delete' }).click()
    await expect(section(bo, 'Shared with everyone')).toBeHidden()
    await menu(ann).getByRole('button', { name: 'Undo' }).click()
    await expect(section(bo, 'Shared with everyone')).toContainText('Red')
    await expectAccessible(ann)
  })

  await test.step('who may only read saves for themselves, and what they searched is their own', async () => {
    const vic = await signedIn(browser, `${url}/builds?q=tag:CI`, people.vic)
    await openSaved(vic)
    await expect(section(vic, 'Shared with everyone')).toContainText('Red by ann')
    await expect(menu(vic).getByRole('checkbox', { name: 'Share with everyone' })).toBeDisabled()
    await expect(menu(vic).getByRole('button', { name: 'Edit Red' })).toBeDisabled()
    await save(vic, 'Mine')
    await expect(section(vic, 'Yours')).toContainText('Mine')
    await expect(section(bo, 'Shared with everyone')).not.toContainText('Mine')
    await menu(vic).getByText('History', { exact: true }).click()
    await expect(menu(vic).getByRole('listitem')).toHaveText([/^tag:CI.*\d+\+? builds$/])
  })
})

test('what a browser kept is moved once, history is cleared at once, and an outage loses nothing that was typed', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '0' })
  await page.addInitScript(() => {
    if (localStorage.getItem('sightline.preferences') !== null) return
    const savedQueries = [{ name: 'Before', query: 'tag:CI', zone: 'Europe/Berlin' }]
    const pastQueries = ['buildTool:maven']
    localStorage.setItem(
      'sightline.preferences',
      JSON.stringify({ version: 1, savedQueries, pastQueries }),
    )
  })
  // The first list is on its way until they are moved, and is from before that; nothing else says that they are.
  await page.route('**/live/changes*', (route) => route.abort())
  let arrive = (): void => undefined
  const late = new Promise<void>((resolve) => {
    arrive = resolve
  })
  let lists = 0
  await page.route('**/history/queries', async (route) => {
    const isFirst = route.request().method() === 'GET' && ++lists === 1
    const response = await route.fetch()
    if (isFirst) await late
    await route.fulfill({ response })
  })
  const first = page.waitForRequest((request) => request.url().endsWith('/history/queries'))
  await page.goto(`${url}/builds`)
  await openSaved(page)

  await test.step('what stands in the browser alone is moved by one click', async () => {
    await section(page, 'On this device').getByRole('button', { name: /^Move/ }).click()
    await expect(page.getByText('1 query moved to the server.')).toBeVisible()
    arrive()
    await (await first).response()
    await expect(section(page, 'Yours')).toContainText('Before')
    await expect(section(page, 'On this device')).toBeHidden()
    await page.unrouteAll()
    await page.reload()
    await openSaved(page)
    await section(page, 'Yours')
      .getByRole('button', { name: /^Before/ })
      .click()
    await expect.poll(() => queryOf(page)).toBe('tag:CI')
  })

  await test.step('what was searched for is run again from the history, and forgotten', async () => {
    await search(page, 'buildOutcome:failed')
    await expect(page.getByText(/\d+ of \d+, complete|there may be more/)).toBeVisible()
    await openSaved(page)
    await menu(page).getByText('History', { exact: true }).click()
    await expect(menu(page).getByRole('listitem').first()).toContainText('buildOutcome:failed')
    await expect(menu(page).getByRole('listitem').first()).toContainText(/\d+\+? builds$/)
    await menu(page)
      .getByRole('button', { name: /^buildTool:maven/ })
      .click()
    await expect.poll(() => queryOf(page)).toBe('buildTool:maven')
    await openSaved(page)
    await menu(page).getByText('History', { exact: true }).click()
    await page.route('**/history/query-runs/clear', (route) => route.abort())
    await menu(page).getByRole('button', { name: 'Clear history' }).click()
    await expect(menu(page).getByRole('alert')).toContainText("Can't clear your history.")
    await page.unroute('**/history/query-runs/clear')
    await menu(page).getByRole('button', { name: 'Try again' }).click()
    await expect(menu(page).getByText('Queries you run are listed here.')).toBeVisible()
    await expect(menu(page).getByRole('alert')).toHaveCount(0)
  })

  await test.step('without the database it is said so, and the name is still there afterwards', async () => {
    await menu(page).getByText('Saved', { exact: true }).click()
    await page.route('**/history/queries', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'urn:sightline:problem:history-unavailable',
          title: 'History unavailable',
          status: 503,
          detail: "The history database isn't responding. Try again later.",
        }),
      }),
    )
    await save(page, 'Later')
    await expect(menu(page).getByRole('alert').first()).toContainText(
      "The history database isn't responding.",
    )
    const name = menu(page).getByRole('textbox', { name: 'Name for this query' })
    await expect(name).toHaveValue('Later')
    await page.unroute('**/history/queries')
    await menu(page).getByRole('button', { name: 'Save', exact: true }).click()
    await expect(section(page, 'Yours')).toContainText('Later')
    await expect(name).toHaveValue('')
  })

  await test.step('offline it is said at once that nothing was saved', async () => {
    await page.context().setOffline(true)
    await save(page, 'Offline')
    await expect(menu(page).getByRole('alert').first()).toHaveText('You are offline.')
    await expect(menu(page).getByRole('button', { name: 'Save', exact: true })).toBeVisible()
    await page.context().setOffline(false)
    await menu(page).getByRole('button', { name: 'Save', exact: true }).click()
    await expect(section(page, 'Yours')).toContainText('Offline')
  })

  await test.step('a name being typed outlives the query that another tab deletes, which can be restored', async () => {
    await menu(page).getByRole('button', { name: 'Edit Later' }).click()
    await menu(page).getByRole('button', { name: 'Rename' }).click()
    const typed = menu(page).getByRole('textbox', { name: 'New name for Later' })
    await typed.fill('Much later')
    const other = await page.context().newPage()
    await other.goto(`${url}/builds`)
    await openSaved(other)
    await menu(other).getByRole('button', { name: 'Edit Later' }).click()
    await menu(other).getByRole('button', { name: 'Delete' }).click()
    await expect(menu(page).getByRole('alert')).toContainText('Later was deleted')
    await expect(typed).toHaveValue('Much later')
    await expect(typed).toBeFocused()
    await menu(page).getByRole('button', { name: 'Restore' }).click()
    await expect(section(other, 'Yours')).toContainText('Later')
    await expect(menu(page).getByRole('alert')).toBeHidden()
    await menu(page).getByRole('button', { name: 'Rename' }).click()
    await expect(section(other, 'Yours')).toContainText('Much later')
  })
})

test('among many saved queries one is found by its name or text, and a refusal is seen from the end of the list', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({ SIGHTLINE_EMBEDDED_RATE: '0' })
  await page.addInitScript(() => {
    if (localStorage.getItem('sightline.preferences') !== null) return
    const savedQueries = Array.from({ length: 40 }, (_, at) => ({
      name: `Team ${at + 10}`,
      query: `project:p${at + 10}`,
    }))
    localStorage.setItem('sightline.preferences', JSON.stringify({ version: 1, savedQueries }))
  })
  await page.goto(`${url}/builds`)
  await openSaved(page)
  await section(page, 'On this device').getByRole('button', { name: /^Move/ }).click()
  const yours = section(page, 'Yours').getByRole('button', { name: /^Team/ })
  await expect(yours).toHaveCount(40)

  const finder = menu(page).getByRole('textbox', { name: 'Find a saved query' })
  await finder.fill('PROJECT:P23')
  await expect(yours).toHaveText([/^Team 23/])
  await finder.fill('team 99')
  await expect(menu(page).getByText('No saved query contains “team 99”.')).toBeVisible()
  await expect(section(page, 'Yours')).toBeHidden()
  await expectAccessible(page)
  await finder.fill('')

  await menu(page).getByRole('button', { name: 'Edit Team 49' }).click()
  await menu(page).getByRole('button', { name: 'Rename' }).click()
  const name = menu(page).getByRole('textbox', { name: 'New name for Team 49' })
  await name.fill('Team 10')
  await name.press('Enter')
  const refusal = menu(page).getByRole('alert')
  await expect(refusal).toContainText('A query named Team 10 already exists.')
  await expect(refusal).toBeInViewport({ ratio: 0.9 })
})
