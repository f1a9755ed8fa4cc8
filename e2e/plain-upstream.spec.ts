import type { Page } from '@playwright/test'
import { plainBuild, type PlainUpstream, startPlainUpstream } from './plain-upstream.ts'
import { besideBuildServer, expect, test as base } from './sightline.ts'

const key = 'canary-9f1c-key'

const test = base.extend<{ upstream: PlainUpstream }>({
  upstream: async ({}, use) => {
    const upstream = await startPlainUpstream(key)
    await use(upstream)
    await upstream.close()
  },
})

const settingsFor = ({ url }: PlainUpstream) => besideBuildServer(url, key)

/** A build that requested a task. */
const build = (project: string, failed: boolean, at = Date.now()) =>
  plainBuild(
    project,
    failed,
    [['BuildRequestedTasks', at - 72_000, { requested: [':app:check'], excluded: [] }]],
    at,
  )

/** Lets builds arrive one by one, and keeps their ids, newest first: as a screen must show them. */
function pushing(upstream: PlainUpstream): { push: () => void; sent: readonly string[] } {
  const sent: string[] = []
  return {
    sent,
    push: () => {
      const one = build('core', false)
      sent.unshift(one.buildId)
      upstream.push(one)
    },
  }
}

/** Waits until the builds on the screen are these, in this order. */
const expectOnScreen = (page: Page, ids: readonly string[]) =>
  expect
    .poll(() =>
      page
        .locator('[data-build-id]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-build-id'))),
    )
    .toEqual(ids)

test('a server that speaks only the export stream is enough: builds and facts appear', async ({
  page,
  sightline,
  upstream,
}) => {
  const { url } = await sightline(settingsFor(upstream))
  await page.goto(url)
  await expect(page.getByText(/No builds in the last hour/).first()).toBeVisible()
  await upstream.heard()
  const failed = build('checkout', true)
  upstream.push(failed)
  const row = page.locator(`[data-build-id="${failed.buildId}"]`)
  await expect(row).toBeVisible()
  await expect(row).toHaveAttribute('data-outcome', 'failed')
  for (const text of ['failed', 'checkout', ':app:check', 'alice@agent-12', '1 min 12 s']) {
    await expect(row).toContainText(text)
  }

  await test.step('its builds are searched by what their events say, also after a restart', async () => {
    const others = Array.from({ length: 60 }, (_, index) => build('payments', index % 4 === 0))
    for (const one of others) upstream.push(one)
    const { url: again } = await sightline(settingsFor(upstream))
    await page.goto(`${again}/builds?q=${encodeURIComponent('buildOutcome:failed')}`)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('16 of 61 builds checked')
    await expect(page.getByText('16 of 16, complete')).toBeVisible()
    await expect(page.getByRole('note')).toContainText('has no build list')
    await expect(row).toContainText('alice')
    await page.getByRole('link', { name: 'Groups' }).click()
    await expect(page.getByRole('row', { name: /^payments/ })).toContainText('15')
  })
})

test('builds that arrive while the upstream is away are there afterwards, once and in order', async ({
  page,
  sightline,
  upstream,
}) => {
  const { url } = await sightline(settingsFor(upstream))
  await page.goto(url)
  await upstream.heard()
  const { push, sent } = pushing(upstream)
  push()
  await expect(page.locator('[data-build-id]')).toHaveCount(1)
  upstream.refuse(503)
  upstream.cut()
  for (let i = 0; i < 5; i += 1) push()
  await expect(
    page.getByRole('button', { name: /^Connection: (Upstream silent|.*trying)/i }),
  ).toBeVisible()
  upstream.refuse(200)
  await expectOnScreen(page, sent)
  expect(sent).toHaveLength(6)
  await expect.poll(() => upstream.streams()).toBe(1)
})

test('builds that arrive while the proxy is away are there afterwards, once and in order', async ({
  page,
  sightline,
  upstream,
}) => {
  const settings = {
    ...settingsFor(upstream),
    SIGHTLINE_SESSION_SECRET: 'the same before and after the restart',
  }
  const before = await sightline(settings)
  await page.goto(before.url)
  await upstream.heard()
  const { push, sent } = pushing(upstream)
  push()
  push()
  await expect(page.locator('[data-build-id]')).toHaveCount(2)
  expect(await before.stop()).toBe(0)
  await expect(page.getByRole('button', { name: /^Connection: Reconnecting/ })).toBeVisible()
  push()
  push()
  await sightline({ ...settings, SIGHTLINE_PORT: new URL(before.url).port })
  push()
  await expectOnScreen(page, sent)
  expect(sent).toHaveLength(5)
})

test('two browsers share one upstream stream', async ({ browser, page, sightline, upstream }) => {
  const { url } = await sightline(settingsFor(upstream))
  const other = await (await browser.newContext()).newPage()
  await Promise.all([page.goto(url), other.goto(url), upstream.heard()])
  upstream.push(build('web', false))
  await expect(page.locator('[data-build-id]')).toHaveCount(1)
  await expect(other.locator('[data-build-id]')).toHaveCount(1)
  expect(upstream.streams()).toBe(1)
  await other.close()
})

test('a reload while the build server is away shows what the proxy knows, and nothing untrue', async ({
  page,
  sightline,
  upstream,
}) => {
  const { url } = await sightline(settingsFor(upstream))
  await page.goto(url)
  await upstream.heard()
  for (let at = 0; at < 5; at++) upstream.push(build('core', false))
  await expect(page.locator('[data-build-id]')).toHaveCount(5)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('in the last minute')

  upstream.refuse(503)
  upstream.cut()
  const headline = page.getByRole('heading', { level: 1 })
  await expect(headline).toHaveText(/^Not up to date: the newest build shown arrived /)
  // From the first paint on: what the page says at each moment.
  await page.addInitScript(() => {
    const said: Record<string, string> = {}
    Object.assign(window, { said })
    setInterval(() => {
      const text = document.documentElement.innerText
      for (const claim of [/in the last minute/, /No builds in the last hour/, /\b0 failed/]) {
        const found = claim.exec(text)?.[0]
        if (found !== undefined) said[found] ??= document.querySelector('h1')?.textContent ?? ''
      }
    }, 25)
  })
  await page.reload()
  await expect(page.locator('[data-build-id]')).toHaveCount(5)
  await expect(headline).toHaveText(/^Not up to date: the newest build shown arrived /)
  await expect(page.getByRole('table', { name: 'Builds, newest first' })).toHaveAttribute(
    'data-outdated',
    'true',
  )
  const said = await page.evaluate(() => ('said' in window ? window.said : undefined))
  // Five builds were counted, none of which failed: that zero is a count.
  expect(Object.keys(said ?? {}).filter((claim) => claim !== '0 failed')).toEqual([])

  upstream.refuse(200)
  await expect(headline).not.toContainText('Not up to date')
  await expect(page.getByRole('table', { name: 'Builds, newest first' })).toHaveAttribute(
    'data-outdated',
    'false',
  )
  await expect(page.locator('[data-build-id]')).toHaveCount(5)
})

test('headline, chart and totals are about the builds that a filter lets through', async ({
  page,
  sightline,
  upstream,
}) => {
  const { url } = await sightline(settingsFor(upstream))
  await page.goto(`${url}/?project=core`)
  await upstream.heard()
  upstream.push(build('web', true))
  upstream.push(build('core', false))
  upstream.push(build('web', true))
  const headline = page.getByRole('heading', { level: 1 })
  await expect(headline).toHaveText('1 matching build in the last minute, none failed.')
  const chart = page.getByRole('img', { name: /^Builds per minute/ })
  await expect(chart).toHaveAccessibleName(/last hour: 1 build, 0 failed, 0 unknown/)
  await expect(page.getByText('1 of 3 builds')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(headline).toContainText('3 builds in the last minute, 2 failed.')
  await expect(chart).toHaveAccessibleName(/last hour: 3 builds, 2 failed, 0 unknown/)
})

for (const [aheadMs, clock] of [
  [-1_200_000, 'behind'],
  [1_200_000, 'ahead'],
] as const) {
  test(`the ages of a build are the same everywhere where the build server's clock is ${clock}`, async ({
    page,
    sightline,
  }) => {
    const upstream = await startPlainUpstream(key, undefined, aheadMs)
    const one = build('core', true, Date.now() + aheadMs - 420_000)
    upstream.push(one)
    const { url } = await sightline(settingsFor(upstream))
    await page.goto(url)
    await expect(page.getByRole('heading', { level: 1 })).toContainText('arrived 7 min ago.')
    const row = page.locator(`[data-build-id="${one.buildId}"]`)
    await expect(row.getByText('7 min ago', { exact: true })).toBeVisible()
    for (const [path, age] of [
      [`/builds/${one.buildId}`, '7 min ago'],
      ['/builds', '7 min ago'],
      // When it started.
      ['/builds?view=groups', '8 min ago'],
      ['/status', '7 min ago'],
    ] as const) {
      await page.goto(`${url}${path}`)
      const shown = page.getByRole('main').getByText(age, { exact: true })
      await expect(shown.first()).toBeVisible()
    }
    await upstream.close()
  })
}

test('a refused credential is said in words, and is in nothing that leaves the proxy', async ({
  page,
  sightline,
  upstream,
}) => {
  const product = await sightline({ ...settingsFor(upstream), SIGHTLINE_LOG_LEVEL: 'debug' })
  const bodies: Promise<string>[] = []
  page.on('response', (response) => {
    if (!response.url().includes('/live/')) bodies.push(response.text().catch(() => ''))
    bodies.push(Promise.resolve(JSON.stringify(response.headers())))
  })
  upstream.refuse(401)
  upstream.cut()
  await page.goto(product.url)
  await expect(page.getByRole('button', { name: /rejects Sightline's credentials/ })).toBeVisible()
  await expect(page.getByRole('main')).toContainText("rejects Sightline's credentials")
  const seen = [...(await Promise.all(bodies)), await page.content(), product.output()].join('\n')
  expect(seen).not.toContain(key)
  expect(seen).not.toContain(Buffer.from(key).toString('base64'))
})
