import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectAccessibleWideAndNarrow } from './accessibility.ts'
import { buildMessages, failedBuild, recordingOf, sendRecording } from './build-messages.ts'
import { bareBuilds, startPlainBuildList } from './plain-build-list.ts'
import { writeQuery } from './query-field.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { besideBuildServer, complaintsOf, expect, test } from './sightline.ts'

const list = (page: Page) => page.getByRole('table', { name: /^Builds, (newest first|sorted)/ })
const rows = (page: Page) => list(page).locator('[data-build-id]')
const editor = (page: Page) => page.getByRole('textbox', { name: 'Search builds' })
const queryOf = (page: Page) => new URL(page.url()).searchParams.get('q')

async function search(page: Page, text: string): Promise<void> {
  await writeQuery(editor(page), text)
  await editor(page).press('ControlOrMeta+Enter')
}

/** Draws over the bars, wherever they stand by then, from one share of their width to another. */
async function brush(page: Page, from: number, to: number): Promise<void> {
  const bars = page.getByRole('group', { name: /^Select a time range/ })
  const box = await bars.boundingBox()
  if (box === null) throw new Error('the chart has no bars')
  const pointAt = async (share: number): Promise<void> => {
    await bars.hover({ position: { x: box.width * share, y: box.height / 2 } })
  }
  await pointAt(from)
  await page.mouse.down()
  for (const share of [0.25, 0.5, 0.75, 1]) await pointAt(from + share * (to - from))
  await page.mouse.up()
}

test('from a question to its builds, and from there anywhere', async ({
  page,
  context,
  sightline,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_BUILDS: '1500',
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  const complaints = complaintsOf(page, ['error'])

  /** The first of what is found at last. */
  let newest = ''
  await test.step('without a query all builds are listed, the newest first', async () => {
    await page.goto(`${url}/builds`)
    await expect(rows(page).first()).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('100 builds so far')
  })

  await test.step('a query is answered by the server, and is the address', async () => {
    await search(page, 'buildTool:gradle buildOutcome:failed')
    await expect(page.getByRole('heading', { level: 1 })).toContainText(/\d+ builds/)
    await expect(page).toHaveURL(/q=buildTool%3Agradle\+buildOutcome%3Afailed/)
    await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible()
    await expect(page.locator('[data-build-id][data-outcome="succeeded"]')).toHaveCount(0)
  })

  await test.step('drawing over the bars narrows the time', async () => {
    await brush(page, 0.5, 0.98)
    await expect(page).toHaveURL(/buildStartTime/)
    await expect(page.getByText(/\d+ of \d+, complete/)).toBeVisible()
    expect(queryOf(page)).toMatch(
      /^buildTool:gradle buildOutcome:failed buildStartTime:\[[\d:.TZ-]+ to [\d:.TZ-]+\]$/,
    )
  })

  await test.step('and so do the arrow keys', async () => {
    const drawn = queryOf(page)
    const from = page.getByRole('slider', { name: 'From' })
    await expect(from).toHaveAttribute('aria-valuenow', '0')
    await from.press('ArrowRight')
    await expect(from).toHaveAttribute('aria-valuenow', '1')
    await from.press('Enter')
    await expect.poll(() => queryOf(page)).not.toBe(drawn)
    await page.goBack()
    await expect.poll(() => queryOf(page)).toBe(drawn)
  })

  await test.step('taking a chip away widens it', async () => {
    const narrowed = queryOf(page)
    await page.getByRole('button', { name: /^Remove .*failed/ }).click()
    await expect(page.locator('[data-build-id][data-outcome="succeeded"]').first()).toBeVisible()
    await expect
      .poll(() => queryOf(page))
      .toBe(String(narrowed).replace(' buildOutcome:failed', ''))
  })

  await test.step('a step back and forward shows each search as it was', async () => {
    await page.goBack()
    await expect(page.locator('[data-build-id][data-outcome="succeeded"]')).toHaveCount(0)
    await expect(editor(page)).toContainText('buildOutcome:failed')
    await page.goForward()
    await expect(page.locator('[data-build-id][data-outcome="succeeded"]').first()).toBeVisible()
    await expect(editor(page)).not.toContainText('buildOutcome:failed')
  })

  await test.step('a click on a column sorts, and widths follow the pointer and the arrow keys', async () => {
    await list(page).getByRole('button', { name: 'Duration', exact: true }).click()
    await expect(page).toHaveURL(/sort=-duration/)
    await expect(page.getByText(/^Sorted by duration, longest first/)).toBeVisible()
    await expect(page.getByRole('columnheader', { name: /^Duration/ })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
    const slowest = page.getByRole('heading', { level: 1 }).getByRole('link')
    const isFirst = async (): Promise<boolean> => {
      const id = await rows(page).first().getAttribute('data-build-id')
      return (await slowest.getAttribute('href')) === `/builds/${id ?? ''}`
    }
    await expect.poll(isFirst).toBe(true)
    await page.getByRole('button', { name: 'Clear sorting' }).click()
    await expect(page).not.toHaveURL(/sort=/)
    // What is said of the sorting stood above the table.
    await expect(page.getByText(/^Sorted by duration/)).toBeHidden()

    const head = page.getByRole('columnheader', { name: /^Project/ })
    const edge = page.getByRole('separator', { name: 'Width of Project' })
    const width = async (): Promise<number> => (await head.boundingBox())?.width ?? 0
    await edge.hover()
    const [at, before] = [await edge.boundingBox(), await width()]
    if (at === null) throw new Error('the column has no edge')
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 60, y, { steps: 4 })
    await page.mouse.up()
    await expect.poll(width).toBeCloseTo(before + 60, 0)
    await edge.press('ArrowLeft')
    await expect.poll(width).toBeCloseTo(before + 52, 0)
    await page.reload()
    await expect.poll(width).toBeCloseTo(before + 52, 0)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(width).toBeCloseTo(before, 0)
  })

  await test.step('what is found can be taken along, as it is shown', async () => {
    const loadAll = page.getByRole('button', { name: 'Load all' })
    const complete = page.getByText(/\d+ of \d+, complete/)
    await expect(loadAll.or(complete).first()).toBeVisible()
    if (await loadAll.isVisible()) await loadAll.click()
    await expect(complete).toBeVisible()
    const [, text = ''] = /([\d,]+) of/.exec(await complete.innerText()) ?? []
    const count = Number(text.replaceAll(',', ''))
    await expect(list(page)).toHaveAttribute('aria-rowcount', String(count + 1))
    await page.getByRole('button', { name: 'Export' }).click()
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Export \d+ builds$/ }).click()
    const download = await waiting
    expect(download.suggestedFilename()).toMatch(
      /^builds-buildtool-gradle-.*-\d{4}-\d\d-\d\d\.csv$/,
    )
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
    expect(head).toContain(
      'Build,Outcome,Project,Requested,Branch,User,Duration (ms),Tool,Received',
    )
    expect(lines).toHaveLength(count)
    newest = (await rows(page).first().getAttribute('data-build-id')) ?? ''
    expect(lines[0]).toContain(newest)
  })

  await test.step('a query is kept under a name, and shared as a link', async () => {
    const query = queryOf(page)
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('textbox', { name: 'Name for this query' }).fill('Lately')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Share' }).click()
    await expect(page.getByText('Link copied.')).toBeVisible()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    await search(page, '')
    await expect(page).toHaveURL(`${url}/builds`)
    await page.getByRole('button', { name: 'Saved' }).click()
    await page.getByRole('button', { name: /^Lately/ }).click()
    await expect(page).toHaveURL(link)
    expect(queryOf(page)).toBe(query)
  })

  await test.step('a search is run from the palette, also a saved one', async () => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Find' }).fill('buildTool:maven')
    await page.getByRole('option', { name: 'Search builds for buildTool:maven' }).click()
    await expect.poll(() => queryOf(page)).toBe('buildTool:maven')
    await expect(page.getByRole('combobox', { name: 'Find' })).toBeHidden()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Find' }).fill('late')
    await page.getByRole('option', { name: /^Lately/ }).click()
    await expect.poll(() => queryOf(page)).toContain('buildStartTime')
    await expect(rows(page).first()).toHaveAttribute('data-build-id', newest)
  })

  await test.step('builds that were chosen are compared', async () => {
    // Beside the link to the slowest build.
    await page.getByRole('heading', { level: 1 }).click({ position: { x: 4, y: 4 } })
    for (const [row, said] of ['1 build selected', '2 builds selected'].entries()) {
      await page.keyboard.press('j')
      await expect(rows(page).nth(row).locator('a:focus')).toBeVisible()
      await page.keyboard.press('x')
      await expect(page.getByText(said)).toBeVisible()
    }
    await page.getByRole('link', { name: 'Compare' }).click()
    await expect(page).toHaveURL(/\/builds\/[a-z0-9]{13}\?compare=[a-z0-9]{13}/)
    await page.goBack()
    await expect(rows(page).first()).toBeVisible()
  })

  await test.step('and the same query goes on with what arrives', async () => {
    const query = queryOf(page)
    await page.getByRole('link', { name: 'Watch live' }).click()
    await expect(page).toHaveURL((address) => address.pathname === '/')
    await expect(page.getByRole('region', { name: 'Followed query' })).toBeVisible()
    expect(queryOf(page)).toBe(query)
  })
  expect(complaints).toEqual([])
})

test('what is being drawn over the bars stays while more builds come in', async ({
  page,
  sightline,
}) => {
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_BUILDS: '1500',
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))
  let pages = 0
  await page.route('**/api/builds?**', async (route) => {
    pages += 1
    if (pages > 1) await held
    await route.continue()
  })
  await page.goto(`${url}/builds`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('100 builds so far')
  await page.getByRole('button', { name: 'Load all' }).click()
  const from = page.getByRole('slider', { name: 'From' })
  await from.press('ArrowRight')
  await expect(from).toHaveAttribute('aria-valuenow', '1')
  const drawn = String(await from.getAttribute('aria-valuetext'))
  goOn()
  await expect(page.getByText(/1,?500 of 1,?500, complete/)).toBeVisible()
  await expect(from).toHaveAttribute('aria-valuetext', drawn)
  await from.press('Enter')
  await expect(page).toHaveURL(/buildStartTime/)
  // The drawing is over: the bars are those of the new range, from its first on.
  await expect(from).toHaveAttribute('aria-valuenow', '0')
})

test('times without a zone mean the same instants wherever the link is opened', async ({
  browser,
  url,
}) => {
  const open = async (timezoneId: string, address: string): Promise<Page> => {
    const page = await (await browser.newContext({ timezoneId })).newPage()
    await page.goto(address)
    return page
  }
  const berlin = await open('Europe/Berlin', `${url}/builds`)
  await search(berlin, 'buildStartTime>2026-01-01T12:00')
  await expect(berlin).toHaveURL(/zone=Europe%2FBerlin/)
  const asked: string[] = []
  const tokyo = await open('Asia/Tokyo', 'about:blank')
  tokyo.on('request', (request) => {
    const query = new URL(request.url()).searchParams.get('query')
    if (query !== null) asked.push(query)
  })
  await tokyo.goto(berlin.url())
  await expect(tokyo.getByText('Times in the query are Europe/Berlin time.')).toBeVisible()
  await expect.poll(() => asked).toContain('buildStartTime>2026-01-01T12:00+01:00')
  await tokyo.getByRole('button', { name: 'Use Asia/Tokyo time' }).click()
  await expect(tokyo).toHaveURL(/zone=Asia%2FTokyo/)
  await expect.poll(() => asked).toContain('buildStartTime>2026-01-01T12:00+09:00')
  await berlin.context().close()
  await tokyo.context().close()
})

test('all matches are exported into a file, also through an outage of a server that knows little', async ({
  page,
  sightline,
}) => {
  const key = 'canary-5c20-key'
  const begin = Date.now() - 7_200_000
  const builds = Array.from({ length: 2600 }, (_, index) => ({
    id: `plain${String(index).padStart(8, '0')}`,
    availableAt: begin + index * 1000,
    buildToolType: index % 2 === 0 ? 'maven' : 'gradle',
    buildToolVersion: '9.2',
    buildAgentVersion: '4.1',
  }))
  const upstream = await startPlainBuildList(key, builds)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  // The dialog of the system is not a page's: the file is in the storage of the browser.
  await page.addInitScript(() => {
    const pick = async ({ suggestedName }: { suggestedName: string }) => {
      const folder = await navigator.storage.getDirectory()
      return folder.getFileHandle(suggestedName, { create: true })
    }
    Object.assign(window, { showSaveFilePicker: pick })
  })
  await page.goto(`${url}/builds?q=buildTool:maven`)
  await expect(rows(page).first()).toBeVisible()
  await list(page).getByRole('button', { name: 'Tool', exact: true }).click()
  await expect(page.getByText(/^Sorted by tool, A first, among the \d+ loaded\.$/)).toBeVisible()

  let requests = 0
  let goOn = (): void => undefined
  const seen = new Promise<void>((resolve) => (goOn = resolve))
  await page.route('**/insight/earlier-builds?**', async (route) => {
    requests += 1
    const turn = requests
    if (turn === 3) await seen
    await (turn === 2 ? route.abort() : route.continue())
  })
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByText('NDJSON', { exact: true }).click()
  await expect(page.getByText(/loaded\. “Export all matches” fetches up to/)).toBeVisible()
  await page.getByRole('button', { name: 'Export all matches' }).click()
  const status = page.getByRole('status', { name: 'Export' })
  await expect(status).toContainText(/isn't responding|so far/)
  goOn()
  await expect(page.getByText(/^1,300 builds exported to builds-buildtool-maven-/)).toBeVisible()
  const lines = await page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory()
    const texts: string[] = []
    for await (const handle of folder.values()) {
      if (handle instanceof FileSystemFileHandle) texts.push(await (await handle.getFile()).text())
    }
    return texts.join('').trim().split('\n')
  })
  const ids = lines.map((line) => String((JSON.parse(line) as { buildId: unknown }).buildId))
  expect(ids).toHaveLength(1300)
  expect(new Set(ids).size).toBe(1300)
  expect(requests).toBeGreaterThan(2)
  await upstream.close()
})

test('an export that is under way is asked about before the page goes, and says so where its page was left', async ({
  page,
  sightline,
}) => {
  const key = 'canary-5c21-key'
  const upstream = await startPlainBuildList(key, bareBuilds(300, Date.now() - 3_600_000))
  const { url } = await sightline({
    SIGHTLINE_BUILD_DATA_URL: upstream.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  await page.addInitScript(() => Object.assign(window, { showSaveFilePicker: undefined }))
  await page.goto(`${url}/builds`)
  await expect(rows(page).first()).toBeVisible()
  await page.route('**/insight/earlier-builds?**', () => undefined)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('button', { name: 'Export all matches' }).click()
  const status = page.getByRole('status', { name: 'Export' })
  await expect(status).toContainText('so far')
  // What counts up is seen, and not read out.
  await expect(status).toMatchAriaSnapshot(`
    - status "Export":
      - text: Exporting
      - button "Cancel export"`)
  const asked = page.waitForEvent('dialog')
  const closing = page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.dismiss()
  await closing
  await expect(status).toContainText('so far')
  await page.getByRole('navigation').getByRole('link', { name: 'Tests' }).click()
  await expect(page.getByText(/^Export canceled after \d+ builds, as you left/)).toBeVisible()
  await upstream.close()
})

test('how many builds are loaded to be sorted is read out once all are there, and not with each page', async ({
  page,
  sightline,
}) => {
  const key = 'canary-6d32-key'
  const upstream = await startPlainBuildList(key, bareBuilds(300, Date.now() - 3_600_000))
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/builds`)
  await expect(rows(page).first()).toBeVisible()
  await list(page).getByRole('button', { name: 'Tool', exact: true }).click()
  const note = page.getByText(/^Sorted by tool, A first/)
  await expect(note).toHaveText(/among the \d+ loaded\.$/)
  await expect(note).not.toHaveAttribute('aria-hidden')
  let goOn = (): void => undefined
  const seen = new Promise<void>((resolve) => (goOn = resolve))
  await page.route('**/insight/earlier-builds?**', async (route) => {
    await seen
    await route.continue()
  })
  await page.getByRole('button', { name: /^Load up to/ }).click()
  await expect(page.getByRole('button', { name: 'Stop loading' })).toBeVisible()
  await expect(note).toHaveAttribute('aria-hidden', 'true')
  goOn()
  await expect(note).toHaveText('Sorted by tool, A first.')
  await expect(note).not.toHaveAttribute('aria-hidden')
  await upstream.close()
})

test('while a search has no answer, the builds of the one before are not counted or exported for it', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/builds?q=buildTool:gradle`)
  await expect(rows(page).first()).toBeVisible()
  let answer = (): void => undefined
  const held = new Promise<void>((resolve) => (answer = resolve))
  await page.route('**/api/builds?**', async (route) => {
    await held
    await route.continue()
  })
  await search(page, 'buildTool:maven')
  await expect(page.getByText('0 so far, loading more…')).toBeVisible()
  await expect(rows(page).first()).toBeVisible()
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Export the 0 loaded' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await expect(page.getByText('No builds loaded.')).toBeVisible()
  await expect(page.getByText("The server can't search")).toHaveCount(0)
  answer()
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(page.getByText(/^Maven /).first()).toBeVisible()
})

test('a query with an error is not sent, and what was there stays', async ({ page, url }) => {
  await page.goto(`${url}/builds?q=buildTool:gradle`)
  await expect(rows(page).first()).toBeVisible()
  const first = await rows(page).first().getAttribute('data-build-id')
  await search(page, 'projct:shop')
  await expect(page.getByText(/Unknown field projct/).first()).toBeVisible()
  expect(queryOf(page)).toBe('buildTool:gradle')
  await expect(rows(page).first()).toHaveAttribute('data-build-id', String(first))
  await page.goto(`${url}/builds?q=projct:shop`)
  await expect(page.getByText("The query has an error and wasn't sent.")).toBeVisible()
})

test('words become conditions, mistakes are mended where they stand, and newer builds come on top', async ({
  page,
  sightline,
}) => {
  const [key, port] = ['canary-newer-key', String(await freePort())]
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_PORT: port,
    SIGHTLINE_EMBEDDED_RATE: '0',
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  const problems = page.getByRole('list', { name: 'Query problems' })

  await test.step('an empty editor has examples, and one press runs one', async () => {
    await page.goto(`${url}/builds`)
    await expect(rows(page).first()).toBeVisible()
    // What follows is about the editor, and not about the field that stands in for it at first.
    await expect(editor(page)).toHaveAttribute('contenteditable', 'true')
    const examples = page.getByRole('group', { name: 'Examples' })
    await examples.getByRole('button', { name: 'buildDuration>10m' }).click()
    await expect.poll(() => queryOf(page)).toBe('buildDuration>10m')
  })

  await test.step('words are searched for by Tab, or by Enter and Enter', async () => {
    await writeQuery(editor(page), '')
    await editor(page).pressSequentially('gradle failed')
    await editor(page).press('Tab')
    await expect(editor(page)).toHaveText('buildTool:gradle buildOutcome:failed')
    await editor(page).press('Enter')
    await expect.poll(() => queryOf(page)).toBe('buildTool:gradle buildOutcome:failed')
    await writeQuery(editor(page), '')
    await editor(page).pressSequentially('maven passed')
    await editor(page).press('Enter')
    await expect(problems).toContainText('maven passed has no field')
    await expect(page.getByText('Showing results for: buildTool:gradle')).toBeVisible()
    await editor(page).press('Enter')
    await expect.poll(() => queryOf(page)).toBe('buildTool:maven buildOutcome:succeeded')
    await expect(page.getByText('Showing results for:')).toHaveCount(0)
  })

  await test.step('all mistakes are listed, Enter leads to the first, each is one press away', async () => {
    await writeQuery(editor(page), 'branch:main && user != jenkins projct:x')
    await editor(page).press('Enter')
    await expect(problems.getByRole('listitem')).toHaveCount(4)
    await expect.poll(() => page.evaluate(() => getSelection()?.toString())).toBe('branch')
    for (const fix of ['value:"Git branch=main"', 'and', '-user:jenkins', 'project']) {
      await problems.getByRole('button', { name: new RegExp(`^Change to ${fix}( Tab)?$`) }).click()
    }
    await expect(editor(page)).toHaveText('value:"Git branch=main" and -user:jenkins project:x')
    await expect.poll(() => queryOf(page)).toContain('-user:jenkins project:x')
  })

  await test.step('a time is picked, and is a part of the query', async () => {
    await page.getByRole('button', { name: 'Any time' }).click()
    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await expect.poll(() => queryOf(page)).toContain('buildStartTime>-7d')
    await expect(page.getByRole('group', { name: 'Presets' })).toBeHidden()
    const opener = page.getByRole('region', { name: 'Query' })
    await opener.getByRole('button', { name: 'Last 7 days' }).click()
    await page.getByText('30 s', { exact: true }).click()
    await expect(page).toHaveURL(/refresh=30s/)
  })

  await test.step('a list of alternatives that is too long for an address is read in parts', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `tag:release-candidate-${index}`)
    await search(page, `${many.join(' or ')} or buildTool:gradle`)
    await expect(rows(page).first()).toBeVisible()
    await expect(page).toHaveURL(/#\?q=/)
    const first = await rows(page).first().getAttribute('data-build-id')
    await page.reload()
    await expect(page.locator(`[data-build-id="${first ?? ''}"]`)).toBeVisible()
    await expect(page.getByText(/or 289 more/)).toBeVisible()
  })

  await test.step('newer builds are counted, and come on top by one press', async () => {
    await page.goto(`${url}/builds`)
    await expect(rows(page).first()).toBeVisible()
    const before = await rows(page).first().getAttribute('data-build-id')
    const sent = await sendRecording(
      `http://127.0.0.1:${port}`,
      key,
      recordingOf(buildMessages('newer00000000', failedBuild, Date.now())),
    )
    const newer = page.getByRole('button', { name: /^1 newer build match/ })
    await expect(async () => {
      // As when one comes back to the page.
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await expect(newer).toBeVisible({ timeout: 2000 })
    }).toPass()
    await expect(rows(page).first()).toHaveAttribute('data-build-id', before ?? '')
    await newer.click()
    await expect(rows(page).first()).toHaveAttribute('data-build-id', sent)
    await expect(rows(page).nth(1)).toHaveAttribute('data-build-id', before ?? '')
  })
})

test('a server that knows only since and maxBuilds is noticed, and filtered here', async ({
  page,
  sightline,
}) => {
  const key = 'canary-77b1-key'
  const begin = Date.now() - 3_600_000
  const builds = Array.from({ length: 250 }, (_, index) => ({
    id: `plain${String(index).padStart(8, '0')}`,
    availableAt: begin + index * 1000,
    buildToolType: index % 5 === 0 ? 'maven' : 'gradle',
    buildToolVersion: '9.2',
    buildAgentVersion: '4.1',
  }))
  const upstream = await startPlainBuildList(key, builds)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/builds?q=buildTool:maven`)
  const note = page.getByRole('note')
  await expect(note).toContainText('ignores queries')
  await expect(note).toContainText('250 checked, back to')
  await expect(note).toContainText('50 match')
  await expect(page.getByText('50 of 50, complete')).toBeVisible()
  await expect(rows(page).first()).toHaveAttribute('data-build-id', 'plain00000245')

  await search(page, 'project:shop')
  await expect(note).toContainText('100 may or may not match')
  await expect(page.locator('[data-build-id][data-match="unknown"]').first()).toBeVisible()
  await expectAccessible(page)
  await upstream.close()
})

test('open details are in the address: a reload keeps them, back and another search close them', async ({
  page,
  url,
}) => {
  const panel = page.getByRole('complementary', { name: /^Build / })
  await page.goto(`${url}/builds?q=buildTool:gradle`)
  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.locator('[data-build-id] a:focus')).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page).toHaveURL(/[?&]build=/)
  const opened = await panel.getAttribute('data-build-id')
  await page.keyboard.press('j')
  await expect(panel).not.toHaveAttribute('data-build-id', opened ?? '')
  await page.reload()
  await expect(panel).not.toHaveAttribute('data-build-id', opened ?? '')
  await page.goBack()
  await expect(panel).toBeHidden()
  await expect(page).toHaveURL(`${url}/builds?q=buildTool:gradle`)

  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('j')
  await expect(page.locator('[data-build-id] a:focus')).toBeVisible()
  await page.keyboard.press('Space')
  await expect(panel).toBeVisible()
  await search(page, 'buildTool:maven')
  await expect(panel).toBeHidden()
  await expect(page).not.toHaveURL(/[?&]build=/)
})

test('the panel of a build that requested nothing has no line for it', async ({ page, url }) => {
  await page.route('**/api/builds?**', async (route) => {
    if (route.request().url().includes('fromBuild')) return route.fulfill({ json: [] })
    const [first] = (await (await route.fetch()).json()) as {
      models?: Record<string, { model?: Record<string, unknown> }>
    }[]
    for (const { model } of Object.values(first?.models ?? {}))
      for (const what of ['requestedTasks', 'requestedGoals', 'requestedCommands'])
        if (model !== undefined) model[what] = []
    return route.fulfill({ json: [{ ...first, id: 'nothing000001' }] })
  })
  await page.goto(`${url}/builds?q=buildTool:gradle&build=nothing000001`)
  const panel = page.getByRole('complementary', { name: 'Build nothing000001' })
  await expect(panel.getByText('Project', { exact: true })).toBeVisible()
  await expect(panel.getByText('Requested', { exact: true })).toHaveCount(0)
})

test('the panel of a failed build says that why it failed could not be read', async ({
  page,
  url,
}) => {
  let answer = { status: 500, body: '' }
  await page.route('**/insight/failures', (route) => {
    const [buildId] = (route.request().postDataJSON() as { buildIds: string[] }).buildIds
    const problem = 'The build server has no events of this build.'
    return route.fulfill(
      answer.status === 200 ? { ...answer, body: JSON.stringify({ buildId, problem }) } : answer,
    )
  })
  // Other tools say it in the attributes of the build.
  await page.goto(`${url}/builds?q=buildOutcome:failed buildTool:gradle`)
  const panel = page.getByRole('complementary', { name: /^Build / })
  const open = async (row: number): Promise<void> => {
    await rows(page).nth(row).locator('[data-column="project"]').click()
  }
  await open(0)
  await expect(panel).toContainText(
    "Can't read why it failed: The Sightline server responded with status 500.",
  )
  answer = { status: 200, body: '' }
  await open(1)
  await expect(panel).toContainText(
    "Can't read why it failed: The build server has no events of this build.",
  )
})

test('the list stays where it is when its first builds come', async ({ page, url }) => {
  let letThrough = (): void => undefined
  const held = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route('**/api/builds?**', async (route) => {
    await held
    const builds = (await (await route.fetch()).json()) as {
      availableAt: number
      models?: Record<string, { model?: { buildStartTime?: number | undefined } }>
    }[]
    // Whether one, and not all, began before the oldest was received, is up to how many come a minute.
    const [newest, oldest] = [builds[0]?.availableAt, builds.at(-1)?.availableAt ?? 0]
    for (const [index, { models = {} }] of builds.entries())
      for (const { model } of Object.values(models))
        if (model !== undefined) model.buildStartTime = index === 0 ? newest : oldest - 60_000
    await route.fulfill({ json: builds })
  })
  await page.goto(`${url}/builds`)
  const top = async (list: Locator): Promise<number | undefined> => (await list.boundingBox())?.y
  const waiting = page.getByRole('status', { name: 'Searching' })
  await expect(waiting).toBeVisible()
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
  const before = await top(waiting)
  letThrough()
  await expect(rows(page).first()).toBeVisible()
  await expect(page.getByText(/^Not in the chart: /)).toBeVisible()
  expect(await top(page.locator('[aria-rowcount]'))).toBe(before)
})

test('the width of a column is typed digit by digit, and kept once it can be one', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/builds`)
  await expect(rows(page).first()).toBeVisible()
  const head = page.getByRole('columnheader', { name: /^Project/ })
  const width = async (): Promise<number> => (await head.boundingBox())?.width ?? 0
  await page.getByRole('button', { name: 'Columns' }).click()
  const field = page.getByRole('textbox', { name: 'Width of Project in pixels' })
  await field.fill('')
  await field.pressSequentially('210')
  await expect(field).toHaveValue('210')
  await field.press('Tab')
  await expect(field).toHaveValue('210')
  await expect.poll(width).toBeCloseTo(210, 0)
  await field.fill('7')
  await field.press('Enter')
  await expect(field).toHaveValue('56')
  await expect.poll(width).toBeCloseTo(56, 0)
})

test('axe finds nothing on the search page, wide and narrow', async ({ page, url }) => {
  await page.goto(`${url}/builds?q=buildTool:gradle`)
  await expect(rows(page).first()).toBeVisible()
  await page.keyboard.press('j')
  await expect(rows(page).first().locator('a:focus')).toBeVisible()
  await page.keyboard.press('x')
  await expect(page.getByText('1 build selected')).toBeVisible()
  await page.keyboard.press('Space')
  await expect(page.getByRole('complementary', { name: /^Build / })).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Columns' }).click()
  await expect(page.getByText('Shown, from left to right')).toBeVisible()
  await expectAccessibleWideAndNarrow(page)
})
