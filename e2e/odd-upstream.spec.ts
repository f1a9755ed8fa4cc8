import type { Locator, Page } from '@playwright/test'
import { type OddBuild, type OddUpstream, startOddUpstream } from './odd-upstream.ts'
import { besideBuildServer, expect, test as base } from './sightline.ts'

/** A server that we have never seen: odd details, lists of words, what is deprecated, chunks. */

const key = 'canary-44e0-key'
const test = base.extend<{ upstream: OddUpstream }>({
  upstream: async ({}, use) => {
    const upstream = await startOddUpstream(key)
    await use(upstream)
    await upstream.close()
  },
})

const shared = { buildStartTime: Date.now() - 80_000, buildDuration: 72_000, hasFailed: false }
const builds: readonly OddBuild[] = [
  {
    id: 'oddpython0001',
    at: Date.now(),
    tool: 'python',
    attributes: {
      ...shared,
      projectName: 'recommender',
      command: ['pytest', '-q'],
      user: 'alice',
      tags: [],
      values: [],
      links: [],
    },
  },
  {
    id: 'oddgradle0002',
    at: Date.now(),
    tool: 'gradle',
    attributes: {
      ...shared,
      rootProjectName: 'checkout',
      requestedTasks: ['check'],
      tags: ['ok', null],
      values: 'none',
      environment: { username: null, publicHostname: 'agent-7' },
    },
  },
]

const row = (page: Page, id: string): Locator => page.locator(`[data-build-id="${id}"]`)

test('odd details cost themselves alone, and the status page names them and what is deprecated', async ({
  page,
  sightline,
  upstream,
}) => {
  const { url } = await sightline({
    ...besideBuildServer(upstream.url, key),
    SIGHTLINE_GOVERNOR_URL: upstream.url,
    SIGHTLINE_GOVERNOR_BEARER: key,
  })
  await page.goto(url)
  await expect(page.getByText(/No builds in the last hour/).first()).toBeVisible()
  await upstream.heard()
  for (const build of builds) upstream.push(build)
  await expect(row(page, 'oddpython0001')).toContainText('pytest -q')
  await expect(row(page, 'oddpython0001')).toContainText('recommender')
  await expect(row(page, 'oddgradle0002')).toContainText('checkout')
  await expect(row(page, 'oddgradle0002')).toContainText('1 min 12 s')

  // Of a build with attributes it is known that nobody ran it: the negation is the complement.
  await page.goto(`${url}/?q=${encodeURIComponent('-user:*')}`)
  await expect(row(page, 'oddgradle0002')).toBeVisible()
  await expect(row(page, 'oddpython0001')).toHaveCount(0)
  await page.goto(`${url}/?q=${encodeURIComponent('not user:bob tag:ok')}`)
  await expect(row(page, 'oddgradle0002')).toBeVisible()

  await page.goto(`${url}/status`)
  const main = page.getByRole('main')
  for (const text of ['tags[1]', 'values', 'oddgradle0002', 'expected string', '/api/builds']) {
    await expect(main.getByText(text).first()).toBeVisible()
  }
  await expect(page.getByRole('heading', { name: 'Deprecated endpoints' })).toBeVisible()
  // Its link is relative to what was requested.
  await expect(main.locator(`a[href="${upstream.url}/docs/sunset"]`).first()).toBeVisible()

  // Whatever the shape in which it answers, what was stored is the same.
  for (const name of ['array', 'lines', 'words', 'successes']) {
    const asked = new URLSearchParams({
      builds: 'oddgradle0002',
      package: `pkg:oci/${name}@1`,
      sha256: 'ab'.repeat(32),
      repository: 'registry.example.com/shop',
    })
    await page.goto(`${url}/publish?${asked.toString()}`)
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Publish for/ })
      .click()
    const stored = page.getByRole('list', { name: 'Attestations' }).getByRole('link')
    await expect(stored, name).toHaveCount(2)
    await expect(page.getByRole('heading', { level: 1 }), name).toContainText('2 attestations')
  }
})
