/**
 * A wall of 300 tiles, in parts that are measured and printed one after the other: `shown`, a minute of 40 builds a second: tasks
 * over 50 ms with what ran in them, and what the browser takes of the machine; `hour`, as many builds as 40 a second are in an hour,
 * in time lapse: whether the heap grows; `list`, the same time lapse in a page that keeps the builds in a plain list. Upstream, proxy
 * and browser are three processes on this machine. `--part=name` measures one part (each under 9 minutes), `--seconds=60` is how long
 * `shown` is watched and `--lapse=144` how long the hour takes; `--pictures=folder` draws walls on all sizes of screens instead.
 */
import { existsSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { machineShare, processorSeconds } from '../feed/processor-time.ts'
import { start } from '../feed/product.ts'
import { framesOf } from './frames.ts'
import { drawWalls } from './pictures.ts'
import { plainList } from './plain-list.ts'

const tiles = 300
const seconds = given('seconds', 60)
/** What a large company builds, per second; as many in an hour are what the time lapse shows. */
const usualRate = 40
const lapseSeconds = given('lapse', 144)
const lapseRate = Math.round((3600 * usualRate) / lapseSeconds)
/** By then the feed keeps as many builds as it ever does: what grows after that would grow for weeks, ms. */
const lapseWarmUpMs = Number(process.env.BENCH_WARM_UP_MS ?? 115_000)
/** By then the wall has what it searched for, and its tiles stand, ms. */
const warmUpMs = 20_000
const samples = 9
/** The heap trembles by so much from one collection to the next, MB in an hour of time lapse. */
const mostGrowth = 3
const mostShare = 0.12
/** Of the long tasks, so many are printed with what ran in them. */
const mostNamed = 10
const key = 'bench-access-key'
const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** `--pictures=folder`: draws walls of all sizes instead. */
const pictures = words('pictures')[0]
const parts = words('part')

const found = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

if (found === undefined || !existsSync('dist/client/index.html')) {
  console.log('Left out: the wall needs a Chromium (CHROMIUM_PATH) and the built product.')
} else if (pictures !== undefined) {
  const product = await start([], { SIGHTLINE_PORT: '0' })
  const browser = await chromium.launch({ executablePath: found, args: chromiumArgs })
  await drawWalls(browser, product.url, pictures)
  await browser.close()
  await product.stop()
} else {
  const isWanted = (part: string): boolean => parts.length === 0 || parts.includes(part)
  if (isWanted('shown')) await measureShown(found)
  const wall = isWanted('hour') ? await measureHour(`a wall of ${tiles} tiles`, found, openWall) : 0
  const plain = isWanted('list') ? await measureHour('a plain list', found, openPlainList) : 0
  if (wall > 0 && plain > 0)
    say('the wall against the list', `${(wall / plain).toFixed(1)} times the work`)
}

/** What a wall costs at a usual rate, and every task that would make it stutter. */
async function measureShown(executablePath: string): Promise<void> {
  await withPage(executablePath, usualRate, async ({ page, url, shares }) => {
    console.log(`a wall of ${tiles} tiles, ${usualRate} builds/s`)
    await openWall(page, url)
    await page.waitForTimeout(warmUpMs)
    const measured = shares()
    const frames = await framesOf(page, seconds * 1000)
    const [share, ofProduct, ofUpstream] = measured()
    say('frames', `${frames.count} in ${seconds} s`)
    say('worst frame', `${frames.worst.toFixed(0)} ms`)
    say('frames over 50 ms', String(frames.over50))
    say('tasks over 50 ms', `${frames.longTasks.length}   goal: 0`)
    for (const { ms, usedMs, parts } of frames.longTasks.slice(0, mostNamed)) {
      const used = `${usedMs.toFixed(0)} ms of it on a processor`
      console.log(`    ${ms.toFixed(0)} ms, ${used}: ${parts.join('; ')}`)
    }
    say('the most a task used', `${frames.mostUsed.toFixed(0)} ms of a processor`)
    say('the browser takes', `${percent(share)} of the machine   goal: under ${percent(mostShare)}`)
    say('proxy and upstream', `${percent(ofProduct)} and ${percent(ofUpstream)}`)
    if (frames.longTasks.length > 0 || share > mostShare) process.exitCode = 1
  })
}

/** Whether the heap grows in an hour of builds; returns the share of the machine that the browser took. */
function measureHour(
  what: string,
  executablePath: string,
  open: (page: Page, url: string) => Promise<void>,
): Promise<number> {
  return withPage(executablePath, lapseRate, async ({ page, url, shares }) => {
    console.log(`${what}, an hour of ${usualRate} builds/s in ${lapseSeconds} s`)
    await open(page, url)
    await page.waitForTimeout(lapseWarmUpMs)
    const measured = shares()
    const heaps: number[] = []
    while (heaps.length < samples) {
      if (heaps.length > 0) await page.waitForTimeout((1000 * lapseSeconds) / (samples - 1))
      const heap = await heapMegabytes(page)
      heaps.push(heap)
      say(
        `heap after ${Math.round((60 * (heaps.length - 1)) / (samples - 1))} min`,
        `${heap.toFixed(1)} MB`,
      )
    }
    const [share] = measured()
    const growth = slopeOf(heaps) * (samples - 1)
    say('the heap in an hour', `${growth.toFixed(2)} MB more   goal: under ${mostGrowth}`)
    say('the browser takes', `${percent(share)} of the machine`)
    if (growth > mostGrowth) process.exitCode = 1
    return share
  })
}

/** The shares of the machine that browser, proxy and upstream take from one moment on. */
type Shares = () => () => readonly [number, number, number]

/** A page of a browser, a product and its upstream, for as long as they are used. */
async function withPage<T>(
  executablePath: string,
  rate: number,
  use: (running: { page: Page; url: string; shares: Shares }) => Promise<T>,
): Promise<T> {
  const upstream = await start(['embedded'], {
    SIGHTLINE_EMBEDDED_PORT: '0',
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
    SIGHTLINE_EMBEDDED_BUILDS: '500',
    SIGHTLINE_EMBEDDED_RATE: String(rate),
  })
  const product = await start([], {
    SIGHTLINE_PORT: '0',
    SIGHTLINE_BUILD_DATA_URL: upstream.url,
    SIGHTLINE_BUILD_DATA_ACCESS_KEY: key,
  })
  const browser = await chromium.launchServer({ executablePath, args: chromiumArgs })
  const { pid = 0 } = browser.process()
  const client = await chromium.connect(browser.wsEndpoint())
  const page = await client.newPage({ viewport: { width: 1920, height: 1080 } })
  const shares: Shares = () => {
    const begin = performance.now()
    const used = [pid, product.pid, upstream.pid].map(processorSeconds)
    return () => {
      const elapsed = (performance.now() - begin) / 1000
      const shareOf = (one: number, before = 0): number =>
        machineShare(processorSeconds(one) - before, elapsed)
      return [shareOf(pid, used[0]), shareOf(product.pid, used[1]), shareOf(upstream.pid, used[2])]
    }
  }
  const result = await use({ page, url: product.url, shares })
  await client.close()
  await browser.close()
  await product.stop()
  await upstream.stop()
  return result
}

function words(name: string): readonly string[] {
  return process.argv.flatMap((word) =>
    word.startsWith(`--${name}=`) ? word.slice(name.length + 3) : [],
  )
}

function given(name: string, otherwise: number): number {
  return Number(words(name)[0] ?? otherwise)
}

function say(what: string, value: string): void {
  console.log(`  ${what.padEnd(26)}${value}`)
}

/** The slope of the line that is nearest to values at equal distances, per step. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let [above, below] = [0, 0]
  for (const [index, value] of values.entries()) {
    above += (index - middle) * (value - mean)
    below += (index - middle) ** 2
  }
  return above / below
}

async function openWall(page: Page, url: string): Promise<void> {
  const each = Array.from(
    { length: tiles },
    (_, index) => `Tile ${index}~buildTool:${toolOf(index)} -tag:none-of-${index}`,
  )
  await page.goto(`${url}/wall/bench#${new URLSearchParams({ tiles: each.join(';') }).toString()}`)
  // Its sentence comes with the tiles; which of them stand apart depends on what fails just now.
  await page
    .getByRole('heading', { level: 1 })
    .filter({ hasText: /failing|healthy/ })
    .waitFor()
}

async function openPlainList(page: Page, url: string): Promise<void> {
  await page.route(`${url}/plain`, (route) =>
    route.fulfill({ contentType: 'text/html', body: plainList }),
  )
  await page.goto(`${url}/plain`)
  await page.locator('li').nth(50).waitFor()
}

/** Every tile has its share of builds, and every one matches some. */
function toolOf(index: number): string {
  return ['gradle', 'maven', 'bazel', 'npm', 'sbt', 'python'][index % 6] ?? 'gradle'
}

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize / 1e6
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
