import { existsSync } from 'node:fs'
import { chromium, type Page } from '@playwright/test'
import { LiveBuilds, liveEvents, livePath } from '../../src/protocol/live-feed.ts'
import { Session, sessionPath } from '../../src/protocol/session.ts'
import { createSseReader } from '../../src/protocol/sse.ts'
import { machineShare, processorSeconds } from './processor-time.ts'
import { start } from './product.ts'

const seconds = 30
const key = 'bench-access-key'

/**
 * Builds into the open live feed of the built product for 30 s at each rate: long frames, rows that
 * went missing, and what the browser takes of the machine. Upstream, proxy and browser are three
 * processes on this machine; the last two lines tell what the first two take of it.
 */
export async function measurePage(say: (text: string) => void): Promise<boolean> {
  const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
    .filter((path) => path !== undefined)
    .find((path) => existsSync(path))
  if (executablePath === undefined || !existsSync('dist/client/index.html')) {
    say('Left out: the page, which needs a Chromium (CHROMIUM_PATH) and the built product.')
    return true
  }
  const good: boolean[] = []
  for (const rate of [1000, 2000]) good.push(await measureRate(rate, executablePath, say))
  return good.every(Boolean)
}

async function measureRate(
  rate: number,
  executablePath: string,
  say: (text: string) => void,
): Promise<boolean> {
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
  const witness = await watch(product.url)
  const browser = await chromium.launchServer({ executablePath, args: chromiumArgs })
  const { pid = 0 } = browser.process()
  const client = await chromium.connect(browser.wsEndpoint())
  const page = await client.newPage()
  const since = page.waitForRequest((request) => request.url().includes(livePath))
  await page.goto(product.url)
  const from = Number(new URL((await since).url()).searchParams.get('since'))
  await page.getByRole('row').nth(5).waitFor()
  await page.waitForTimeout(3000)

  const pids = [pid, product.pid, upstream.pid]
  const before = pids.map(processorSeconds)
  const rowsBefore = await rowsOf(page)
  const begin = performance.now()
  const frames = await framesOf(page)
  const elapsed = (performance.now() - begin) / 1000
  const took = pids.map((one, index) =>
    machineShare(processorSeconds(one) - (before[index] ?? 0), elapsed),
  )
  const shown = (await rowsOf(page)) - rowsBefore

  await upstream.stop()
  const expected = await settled(() => witness.timestamps().filter((time) => time >= from).length)
  const rows = await settled(() => rowsOf(page))
  witness.stop()
  await client.close()
  await browser.close()
  await product.stop()

  const [browserShare = 0, productShare = 0, upstreamShare = 0] = took
  say(`rate                      ${rate} builds/s asked for, ${(shown / elapsed).toFixed(0)} shown`)
  say(
    `frames                    ${frames.count} in ${elapsed.toFixed(0)} s, worst ${frames.worst.toFixed(0)} ms`,
  )
  say(`frames over 50 ms         ${frames.over50}   tasks over 50 ms ${frames.longTasks}   goal: 0`)
  say(`rows                      ${rows} of ${expected}, so ${expected - rows} dropped   goal: 0`)
  say(
    `the browser takes         ${percent(browserShare)} of the machine   goal: under 15 % at 1,000/s`,
  )
  say(
    `proxy and upstream        ${percent(productShare)} and ${percent(upstreamShare)} of the machine`,
  )
  return frames.over50 === 0 && rows === expected && (rate > 1000 || browserShare < 0.15)
}

const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface Frames {
  readonly count: number
  readonly over50: number
  readonly worst: number
  readonly longTasks: number
}

/** Watches the page draw for a while. */
function framesOf(page: Page): Promise<Frames> {
  return page.evaluate(async (ms) => {
    let longTasks = 0
    const observer = new PerformanceObserver((list) => {
      longTasks += list.getEntries().length
    })
    observer.observe({ type: 'longtask' })
    const times: number[] = []
    await new Promise<void>((resolve) => {
      const begin = performance.now()
      const frame = (now: number): void => {
        times.push(now)
        if (now - begin < ms) requestAnimationFrame(frame)
        else resolve()
      }
      requestAnimationFrame(frame)
    })
    observer.disconnect()
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time))
    return {
      count: gaps.length,
      over50: gaps.filter((gap) => gap > 50).length,
      worst: Math.max(...gaps),
      longTasks,
    }
  }, seconds * 1000)
}

async function rowsOf(page: Page): Promise<number> {
  const rows = await page.locator('[aria-rowcount]').getAttribute('aria-rowcount')
  return Number(rows) - 1
}

/** The value once it has stopped changing for two seconds. */
async function settled(read: () => number | Promise<number>): Promise<number> {
  for (let value = await read(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const next = await read()
    if (next === value) return value
    value = next
  }
}

/** A second reader of the same feed, which knows what the page should show. */
async function watch(origin: string): Promise<{ timestamps: () => number[]; stop: () => void }> {
  const answer = await fetch(new URL(sessionPath, origin), { method: 'POST' })
  const { token } = Session.parse(await answer.json())
  const leaving = new AbortController()
  const hours = Date.now() - 7_200_000
  const { body } = await fetch(new URL(`${livePath}?since=${hours}&batch`, origin), {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  const timestamps: number[] = []
  const reader = createSseReader({
    onMessage: ({ event, data }) => {
      if (event !== liveEvents.build && event !== liveEvents.builds) return
      const parsed: unknown = JSON.parse(data)
      const builds = LiveBuilds.parse(event === liveEvents.build ? [parsed] : parsed)
      timestamps.push(...builds.map(({ timestamp }) => timestamp))
    },
  })
  void (async () => {
    for await (const bytes of body ?? []) reader.feed(bytes)
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error
  })
  return {
    timestamps: () => timestamps,
    stop: () => {
      leaving.abort()
    },
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}
