import { chromium, type Page } from '@playwright/test'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { buildSize } from './generated-build.ts'

/** What a person would feel of a page that shows the generated build. */
export interface Felt {
  /** From the request for the executions to the first row, and to the last event, ms. */
  readonly firstRowsMs: number
  readonly completeMs: number
  /** The longest task of the main thread while it was read, and while it was looked through, ms. */
  readonly longestReading: number
  readonly longestLooking: number
  readonly frames: number
  readonly lateFrames: number
}

const product = 'dist/server/main.js'
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * Opens the generated build in the built product and looks through it; a sentence where there is no
 * product or no Chromium.
 */
export async function feel(origin: string): Promise<Felt | string> {
  const executablePath = [process.env.CHROMIUM_PATH, ...places, chromium.executablePath()].find(
    (path) => path !== undefined && existsSync(path),
  )
  if (executablePath === undefined) return 'no Chromium was found: set CHROMIUM_PATH'
  if (!existsSync(product)) return `${product} is missing: run "npm run build" before`
  const { server, url } = await startProduct(origin)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return await look(await browser.newPage(), `${url}/builds/${buildSize.buildId}`)
  } catch (error) {
    return `the page did not show the build (is ${product} of this source?): ${String(error)}`
  } finally {
    await browser.close()
    server.kill()
  }
}

/** Acts from within the page: whoever looks for things by their role holds it up longer than it does. */
async function look(page: Page, address: string): Promise<Felt> {
  await page.addInitScript(watch)
  await page.goto(address)
  await page.waitForFunction(
    (tasks) => {
      const text = document.querySelector('#main')?.textContent ?? ''
      return text.includes(tasks) && !text.includes('Loading build events')
    },
    buildSize.tasks.toLocaleString('en-US'),
    { timeout: 120_000, polling: 250 },
  )
  const reading = await page.evaluate(() => window.benchFelt())
  await page.evaluate(async () => {
    const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
    const table = document.querySelector('[role="table"]')
    for (let step = 0; step < 40; step++) {
      table?.scrollBy(0, step % 4 === 0 ? 40_000 : 700)
      await pause(40)
    }
    const buttons = [...document.querySelectorAll<HTMLButtonElement>('#main button')]
    for (const word of ['Longest first', '+', '+', 'Whole build', 'By start']) {
      buttons.find(({ textContent }) => textContent === word)?.click()
      await pause(250)
    }
  })
  await page.locator('input[type="search"]').fill('module77')
  await page.waitForTimeout(1000)
  const looking = await page.evaluate(() => window.benchFelt())
  return {
    firstRowsMs: reading.firstRowsMs,
    completeMs: reading.completeMs,
    longestReading: reading.longest,
    longestLooking: looking.longest,
    frames: reading.frames + looking.frames,
    lateFrames: reading.lateFrames + looking.lateFrames,
  }
}

interface Told {
  firstRowsMs: number
  completeMs: number
  longest: number
  frames: number
  lateFrames: number
}

declare global {
  interface Window {
    /** What was felt since the last call. */
    benchFelt: () => Told
  }
}

/** Runs in the page before anything else does; counts from when it asked for the executions. */
function watch(): void {
  const told: Told = { firstRowsMs: 0, completeMs: 0, longest: 0, frames: 0, lateFrames: 0 }
  let last = performance.now()
  let askedAt = Infinity
  let firstRowAt = 0
  let completeAt = 0
  const ask = window.fetch.bind(window)
  window.fetch = (input, init) => {
    if (typeof input === 'string' && input.includes('TaskFinished')) askedAt = performance.now()
    return ask(input, init)
  }
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (startTime >= askedAt) told.longest = Math.max(told.longest, duration)
    }
  }).observe({ type: 'longtask' })
  const frame = (now: number): void => {
    if (now > askedAt) {
      told.frames += 1
      if (now - last > 50) told.lateFrames += 1
    }
    last = now
    if (firstRowAt === 0 && document.querySelector('[role="row"] button') !== null) firstRowAt = now
    requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  window.benchFelt = () => {
    completeAt ||= performance.now()
    const felt = { ...told, firstRowsMs: firstRowAt - askedAt, completeMs: completeAt - askedAt }
    Object.assign(told, { longest: 0, frames: 0, lateFrames: 0 })
    return felt
  }
}

function startProduct(origin: string): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(process.execPath, [product], {
    env: {
      PATH: process.env.PATH,
      SIGHTLINE_PORT: '0',
      SIGHTLINE_DATABASE_URL: 'memory:',
      SIGHTLINE_BUILD_DATA_URL: origin,
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'bench',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => {
    createInterface({ input: server.stdout }).on('line', (line) => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) resolve({ server, url: url.replace(/\/$/, '') })
    })
  })
}
