import { type Browser, chromium, type Page } from '@playwright/test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { start } from '../feed/product.ts'
import { createSigned } from './signed-envelopes.ts'
import type { Turn } from './turns.ts'

export interface InBrowser {
  readonly bare: readonly Turn[]
  readonly ours: readonly Turn[]
  /** Of the page's main thread while a file of 10 MB is dropped, in ms; 0 for less than 50. */
  readonly longestTasks: readonly number[]
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The same in Chromium; undefined where that, or the built product, is not here. */
export async function measureInBrowser(rounds: number): Promise<InBrowser | undefined> {
  const executablePath = [process.env.CHROMIUM_PATH, ...places].find(
    (path) => path !== undefined && existsSync(path),
  )
  if (executablePath === undefined || !existsSync('dist/server/main.js')) return undefined
  const product = await start([], { SIGHTLINE_PORT: '0', SIGHTLINE_EMBEDDED_RATE: '0' })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const turns = await turnsIn(browser, product.url, rounds)
    const longestTasks: number[] = []
    const { texts } = await createSigned({ payloadBytes: 10_000_000, count: 1 })
    const path = fileURLToPath(new URL('large.json', import.meta.url))
    writeFileSync(path, texts[0] ?? '')
    for (let round = 0; round < 5; round++) {
      const context = await browser.newContext()
      longestTasks.push(await longestTaskOf(await context.newPage(), product.url, path))
      await context.close()
    }
    return { ...turns, longestTasks }
  } finally {
    await browser.close()
    await product.stop()
  }
}

async function turnsIn(browser: Browser, url: string, rounds: number) {
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      lib: { entry: 'bench/attestation/page.ts', formats: ['es'], fileName: 'page' },
      outDir: 'dist/bench/attestation-page',
      copyPublicDir: false,
    },
  })
  // Cryptography is for pages of this machine: any page of the product will do.
  const context = await browser.newContext({ bypassCSP: true })
  const page = await context.newPage()
  await page.goto(`${url.replace(/\/$/, '')}/healthz`)
  const content = readFileSync('dist/bench/attestation-page/page.js', 'utf8')
  await page.addScriptTag({ type: 'module', content })
  await page.waitForFunction(() => 'benchAttestation' in window)
  const turns = await page.evaluate((count) => window.benchAttestation(count), rounds)
  await context.close()
  return turns
}

/** Drops a file on the page that decodes, and waits until all of it is said. */
async function longestTaskOf(page: Page, url: string, path: string): Promise<number> {
  await page.goto(`${url.replace(/\/$/, '')}/decode`)
  const file = page.getByLabel('Files with attestations')
  await file.waitFor({ state: 'attached' })
  await page.evaluate(() => {
    window.benchLongest = 0
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        window.benchLongest = Math.max(window.benchLongest, duration)
      }
    }).observe({ type: 'longtask' })
  })
  // From the disk: given as bytes, they would be handed to the page in a task of its own.
  await file.setInputFiles(path)
  await page.locator('[data-verdict="signature"]').waitFor({ timeout: 60_000 })
  // Whatever is drawn late counts as well.
  await page.waitForTimeout(2000)
  return page.evaluate(() => window.benchLongest)
}

declare global {
  interface Window {
    benchLongest: number
  }
}
