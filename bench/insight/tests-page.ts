import type { Page } from '@playwright/test'
import type { ServerResponse } from 'node:http'
import { measurePage, type Step, type Surroundings } from './page-steps.ts'
import { openStream, sendBuild, startRawServer } from './raw-server.ts'

const testCount = Number(process.env.BENCH_TESTS ?? 50_000)
const buildCount = 4
const longName = 'n'.repeat(10_000)

/**
 * 50,000 tests in each of some builds, one with a name of 10 KB, on the page of tests of the built
 * product: the longest task of the page at each step. Returns whether all are under 50 ms, undefined
 * where there is no Chromium.
 */
export function measureTestsPage(): Promise<boolean | undefined> {
  const title = `${testCount.toLocaleString('en-US')} tests in each of ${buildCount} builds`
  return measurePage(title, startUpstream, act)
}

async function act(page: Page, step: Step, upstream: Upstream): Promise<void> {
  const tests = page.getByRole('link', { name: 'Tests', exact: true }).first()
  const rows = page.locator('tbody tr')
  // The code of the page is there before it is measured: first paints are measured elsewhere.
  await tests.waitFor()
  await step('read, with what is known meanwhile', async () => {
    await tests.click()
    await page.getByText(`Read ${buildCount} builds`).waitFor({ timeout: 240_000 })
  })
  for (const list of ['All', 'Slowest', 'Failing']) {
    await step(`the list ${list}`, async () => {
      await page.getByRole('link', { name: new RegExp(`^${list}`) }).click()
      await page.locator(`[aria-current="page"]`, { hasText: list }).waitFor()
    })
  }
  await step('scrolled to the end', async () => {
    for (let drawn = await rows.count(); drawn < 200; drawn = await rows.count()) {
      await rows.last().scrollIntoViewIfNeeded()
      await rows.nth(drawn).waitFor({ state: 'attached' })
    }
  })
  await step('the next page', async () => {
    await page.getByRole('link', { name: 'Next' }).click()
    await page.getByText('201 to').waitFor()
  })
  await step('a name typed', async () => {
    await page.getByRole('searchbox').pressSequentially('case 7', { delay: 60 })
    await page.getByText(/^Filtered/).waitFor()
  })
  await step('a facet chosen', async () => {
    await page.getByRole('button', { name: 'Task' }).click()
    await page.getByRole('option').first().click()
    await page.getByRole('button', { name: 'Clear filters' }).waitFor()
  })
  await page.keyboard.press('Escape')
  await page.getByRole('option').first().waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('link', { name: /^All/ }).click()
  await step('the name of 10 KB found', async () => {
    await page.getByRole('searchbox').fill('nnnnnnnn')
    await page.locator('a[data-test^="nnnnnnnn"]').waitFor()
  })
  await step('the name of 10 KB opened', async () => {
    await page.locator('a[data-test^="nnnnnnnn"]').click()
    await page
      .getByRole('complementary')
      .getByText(/^\d+ runs?$/)
      .waitFor()
  })
  await expectNoPan(page)
  await page.getByRole('button', { name: 'Close details' }).click()
  upstream.addHeld()
  await step('more builds read, canceled', async () => {
    await page
      .getByRole('textbox', { name: 'Builds whose tests are shown' })
      .fill('buildTool:gradle')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText(`Read ${buildCount} of`).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Canceled.').waitFor()
  })
  upstream.release()
  await step('continued to the end', async () => {
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(`Read ${2 * buildCount} builds`).waitFor({ timeout: 240_000 })
  })
}

async function expectNoPan(page: Page): Promise<void> {
  const [shown, wide] = await page.evaluate(() => [
    innerWidth,
    document.documentElement.scrollWidth,
  ])
  if (wide > shown) throw new Error(`the page pans sideways: ${wide} px in ${shown}`)
}

interface Upstream extends Surroundings {
  /** Lists builds more, whose events come only when they are released. */
  readonly addHeld: () => void
  readonly release: () => void
}

/** A plain build server: a list of builds, and their events. */
async function startUpstream(): Promise<Upstream> {
  const begin = Date.now() - 3_600_000
  const ids = Array.from({ length: 2 * buildCount }, (_, n) => `b${String(n).padStart(12, '0')}`)
  let listed = buildCount
  let letGo: () => void = () => undefined
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const about = { buildToolType: 'gradle', buildToolVersion: '9.2', buildAgentVersion: '4.1' }
  const send = (response: ServerResponse, build: number): void => {
    const at = begin + build * 60_000
    sendBuild(response, { buildId: ids[build] ?? '', at }, eventsOf(build, at))
  }
  const server = await startRawServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench')
    const events = /^\/build-export\/v2\/build\/(b\d+)\/events$/.exec(pathname)
    if (events !== null) {
      const build = ids.indexOf(events[1] ?? '')
      if (build < buildCount) send(response, build)
      else
        void released.then(() => {
          send(response, build)
        })
    } else if (pathname === '/api/builds') {
      const isLater = searchParams.has('fromBuild')
      const list = ids
        .slice(0, listed)
        .map((id, n) => ({ id, availableAt: begin + n * 60_000, ...about }))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isLater ? [] : list.toReversed()))
    } else if (pathname.startsWith('/build-export/')) openStream(response)
    else response.writeHead(404).end()
  })
  return {
    ...server,
    addHeld: () => {
      listed = ids.length
    },
    release: letGo,
  }
}

/** 20 tasks and their tests; `at` is epoch ms. */
function* eventsOf(build: number, at: number): Generator<[string, object, number?]> {
  yield ['BuildStarted', {}]
  for (let task = 0; task < 20; task++) {
    yield ['TaskStarted', { id: task, path: `:m${task}:test`, className: 'Test' }]
  }
  for (let n = 0; n < testCount; n++) {
    const ran = { task: n % 20, id: 1000 + n }
    const name = n === 77 ? longName : `checks case ${n}`
    const className = `com.acme.shop.module${n % 20}.Suite${n % 500}Test`
    yield ['TestStarted', { ...ran, parent: null, name, className, suite: false }]
    const came = { failed: (n * 31) % 7 === build % 2, skipped: n % 97 === 0, failureId: null }
    yield ['TestFinished', { ...ran, ...came }, at + (n % 2_000)]
  }
  yield ['BuildFinished', { failureId: null, failure: null }]
}
