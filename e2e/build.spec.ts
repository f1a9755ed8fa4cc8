import type { Page } from '@playwright/test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expectAccessible, resize } from './accessibility.ts'
import { buildMessages, failedBuild, recordingOf, sendRecording } from './build-messages.ts'
import { type Answer, type HostileServer, startHostileServer } from './hostile-stream-server.ts'
import { freePort } from '../src/free-port.test-support.ts'
import { besideBuildServer, expect, type Sightline, test as base } from './sightline.ts'
import { realData } from '../src/real-data.test-support.ts'

const buildId = 'k3j7x2m4q7a4c'
const messages = buildMessages(buildId, failedBuild)

/** A build server of which each request for the build's events is answered as told. */
type StartUpstream = (events: Answer) => Promise<HostileServer & { readonly product: Sightline }>

/** The product with its embedded services, and the way to put builds into them (README). */
interface Embedded {
  readonly url: string
  /** Puts a recording there, as lines of JSON, and resolves with the id of its build. */
  readonly send: (recording: string) => Promise<string>
}

const test = base.extend<{ folder: string; upstream: StartUpstream; embedded: Embedded }>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'sightline-build-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
  upstream: async ({ sightline }, use) => {
    const servers: HostileServer[] = []
    await use(async (events) => {
      const server = await startHostileServer((response, request, index) => {
        if (request.url.includes(`/build/${buildId}/`)) events(response, request, index)
        else response.writeHead(404).end()
      })
      servers.push(server)
      const product = await sightline(besideBuildServer(server.origin, 'canary-build-key'))
      return { ...server, product }
    })
    await Promise.all(servers.map((server) => server.stop()))
  },
  embedded: async ({ folder, sightline }, use) => {
    const port = await freePort()
    const { url } = await sightline({
      SIGHTLINE_DATABASE_URL: `file:${join(folder, 'sightline.db')}`,
      SIGHTLINE_EMBEDDED_PORT: String(port),
      SIGHTLINE_EMBEDDED_BUILDS: '20',
    })
    const key = readFileSync(join(folder, 'embedded-access-key'), 'utf8').trim()
    await use({
      url,
      send: (recording) => sendRecording(`http://127.0.0.1:${port}`, key, recording),
    })
  },
})

/** Sends what was asked for, after the event that was resumed from. */
const wellBehaved: Answer = (response, { url, headers }) => {
  const resumed = headers['last-event-id']
  const after = resumed === undefined ? 0 : resumed === buildId ? 1 : Number(resumed) + 1
  const left = messages.slice(after).filter((message) => isAsked(url, message))
  if (resumed !== undefined && left.length === 0) response.writeHead(204).end()
  else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(left.join(''))
}

function isAsked(url: string, message: string): boolean {
  const types = new URL(url, 'http://upstream').searchParams.get('eventTypes')?.split(',')
  const type = /"eventType":"(\w+)"/.exec(message)?.[1]
  return types === undefined || type === undefined || types.includes(type)
}

const isForExecutions = (url: string): boolean => url.includes('TaskFinished')
const outcomes = (page: Page) => page.getByRole('group', { name: 'Outcomes' }).getByRole('button')

test('a failed build: what happened, why, and what it did', async ({ page, upstream }) => {
  const { product } = await upstream(wellBehaved)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
  await page.goto(`${product.url}/builds/${buildId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Failed after 15 s in :test, 1 failed test.',
  )
  const facts = page.getByRole('complementary', { name: 'Build details' })
  for (const fact of ['shop', 'check', '15 s', 'alice', 'agent-12', 'Gradle 9.2']) {
    await expect(facts.getByText(fact, { exact: true })).toBeVisible()
  }
  const why = page.getByRole('region', { name: 'Why it failed' })
  await expect(why.getByText('There were failing tests.', { exact: true })).toBeVisible()
  await expect(outcomes(page)).toHaveText(['1 failed', '1 from cache'])
  await expect(page.getByRole('button', { name: ':compileJava, from cache, 1 s' })).toBeVisible()
  await expect(page.getByRole('button', { name: ':test, failed, 7 s' })).toBeVisible()

  const tabs = page.getByRole('navigation', { name: 'Build tabs' })
  await resize(page, { width: 768, height: 1024 })
  const tops = await Promise.all(
    [why, facts, tabs].map(async (part) => (await part.boundingBox())?.y ?? 0),
  )
  expect(tops, 'why, the facts, then all that it did').toEqual(tops.toSorted((a, b) => a - b))
  await resize(page, { width: 1280, height: 720 })
  await tabs.getByRole('link', { name: /^Tests/ }).click()
  await expect(outcomes(page)).toHaveText(['1 failed', '1 flaky'])
  await page.getByRole('button', { name: 'com.example.ShopTest.closes, failed' }).click()
  const details = page.getByRole('region', { name: 'Details of com.example.ShopTest.closes' })
  await expect(details.getByText('expected: <17> but was: <18>', { exact: true })).toBeVisible()
  expect(complaints).toEqual([])
})

test('raw events keep every digit, also those of types that nobody knows', async ({
  page,
  upstream,
}) => {
  const { product } = await upstream(wellBehaved)
  await page.goto(`${product.url}/builds/${buildId}?tab=events`)
  await page.getByRole('checkbox', { name: /Novelty/ }).check()
  await expect(page).toHaveURL(/type=Novelty/)
  await page.getByRole('button', { name: /Novelty, number/ }).click()
  await expect(page.getByText('"about": 9007199254740993')).toBeVisible()
  await expect(page.getByText('1 event listed')).toBeVisible()
})

test('what is opened of a build stays open while more of the build arrives, and has a link', async ({
  page,
  upstream,
}) => {
  let goOn: (() => void) | undefined
  const { product } = await upstream((response, request, index) => {
    if (!isForExecutions(request.url) || goOn !== undefined) {
      wellBehaved(response, request, index)
      return
    }
    const asked = messages.map((message) => (isAsked(request.url, message) ? message : ''))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(asked.slice(0, 7).join(''))
    goOn = () => response.end(asked.slice(7).join(''))
  })
  const details = (name: string) => page.getByRole('region', { name: `Details of ${name}` })
  await page.goto(`${product.url}/builds/${buildId}`)
  await page.getByRole('button', { name: ':compileJava, from cache, 1 s' }).click()
  await expect(details(':compileJava')).toBeVisible()
  // What failed is listed first, so the row that is open moves down.
  goOn?.()
  await expect(outcomes(page)).toHaveText(['1 failed', '1 from cache'])
  await expect(page.getByRole('button', { name: ':test, failed, 7 s' })).toBeVisible()
  await expect(details(':compileJava')).toBeVisible()

  await expect(page).toHaveURL(/[?&]row=/)
  await page.setViewportSize({ width: 1280, height: 480 })
  await page.reload()
  await expect(details(':compileJava')).toBeInViewport()
  // Above its details, and not below them.
  const row = page.getByRole('row').filter({ hasText: ':compileJava' })
  await expect
    .poll(async () => {
      const { y = NaN, height = NaN } = (await row.boundingBox()) ?? {}
      return y + height - ((await details(':compileJava').boundingBox())?.y ?? NaN)
    })
    .toBeLessThanOrEqual(0)
  await page.keyboard.press('k')
  await expect(details(':test')).toBeVisible()
  await page.getByRole('group', { name: 'Outcomes' }).getByText('from cache').click()
  await expect(details(':test')).toBeHidden()
  await expect(page).not.toHaveURL(/[?&]row=/)

  await page.goto(`${product.url}/builds/${buildId}?tab=tests`)
  await page.getByRole('button', { name: 'com.example.ShopTest.closes, failed' }).click()
  await expect(page).toHaveURL(/[?&]row=/)
  await page.reload()
  await expect(details('com.example.ShopTest.closes')).toBeInViewport()

  await page.goto(`${product.url}/builds/${buildId}?tab=events`)
  await page.getByRole('button', { name: /Novelty, number/ }).click()
  await expect(page).toHaveURL(/[?&]row=/)
  await page.reload()
  await expect(page.getByText('"about": 9007199254740993')).toBeInViewport()
  await page.keyboard.press('Escape')
  await expect(page).not.toHaveURL(/[?&]row=/)
})

test('a build of one event says so', async ({ page, upstream }) => {
  const { product } = await upstream((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(messages.slice(0, 2).join(''))
  })
  await page.goto(`${product.url}/builds/${buildId}?tab=events`)
  await expect(page.getByRole('group', { name: '1 event', exact: true })).toBeVisible()
})

test('a stream that breaks keeps what came and goes on from there', async ({ page, upstream }) => {
  let cut: (() => void) | undefined
  const { product, requests } = await upstream((response, request, index) => {
    if (!isForExecutions(request.url) || cut !== undefined) {
      wellBehaved(response, request, index)
      return
    }
    cut = () => response.destroy()
    const first = messages.slice(0, 8).filter((message) => isAsked(request.url, message))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(first.join(''))
  })
  await page.goto(`${product.url}/builds/${buildId}`)
  // What a page has not read yet when a connection breaks is lost to it.
  await expect(page.getByText(/Loading build events: 3 events, .* so far/)).toBeVisible()
  cut?.()
  await expect(
    page.getByText(/Loading build events was interrupted; 3 events, .* loaded/),
  ).toBeVisible()
  await expect(outcomes(page)).toHaveText(['1 from cache', '1 not finished'])
  // The failing tests that the failure speaks of are no longer waited for.
  await expect(page.getByLabel('Stack trace', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(outcomes(page)).toHaveText(['1 failed', '1 from cache'])
  await expect(page.getByText(/was interrupted/)).toBeHidden()
  const resumed = requests.filter(({ headers }) => headers['last-event-id'] === '7')
  expect(resumed.filter(({ url }) => isForExecutions(url))).toHaveLength(1)
})

test('a failed build that names no project says why it is compared with no other', async ({
  page,
  upstream,
}) => {
  const unnamed = messages.filter((message) => !message.includes('"ProjectStructure"'))
  const { product } = await upstream((response, { url }) => {
    const asked = unnamed.filter((message) => isAsked(url, message))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(asked.join(''))
  })
  await page.goto(`${product.url}/builds/${buildId}`)
  await expect(page.getByRole('region', { name: 'Is this failure mine?' })).toHaveText(
    /Unclear: the build doesn't name its project, so it can't be compared with other builds\.$/,
  )
})

test('a build of a tool that publishes no events says that it has none, whatever way the server says so', async ({
  page,
  upstream,
}) => {
  const announced = (toolType: string) =>
    `id: ${buildId}\nevent: Build\ndata: ${JSON.stringify({ buildId, timestamp: 1547233628313, toolType, toolVersion: '1', agentVersion: '2' })}\n\n`
  let answer: Answer
  const { product } = await upstream((...request) => {
    answer(...request)
  })
  const cases = [
    [announced('cargo'), "A cargo build. How it ended isn't known."],
    [announced('bazel'), "A Bazel build. How it ended isn't known."],
    [undefined, 'No details of this build.'],
  ] as const
  for (const [said, sentence] of cases) {
    answer = (response) => {
      if (said === undefined) response.writeHead(204).end()
      else response.writeHead(200, { 'content-type': 'text/event-stream' }).end(said)
    }
    await page.goto(`${product.url}/builds/${buildId}`)
    await expect(page.locator('[data-loading]')).toHaveCount(0)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(sentence)
    await expect(page.getByText('This build has no events.')).toBeVisible()
  }
})

test('a build that is still being stored is waited for, and this is said', async ({
  page,
  upstream,
}) => {
  let refusals = 2
  const { product } = await upstream((response, request, index) => {
    if (refusals === 0) wellBehaved(response, request, index)
    else {
      refusals -= 1
      response.writeHead(503, { 'retry-after': '2' }).end()
    }
  })
  await page.goto(`${product.url}/builds/${buildId}`)
  await expect(
    page.getByText(/still storing this build or is unavailable \(503\). Retrying in \d s/),
  ).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Failed after 15 s/)
})

test('an id of the wrong shape is reported before any request is sent', async ({
  page,
  upstream,
}) => {
  const { product, requests } = await upstream(wellBehaved)
  await page.goto(`${product.url}/builds/K3J7`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not a build id.')
  expect(requests.filter(({ url }) => url.includes('K3J7'))).toEqual([])
})

test('a build that is not there may be one that may not be seen', async ({ page, upstream }) => {
  const { product } = await upstream((response) => response.writeHead(404).end())
  await page.goto(`${product.url}/builds/${buildId}`)
  await expect(page.getByRole('alert')).toContainText("isn't allowed to see it")
})

test('two builds are compared by their address', async ({ page, embedded }) => {
  const { url, send } = embedded
  const other = 'other00000000'
  await send(recordingOf(messages))
  await send(
    recordingOf(
      buildMessages(
        other,
        failedBuild.filter(([type]) => !type.startsWith('Test')),
      ),
    ),
  )
  await page.goto(`${url}/builds/${buildId}?compare=${other}`)
  await expect(
    page.getByText('This build failed after 15 s, the other one failed after 9 s.'),
  ).toBeVisible()
  const changes = page.getByRole('group', { name: 'Executions by change' }).getByRole('button')
  await expect(changes).toHaveText([
    '2 now fails',
    '1 still fails',
    '1 only now',
    '1 about the same',
  ])
})

test('axe finds nothing on the page of a build, wide and narrow', async ({ page, upstream }) => {
  const { product } = await upstream(wellBehaved)
  for (const [query, there] of [
    ['', page.getByRole('button', { name: ':test, failed, 7 s' })],
    ['?tab=tests', page.getByRole('button', { name: /ShopTest.opens, flaky/ })],
    ['?tab=environment', page.getByRole('heading', { name: 'Machine' })],
    ['?tab=events', page.getByRole('button', { name: /BuildStarted, number/ })],
  ] as const) {
    await page.goto(`${product.url}/builds/${buildId}${query}`)
    if ((await there.getAttribute('aria-expanded')) === 'false') await there.click()
    for (const width of [1440, 390]) {
      await resize(page, { width, height: 900 })
      await expect(there).toBeVisible()
      await expectAccessible(page)
      const overflow = (): Promise<number> =>
        page.locator('#main').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      await expect.poll(overflow).toBe(0)
    }
  }
})

const recordings = realData('recordings/')

test('real recordings show the right project, outcome, duration, requests and counts', async ({
  page,
  embedded,
}) => {
  test.skip(!existsSync(recordings), 'the recordings are not here')
  for (const [file, sentence, project, requested, counts] of [
    [
      'gradle-small',
      'Succeeded after 0.1 s.',
      'buildship-test-project-with-build-scan',
      'somethingFunky',
      ['1 succeeded'],
    ],
    [
      'gradle-failing-test',
      'Failed after 3 s in :build-event-transformerator:test, 1 failed test.',
      'build-analysis',
      'check',
      ['1 failed', '13 succeeded', '24 up to date', '22 no source'],
    ],
    [
      'gradle-dependencies',
      'Succeeded after 0.9 s.',
      'build-analysis',
      ':task-indexer:testClasses',
      ['6 succeeded', '6 up to date', '4 no source'],
    ],
    [
      'gradle-build-cache',
      'Succeeded after 23 s.',
      'gradle',
      'clean :install :toolingApi:installToolingApiShadedJar',
      ['340 succeeded', '245 from cache', '140 up to date', '215 no source'],
    ],
    [
      'maven-failed',
      'Failed after 2 s in compiler:compile on a and 1 more.',
      'timeline-failed-goals',
      'clean compile',
      ['2 failed', '5 succeeded'],
    ],
  ] as const) {
    const id = await embedded.send(readFileSync(new URL(`${file}.jsonl`, recordings), 'utf8'))
    await page.goto(`${embedded.url}/builds/${id}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(sentence)
    const facts = page.getByRole('complementary', { name: 'Build details' })
    await expect(facts.getByText(project, { exact: true }).first()).toBeVisible()
    await expect(facts.getByText(requested, { exact: true }).first()).toBeVisible()
    await expect(outcomes(page)).toHaveText([...counts])
  }
})

test('on paper rows and columns have their names though they can be pressed, and nothing is to be typed', async ({
  page,
  url,
}) => {
  await page.goto(`${url}/builds?q=buildTool:gradle`)
  const id = await page.locator('[data-build-id]').first().getAttribute('data-build-id')
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByText('Duration', { exact: true })).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await page.goto(`${url}/builds/${id ?? ''}?tab=timeline`)
  const name = page.getByRole('cell').getByRole('button').first()
  await expect(name).toBeVisible()
  const links = page.getByRole('navigation', { name: 'From this build' }).getByRole('listitem')
  const [one, next] = [await links.nth(0).boundingBox(), await links.nth(1).boundingBox()]
  expect((next?.y ?? 0) - (one?.y ?? 0), 'px between targets').toBeGreaterThanOrEqual(24)
  await page.emulateMedia({ media: 'print' })
  await expect(name).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveCount(0)
  await expect(page.getByRole('textbox')).toHaveCount(0)
})
