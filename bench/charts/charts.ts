/**
 * What an update of a chart of 60 bars by 3 series takes of the browser's main thread: the charts of
 * the product beside the bars that were drawn by hand before, and beside recharts' own.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { build } from 'vite'
import type { Variant } from './page.tsx'

const pageFolder = 'dist/bench/charts-page'
const updates = 100
const rows: readonly {
  readonly variant: Variant
  readonly what: string
  /** ms of an update where all numbers change, and where only those of the last bar do. */
  readonly goal?: readonly [all: number, last: number]
}[] = [
  { variant: 'hand', what: 'bars drawn by hand, 180 rects' },
  { variant: 'strip', what: "the feed's strip, 3 paths", goal: [15, 5] },
  { variant: 'chart', what: 'recharts with 3 paths (BarChart)', goal: [15, 5] },
  { variant: 'area', what: 'recharts <Area type="stepAfter">' },
  { variant: 'bar', what: 'recharts <Bar>' },
]

const found = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

if (found === undefined) {
  console.log('Left out: the charts need a Chromium (CHROMIUM_PATH).')
} else {
  await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: pageFolder,
      copyPublicDir: false,
      cssCodeSplit: false,
      lib: { entry: 'bench/charts/page.tsx', formats: ['iife'], name: 'bench', fileName: 'page' },
    },
  })
  const browser = await chromium.launch({
    executablePath: found,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  console.log(`ms of the main thread an update; median of 3 times ${updates} updates`)
  for (const { variant, what, goal } of rows) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.setContent('<!doctype html><div id="root" style="width:1000px"></div>')
    await page.addStyleTag({ content: built('.css') })
    await page.addScriptTag({ content: built('.js') })
    await page.evaluate((name) => {
      window.mountChart(name)
    }, variant)
    await page.locator('svg path, svg rect').nth(2).waitFor({ state: 'attached' })
    const all = await timeOf(page, false)
    const last = await timeOf(page, true)
    console.log(
      `  ${what.padEnd(36)} all ${all.toFixed(1).padStart(5)}   last bar ${last.toFixed(1).padStart(5)}${goal === undefined ? '' : `   goal: ${goal.join(' and ')}`}`,
    )
    if (goal !== undefined && (all > goal[0] || last > goal[1])) process.exitCode = 1
    await page.close()
  }
  await browser.close()
}

function built(ending: string): string {
  const name = readdirSync(pageFolder).find((file) => file.endsWith(ending)) ?? ''
  return readFileSync(`${pageFolder}/${name}`, 'utf8')
}

/** Of script, style, layout and paint together, ms an update; the median of three runs. */
async function timeOf(page: Page, onlyLast: boolean): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const runs: number[] = []
  for (let run = 0; run < 3; run++) {
    const before = await taskSeconds()
    await page.evaluate(([count, last]) => window.updateChart(count, last), [
      updates,
      onlyLast,
    ] as const)
    runs.push((1000 * ((await taskSeconds()) - before)) / updates)
  }
  await session.detach()
  return runs.sort((a, b) => a - b)[1] ?? NaN

  async function taskSeconds(): Promise<number> {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN
  }
}
