import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { readLines } from '../../../protocol/ndjson.ts'
import { TestsLine, type TestsRequest } from '../../../protocol/test-insight.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import { type ProxyOnSocket, startProxyOnSocket } from '../proxy-on-socket.test-support.ts'

/** A build of a bare server: when it was received, its branch, commit, and how its tests ended. */
interface MadeBuild {
  readonly id: string
  readonly at: number
  readonly branch: string
  readonly commit: string
  /** `name=letters`: each letter is a run; p, f and s. */
  readonly tests: readonly string[]
}

const start = Date.UTC(2026, 0, 4)

/** Written as `branch commit name=letters …`, oldest first, a minute apart. */
function made(...texts: readonly string[]): MadeBuild[] {
  return texts.map((text, index) => {
    const [branch = '', commit = '', ...tests] = text.split(' ')
    const id = `a${String(index).padStart(12, '0')}`
    return { id, at: start + index * 60_000, branch, commit, tests }
  })
}

function eventsOf({ at, branch, commit, tests }: MadeBuild): string[] {
  const event = (eventType: string, data: object, ms = 0): string =>
    JSON.stringify({
      timestamp: at + ms,
      type: { majorVersion: 1, minorVersion: 0, eventType },
      data,
    })
  let id = 100
  return [
    event('BuildStarted', {}),
    event('BuildRequestedTasks', { requested: ['check'], excluded: [] }),
    event('ProjectStructure', {
      rootProjectName: 'checkout',
      rootProjectPath: '/x',
      projects: [{ projectPath: ':', buildPath: ':', children: [] }],
    }),
    event('UserNamedValue', { key: 'Git branch', value: branch }),
    event('UserNamedValue', { key: 'Git commit id', value: commit }),
    event('TaskStarted', { id: 1, path: ':test', className: 'Test' }),
    ...tests.flatMap((test) => {
      const [name = '', letters = ''] = test.split('=')
      return Array.from(letters).flatMap((letter) => {
        id += 1
        const failureId = letter === 'f' ? 7 : null
        const ended = { failed: letter === 'f', skipped: letter === 's', failureId }
        return [
          event('TestStarted', {
            task: 1,
            id,
            parent: null,
            name,
            className: 'com.acme.ShopTest',
            suite: false,
          }),
          event('TestFinished', { task: 1, id, ...ended }, 250),
        ]
      })
    }),
    event('ExceptionData', {
      exceptions: {
        7: {
          className: 'java.lang.AssertionError',
          message: 'expected 1 but was 2',
          stackTrace: 1,
          causes: [],
        },
      },
      stackTraces: {},
      stackFrames: {},
    }),
    event('BuildFinished', { failureId: null }, 1_000),
  ]
}

/** What the documents promise and no more: `since` and `maxBuilds`, and the events of a build. */
function plainServer(
  builds: readonly MadeBuild[],
  more: Partial<{ searches: boolean; fails: string; hasList: boolean; most: number }> = {},
): PlainAnswer {
  return ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://plain')
    const [, id = ''] = /^\/build-export\/v2\/build\/(\w+)\/events$/.exec(pathname) ?? []
    const build = builds.find((one) => one.id === id)
    const [, from] = /^\/build-export\/v2\/builds\/since\/(\d+)$/.exec(pathname) ?? []
    if (from !== undefined) {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const one of builds.filter(({ at }) => at >= Number(from))) {
        response.write(`id: ${one.id}\nevent: Build\ndata: ${JSON.stringify(messageOf(one))}\n\n`)
      }
      response.end()
    } else if (pathname === '/api/builds' && more.hasList !== false) {
      const max = Math.min(Number(searchParams.get('maxBuilds') ?? 100), more.most ?? 1000)
      const list =
        more.searches === true ? searched(builds, searchParams) : since(builds, searchParams)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(list.slice(0, max).map(summaryOf)))
    } else if (build === undefined || id === more.fails) response.writeHead(404).end()
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const types = searchParams.get('eventTypes')?.split(',') ?? []
      response.write(`id: 0\nevent: Build\ndata: ${JSON.stringify(messageOf(build))}\n\n`)
      for (const [index, text] of eventsOf(build).entries()) {
        if (!types.some((type) => text.includes(`"${type}"`))) continue
        response.write(`id: ${index + 1}\nevent: BuildEvent\ndata: ${text}\n\n`)
      }
      response.end()
    }
  }
}

function since(builds: readonly MadeBuild[], search: URLSearchParams): MadeBuild[] {
  return builds.filter(({ at }) => at >= Number(search.get('since') ?? 0))
}

/** Knows one query besides those that find out whether it searches: a branch. */
function searched(builds: readonly MadeBuild[], search: URLSearchParams): MadeBuild[] {
  const query = search.get('query') ?? ''
  if (query.includes('1969')) return []
  const [, branch] = /Git branch=(\w+)/.exec(query) ?? []
  const newestFirst = builds
    .filter((one) => branch === undefined || one.branch === branch)
    .reverse()
  const from = newestFirst.findIndex(({ id }) => id === search.get('fromBuild'))
  return newestFirst.slice(from + 1)
}

function summaryOf({ id, at }: MadeBuild) {
  return {
    id,
    availableAt: at,
    buildToolType: 'gradle',
    buildToolVersion: '9',
    buildAgentVersion: '4',
  }
}

function messageOf({ id, at }: MadeBuild) {
  const tool = { toolType: 'gradle', toolVersion: '9', agentVersion: '4' }
  return { buildId: id, timestamp: at, ...tool }
}

let proxy: ProxyOnSocket | undefined
afterEach(() => proxy?.close())

/** The response to a request for tests, which ends when `signal` is aborted. */
async function request(wanted: Partial<TestsRequest>, signal?: AbortSignal) {
  const response = await proxy?.ask('/insight/tests', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!response?.body) throw new Error('no response')
  return { status: response.status, body: response.body }
}

async function linesOf(wanted: Partial<TestsRequest>): Promise<TestsLine[]> {
  const { body } = await request(wanted)
  const lines: TestsLine[] = []
  for await (const line of readLines(body)) lines.push(TestsLine.parse(JSON.parse(line)))
  return lines
}

async function answerOf(request: Partial<TestsRequest>) {
  const lines = await linesOf(request)
  const summary = lines.flatMap((line) => (line.kind === 'summary' ? [line.summary] : [])).at(-1)
  const last = lines.at(-1)
  if (summary === undefined || last?.kind !== 'done') throw new Error(JSON.stringify(last))
  const named = (list: keyof typeof summary.lists) =>
    summary.lists[list].map((place) => summary.rows[place]?.test.name)
  return { summary, named, progress: last.progress }
}

const history = made(
  'main c1 adds=p opens=p pays=p slow=p',
  'main c2 adds=f opens=p pays=fp slow=s',
  'main c3 adds=f opens=f pays=p slow=s',
  'fix c4 adds=p opens=p pays=p',
  'main c3 opens=p',
)

describe('tests across builds of a server that knows since and maxBuilds alone', () => {
  test('are judged by all builds, also where the first page has those of one moment', async () => {
    const [first, ...others] = history
    const builds = [first, first && { ...first, id: 'b000000000000' }, ...others]
    proxy = await startProxyOnSocket({
      buildData: plainServer(
        builds.flatMap((build) => build ?? []),
        { most: 2 },
      ),
    })
    const { progress } = await answerOf({ query: '' })
    expect(progress).toMatchObject({ read: 6, of: 6, more: false })
  })

  test('are judged by the events of every build', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const { summary, named, progress } = await answerOf({ query: '' })
    expect(progress).toMatchObject({ read: 5, of: 5, kept: 0, unreadable: 0, more: false })
    expect(summary.counts).toEqual({
      failing: 1,
      newly: 1,
      flaky: 2,
      slowest: 4,
      skipped: 0,
      all: 4,
    })
    expect(named('newly')).toEqual(['adds'])
    expect(named('flaky').toSorted()).toEqual(['opens', 'pays'])
    const adds = summary.rows.find((row) => row.test.name === 'adds')
    expect(adds).toMatchObject({
      test: { project: 'checkout', task: ':test', className: 'com.acme.ShopTest' },
      inARow: 2,
      message: 'AssertionError: expected 1 but was 2',
      p95: 250,
    })
    expect(summary.builds[adds?.since ?? -1]?.commit).toBe('c2')
  })

  test('are those of builds that match, as their events say', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const { progress, summary } = await answerOf({ query: 'value:"Git branch=fix"' })
    expect(progress).toMatchObject({ read: 5, unmatched: 4, searched: false })
    expect(summary.builds.map(({ branch }) => branch)).toEqual(['fix'])
  })

  test('are read newest first, as many builds as the budget allows, and each once', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const few = await answerOf({ builds: 2 })
    expect(few.progress).toMatchObject({ read: 2, of: 2, more: true })
    expect(few.summary.builds.map(({ branch }) => branch)).toEqual(['main', 'fix'])
    const all = await answerOf({})
    expect(all.progress).toMatchObject({ read: 5, kept: 2, more: false })
    const events = proxy.buildData.received.filter(({ url }) => url.includes('/events'))
    expect(events).toHaveLength(5)
  })

  test('show all runs of one of them', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const { summary } = await answerOf({ search: 'adds' })
    expect(summary.counts.all).toBe(1)
    const id = summary.rows[0]?.test
    const line = (await linesOf({ ...(id && { test: id }) })).find(({ kind }) => kind === 'test')
    const runs = line?.kind === 'test' ? line.test?.runs : undefined
    expect(runs?.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'failed', 'passed'])
  })
})

describe('tests across builds', () => {
  test('are those that the server finds where it searches', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history, { searches: true }) })
    const { progress } = await answerOf({ query: 'value:"Git branch=main"' })
    expect(progress).toMatchObject({ read: 4, of: 4, unmatched: 0, searched: true })
  })

  test('leave out builds that cannot be read, and those without tests, and say so', async () => {
    const builds = [
      ...history,
      ...made('main c9').map((one) => ({ ...one, id: 'b000000000000', at: start })),
    ]
    proxy = await startProxyOnSocket({
      buildData: plainServer(builds, { fails: history[0]?.id ?? '' }),
    })
    const { progress } = await answerOf({})
    expect(progress).toMatchObject({ read: 6, withoutTests: 1, unreadable: 1 })
    expect(progress.problem).toContain('no events')
  })

  test('are read from the export stream where the server has no list', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history, { hasList: false }) })
    const { progress, named } = await answerOf({ builds: 4 })
    expect(progress).toMatchObject({ read: 4, more: true, exported: true })
    expect(named('failing')).toEqual(['adds'])
  })

  test('end with a sentence where the builds cannot be listed', async () => {
    proxy = await startProxyOnSocket()
    const lines = await linesOf({ query: '' })
    const last = lines.at(-1)
    expect(last).toMatchObject({
      ...{ kind: 'failed', status: 404 },
      problem: expect.stringContaining('404') as unknown,
    })
  })

  test('say that the server is busy while they wait for its list, and why they gave up', async () => {
    proxy = await startProxyOnSocket({
      buildData: (_request, response) => {
        response.writeHead(429, { 'retry-after': '9' }).end()
      },
    })
    const lines: TestsLine[] = []
    const reading = (async () => {
      const { body } = await request({})
      for await (const text of readLines(body)) lines.push(TestsLine.parse(JSON.parse(text)))
    })()
    const lastAfter = async (ms: number): Promise<void> => {
      proxy?.clock.advance(ms)
      await setImmediate()
    }
    const isBusy = (line: TestsLine): boolean =>
      line.kind === 'progress' && line.progress.busy === true
    await expect.poll(() => lastAfter(400).then(() => lines.some(isBusy))).toBe(true)
    await expect.poll(() => lastAfter(5_000).then(() => lines.at(-1)?.kind)).toBe('failed')
    await reading
    expect(lines.at(-1)).toMatchObject({ status: 429, retryAfterMs: 9_000 })
  })

  test('are no longer read once the browser leaves', async () => {
    const answer = plainServer(history)
    proxy = await startProxyOnSocket({
      buildData: (request, response, raw) => {
        // The events of a build never come.
        if (!request.url.includes('/events')) answer(request, response, raw)
      },
    })
    const leaving = new AbortController()
    const { body } = await request({}, leaving.signal)
    const reader = body.getReader()
    await reader.read()
    void reader.read().catch(() => undefined)
    await expect.poll(() => proxy?.buildData.open()).toBe(4)
    leaving.abort()
    await expect.poll(() => proxy?.buildData.open()).toBe(0)
  })

  test('are counted and shown as far as they are known while a build takes its time', async () => {
    const answer = plainServer(history)
    let isHeld = false
    proxy = await startProxyOnSocket({
      buildData: (request, response, raw) => {
        if (!isHeld || !request.url.includes('/events')) answer(request, response, raw)
      },
    })
    await answerOf({ builds: 2 })
    isHeld = true
    const leaving = new AbortController()
    const { body } = await request({}, leaving.signal)
    let [read, tests] = [0, 0]
    const reading = (async () => {
      for await (const text of readLines(body)) {
        const line = TestsLine.parse(JSON.parse(text))
        if (line.kind === 'progress') ({ read } = line.progress)
        if (line.kind === 'summary') tests = line.summary.counts.all
      }
    })().catch(() => undefined)
    await expect
      .poll(() => {
        proxy?.clock.advance(400)
        return [read, tests]
      })
      .toEqual([2, 3])
    leaving.abort()
    await reading
  })

  test('are shown while the rest of the list takes its time, and counted of the builds found so far', async () => {
    const answer = plainServer(history, { searches: true, most: 2 })
    proxy = await startProxyOnSocket({
      buildData: (request, response, raw) => {
        if (!request.url.includes('fromBuild')) answer(request, response, raw)
      },
    })
    const leaving = new AbortController()
    const { body } = await request({}, leaving.signal)
    const lines: TestsLine[] = []
    const reading = (async () => {
      for await (const text of readLines(body)) lines.push(TestsLine.parse(JSON.parse(text)))
    })().catch(() => undefined)
    await expect
      .poll(() => {
        proxy?.clock.advance(400)
        return lines.flatMap((line) => (line.kind === 'summary' ? line.summary.counts.all : []))
      })
      .toEqual([3])
    const progress = lines.findLast((line) => line.kind === 'progress')?.progress
    expect(progress).toMatchObject({ read: 2, of: 2, listing: true, more: false })
    leaving.abort()
    await reading
  })

  test('are those of the builds found before the list broke off, and why it did', async () => {
    const answer = plainServer(history, { searches: true, most: 2 })
    proxy = await startProxyOnSocket({
      buildData: (request, response, raw) => {
        if (request.url.includes('fromBuild')) response.writeHead(401).end()
        else answer(request, response, raw)
      },
    })
    const lines = await linesOf({})
    expect(lines.at(-1)).toMatchObject({ kind: 'failed', status: 401, progress: { read: 2 } })
    expect(lines.at(-2)).toMatchObject({ kind: 'summary', summary: { counts: { all: 3 } } })
  })

  test('that were read before are found by name without reading any other', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const readings = (): number =>
      proxy?.buildData.received.filter(({ url }) => url.includes('/events')).length ?? 0
    const before = await answerOf({ query: '', search: 'add', kept: true })
    expect([before.summary.counts.all, readings()]).toEqual([0, 0])
    await answerOf({ query: '', builds: 2 })
    const read = readings()
    const { summary, progress } = await answerOf({ query: '', search: 'add', kept: true })
    expect(summary.rows.map(({ test }) => test.name)).toEqual(['adds'])
    expect([progress.read, progress.kept, readings()]).toEqual([2, 2, read])
  })

  test('are refused for a query with a mistake', async () => {
    proxy = await startProxyOnSocket({ buildData: plainServer(history) })
    const { status } = await request({ query: 'buildOutcome:' })
    expect(status).toBe(400)
  })
})
