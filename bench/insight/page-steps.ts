import { chromium, type Page } from '@playwright/test'
import { existsSync } from 'node:fs'
import { start } from '../feed/product.ts'

const longestTaskMs = 50
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)

/** Does one thing on the page, and measures the longest task of the page meanwhile. */
export type Step = (what: string, act: () => Promise<unknown>) => Promise<void>

/** What the product stands on, of which it gets the settings. */
export interface Surroundings {
  readonly settings: Readonly<Record<string, string>>
  readonly close: () => void
}

interface Measured {
  readonly longestMs: number
  readonly tookMs: number
}

/**
 * What a person does on the built product in Chromium, step by step, in some rounds that all begin anew:
 * prints the longest task of each step in the round where it was shortest, as whatever else the machine
 * does makes it longer. Returns whether all took at most 50 ms, undefined where there is no Chromium.
 */
export async function measurePage<Around extends Surroundings>(
  title: string,
  surround: () => Promise<Around>,
  act: (page: Page, step: Step, around: Around) => Promise<void>,
): Promise<boolean | undefined> {
  const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .filter((path) => path !== undefined)
    .find((path) => existsSync(path))
  if (executablePath === undefined) {
    console.log('Left out: pages need a Chromium (CHROMIUM_PATH).')
    return undefined
  }
  const best = new Map<string, Measured>()
  for (let round = 0; round < rounds; round++) {
    for (const [what, one] of await measureRound(executablePath, surround, act)) {
      const before = best.get(what)
      if (before === undefined || one.longestMs < before.longestMs) best.set(what, one)
    }
  }
  console.log(`\n${title}; longest task of the page, ms, the best of ${rounds} rounds`)
  for (const [what, { longestMs, tookMs }] of best) {
    const longest = longestMs === 0 ? 'under 50' : longestMs.toFixed(0).padStart(8)
    console.log(
      `  ${what.padEnd(44)} ${longest}   (${(tookMs / 1000).toFixed(1)} s)   goal: ${longestTaskMs}`,
    )
  }
  return [...best.values()].every(({ longestMs }) => longestMs <= longestTaskMs)
}

async function measureRound<Around extends Surroundings>(
  executablePath: string,
  surround: () => Promise<Around>,
  act: (page: Page, step: Step, around: Around) => Promise<void>,
): Promise<ReadonlyMap<string, Measured>> {
  const measured = new Map<string, Measured>()
  const around = await surround()
  const own = { SIGHTLINE_PORT: '0', SIGHTLINE_LOG_LEVEL: 'error' }
  const product = await start([], { ...own, ...around.settings })
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(60_000)
    await page.addInitScript(() => {
      window.benchTasks = []
      new PerformanceObserver((list) => {
        window.benchTasks.push(...list.getEntries().map(({ duration }) => duration))
      }).observe({ type: 'longtask' })
    })
    await page.goto(product.url)
    const step: Step = async (what, doIt) => {
      await settled(page)
      await page.evaluate(() => {
        window.benchTasks = []
      })
      const begun = performance.now()
      await doIt()
      const tookMs = performance.now() - begun
      await settled(page)
      const longestMs = await page.evaluate(() => Math.max(0, ...window.benchTasks))
      measured.set(what, { longestMs, tookMs })
    }
    await act(page, step, around)
  } finally {
    await browser.close()
    await product.stop()
    around.close()
  }
  return measured
}

/** Waits until the page has nothing to do: what is to be drawn is drawn, and its tasks are reported. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let times = 0; times < 3; times++) {
      await new Promise((resolve) => requestAnimationFrame(resolve))
      await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }))
    }
  })
}

declare global {
  interface Window {
    benchTasks: number[]
  }
}
