import { createServer, request as ask, type ServerResponse } from 'node:http'
import type { Page } from '@playwright/test'
import { onLoopback } from '../src/free-port.test-support.ts'
import { type PlainBuild, startPlainUpstream } from './plain-upstream.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

const key = 'canary-truth-key'

/** What stands between Sightline and its two servers, and what it does to each request. */
type Mode = 'passed on' | 'refused' | 'frozen' | 'a page in HTML' | 'wrong key'

/**
 * A front that can fail in each of these ways; changing it ends what is open, but for a freeze. What the export stream does
 * not know, the list of builds and a policy service, it answers itself.
 */
async function startFront(upstream: string, builds: readonly PlainBuild[]) {
  const modes: { mode: Mode; since: number }[] = [{ mode: 'passed on', since: Date.now() }]
  let mode: Mode = 'passed on'
  const open = new Set<ServerResponse>()
  const server = createServer((incoming, response) => {
    open.add(response)
    response.on('close', () => open.delete(response))
    if (mode === 'refused') return void incoming.socket.destroy()
    if (mode === 'frozen') return
    if (mode === 'wrong key') return void response.writeHead(401).end()
    if (mode === 'a page in HTML') {
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
    }
    const { method, headers, url = '/' } = incoming
    const target = new URL(url, upstream)
    const own =
      target.pathname === '/api/builds'
        ? listed(target, builds)
        : target.pathname.startsWith('/packages/')
          ? results
          : undefined
    if (own !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(own))
      return
    }
    const passed = ask(new URL(url, upstream), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.on('data', (bytes: Buffer) => {
        if (mode !== 'frozen') response.write(bytes)
      })
      answer.on('end', () => response.end())
    })
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  return {
    ...(await onLoopback(server)),
    /** What it did at a moment, epoch ms, and for how long it had done so. */
    modeAt: (at: number) => {
      const { mode: then, since } = modes.findLast((one) => one.since <= at) ?? { mode, since: at }
      return { mode: then, forMs: at - since }
    },
    become: (next: Mode) => {
      mode = next
      modes.push({ mode, since: Date.now() })
      if (next !== 'frozen') for (const response of open) response.destroy()
    },
  }
}

/** The settings of a product that reaches both of its servers through a front. */
function behind(front: string): Record<string, string> {
  return {
    ...besideBuildServer(front, key),
    SIGHTLINE_GOVERNOR_URL: front,
    SIGHTLINE_GOVERNOR_BEARER: 'canary-truth-bearer',
  }
}

/** The newest builds first, after the one that is named. */
function listed({ searchParams }: URL, builds: readonly PlainBuild[]): object[] {
  const newest = builds.toReversed()
  const after = newest.findIndex(({ buildId }) => buildId === searchParams.get('fromBuild'))
  return newest.slice(after + 1).map(({ buildId, timestamp, toolType, toolVersion }) => ({
    id: buildId,
    availableAt: timestamp,
    buildToolType: toolType,
    buildToolVersion: toolVersion,
    buildAgentVersion: '4.1',
  }))
}

const results = ['satisfied', 'unsatisfied'].map((status) => ({
  labels: {},
  status,
  policyUri: `/policies/BuildTool/${status}`,
  policyDescription: 'Described.',
  policyRemediation: status === 'satisfied' ? '' : 'Upgrade.',
  attestationUri: null,
  sourcedFromUri: null,
  details: {},
}))

let count = 0

function build(failed: boolean): PlainBuild {
  count += 1
  const timestamp = Date.now()
  return {
    buildId: `truth${String(count).padStart(8, '0')}`,
    timestamp,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
    events: [['BuildFinished', timestamp, { failureId: failed ? 1 : null, failure: null }]],
  }
}

/** What a page says at one moment, epoch ms. */
interface Said {
  readonly at: number
  /** How late its timers were at worst, ms: on a busy machine all is noticed later. */
  readonly late: number
  readonly path: string
  readonly headline: string
  readonly connection: string
  readonly text: string
}

declare global {
  interface Window {
    say?: (said: Said) => Promise<void>
  }
}

/**
 * How long a lost server may still be called live, ms: it sends heartbeats each second. A wall waits 4 s
 * more where a connection was cut, as it may be taken up again at once.
 */
const seenWithinMs: Readonly<Record<Exclude<Mode, 'passed on'>, number>> = {
  refused: 8000,
  'a page in HTML': 8000,
  'wrong key': 8000,
  frozen: 12_000,
}

/**
 * What is untrue in it. In ms: how long `mode` has held, how long ago the newest build came (`quietMs`), and
 * how late the timers of any page have been at worst (`lateMs`).
 */
function untruths(
  { path, headline, connection, text }: Said,
  { mode, forMs }: { mode: Mode; forMs: number },
  { quietMs, lateMs }: { quietMs: number; lateMs: number },
) {
  // What notices it are several timers, one after the other: of the build server, the proxy and the page.
  const knownMs = forMs - 4 * lateMs
  const isLost = mode !== 'passed on' && knownMs > seenWithinMs[mode]
  const claims: readonly (readonly [boolean, string])[] = [
    [isLost && connection.startsWith('Connection: Live'), 'live, while the server is lost'],
    [isLost && headline.includes('in the last minute'), 'a count of now, while the server is lost'],
    [
      isLost && path === '/wall' && /healthy|failing|builds/.test(headline),
      'how it stands, while the server is lost',
    ],
    [
      mode === 'wrong key' && knownMs > 5000 && /No (?:matching )?builds? match/.test(text),
      'no matches, while the key is refused',
    ],
    [/No builds (?:yet|in the last hour)/.test(text), 'no builds, while there are some'],
    [
      // The newest is on its way for a moment.
      quietMs > 2000 + 4 * lateMs &&
        quietMs < 50_000 &&
        text.includes('No builds in the last minute'),
      'none in the last minute',
    ],
    [
      /\b0 failed\b/.test(text) && /\b0 succeeded\b/.test(text) && /\b0 unknown\b/.test(text),
      'zeros',
    ],
    [/\b0 builds\b/.test(text), 'zero builds'],
    [/No results\b|\b0 results\b/.test(text), 'no results before the end'],
    [/\b0 polic(?:y|ies)\b/.test(text), 'no policies before the end'],
    [headline.startsWith('Releasable'), 'releasable, while a policy is not satisfied'],
    [/\bundefined\b|\bNaN\b|\[object |Invalid Date/.test(text), 'what is no sentence'],
    [/\.\.(?!\.)/.test(`${headline} ${connection}`), 'a broken sentence'],
  ]
  return claims.flatMap(([is, what]) => (is ? [what] : []))
}

const scan = `/packages/oci/acme/app/1.0.0/policy-scans/release?sha256=${'ab'.repeat(32)}&repository=registry.acme.example%2Fapp`
/** Every page; the first also shows the rows of builds. */
const paths = [
  '/',
  '/builds?q=buildTool%3Agradle',
  '/builds/truth00000002',
  '/packages',
  scan,
  '/board',
  `/publish?builds=truth00000002&type=oci&name=acme%2Fapp&version=1.0.0`,
  '/decode',
  '/activity',
  '/status',
  '/wall',
]

test('headline, connection words and counts of every page are true at every moment, through load, outages, reloads and recovery', async ({
  context,
  sightline,
}) => {
  test.setTimeout(360_000)
  const upstream = await startPlainUpstream(key)
  const builds: PlainBuild[] = []
  const front = await startFront(upstream.url, builds)
  const { url } = await sightline(behind(front.url))
  const push = (): void => {
    const one = build(count % 4 === 0)
    builds.push(one)
    upstream.push(one)
  }
  const found: string[] = []
  const said = new Map<string, number>()
  let lateMs = 0
  await context.exposeFunction('say', (one: Said) => {
    const state = front.modeAt(one.at)
    const newest = builds.findLast(({ timestamp }) => timestamp <= one.at)?.timestamp ?? 0
    said.set(one.path, (said.get(one.path) ?? 0) + 1)
    lateMs = Math.max(lateMs, one.late)
    for (const what of untruths(one, state, { quietMs: one.at - newest, lateMs })) {
      const { path, headline, connection } = one
      found.push(
        `${what} on ${path}, ${state.mode} for ${state.forMs} ms: ${headline} | ${connection}`,
      )
    }
  })
  // Twenty times a second, from the first paint on; said again where it is another text, or time has made it another claim.
  await context.addInitScript(() => {
    let changed = true
    let saidAt = 0
    let [lookedAt, late] = [Date.now(), 0]
    new MutationObserver(() => {
      changed = true
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    setInterval(() => {
      const at = Date.now()
      late = Math.max(late, at - lookedAt - 50)
      lookedAt = at
      if (!changed && at - saidAt < 500) return
      changed = false
      saidAt = at
      void window.say?.({
        at,
        late,
        path: location.pathname,
        headline: document.querySelector('h1')?.textContent ?? '',
        connection:
          document.querySelector('[data-testid="connection-state"]')?.getAttribute('aria-label') ??
          '',
        text: document.documentElement.innerText,
      })
    }, 50)
  })
  const isWall = (page: Page) => page.url().endsWith('/wall')
  const live = (page: Page) =>
    isWall(page)
      ? page.getByText(/^Live · \d+ s ago$/)
      : page.locator('[data-testid="connection-state"][aria-label^="Connection: Live"]')
  const onAll = async (pages: readonly Page[], look: (page: Page) => Promise<unknown>) => {
    await Promise.all(pages.map(look))
  }

  await upstream.heard()
  for (let at = 0; at < 8; at++) push()
  const pages = await Promise.all(
    paths.map(async (path) => {
      const page = await context.newPage()
      await page.goto(`${url}${path}`)
      return page
    }),
  )
  const [feed, scanPage] = [pages[0], pages[paths.indexOf(scan)]]
  if (feed === undefined || scanPage === undefined) throw new Error('a page is missing')
  await scanPage.getByRole('button', { name: 'Evaluate' }).first().click()
  await expect(scanPage.getByRole('heading', { level: 1 })).toContainText('Not releasable')
  for (const mode of ['frozen', 'refused', 'a page in HTML', 'wrong key'] as const) {
    await test.step(mode, async () => {
      await onAll(pages, (page) => expect(live(page)).toBeVisible())
      front.become(mode)
      // How soon is held by what each page says meanwhile.
      await onAll(pages, (page) => expect(live(page)).toHaveCount(0))
      await onAll(pages, (page) => page.reload())
      await onAll(pages, (page) =>
        expect(page.getByRole('heading', { level: 1 }).first()).not.toHaveText(''),
      )
      await expect(feed.locator('[data-build-id]').first()).toBeVisible()
      await expect(feed.getByRole('heading', { level: 1 })).toContainText('Not up to date')
      front.become('passed on')
      await onAll(pages, (page) => expect(live(page)).toBeVisible())
      // What failed meanwhile is loaded by itself.
      await onAll(pages, (page) =>
        expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0),
      )
      push()
    })
  }
  test.info().annotations.push({ type: 'late', description: `${lateMs} ms at worst` })
  expect([...new Set(found)].slice(0, 10)).toEqual([])
  for (const path of paths) expect(said.get(path.split('?')[0] ?? '')).toBeGreaterThan(20)
  await front.close()
  await upstream.close()
})

test('a page that waits says who is silent, and for how long', async ({ browser, sightline }) => {
  const upstream = await startPlainUpstream(key)
  const builds = [build(true)]
  const front = await startFront(upstream.url, builds)
  const { url } = await sightline(behind(front.url))
  await upstream.heard()
  for (const one of builds) upstream.push(one)
  front.become('frozen')
  const waits = [
    ['/builds', 'build server'],
    ['/builds?view=groups&by=tool', 'build server'],
    ['/builds?view=trends', 'build server'],
    [`/builds/${builds[0]?.buildId ?? ''}`, 'build server'],
    ['/tests', 'build server'],
    [scan, 'policy service'],
    [
      `/packages/oci/acme/app/1.0.0/sha256:${'ab'.repeat(32)}/attestations/s3:release/one`,
      'policy service',
    ],
  ] as const
  await Promise.all(
    waits.map(async ([path, server]) => {
      // A browser has six connections to Sightline, and each page holds one that waits.
      const context = await browser.newContext()
      const page = await context.newPage()
      await page.goto(`${url}${path}`)
      if (path === scan) await page.getByRole('button', { name: 'Evaluate' }).first().click()
      await expect(
        page
          .getByText(new RegExp(`(?:No response from|Waiting for) the ${server} for \\d+ s\\.`))
          .first(),
        path,
      ).toBeVisible({ timeout: 30_000 })
      await context.close()
    }),
  )
  await front.close()
  await upstream.close()
})
