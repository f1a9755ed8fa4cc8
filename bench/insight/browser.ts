import { type Browser, chromium } from '@playwright/test'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'vite'
import type { BrowserRun } from './browser-page.ts'

const folder = 'dist/bench/insight-page'
const rounds = 5
const goals = { totalMs: 1000, ratio: 2, longestTaskMs: 50 }

/**
 * Groups 100,000 builds by failure and by project in Chromium as the page does, beside a plain loop
 * over the same objects; returns whether all goals are met, undefined where there is no Chromium.
 */
export async function measureInBrowser(): Promise<boolean | undefined> {
  const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .filter((path) => path !== undefined)
    .find((path) => existsSync(path))
  if (executablePath === undefined) {
    console.log('Left out: groups in the browser need a Chromium (CHROMIUM_PATH).')
    return undefined
  }
  await build({
    configFile: false,
    logLevel: 'error',
    worker: { format: 'es' },
    build: {
      outDir: folder,
      copyPublicDir: false,
      target: 'es2023',
      rolldownOptions: {
        input: 'bench/insight/browser-page.ts',
        output: { entryFileNames: 'page.js' },
      },
    },
  })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://bench')
    if (pathname === '/') {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><script type="module" src="/page.js"></script>')
    } else if (/^[\w./-]+\.js$/.test(pathname) && existsSync(join(folder, pathname))) {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      response.end(readFileSync(join(folder, pathname)))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return report(await runsIn(browser, `http://127.0.0.1:${String(port)}/`))
  } finally {
    await browser.close()
    server.close()
  }
}

async function runsIn(browser: Browser, url: string): Promise<readonly BrowserRun[]> {
  const runs: BrowserRun[] = []
  for (let round = 0; round < rounds; round++) {
    const page = await browser.newPage()
    await page.goto(url)
    await page.waitForFunction(() => 'benchInsight' in window)
    runs.push(await page.evaluate(() => window.benchInsight(100_000)))
    await page.close()
  }
  return runs
}

function report(runs: readonly BrowserRun[]): boolean {
  const of = (value: (run: BrowserRun) => number): number => medianOf(runs.map(value))
  const totalMs = of((run) => run.handedMs + run.failureGroupsMs + run.projectGroupsMs)
  const ratio = of(
    (run) => (run.handedMs + run.failureGroupsMs + run.projectGroupsMs) / run.plainMs,
  )
  const longestTaskMs = Math.max(...runs.map((run) => run.longestTaskMs))
  const line = (what: string, value: string): void => {
    console.log(`  ${what.padEnd(52)} ${value}`)
  }
  console.log(`\n100,000 builds in the browser, 15,000 failed; median of ${rounds}`)
  line(
    'builds handed to the worker, failures normalized',
    `${of((run) => run.handedMs).toFixed(0)} ms`,
  )
  line('groups by failure, there and back', `${of((run) => run.failureGroupsMs).toFixed(0)} ms`)
  line('groups by project, there and back', `${of((run) => run.projectGroupsMs).toFixed(0)} ms`)
  line('all of it', `${totalMs.toFixed(0)} ms   goal: ${goals.totalMs}`)
  line('both by a plain loop over the same objects', `${of((run) => run.plainMs).toFixed(0)} ms`)
  line('all of it against the plain loop', `${ratio.toFixed(2)} x   goal: ${goals.ratio}`)
  line(
    'longest task of the page',
    `${longestTaskMs === 0 ? 'under 50' : longestTaskMs.toFixed(0)} ms   goal: ${goals.longestTaskMs}`,
  )
  return totalMs < goals.totalMs && ratio <= goals.ratio && longestTaskMs <= goals.longestTaskMs
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}
