import type { Page } from '@playwright/test'
import { type HugeServer, type Listing, startHugeServer } from './huge-server.ts'
import { measurePage, type Step } from './page-steps.ts'

const count = Number(process.env.BENCH_HUGE ?? 2_000_000)
const longestWaitMs = 1000

/**
 * Groups, trends and tests beside a build server with 2,000,000 builds that match, on the built product
 * in Chromium: what the pages say, that Stop and Cancel end all requests within a second, the longest
 * task of each step, and the memory of the page. Returns whether all goals are met, undefined where
 * there is no Chromium.
 */
export async function measureHuge(): Promise<boolean | undefined> {
  let isGood: boolean | undefined
  for (const [listing, what] of [
    ['search', 'a server that searches, from the newest'],
    ['since', 'a server that lists builds since a time, no more'],
  ] as const) {
    const title = `${count.toLocaleString('en-US')} builds of ${what}`
    console.log(`\n${title}: what the pages say`)
    const notes = createNotes()
    const measured = await measurePage(
      title,
      () => startHugeServer(count, listing),
      (page, step, server) => act(page, step, server, listing, notes),
    )
    if (measured === undefined) return undefined
    isGood = (isGood ?? true) && measured && notes.isGood()
  }
  return isGood
}

type Notes = ReturnType<typeof createNotes>

/** Says each thing once, however many rounds there are. */
function createNotes() {
  const said = new Set<string>()
  let isGood = true
  return {
    isGood: () => isGood,
    say: (what: string, text: string): void => {
      if (said.has(what)) return
      said.add(what)
      console.log(`  ${what.padEnd(44)} ${text}`)
    },
    fail: (): void => {
      isGood = false
    },
  }
}

async function act(
  page: Page,
  step: Step,
  server: HugeServer,
  listing: Listing,
  notes: Notes,
): Promise<void> {
  const rows = page.locator('tbody tr')
  await page.getByRole('link', { name: 'Tests', exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Builds', exact: true }).first().click()
  await page.getByRole('link', { name: 'Groups', exact: true }).waitFor()
  const byFailure = {
    view: 'groups by failure',
    open: () => page.getByLabel('Group by').selectOption('failure'),
    reading: /^Based on .* so far/,
    rest: /^Based on the newest/,
    more: /^Based on the newest 20,000 builds/,
  }
  const trends = {
    view: 'trends',
    open: () => page.getByRole('link', { name: 'Trends', exact: true }).click(),
    // The builds themselves are those of the groups by project.
    reading: /^Time before: .* so far/,
    rest: /^Time before: newest/,
    more: undefined,
  }
  const byProject = {
    view: 'groups by project',
    open: () => page.getByRole('link', { name: 'Groups', exact: true }).click(),
    reading: /^Based on .* so far/,
    rest: /^Based on the (newest|oldest)/,
    more: /^Based on the (newest|oldest) 2\d,\d{3} builds/,
  }
  const views = listing === 'search' ? [byProject, byFailure, trends] : [byProject]
  for (const { view, open, reading, rest, more } of views) {
    await step(`${view}: opened, reading`, async () => {
      await open()
      await page.getByText(reading).first().waitFor()
    })
    notes.say(`${view}, meanwhile`, await textsOf(page))
    await step(`${view}: stopped`, async () => {
      await stop(page, 'Stop', `${view}, Stop`, server, notes)
    })
    notes.say(`${view}, stopped`, await textsOf(page))
    await step(`${view}: continued to the budget`, async () => {
      await clickAll(page, 'Continue')
      await page.getByText(rest).first().waitFor({ timeout: 240_000 })
    })
    notes.say(`${view}, at rest`, await textsOf(page))
    if (more !== undefined) {
      await step(`${view}: 10,000 more`, async () => {
        await page.getByRole('button', { name: 'Read 10,000 more' }).first().click()
        await page.getByText(more).first().waitFor({ timeout: 240_000 })
      })
      notes.say(`${view}, 10,000 more`, await textsOf(page))
    }
    notes.say(`${view}, memory of the page`, `${(await heapOf(page)).toFixed(0)} MB`)
  }
  if (listing === 'since') {
    await step('trends of the same builds', async () => {
      await trends.open()
      await page.getByText(/^Based on the oldest/).waitFor()
    })
    notes.say('trends, at rest', await textsOf(page))
  }
  if (listing === 'search') {
    await page.getByRole('link', { name: 'Groups', exact: true }).click()
    await page.getByLabel('Group by').selectOption('project')
    await page.getByRole('button', { name: 'Read 10,000 more' }).first().waitFor()
    await step('groups: five times 10,000 more', async () => {
      for (let budget = 30; budget <= 70; budget += 10) {
        await page.getByRole('button', { name: 'Read 10,000 more' }).first().click()
        await page.getByText(`${budget},000 builds`).first().waitFor({ timeout: 240_000 })
      }
    })
    notes.say('groups, 70,000 builds, memory of the page', `${(await heapOf(page)).toFixed(0)} MB`)
  }
  await step('tests: opened, reading', async () => {
    await page.getByRole('link', { name: 'Tests', exact: true }).first().click()
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
  })
  await step('tests: canceled', async () => {
    await stop(page, 'Cancel', 'tests, Cancel', server, notes)
  })
  notes.say('tests, canceled', await readingOf(page))
  await step('tests: continued to the budget', async () => {
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(/^Read 100 builds/).waitFor({ timeout: 240_000 })
    await rows.first().waitFor()
  })
  notes.say('tests, at rest', await readingOf(page))
  await step('tests: 100 more', async () => {
    await page.getByRole('button', { name: 'Read 100 more' }).click()
    await page.getByText(/^Read 200 builds/).waitFor({ timeout: 240_000 })
  })
  notes.say('tests, 100 more', await readingOf(page))
  notes.say('tests, memory of the page', `${(await heapOf(page)).toFixed(0)} MB`)
}

/** Ends what is read, and looks when the last request came. */
async function stop(
  page: Page,
  button: string,
  what: string,
  server: HugeServer,
  notes: Notes,
): Promise<void> {
  const clickedAt = performance.now()
  await clickAll(page, button)
  const took = performance.now() - clickedAt
  const { count: before } = server.seen()
  await new Promise((resolve) => setTimeout(resolve, 3 * longestWaitMs))
  const { count: after, lastAt } = server.seen()
  const late = Math.max(0, lastAt - clickedAt)
  notes.say(
    what,
    `clicked in ${took.toFixed(0)} ms, last request ${late.toFixed(0)} ms after the first click, ${after - before} after the last   goal: ${longestWaitMs} ms`,
  )
  if (late > longestWaitMs) notes.fail()
}

/** Builds, and what is read of single ones, have a button each. */
async function clickAll(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).evaluateAll((buttons) => {
    for (const one of buttons) if (one instanceof HTMLElement) one.click()
  })
}

/** The headline, and on how many builds it rests. */
async function textsOf(page: Page): Promise<string> {
  const headline = await page.locator('h1').first().innerText()
  const lines = await page
    .locator('main')
    .getByText(/(Based on|Time before: |Failures of|Build cache results)/)
    .allInnerTexts()
  return [headline, ...lines].join(' | ')
}

async function readingOf(page: Page): Promise<string> {
  const headline = await page.locator('h1').first().innerText()
  const lines = await page
    .locator('main')
    .getByText(/^(Read |Looking for)/)
    .allInnerTexts()
  return [headline, ...lines].join(' | ')
}

/** What its scripts keep, MB. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 2 ** 20
}
