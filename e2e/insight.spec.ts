import type { Locator, Page } from '@playwright/test'
import { expectAccessible, expectAccessibleWideAndNarrow } from './accessibility.ts'
import { bareBuilds, type ListedBuild, startPlainBuildList } from './plain-build-list.ts'
import { besideBuildServer, expect, type StartSightline, test } from './sightline.ts'

const headline = (page: Page) => page.getByRole('heading', { level: 1 })
const views = (page: Page) => page.getByRole('navigation', { name: 'View' })
const day = 86_400_000
const minute = 60_000

/** Counts what a person does until a question is answered, and prints it. */
function countedClicks(question: string) {
  let clicks = 0
  return {
    click: async (target: Locator): Promise<void> => {
      clicks += 1
      await target.click()
    },
    choose: async (target: Locator, option: string): Promise<void> => {
      clicks += 2
      await target.selectOption(option)
    },
    done: (most: number): void => {
      process.stdout.write(`“${question}”: ${clicks} clicks\n`)
      expect(clicks).toBeLessThanOrEqual(most)
    },
  }
}

test('which failure broke most builds this week, and which builds', async ({ page, sightline }) => {
  const { url } = await sightline({
    SIGHTLINE_EMBEDDED_BUILDS: '800',
    SIGHTLINE_EMBEDDED_RATE: '0',
  })
  const hand = countedClicks('Which failure broke most builds this week?')
  await page.goto(`${url}/builds?q=buildStartTime%3E-7d`)

  await test.step('groups by failure say it in a sentence', async () => {
    await hand.click(views(page).getByRole('link', { name: 'Groups' }))
    await expect(headline(page)).toContainText(/ fails most: \d+ of \d+ builds/)
    await hand.choose(page.getByLabel('Group by'), 'Failure')
    await expect(headline(page)).toContainText(
      /^One failure broke \d+ of \d+ failed builds, since /,
    )
    await expect(page).toHaveURL(/view=groups&by=failure/)
    hand.done(3)
  })

  await test.step('and lead to its builds', async () => {
    await expect(
      page.getByText(/^Failures of (\d+) of \1 failed builds read|^Counted by/),
    ).toBeVisible()
    const first = page.getByRole('region', { name: 'Groups' }).getByRole('row').nth(1)
    await expectAccessible(page)
    const count = (await first.getByRole('cell').first().textContent()) ?? ''
    await first.getByRole('link').click()
    const builds = page.getByRole('table', { name: /^Builds, newest first/ })
    await expect(builds).toHaveAttribute('aria-rowcount', String(Number(count) + 1))
    await expect(builds.locator('[data-outcome="failed"]').first()).toBeVisible()
    await page.getByRole('button', { name: 'All failures' }).click()
    await expect(first).toBeVisible()
  })

  await test.step('a click on a group narrows the query, by keyboard as well', async () => {
    await page.getByLabel('Group by').selectOption('Project')
    const link = page
      .getByRole('table', { name: /^Builds by project/ })
      .getByRole('link')
      .first()
    const project = await link.textContent()
    await link.press('Enter')
    await expect(page).toHaveURL((address) => {
      const query = address.searchParams.get('q') ?? ''
      return (
        query === `buildStartTime>-7d project:${project ?? ''}` && !address.searchParams.has('view')
      )
    })
    await expect(page.locator('[data-build-id]').first()).toBeVisible()
  })

  await test.step('and so does a value beside the list, which says how many builds have it', async () => {
    const facets = page.getByRole('group', { name: 'Filters' })
    await facets.getByRole('button', { name: 'Outcome' }).click()
    const failed = page.getByRole('option', { name: /^failed \d+/ })
    await expect(page.getByText(/^Counts of (all|the newest) /)).toBeVisible()
    await failed.click()
    await expect(page).toHaveURL(/buildOutcome%3Afailed/)
    await expect(page.locator('[data-outcome="succeeded"]')).toHaveCount(0)
  })

  await test.step('trends compare projects', async () => {
    await page.goto(`${url}/builds?view=trends&q=buildStartTime%3E-7d`)
    await expect(headline(page)).toContainText(/\d+% of [\d,]+ builds succeeded/)
    await page.getByLabel('Compare by').selectOption('Project')
    const totals = page.getByRole('region', { name: 'Totals' })
    await expect(totals.getByRole('link')).toHaveCount(5)
    await expectAccessibleWideAndNarrow(page)
  })
})

test('groups on a server that gives no outcomes name no number of failed builds', async ({
  page,
  sightline,
}) => {
  const key = 'story-key'
  const builds = twoWeeks(Date.now()).builds.map(({ models: _, ...build }) => build)
  const upstream = await startPlainBuildList(key, builds.slice(0, 20))
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/builds?view=groups&by=tool`)
  await expect(headline(page)).toHaveText('20 builds; the build server gives no outcomes.')
  const row = page
    .getByRole('table', { name: /^Builds by tool/ })
    .getByRole('row', { name: /gradle/ })
  await expect(row.getByRole('cell').nth(0)).toHaveText('20')
  await expect(row.getByRole('cell').nth(1)).toHaveText('–')
  await expect(row.getByRole('cell').nth(2)).toHaveText('–')
  await upstream.close()
})

test('where there is nothing to count it is said why', async ({ page, sightline }) => {
  const key = 'story-key'
  const upstream = await startPlainBuildList(key, [])
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  await page.goto(`${url}/builds?view=groups&by=tool`)
  await expect(headline(page)).toHaveText('The server has no builds yet.')
  await page.goto(`${url}/builds?view=groups&by=failure`)
  await expect(headline(page)).toHaveText('No build failed.')
  await page.goto(`${url}/builds`)
  const facets = page.getByRole('group', { name: 'Filters' })
  await facets.getByRole('button', { name: 'Outcome' }).click()
  const menu = page.getByRole('listbox', { name: 'Filter by outcome' })
  await expect(menu.locator('xpath=..')).toContainText('The server has no builds yet.')
  await expect(menu).not.toContainText('No matches')
  await page.getByPlaceholder('Type to narrow').fill('x')
  await expect(menu).toContainText('No matches')

  await upstream.close()
  for (const view of [
    'groups&by=tool',
    'groups&by=failure',
    'groups&by=failure&failure=K',
    'trends',
  ]) {
    await page.goto(`${url}/builds?view=${view}`)
    await expect(headline(page)).toHaveText("Can't count builds.")
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  }
})

test('the charts of trends are drawn one in a frame', async ({ page, sightline }) => {
  const { url } = await sightline()
  // How many charts come in one frame at most, in an attribute.
  await page.addInitScript(() => {
    let last = 0
    let most = 0
    const count = (): void => {
      const drawn = document.querySelectorAll('.recharts-wrapper').length
      most = Math.max(most, drawn - last)
      last = drawn
      document.documentElement.setAttribute('data-most-at-once', String(most))
      requestAnimationFrame(count)
    }
    requestAnimationFrame(count)
  })
  await page.goto(`${url}/builds?view=trends&q=buildStartTime%3E-7d`)
  await expect(page.locator('.recharts-wrapper')).toHaveCount(4)
  await expect(page.locator('html')).toHaveAttribute('data-most-at-once', '1')
})

/** Builds of two weeks: those of payments take half as long again from the first build 5 days ago on. */
function twoWeeks(now: number): { readonly builds: readonly ListedBuild[]; readonly slow: string } {
  const builds: ListedBuild[] = []
  let slow = ''
  for (let index = 0; index < 560; index++) {
    const at = now - 14 * day + index * (day / 40) + 10 * minute
    const isPayments = index % 2 === 0
    const isSlow = isPayments && at > now - 5 * day
    const id = `plain${String(index).padStart(8, '0')}`
    if (isSlow && slow === '') slow = id
    const usual = isSlow ? 9 * minute : 6 * minute
    const model = {
      rootProjectName: isPayments ? 'payments' : 'checkout',
      requestedTasks: ['check'],
      hasFailed: index % 13 === 0,
      buildStartTime: at,
      buildDuration: usual - 20_000 + ((index * 7919) % 40_000),
    }
    builds.push({
      id,
      availableAt: at + usual,
      buildToolType: 'gradle',
      buildToolVersion: '9.2',
      buildAgentVersion: '4.1',
      models: { gradleAttributes: { model } },
    })
  }
  return { builds: builds.sort((a, b) => a.availableAt - b.availableAt), slow }
}

test('is payments slower than last week, and since which build, on a server that only lists', async ({
  page,
  sightline,
}) => {
  const key = 'story-key'
  const { builds, slow } = twoWeeks(Date.now())
  const upstream = await startPlainBuildList(key, builds)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  const hand = countedClicks('Is payments slower than last week, and since which build?')
  await page.goto(`${url}/builds?q=${encodeURIComponent('project:payments buildStartTime>-7d')}`)

  await test.step('trends say since when, and how it was the week before', async () => {
    await hand.click(views(page).getByRole('link', { name: 'Trends' }))
    await expect(headline(page)).toContainText(
      /95th percentile of payments check rose from 6 min .* to 9 min/,
    )
    await expect(headline(page)).toContainText(/95th percentile 9 min .*, \d+% more than before/)
    const steps = page.getByRole('region', { name: 'Steps in duration' })
    await expect(steps.getByRole('link', { name: 'Open first build' })).toHaveAttribute(
      'href',
      `/builds/${slow}`,
    )
    hand.done(1)
  })

  await test.step('with the time before in a table and behind the charts', async () => {
    await expect(page.getByRole('region', { name: 'Totals' })).toContainText(/6 min .* before/)
    const duration = page.getByRole('region', { name: 'Duration' })
    await expect(
      duration.getByRole('columnheader', { name: '95th percentile, 7 d before' }),
    ).toBeAttached()
    await expect(page.getByText(/^Based on all 1\d\d builds that match/)).toBeVisible()
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      const cells = page
        .getByRole('region', { name: 'Totals' })
        .getByRole('cell', { name: /before/ })
      const cut = await cells.evaluateAll((all) =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
      )
      expect(cut).toEqual([])
      const ends = await page
        .getByRole('note')
        .evaluateAll((notes) => notes.map((note) => note.getBoundingClientRect().right))
      expect(Math.max(...ends)).toBeLessThanOrEqual(width)
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  await test.step('drawing over a chart narrows the time', async () => {
    const chart = page
      .getByRole('region', { name: 'Duration' })
      .getByRole('group', { name: /^Select a time range/ })
    const from = chart.getByRole('slider', { name: 'From' })
    await from.press('ArrowRight')
    await expect(from).toHaveAttribute('aria-valuenow', '1')
    await from.press('Enter')
    await expect(page).toHaveURL(/buildStartTime%3A%5B/)
    await expect(headline(page)).toContainText('succeeded')
  })

  await test.step('failures that the server gives no events of are said to be so', async () => {
    await page.goto(`${url}/builds?view=groups&by=failure`)
    await expect(page.getByText(/^Failures can't be read from this build server/)).toBeVisible()
    await expect(page.getByRole('link', { name: 'Failure unknown' })).toBeVisible()
    await page.getByLabel('Group by').selectOption('Branch')
    await expect(page.getByText(/doesn't give the branch of these builds/)).toBeVisible()
    await expectAccessible(page)
  })
  await upstream.close()
})

test('trends say what lies outside the queried time, and when that has no builds', async ({
  page,
  sightline,
}) => {
  const now = Date.now()
  const built = (id: string, buildStartTime: number, project: string): ListedBuild => ({
    id,
    availableAt: now - 60 * minute,
    buildToolType: 'gradle',
    buildToolVersion: '9.1',
    buildAgentVersion: '4.2',
    models: {
      gradleAttributes: {
        model: {
          buildStartTime,
          buildDuration: minute,
          hasFailed: false,
          rootProjectName: project,
          requestedTasks: ['check'],
        },
      },
    },
  })
  const upstream = await startPlainBuildList('key', [
    built('ofnow00000000', now - 90 * minute, 'shop'),
    built('ahead00000000', now + 2 * day, 'shop'),
    built('ahead00000001', now + 2 * day, 'web'),
  ])
  const { url } = await sightline(besideBuildServer(upstream.url, 'key'))
  const open = (query: string) =>
    page.goto(`${url}/builds?view=trends&q=${encodeURIComponent(query)}`)
  await open('project:shop buildStartTime>-1d')
  await expect(headline(page)).toContainText('100% of 1 build succeeded')
  await expect(
    page.getByText('Not in the charts: 1 build of the list, dated outside the queried time.'),
  ).toBeVisible()
  await open('project:web buildStartTime>-1d')
  await expect(headline(page)).toHaveText(
    'No builds in the queried time. 1 build of the list is dated outside it.',
  )
  await expectAccessible(page)
  await open(`buildStartTime>${new Date(now + day).toISOString()}`)
  await expect(headline(page)).toContainText('100% of 2 builds succeeded')
  await expect(page.getByText(/^The queried time is yet to come/)).toBeVisible()
  await upstream.close()
})

test('Stop ends all that groups by failure read, and Continue goes on with all of it', async ({
  page,
  sightline,
}) => {
  const { upstream, url } = await plainFailedBuilds(sightline, 3000)
  let goOn = (): void => undefined
  const held = new Promise<void>((resolve) => (goOn = resolve))
  // All builds after the first page, and what is read of single builds, is on its way.
  await page.route('**/insight/earlier-builds?**', async (route) => {
    if (new URL(route.request().url()).searchParams.has('before')) await held
    await route.continue()
  })
  await page.route('**/insight/failures', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(`${url}/builds?view=groups&by=failure`)
  await expect(page.getByText(/^Based on [1-9][\d,]* builds so far/)).toBeVisible()
  await expect(page.getByText(/^Failures of 0 of [1-9][\d,]* failed builds read…/)).toBeVisible()
  const stop = page.getByRole('button', { name: 'Stop', exact: true })
  await expect(stop).toHaveCount(2)
  await stop.first().click()
  await expect(page.getByText(/^Stopped\. Based on /)).toBeVisible()
  await expect(page.getByText(/ failed builds read, stopped\.$/)).toBeVisible()
  await expect(stop).toHaveCount(0)
  goOn()
  await page.getByRole('button', { name: 'Continue' }).first().click()
  await expect(page.getByText(/^Based on all 3,000 builds/)).toBeVisible()
  await expect(page.getByText(/^Failures can't be read from this build server/)).toBeVisible()
  await upstream.close()
})

test('failures that could not be read in an outage are read after it by themselves', async ({
  page,
  sightline,
}) => {
  const { upstream, url } = await plainFailedBuilds(sightline, 100)
  const endOutage = await outageOf(page, '**/insight/failures')
  await page.goto(`${url}/builds?view=groups&by=failure`)
  const failed = page.getByRole('alert').filter({ hasText: 'Failures of 0 of 100 failed builds' })
  await expect(failed.getByRole('button', { name: 'Try again' })).toBeVisible()
  await endOutage()
  await expect(failed).toHaveCount(0)
  // This server has none: it says so now.
  await expect(page.getByText(/^Failures can't be read from this build server/)).toBeVisible()
  await upstream.close()
})

test('build cache results that could not be read in an outage are read after it, those of the time before too', async ({
  page,
  sightline,
}) => {
  const key = 'caches-key'
  const upstream = await startPlainBuildList(key, twoWeeks(Date.now()).builds)
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  const endOutage = await outageOf(page, '**/insight/caches')
  const query = 'project:payments buildStartTime>-7d'
  await page.goto(`${url}/builds?view=trends&q=${encodeURIComponent(query)}`)
  const failed = page.getByText(/Build cache results of 0 of \d+ builds read\.$/)
  const before = page.getByText(/^Time before: build cache results of 0 of \d+ builds read, not/)
  await expect(failed).toBeVisible()
  await expect(before).toBeVisible()
  await endOutage()
  await expect(before).toHaveCount(0)
  await expect(failed).toHaveCount(0)
  await upstream.close()
})

test('while the list is read on in vain, a view counts all builds that are here', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainBuildList('key', bareBuilds(120, Date.now() - 300_000))
  const { url } = await sightline(besideBuildServer(upstream.url, 'key'))
  // The first pages have all builds; the next one, which would end the list, is still awaited.
  let pages = 0
  await page.route(/\/insight\/earlier-builds\?/, async (route) => {
    pages += 1
    if (pages <= 2) await route.continue()
  })
  await page.goto(`${url}/builds?view=trends`)
  await expect(page.getByText('Based on 120 builds so far, reading more…')).toBeVisible()
  await expect(headline(page)).toHaveText(
    '120 builds; the server gives neither outcomes nor durations.',
  )
  await page.getByRole('navigation', { name: 'View' }).getByRole('link', { name: 'Groups' }).click()
  await expect(headline(page)).toContainText('120 builds')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await upstream.close()
})

/** So many failed builds on a server that only lists builds, a second between each, and the product beside it. */
async function plainFailedBuilds(sightline: StartSightline, count: number) {
  const key = 'failed-builds-key'
  const begin = Date.now() - count * 1000
  const model = { rootProjectName: 'checkout', requestedTasks: ['check'], hasFailed: true }
  const upstream = await startPlainBuildList(
    key,
    Array.from({ length: count }, (_, index) => ({
      id: `plain${String(index).padStart(8, '0')}`,
      availableAt: begin + index * 1000,
      buildToolType: 'gradle',
      buildToolVersion: '9.2',
      buildAgentVersion: '4.1',
      models: { gradleAttributes: { model: { ...model, buildStartTime: begin + index * 1000 } } },
    })),
  )
  const { url } = await sightline(besideBuildServer(upstream.url, key))
  return { upstream, url }
}

/** Sightline and what is requested at `path` fail until the outage is ended, at the earliest once it was noticed. */
async function outageOf(page: Page, path: string): Promise<() => Promise<void>> {
  let isOver = false
  for (const one of [path, '**/readyz']) {
    await page.route(one, (route) =>
      isOver ? route.fallback() : route.fulfill({ status: 502, json: {} }),
    )
  }
  const noticed = page.waitForResponse((response) => response.url().endsWith('/readyz'))
  return async () => {
    await noticed
    isOver = true
  }
}
