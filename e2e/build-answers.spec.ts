import type { Locator } from '@playwright/test'
import { createServer, get } from 'node:http'
import { type Loopback, onLoopback } from '../src/free-port.test-support.ts'
import { type PlainBuild, startPlainUpstream } from './plain-upstream.ts'
import { expectAccessible, resize } from './accessibility.ts'
import { shifts } from './rectangles.ts'
import { besideBuildServer, expect, test } from './sightline.ts'

// The questions of somebody whose build failed, with the clicks that their answers take.

const commits = {
  green: '9592ca0b42d8ebd125d7c3bc531446d515f6e341',
  red: 'b493cdd82ef0c48587e3854d3282bb770d6685e6',
}

interface Told {
  readonly id: string
  readonly at: number
  readonly branch: string
  readonly commit: string
  readonly user: string
  /** Why it failed. */
  readonly message?: string
}

/** A Gradle build of the project shop, that compiles and, where it gets there, packs. */
function gradleBuild({ id, at, branch, commit, user, message }: Told): PlainBuild {
  const end = at + 42_000
  const value = (key: string, text: string) => ['UserNamedValue', at, { key, value: text }] as const
  const compiled = { id: 1, path: ':app:compileJava', cacheable: true }
  return {
    buildId: id,
    timestamp: end,
    toolType: 'gradle',
    toolVersion: '9.2',
    agentVersion: '4.1',
    events: [
      ['BuildStarted', at, {}],
      ['BuildAgent', at, { username: user, publicHostname: 'agent-12' }],
      ['BuildRequestedTasks', at, { requested: ['check'], excluded: [] }],
      ['Jvm', at, jvm(message === undefined ? '17.0.2' : '21.0.1')],
      [
        'ProjectStructure',
        at,
        { rootProjectName: 'shop', projects: [{ projectPath: ':', buildPath: ':' }] },
      ],
      value('Git branch', branch),
      value('Git commit id', commit),
      value('Git repository', 'https://github.com/acme/shop.git'),
      ['TaskStarted', at, { id: 2, buildPath: ':', path: ':app:jar', className: 'a.Jar' }],
      ['TaskFinished', at + 900, { id: 2, path: ':app:jar', outcome: 'up_to_date' }],
      ['TaskStarted', at + 1000, { ...compiled, buildPath: ':', className: 'a.JavaCompile' }],
      [
        'TaskFinished',
        at + 9000,
        { ...compiled, outcome: message === undefined ? 'from_cache' : 'failed' },
      ],
      ...(message === undefined ? [] : ([['ExceptionData', end, thrown(message)]] as const)),
      ['BuildFinished', end, { failureId: message === undefined ? null : 71, failure: null }],
    ],
  }
}

function jvm(version: string) {
  const name = 'OpenJDK'
  return {
    vmVendor: 'E',
    vmName: name,
    vmVersion: version,
    runtimeName: name,
    runtimeVersion: version,
  }
}

function thrown(message: string) {
  const exception = { className: 'org.example.CompilationFailed', causes: [], stackTrace: 1 }
  return {
    exceptions: { 71: { ...exception, message, metadata: { taskPath: ':app:compileJava' } } },
    stackTraces: { 1: { stackFrames: [7] } },
    stackFrames: {
      7: {
        declaringClass: 'org.example.Compiler',
        methodName: 'run',
        fileName: 'C.java',
        lineNumber: 17,
      },
    },
  }
}

/** Builds this far apart are all in the feed. */
const step = 120_000

/** `main` is green, then red twice for the same reason, as is `dev`; `fix` is red for another one. */
function history(now: number): readonly Told[] {
  const base = { branch: 'main', commit: commits.red, user: 'alice' }
  return [
    { ...base, id: 'green00000001', at: now - 5 * step, commit: commits.green },
    {
      ...base,
      id: 'redmain000001',
      at: now - 4 * step,
      user: 'bob',
      message: 'Basket.java:17: no symbol',
    },
    {
      ...base,
      id: 'reddev0000001',
      at: now - 3 * step,
      branch: 'dev',
      message: 'Basket.java:21: no symbol',
    },
    { ...base, id: 'redmain000002', at: now - 2 * step, message: 'Basket.java:99: no symbol' },
    { ...base, id: 'redfix0000001', at: now - step, branch: 'fix', message: 'Disk full on agent' },
  ]
}

/** Counts what is pressed from now on, and says it. */
function counted(): { click: (what: Locator) => Promise<void>; clicks: () => number } {
  let clicks = 0
  return {
    click: async (what) => {
      clicks += 1
      await what.click()
    },
    clicks: () => clicks,
  }
}

test('is this failure mine? Two clicks from a list; a third compares it with the last success', async ({
  page,
  context,
  sightline,
}) => {
  const { url: address, close } = await buildServer(history(Date.now()).map(gradleServed))
  const { url } = await sightline(besideBuildServer(address, 'canary-9f1c-key'))
  const { click, clicks } = counted()
  await page.goto(`${url}/builds?q=${encodeURIComponent('project:shop')}`)
  await click(page.locator('[data-build-id="redmain000002"]').getByText('check', { exact: true }))
  const panel = page.getByRole('complementary', { name: 'Build redmain000002' })
  await expect(panel.getByRole('region', { name: 'Why it failed' })).toContainText(
    'Basket.java:99: no symbol',
  )
  await click(panel.getByRole('link', { name: 'Open', exact: true }))
  const mine = page.getByRole('region', { name: 'Is this failure mine?' })
  await expect(mine.getByRole('status')).toHaveText(
    'Probably not: the build before it on main failed this way, too.',
  )
  process.stdout.write(`is this failure mine: answered after ${clicks()} clicks\n`)
  expect(clicks()).toBeLessThanOrEqual(2)
  await expect(mine).toContainText('1 of 2 failed builds on other branches in the last 14 days')
  await expect(mine.getByRole('link', { name: 'redmain000001' })).toBeVisible()
  await expect(mine.getByRole('link', { name: 'green00000001' })).toBeVisible()
  await expect(mine.getByRole('link', { name: /Compare commits/ })).toHaveAttribute(
    'href',
    `https://github.com/acme/shop/compare/${commits.green}...${commits.red}`,
  )
  await expect(page.getByLabel('Stack trace')).toBeVisible()
  await expect(page.getByRole('button', { name: ':app:compileJava, failed, 8 s' })).toBeVisible()

  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Copy as Markdown' }).click()
  await expect(page.getByRole('button', { name: 'Copied Markdown' })).toBeVisible()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toContain('## ❌ Gradle build failed after 42 s')
  expect(copied).toContain('the build before it on `main` failed this way, too.')

  await click(page.getByRole('button', { name: 'Compare with last success' }))
  await expect(page).toHaveURL(/compare=last-success/)
  await expect(page.getByText(/the other one succeeded after 42 s/)).toBeVisible()
  const failures = page.getByRole('region', { name: 'Failures' })
  await expect(failures.getByRole('article')).toContainText('Basket.java:99: no symbol')
  const changes = page.getByRole('group', { name: 'Executions by change' }).getByRole('button')
  await expect(changes).toHaveText(['1 now fails', '1 about the same'])
  const environment = page.getByRole('region', { name: 'Environment and values' })
  await expect(environment.getByRole('row', { name: /17\.0\.2/ }).first()).toContainText('21.0.1')
  await expectAccessible(page)

  await page.goto(`${url}/builds/redfix0000001`)
  await expect(mine.getByRole('status')).toHaveText(
    'Probably yes: new on fix, and not seen on other branches in 14 days.',
  )
  await page.getByRole('button', { name: 'Compare with last success' }).click()
  await expect(page.getByText('No earlier success of this work on fix is known.')).toBeVisible()
  await page.getByRole('link', { name: 'Last success of this work on any branch' }).click()
  await expect(page.getByText(/the other one succeeded after 42 s/)).toBeVisible()

  // Who claims the failure for its tile still can beside another build.
  await page.goto(`${url}/builds/redmain000002?tile=project:shop`)
  await mine.getByRole('link', { name: 'Compare', exact: true }).click()
  await expect(page).toHaveURL(/\?(?=.*tile=project).*compare=last-success/)

  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await resize(page, size)
    await page.goto(`${url}/builds/redmain000002`)
    await expect(mine.getByRole('status')).toHaveText(/^Probably not/)
    await expect(page.getByText('Basket.java:99: no symbol').first()).toBeInViewport()
    expect(await shifts(page), `layout shift at ${size.width}`).toBeLessThan(0.05)
    await expectAccessible(page)
  }
  await close()
})

test('a server that speaks only the export stream is enough to say whether a failure is new', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream('canary-9f1c-key')
  // These are no builds of the live feed's hour.
  for (const told of history(Date.now() - 86_400_000)) upstream.push(gradleBuild(told))
  const { url } = await sightline(besideBuildServer(upstream.url, 'canary-9f1c-key'))
  await page.goto(`${url}/builds/redmain000002`)
  const mine = page.getByRole('region', { name: 'Is this failure mine?' })
  await expect(mine.getByRole('status')).toHaveText(
    'Probably not: the build before it on main failed this way, too.',
  )
  await expect(mine).toContainText('1 of 2 failed builds on other branches in the last 14 days')
  await expect(mine.getByRole('link', { name: 'green00000001' })).toBeVisible()
  await upstream.close()
})

test('a server whose data API is silent leaves a failed build to its events', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream('canary-9f1c-key')
  for (const told of history(Date.now() - 86_400_000)) upstream.push(gradleBuild(told))
  const silent = createServer(({ url = '/', headers }, response) => {
    if (!url.startsWith('/build-export/')) return
    get(new URL(url, upstream.url), { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
  })
  const { url: address, close } = await onLoopback(silent)
  const { url } = await sightline(besideBuildServer(address, 'canary-9f1c-key'))
  await page.goto(`${url}/builds/redmain000002`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Failed after 42 s/)
  const mine = page.getByRole('region', { name: 'Is this failure mine?' })
  await expect(mine.getByText('Last success').locator('xpath=following-sibling::dd[1]')).toHaveText(
    'Not known',
  )
  await close()
  await upstream.close()
})

test('thousands of tags and custom values, and a start in the future, leave a build readable', async ({
  page,
  sightline,
}) => {
  const upstream = await startPlainUpstream('canary-9f1c-key')
  const at = Date.now() - 3_600_000
  const start = Date.UTC(2099, 0, 2, 3, 4, 5)
  const numbers = Array.from({ length: 1_000 }, (_, number) => number)
  upstream.push({
    buildId: 'manytags00001',
    timestamp: at,
    ...{ toolType: 'gradle', toolVersion: '9.2', agentVersion: '4.1' },
    events: [
      ['BuildStarted', start, {}],
      ...numbers.map((number) => ['UserTag', start, { tag: `tag-${number}` }] as const),
      ...numbers.map(
        (number) => ['UserNamedValue', start, { key: `key-${number}`, value: 'x' }] as const,
      ),
      ['TaskStarted', start, { id: 1, path: ':test', className: 'Test' }],
      ['BuildFinished', start + 5_000, { failureId: null, failure: null }],
    ],
  })
  const { url } = await sightline(besideBuildServer(upstream.url, 'canary-9f1c-key'))
  await resize(page, { width: 390, height: 844 })
  await page.goto(`${url}/builds/manytags00001`)
  await expect(page.getByText('tag-0, tag-1, ')).toBeVisible()
  await expect(page.getByText('Jan 2, 2099, 03:04:05 UTC').first()).toBeVisible()
  const tabs = page.getByRole('navigation', { name: 'Build tabs' })
  await expect.poll(async () => (await tabs.boundingBox())?.y).toBeLessThan(5_000)
  await page.getByRole('button', { name: 'Show all 1,000 custom values' }).click()
  await expect(page.getByText('key-999', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Show fewer' })).toBeFocused()
  await page.getByRole('button', { name: 'Show all 1,000 tags' }).click()
  await expect(page.getByText('tag-999')).toBeVisible()
  await expectAccessible(page)
  await upstream.close()
})

test('a build whose events may not be read shows what its attributes say', async ({
  page,
  sightline,
}) => {
  const { url: address, close } = await buildServer([
    bazelServed(),
    bazelServed('bazelbuild002', { command: 'build', exitCode: 0 }),
  ])
  const { url } = await sightline(besideBuildServer(address, 'canary-9f1c-key'))
  await page.goto(`${url}/builds/bazelbuild001`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Failed after 8 s.')
  await expect(page.getByRole('region', { name: 'Why it failed' })).toHaveText(
    'Exit code 3: some tests failed or timed outIts log may say more.',
  )
  const tabs = page.getByRole('navigation', { name: 'Build tabs' })
  await expect(tabs.getByRole('link')).toHaveText(['Details'])
  for (const [name, text] of [
    ['command', 'test'],
    ['exit code', '3'],
    ['targets', '//shop/...'],
  ] as const) {
    const term = page.getByRole('region', { name: 'Command' }).getByText(name, { exact: true })
    await expect(term.locator('xpath=following-sibling::dd[1]')).toHaveText(text)
  }
  await expect(page.getByText(/^No events: /)).toBeVisible()
  const from = page.getByRole('navigation', { name: 'From this build' })
  await expect(from.getByRole('link', { name: /CI job/ })).toHaveAttribute(
    'href',
    'https://ci.example/1',
  )
  await expect(from.getByRole('link', { name: /Build Scan/ })).toHaveAttribute(
    'href',
    `${address}/s/bazelbuild001`,
  )
  await page.goto(`${url}/builds/bazelbuild001?compare=bazelbuild002`)
  await expect(page.getByText('Exit code 3: some tests failed or timed out')).toBeVisible()
  const differences = page.getByRole('table', { name: 'Differences' }).getByRole('row')
  await expect(differences.filter({ hasText: 'command' })).toHaveText('commandbuildtest')
  await expect(differences.filter({ hasText: 'exit code' })).toHaveText('exit code03')
  await close()
})

/** A build as the server below has it. */
interface Served {
  readonly summary: {
    readonly id: string
    readonly availableAt: number
    readonly buildToolType: string
    readonly buildToolVersion: string
    readonly buildAgentVersion: string
    readonly models: Readonly<Record<string, { readonly model: object }>>
  }
  /** What `field:"value"` finds it by. */
  readonly terms: readonly string[]
  /** The messages of its own stream; a build without them may not be exported. */
  readonly events: readonly string[] | undefined
}

function gradleServed(told: Told): Served {
  const { id, at, branch, commit, user, message } = told
  const { events = [], ...build } = gradleBuild(told)
  const outcome = message === undefined ? 'succeeded' : 'failed'
  const model = {
    id,
    buildStartTime: at,
    buildDuration: 42_000,
    rootProjectName: 'shop',
    requestedTasks: ['check'],
    hasFailed: message !== undefined,
    tags: [],
    values: [
      { name: 'Git branch', value: branch },
      { name: 'Git commit id', value: commit },
      { name: 'Git repository', value: 'https://github.com/acme/shop.git' },
    ],
    links: [],
    environment: { username: user, publicHostname: 'agent-12' },
  }
  return {
    summary: {
      id,
      availableAt: build.timestamp,
      buildToolType: 'gradle',
      buildToolVersion: '9.2',
      buildAgentVersion: '4.1',
      models: { gradleAttributes: { model } },
    },
    terms: [`value:"Git branch=${branch}"`, `buildOutcome:"${outcome}"`],
    events: [
      `id: ${id}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`,
      ...events.map(([eventType, timestamp, data], place) => {
        const type = { majorVersion: 1, minorVersion: 0, eventType }
        const event = JSON.stringify({ timestamp, type, data })
        return `id: ${place + 1}\nevent: BuildEvent\ndata: ${event}\n\n`
      }),
    ],
  }
}

function bazelServed(id = 'bazelbuild001', more: object = {}): Served {
  const model = {
    id,
    buildStartTime: Date.now() - step,
    buildDuration: 8000,
    bazelVersion: '8.1',
    command: 'test',
    targetPatterns: ['//shop/...'],
    moduleName: 'shop',
    exitCode: 3,
    user: 'alice',
    host: 'agent-12',
    tags: ['CI'],
    values: [],
    links: [{ label: 'CI job', url: 'https://ci.example/1' }],
    ...more,
  }
  return {
    summary: {
      id,
      availableAt: Date.now() - step,
      buildToolType: 'bazel',
      buildToolVersion: '8.1',
      buildAgentVersion: '1.2',
      models: { bazelAttributes: { model } },
    },
    terms: [],
    events: undefined,
  }
}

/**
 * A build server of its own, which shares no code with the product: the build list, newest first or not,
 * with the few terms of a search that it knows, single builds, and their events by type.
 */
function buildServer(builds: readonly Served[]): Promise<Loopback> {
  const newestFirst = builds.toSorted((a, b) => b.summary.availableAt - a.summary.availableAt)
  const json = { 'content-type': 'application/json' }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://plain')
    const one = builds.find(({ summary }) => pathname.includes(`/${summary.id}`))
    if (pathname === '/api/builds') {
      const query = searchParams.get('query') ?? ''
      const known = query.match(/(?:value|buildOutcome):"[^"]*"/g) ?? []
      const before = Number(searchParams.get('fromInstant') ?? Infinity)
      const cursor = newestFirst.findIndex(
        ({ summary }) => summary.id === searchParams.get('fromBuild'),
      )
      const found = newestFirst
        .slice(cursor + 1)
        .filter(
          ({ summary, terms }) =>
            summary.availableAt < before && known.every((term) => terms.includes(term)),
        )
      response.writeHead(200, json).end(JSON.stringify(found.map(({ summary }) => summary)))
    } else if (one !== undefined && pathname === `/api/builds/${one.summary.id}`) {
      response.writeHead(200, json).end(JSON.stringify(one.summary))
    } else if (one !== undefined && pathname.startsWith('/build-export/v2/build/')) {
      const types = searchParams.get('eventTypes')?.split(',')
      if (one.events === undefined) return void response.writeHead(403).end()
      const wanted = one.events.filter((message) => {
        const type = /"eventType":"(\w+)"/.exec(message)?.[1]
        return type === undefined || types === undefined || types.includes(type)
      })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(wanted.join(''))
    } else if (pathname.startsWith('/build-export/v2/builds/')) {
      // Nothing new ever comes.
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    } else response.writeHead(404).end()
  })
  return onLoopback(server)
}
