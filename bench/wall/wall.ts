/**
 * A wall of 300 tiles under 1,000 builds a second for a minute: long frames, what the browser takes of
 * the machine, and whether its heap grows; beside a plain list that shows the same builds. Upstream,
 * proxy and browser are three processes on this machine.
 */
import { existsSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { machineShare, processorSeconds } from '../feed/processor-time.ts'
import { start } from '../feed/product.ts'
import { framesOf } from './frames.ts'
import { plainList } from './plain-list.ts'

const seconds = 60
/** By then the feed keeps as many builds as it ever does: what grows after that would grow for weeks, ms. */
const warmUpMs = Number(process.env.BENCH_WARM_UP_MS ?? 115_000)
const tiles = 300
const rate = 1000
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

const found = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

if (found === undefined || !existsSync('dist/client/index.html')) {
  console.log('Left out: the wall needs a Chromium (CHROMIUM_PATH) and the built product.')
} else {
  const plain = await measure('a plain list', found, openPlainList)
  const wall = await measure(`a wall of ${tiles} tiles`, found, openWall)
  console.log(`the wall against the list   ${(wall.share / plain.share).toFixed(1)} times the work`)
  if (wall.over50 > 0 || wall.share > 0.15 || wall.slope > 0.1) process.exitCode = 1
}

async function measure(
  what: string,
  executablePath: string,
  open: (page: Page, url: string) => Promise<void>,
): Promise<{ share: number; over50: number; slope: number }> {
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
  await open(page, product.url)
  await page.waitForTimeout(warmUpMs)

  const pids = [pid, product.pid, upstream.pid]
  const before = pids.map(processorSeconds)
  const begin = performance.now()
  const heapBefore = await heapMegabytes(page)
  const frames = await framesOf(page, seconds * 1000)
  const elapsed = (performance.now() - begin) / 1000
  const [share = 0, ofProduct = 0, ofUpstream = 0] = pids.map((one, index) =>
    machineShare(processorSeconds(one) - (before[index] ?? 0), elapsed),
  )
  const heap = await heapMegabytes(page)
  const slope = (heap - heapBefore) / elapsed
  await client.close()
  await browser.close()
  await product.stop()
  await upstream.stop()

  console.log(`${what}, ${rate} builds/s`)
  console.log(`  frames                    ${frames.count} in ${elapsed.toFixed(0)} s`)
  console.log(`  worst frame               ${frames.worst.toFixed(0)} ms`)
  console.log(`  frames over 50 ms         ${frames.over50}   tasks ${frames.longTasks}   goal: 0`)
  console.log(`  the browser takes         ${percent(share)} of the machine   goal: under 15 %`)
  console.log(`  proxy and upstream        ${percent(ofProduct)} and ${percent(ofUpstream)}`)
  console.log(`  heap after collection     ${heapBefore.toFixed(1)} MB, then ${heap.toFixed(1)} MB`)
  console.log(`  which is                  ${(slope * 60).toFixed(2)} MB a minute   goal: under 6`)
  return { share, over50: frames.over50, slope }
}

async function openWall(page: Page, url: string): Promise<void> {
  const each = Array.from(
    { length: tiles },
    (_, index) => `Tile ${index}~buildTool:${toolOf(index)} -tag:none-of-${index}`,
  )
  await page.goto(`${url}/wall/bench#${new URLSearchParams({ tiles: each.join(';') }).toString()}`)
  await page.getByRole('article').nth(50).waitFor()
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
