import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { z } from 'zod'
import { type Loopback, onLoopback } from '../../src/free-port.test-support.ts'

/**
 * The static demo (`npm run build:demo`) on a plain static server, in a folder below its root, as
 * GitHub Pages serves a project. Nothing else runs: whatever answers is the page's service worker.
 */

const folder = '/sightline/'
const root = join(import.meta.dirname, '../../dist/demo')
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

let server: Loopback
let url = ''
/** What the static server was asked for. */
const asked: string[] = []

test.beforeAll(async () => {
  const missing = await readFile(join(root, '404.html'))
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    asked.push(pathname)
    const within = pathname.startsWith(folder) ? pathname.slice(folder.length) : undefined
    const file = within === '' ? 'index.html' : within
    const path = file === undefined ? undefined : join(root, normalize(`/${file}`))
    const read = path === undefined ? Promise.reject(new Error('outside')) : readFile(path)
    read.then(
      (bytes) => {
        const type = types[extname(path ?? '')] ?? 'application/octet-stream'
        response.writeHead(200, { 'content-type': type }).end(bytes)
      },
      () => response.writeHead(404, { 'content-type': 'text/html' }).end(missing),
    )
  })
  server = await onLoopback(http)
  url = `${server.url}${folder}`
})
test.afterAll(() => server.close())

const headline = (page: Page) => page.getByRole('heading', { level: 1 })

test('the main jobs are done on a static host, without a server', async ({ page, context }) => {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))

  await test.step('the feed receives builds live, and says that they are made up', async () => {
    const opened = Date.now()
    await page.goto(url)
    await expect(page.locator('[data-build-id]').first()).toBeVisible({ timeout: 90_000 })
    const description = `${Date.now() - opened} ms from a cold visit to the first row`
    test.info().annotations.push({ type: 'first row', description })
    await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible()
    await expect(page.getByText('Demo data').first()).toBeVisible()
    await expect(page.locator('link[rel="icon"]')).toHaveAttribute(
      'href',
      /^\/sightline\/icon-(?:good|failed)\.svg$/,
    )
    const newest = await page.locator('[data-build-id]').first().getAttribute('data-build-id')
    await expect(page.locator('[data-build-id]').first()).not.toHaveAttribute(
      'data-build-id',
      newest ?? '',
      { timeout: 60_000 },
    )
  })

  await test.step('a search finds only builds that meet its condition', async () => {
    await page.goto(`${url}builds?q=buildTool%3Agradle+buildOutcome%3Afailed`)
    await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible()
    await expect(page.locator('[data-build-id][data-outcome="succeeded"]')).toHaveCount(0)
  })

  await test.step('a board is evaluated', async () => {
    await page.goto(`${url}board/release`)
    await page.getByRole('button', { name: /^Evaluate all/ }).click()
    await expect(headline(page)).toHaveText(/^\d+ of 12 packages can't be released: /)
    await expect(page.getByTestId('progress')).toHaveCount(0)
  })

  await test.step('a scan says why a package fails and what to do, and its evidence is verified', async () => {
    const sha256 = createHash('sha256').update('oci checkout 2.4.0').digest('hex')
    const repository = encodeURIComponent('registry.acme.example/shop')
    await page.goto(
      `${url}packages/oci/checkout/2.4.0/policy-scans/release?sha256=${sha256}&repository=${repository}`,
    )
    await page
      .getByRole('button', { name: /^Evaluate( again)?$/ })
      .first()
      .click()
    await expect(headline(page)).toHaveText(/^(Releasable|Not releasable): \d of 6 policies/)
    const keys = page.locator('[data-policy-uri$="/release-keys"]')
    await keys.getByText('release-keys').click()
    await keys
      .getByRole('link', { name: /^Attestation/ })
      .first()
      .click()
    await expect(page.getByText('acme-release').first()).toBeVisible()
    await expect(page.locator('[data-verdict="signature"]').first()).toContainText(/valid/i)
  })

  await test.step('the wall follows its tiles', async () => {
    await page.goto(`${url}wall`)
    await expect(page.getByText(/^Live · \d+ s ago$/)).toBeVisible()
    await expect(page.getByRole('article').first()).toBeVisible()
  })

  await test.step('a second tab shows the same builds', async () => {
    const other = await context.newPage()
    await other.goto(url)
    await page.goto(url)
    const ids = (of: Page) =>
      of
        .locator('[data-build-id]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-build-id')))
    await expect
      .poll(async () => {
        const shown = await ids(page)
        return (await ids(other)).filter((id) => shown.includes(id)).length
      })
      .toBeGreaterThan(10)
    await other.close()
  })

  expect(faults).toEqual([])
  expect(asked.filter((path) => /^\/(?:session|live|upstream|history)/.test(path))).toEqual([])
})

test('a link into the demo works on the first visit', async ({ page }) => {
  await page.goto(`${url}builds?q=buildOutcome%3Afailed`)
  await expect(page.locator('[data-build-id][data-outcome="failed"]').first()).toBeVisible({
    timeout: 90_000,
  })
})

/** What the page's browser keeps of the demo, as text. */
function keptText(): Promise<string> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('sightline-demo')
    opening.onsuccess = () => {
      const all = opening.result.transaction('state').objectStore('state').getAll()
      all.onsuccess = () => {
        resolve(JSON.stringify(all.result))
        opening.result.close()
      }
    }
  })
}

test('after the browser has stopped the worker, the page goes on by itself', async ({
  page,
  context,
}) => {
  await page.goto(url)
  const row = page.locator('[data-build-id]').first()
  await expect(row).toBeVisible({ timeout: 90_000 })
  const build = await row.getAttribute('data-build-id')
  const save = async (text: string): Promise<number> => {
    const session = await page.evaluate(async () =>
      (await fetch('/session', { method: 'POST' })).text(),
    )
    const { token } = z.object({ token: z.string() }).parse(JSON.parse(session))
    const query = { name: 'Kept by the browser', query: text, zone: null, shared: true }
    return page.evaluate(
      async ({ authorization, body }) => {
        const headers = { authorization, 'content-type': 'application/json' }
        return (await fetch('/history/queries', { method: 'POST', headers, body })).status
      },
      { authorization: `Bearer ${token}`, body: JSON.stringify(query) },
    )
  }
  expect(await save('tag:kept')).toBe(201)
  await expect.poll(() => page.evaluate(keptText)).toContain('Kept by the browser')
  const cdp = await context.newCDPSession(page)
  await cdp.send('ServiceWorker.enable')
  await cdp.send('ServiceWorker.stopAllWorkers')
  await expect(page.getByRole('button', { name: /^Connection: (?!Live)/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Connection: Live/ })).toBeVisible({
    timeout: 90_000,
  })
  await test.step('what was done, and the builds that were seen, are still there', async () => {
    // The name is taken: the same query sent again would be the one that is there.
    expect(await save('tag:other')).toBe(409)
    await page.goto(`${url}builds/${build}`)
    await expect(headline(page)).toHaveText(/^(?:Succeeded|Failed)/)
  })
})

test('no page has a link, request or message that fails', async ({ page }) => {
  test.setTimeout(300_000)
  const faults: string[] = []
  const noteAt = (fault: string): void =>
    void faults.push(`${new URL(page.url()).pathname}: ${fault}`)
  await page.goto(url)
  await expect(page.locator('[data-build-id]').first()).toBeVisible({ timeout: 90_000 })
  page.on('pageerror', (error) => {
    noteAt(error.message)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') noteAt(message.text())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) noteAt(`${response.status()} ${response.url()}`)
  })
  /** Pages that differ in what they are about, not in what they are, are one. */
  const kindOf = (address: string): string =>
    new URL(address).pathname
      .replace(/\/builds\/\w{13}$/, '/builds/:id')
      .replace(/\/packages\/(?!npm\/|\w+$).*?(?=\/policy-scans|$)/, '/packages/:package')
      .replace(/[\da-f-]{36}$/, ':id')
  const open = [url]
  const seen = new Set<string>()
  for (let address = open.shift(); address !== undefined; address = open.shift()) {
    if (seen.has(kindOf(address))) continue
    seen.add(kindOf(address))
    await page.goto(address)
    await expect(headline(page).first()).toBeVisible()
    let links: readonly string[] = []
    // What a page is about comes after its heading.
    await expect
      .poll(
        async () => {
          const before = links
          links = await page
            .locator('a[href]')
            .evaluateAll((all) =>
              all.map((one) => (one instanceof HTMLAnchorElement ? one.href : '')),
            )
          return before.length === links.length
        },
        { intervals: [1000] },
      )
      .toBe(true)
    for (const link of links.filter((one) => one.startsWith(new URL(url).origin))) {
      if (!link.startsWith(url)) noteAt(`a link leads out of the demo: ${link}`)
      open.push(link.replace(/#.*/, ''))
    }
    await expect(page.getByRole('button', { name: /^Evidence (?:bundle|of)/ })).toHaveCount(0)
  }
  expect(seen.size).toBeGreaterThan(12)
  expect(faults).toEqual([])
})

test.describe('in a browser without service workers', () => {
  test('the page says why the demo is not there', async ({ page }) => {
    await page.addInitScript(() => {
      Reflect.deleteProperty(Navigator.prototype, 'serviceWorker')
    })
    await page.goto(url)
    await expect(page.getByRole('status')).toContainText('in a service worker')
  })
})
