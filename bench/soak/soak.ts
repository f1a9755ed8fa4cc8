/**
 * Ten days in ten minutes: wall, feed, search and board stand open in Chromium, and raw readers follow, while builds arrive at two
 * processes of the built product behind nginx and everything that can go wrong does. What readers got and what screens say in the end
 * is compared with a recount of what the build server sent. `--minutes=10 --builds=200000`.
 */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from '@playwright/test'
import { z } from 'zod'
import { missingPrograms, startBehindNginx } from '../../e2e/behind-nginx.ts'
import { person } from '../../e2e/people.ts'
import { startRole } from '../hub/role.ts'
import { openReader, type Reader } from '../restart/reader.ts'
import { idOf, projects, serveAsUpstream, UpstreamState } from '../scale/upstream-role.ts'

/** The feed keeps this many, less what it drops at a time. */
const mostRows = 90_000
const longestRecoveryMs = 60_000
/** Each with one scan of five policies, of which the first fails for every third package. */
const boardPackages = 40
const browserFlags = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']

const executablePath = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

if (process.argv[2] === 'upstream') serveAsUpstream()
else if (executablePath === undefined) say('LEFT OUT: Chromium', 'not found (CHROMIUM_PATH)')
else {
  const missing = await missingPrograms()
  if (missing === undefined) await soak(executablePath)
  else say(missing, '')
}

/** What goes wrong, how often in ten minutes, and how; it resolves when it is over. */
interface Fault {
  readonly name: string
  readonly times: number
  readonly happen: () => Promise<unknown>
}

async function soak(executable: string): Promise<void> {
  const minutes = given('minutes', 10)
  const builds = given('builds', 20_000 * minutes)
  const disk = smallDisk()
  const upstream = startRole(fileURLToPath(import.meta.url), 'upstream')
  const upstreamPort = await upstream.order('start', {}, z.number())
  await upstream.order('burst', { count: 10 }, z.null())
  const expires = Date.now() + 30_000 + minutes * 25_000
  const policies = await servePolicies()
  const [viewer, another, leaving] = [
    person('viewer', 'releaser'),
    person('another', 'viewer'),
    { ...person('leaving', 'viewer'), expires },
  ]
  const product = await startBehindNginx({
    count: 2,
    people: [viewer, another, leaving],
    settings: {
      SIGHTLINE_BUILD_DATA_URL: `http://127.0.0.1:${upstreamPort}`,
      SIGHTLINE_BUILD_DATA_ACCESS_KEY: 'a-key-of-the-build-server-0123456789abcdef',
      SIGHTLINE_GOVERNOR_URL: policies.url,
      SIGHTLINE_GOVERNOR_BEARER: 'a-token-of-the-policy-service',
      SIGHTLINE_LOG_LEVEL: 'silent',
    },
  })
  const server = await chromium.launchServer({ executablePath: executable, args: browserFlags })
  const browser = await chromium.connect(server.wsEndpoint())
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const feed = await opened(await context.newPage(), `${product.url}/`, viewer.token)
    const tiles = Array.from({ length: projects }, (_, at) => `Tile ${at}~project:project-${at}`)
    const wall = await opened(
      await context.newPage(),
      `${product.url}/wall/soak#${new URLSearchParams({ tiles: tiles.join(';') }).toString()}`,
      viewer.token,
    )
    const search = await opened(
      await context.newPage(),
      `${product.url}/builds?q=${encodeURIComponent('buildOutcome:failed')}`,
      viewer.token,
    )
    const list = Array.from(
      { length: boardPackages },
      (_, at) => `pkg:oci/app-${at}@1.0.0 sha256:${'ab'.repeat(32)} r.example`,
    )
    const address = new URLSearchParams({ list: list.join('\n'), scans: 'release', title: 'Soak' })
    const board = await opened(
      await context.newPage(),
      `${product.url}/board?${address.toString()}`,
      viewer.token,
    )
    await evaluate(board)
    const live = `${product.url}/live/builds?since=0`
    const readers = [viewer, another, viewer, another].map(({ token }) =>
      openReader({ url: live, token }),
    )
    const expiring = openReader({ url: live, token: leaving.token })
    const [first] = readers
    if (first === undefined) return
    const total = async (): Promise<number> =>
      (await upstream.order('state', {}, UpstreamState)).builds
    const caughtUp = async (): Promise<number> => {
      const since = performance.now()
      const mark = await total()
      while (performance.now() - since < longestRecoveryMs) {
        if (readers.every((reader) => reader.ids().length >= mark)) return performance.now() - since
        await sleep(50)
      }
      return Infinity
    }
    await caughtUp()

    const faults: readonly Fault[] = [
      {
        name: 'the upstream dies',
        times: 20,
        happen: () => upstream.order('away', { ms: 1000 }, z.null()),
      },
      ...product.processes.map((one, at) => ({
        name: `proxy ${at + 1} is killed`,
        times: 5,
        happen: async () => {
          await one.end('SIGKILL')
          await one.start()
        },
      })),
      {
        name: 'the live log is killed',
        times: 2,
        happen: async () => {
          await product.database.kill()
          await sleep(2000)
          await product.database.start()
        },
      },
      {
        name: 'the network stalls',
        times: 4,
        happen: () => upstream.order('stall', { ms: 5000 }, z.null()),
      },
      {
        name: "the build server's clock jumps",
        times: 2,
        happen: async () => {
          await upstream.order('jump', { ms: -3_600_000 }, z.null())
          await sleep(2000)
          await upstream.order('jump', { ms: 0 }, z.null())
        },
      },
      {
        name: 'the database freezes',
        times: 2,
        happen: async () => {
          await product.database.freeze()
          await sleep(5000)
          await product.database.thaw()
        },
      },
      ...(disk === undefined
        ? []
        : [
            {
              name: 'the disk fills and empties',
              times: 1,
              happen: async () => {
                disk.fill()
                await sleep(5000)
                disk.empty()
                // A server without room for its log ends, and is started again by whoever keeps it.
                await product.database.kill()
                await product.database.start()
              },
            },
          ]),
    ]
    const due = schedule(faults, minutes)
    const runMs = minutes * 60_000
    const samples: Sample[] = []
    const running = { isOver: false }
    const sampling = (async () => {
      while (!running.isOver) {
        samples.push(
          await sample(
            product.processes.map(({ pid }) => pid()),
            [feed, wall, search, board],
          ),
        )
        await sleep(Math.max(2000, runMs / 100))
      }
    })()
    const startedAt = performance.now()
    const publishing = upstream.order(
      'publish',
      { perSecond: builds / (runMs / 1000), ms: runMs },
      z.number(),
    )
    const recoveries = new Map<string, number[]>()
    for (const { name, happen, at } of due) {
      await sleep(startedAt + at - performance.now())
      await happen()
      recoveries.set(name, [...(recoveries.get(name) ?? []), await caughtUp()])
    }
    await publishing
    const atExpiry = expiring.ids().length
    for (let at = 0; at < projects; at += 1) {
      await upstream.order(
        'settle',
        { project: `project-${at}`, failed: at % 2 === 1, count: 12 },
        z.null(),
      )
    }
    const lastMs = await caughtUp()
    running.isOver = true
    await sampling

    const sent = await total()
    say('builds sent', sent)
    for (const [name, ms] of recoveries) {
      const sorted = ms.toSorted((a, b) => a - b)
      say(`${name}, times`, ms.length)
      say(
        '  all readers have all after it: median, longest (s)',
        `${seconds(sorted[Math.floor(ms.length / 2)])}, ${seconds(sorted.at(-1))}`,
      )
    }
    if (disk === undefined) say('the disk fills: LEFT OUT', 'no tmpfs can be mounted here')
    check('all readers have all in the end (s)', seconds(lastMs), lastMs < longestRecoveryMs)
    const truth = Array.from({ length: sent }, (_, at) => idOf(at))
    const got = readers.map((reader) => compared(reader, truth))
    check(
      'builds lost to a reader',
      sum(got.map(({ lost }) => lost)),
      got.every(({ lost }) => lost === 0),
    )
    check(
      'builds given twice',
      sum(got.map(({ doubled }) => doubled)),
      got.every(({ doubled }) => doubled === 0),
    )
    check(
      'builds out of order',
      sum(got.map(({ disordered }) => disordered)),
      got.every(({ disordered }) => disordered === 0),
    )
    check(
      'builds given after a token expired',
      expiring.ids().length - atExpiry,
      expiring.ids().length === atExpiry,
    )
    await checkScreens(
      { feed, wall, search },
      sent,
      idOf(sent - 1),
      await upstream.order('newestFailed', {}, z.string()),
    )
    const before = (await board.locator('h1').textContent()) ?? ''
    await evaluate(board)
    const after = (await board.locator('h1').textContent()) ?? ''
    check(
      'the board after it all',
      after.slice(0, 40),
      after === before && after.startsWith('14 of 40 '),
    )
    printSlopes(samples)
    for (const reader of [...readers, expiring]) reader.close()
  } finally {
    await browser.close()
    await server.close()
    await product.stop()
    await upstream.stop()
    policies.stop()
    disk?.remove()
  }
}

/** A policy service by its specification alone: NDJSON, some policies satisfied, some not. */
async function servePolicies(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const server = createServer((request, response) => {
    const at = Number(/app-(\d+)/.exec(request.url ?? '')?.[1])
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (let policy = 0; policy < 5; policy += 1) {
        const isFailing = policy === 0 && at % 3 === 0
        const result = {
          policyUri: `/policies/PackageUrl/policy-${policy}`,
          status: isFailing ? 'unsatisfied' : 'satisfied',
          labels: {},
          policyDescription: 'Described.',
          policyRemediation: '',
          attestationUri: null,
          sourcedFromUri: null,
          details: null,
        }
        response.write(`${JSON.stringify(result)}\n`)
      }
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Evaluates all of a board and waits for its answer. */
async function evaluate(board: Page): Promise<void> {
  await board.getByRole('button', { name: /^Evaluate all/ }).click()
  await board.getByRole('button', { name: 'Evaluate all again' }).waitFor({ timeout: 60_000 })
  await board
    .getByRole('heading', { level: 1, name: /can(?:'t)? be released/ })
    .waitFor({ timeout: 60_000 })
}

/** When what happens, ms from the start; what ends a process not in the last third, so that slopes have a stretch of their own. */
function schedule(faults: readonly Fault[], minutes: number): readonly (Fault & { at: number })[] {
  const all = faults.flatMap((fault) => {
    const times = Math.max(1, Math.round((fault.times * minutes) / 10))
    return Array.from({ length: times }, (_, index) => ({ ...fault, place: (index + 0.5) / times }))
  })
  const sorted = all.toSorted((a, b) => a.place - b.place)
  return sorted.map((fault, index) => ({
    ...fault,
    at: (minutes * 60_000 * 0.7 * (index + 0.5)) / sorted.length,
  }))
}

async function checkScreens(
  { feed, wall, search }: Readonly<Record<'feed' | 'wall' | 'search', Page>>,
  sent: number,
  newest: string,
  newestFailed: string,
): Promise<void> {
  const rows = async (): Promise<number> =>
    Number(await feed.locator('[aria-rowcount]').getAttribute('aria-rowcount')) - 1
  const wanted = Math.min(sent, mostRows)
  check(
    'rows of the feed, of how many',
    `${await settled(rows)} of ${wanted}`,
    (await settled(rows)) >= wanted,
  )
  const shown = await feed.locator(`a[href*="${newest}"]`).count()
  check('the newest build stands in the feed', shown > 0 ? 'yes' : 'no', shown > 0)
  for (let at = 0; at < projects; at += 1) {
    const tile = wall.getByRole('article', { name: new RegExp(`^Tile ${at}:`) })
    const label = (await tile.getAttribute('aria-label')) ?? ''
    const isRight = at % 2 === 1 ? /failing/i.test(label) : /healthy|fixed/i.test(label)
    check(
      `tile of project-${at}, ${at % 2 === 1 ? 'failing' : 'succeeding'}`,
      label.slice(0, 40),
      isRight,
    )
  }
  await search.reload()
  const link = search.locator(`a[href*="${newestFailed}"]`).first()
  const isThere = await link.waitFor({ timeout: 20_000 }).then(
    () => true,
    () => false,
  )
  const wrong = await search.locator(`a[href*="${idOf(sent - 13)}"]`).count()
  check('the search begins with the newest failure', isThere ? 'yes' : 'no', isThere && wrong <= 1)
}

async function opened(page: Page, url: string, token: string): Promise<Page> {
  await page.goto(url)
  const field = page.getByRole('textbox', { name: 'Access token' })
  const isAsked = await field.waitFor({ timeout: 5000 }).then(
    () => true,
    () => false,
  )
  if (isAsked) {
    await field.fill(token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await field.waitFor({ state: 'hidden' })
  }
  return page
}

interface Sample {
  readonly at: number
  readonly values: Readonly<Record<string, number>>
}

/** What processes and pages hold, in MB and in handles; those that are away are left out. */
async function sample(
  processes: readonly (number | undefined)[],
  pages: readonly Page[],
): Promise<Sample> {
  const values: Record<string, number> = {}
  for (const [at, pid] of processes.entries()) {
    const { megabytes, handles } = heldBy(pid)
    if (megabytes === undefined) continue
    values[`memory of proxy ${at + 1} (MB)`] = megabytes
    values[`handles of proxy ${at + 1}`] = handles
  }
  for (const [at, page] of pages.entries()) {
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    await session.detach()
    values[`heap of the ${['feed', 'wall', 'search', 'board'][at] ?? ''} (MB)`] = usedSize / 1e6
  }
  return { at: performance.now() / 60_000, values }
}

/** Of a process of this machine (Linux only); nothing where it has ended. */
function heldBy(pid: number | undefined): { megabytes?: number; handles: number } {
  try {
    const status = readFileSync(`/proc/${pid ?? ''}/status`, 'utf8')
    const kilobytes = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1])
    return { megabytes: kilobytes / 1000, handles: readdirSync(`/proc/${pid ?? ''}/fd`).length }
  } catch {
    return { handles: 0 }
  }
}

/** By least squares over the last third, in which nothing dies. */
function printSlopes(samples: readonly Sample[]): void {
  const last = samples.slice(-Math.ceil(samples.length * 0.3))
  for (const name of Object.keys(last.at(-1)?.values ?? {})) {
    const points = last.flatMap(({ at, values }) =>
      values[name] === undefined ? [] : [[at, values[name]] as const],
    )
    const meanOf = (pick: 0 | 1): number =>
      points.reduce((all, point) => all + point[pick], 0) / points.length
    const [x, y] = [meanOf(0), meanOf(1)]
    const slope =
      points.reduce((all, [at, value]) => all + (at - x) * (value - y), 0) /
      points.reduce((all, [at]) => all + (at - x) ** 2, 0)
    say(
      `${name}: now, and a minute more adds`,
      `${(points.at(-1)?.[1] ?? 0).toFixed(1)}, ${slope.toFixed(2)}`,
    )
  }
}

interface Disk {
  readonly fill: () => void
  readonly empty: () => void
  readonly remove: () => void
}

/** A small disk of its own for the database and all else that is made below TMPDIR; undefined where none can be mounted. */
function smallDisk(): Disk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sightline-disk-'))
  const size = ['-o', 'size=1500m,mode=1777']
  if (spawnSync('mount', ['-t', 'tmpfs', ...size, 'tmpfs', folder]).status !== 0) return undefined
  process.env.TMPDIR = folder
  const filler = join(folder, 'filler')
  return {
    fill: () => {
      const file = openSync(filler, 'w')
      const bytes = Buffer.alloc(1 << 20)
      try {
        for (;;) writeSync(file, bytes)
      } catch {
        // Full, as it should be.
      } finally {
        closeSync(file)
      }
    },
    empty: () => {
      rmSync(filler, { force: true })
    },
    remove: () => {
      spawnSync('umount', ['-l', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function compared(reader: Reader, truth: readonly string[]) {
  const ids = reader.ids()
  const different = new Set(ids)
  const lost = truth.filter((id) => !different.has(id)).length
  const disordered = ids.filter((id, at) => at > 0 && id < (ids[at - 1] ?? '')).length
  return { lost, doubled: ids.length - different.size, disordered }
}

/** The value once it has stopped changing for two seconds. */
async function settled(read: () => Promise<number>): Promise<number> {
  for (let value = await read(); ;) {
    await sleep(2000)
    const next = await read()
    if (next === value) return value
    value = next
  }
}

function check(what: string, value: string | number, isRight: boolean): void {
  say(what, `${value}${isRight ? '' : '   WRONG'}`)
  if (!isRight) process.exitCode = 1
}

function say(what: string, value: string | number): void {
  process.stdout.write(`  ${what.padEnd(56)} ${String(value).padStart(12)}\n`)
}

function seconds(ms = 0): string {
  return Number.isFinite(ms) ? (ms / 1000).toFixed(1) : 'not within a minute'
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

function given(name: string, otherwise: number): number {
  const found = process.argv.find((each) => each.startsWith(`--${name}=`))
  return found === undefined ? otherwise : Number(found.split('=')[1])
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
