import { afterEach, describe, expect, test } from 'vitest'
import { EarlierBuilds } from '../../../protocol/insight.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import {
  postJson,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'

/** Build servers that were written from the specification alone, each with liberties of its own. */

interface Made {
  readonly id: string
  readonly at: number
  /** Not as a build should be. */
  readonly isOdd?: boolean
}

/** What the server does with its list. */
interface Liberties {
  readonly since?: 'inclusive' | 'exclusive'
  /** It gives no more at once, whatever is asked for. */
  readonly most?: number
  /** It answers so in place of a list, and has an export stream alone. */
  readonly list?: number
  /** Its first answers end, or break, in the middle of a build. */
  readonly cut?: { readonly times: number; readonly by: 'end' | 'break' }
  /** Its messages have no name. */
  readonly isNameless?: boolean
  /** Its export stream begins with a comment, and the builds come a moment later. */
  readonly isHesitant?: boolean
}

const now = Date.UTC(2026, 0, 5)
const minute = 60_000

/** Builds with these ages in minutes, oldest first. */
function aged(...ages: readonly number[]): Made[] {
  return ages.map((age, index) => ({ id: idOf(index), at: now - age * minute }))
}

const idOf = (index: number): string => `e${String(index).padStart(12, '0')}`

function serving(builds: readonly Made[], liberties: Liberties = {}): PlainAnswer {
  let cuts = liberties.cut?.times ?? 0
  return ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://plain')
    if (!/^\d+$/.test(searchParams.get('since') ?? '0')) return void response.writeHead(400).end()
    const [, from] = /^\/build-export\/v2\/builds\/since\/(\d+)$/.exec(pathname) ?? []
    if (from !== undefined) {
      if (Number(from) > now) return void response.writeHead(400).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const name = liberties.isNameless === true ? '' : 'event:Build\r\n'
      const messages = builds.flatMap(({ id, at, isOdd }) => {
        if (at < Number(from)) return []
        const toolVersion = isOdd === true ? 'x'.repeat(2_000_000) : '9'
        const build = { timestamp: at, toolVersion, agentVersion: null, buildId: id }
        return `${name}id:${id}\r\ndata:${JSON.stringify(build)}\r\n\r\n`
      })
      if (liberties.isHesitant === true) {
        const rest = (): void => void response.end(messages.join(''))
        return void response.write(': connected\r\n\r\n', () => setTimeout(rest, 20))
      }
      if (messages.length < 2 || cuts-- <= 0) return void response.end(messages.join(''))
      response.write(messages.join('').slice(0, -20), () => {
        if (liberties.cut?.by === 'end') response.end()
        else response.destroy()
      })
      return
    }
    if (pathname !== '/api/builds' || liberties.list !== undefined) {
      return void response.writeHead(liberties.list ?? 404).end()
    }
    const since = Number(searchParams.get('since') ?? 0)
    const max = Math.min(Number(searchParams.get('maxBuilds') ?? 100), liberties.most ?? 1000)
    const list = builds
      .filter(({ at }) => (liberties.since === 'exclusive' ? at > since : at >= since))
      .slice(0, max)
      .map(({ id, at, isOdd }) => ({
        ...{ availableAt: at, buildToolType: 'pants', more: [null] },
        ...(isOdd === true ? { id: 7 } : { id, buildToolVersion: '1', buildAgentVersion: '2' }),
      }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list))
  }
}

let proxy: ProxyOnSocket | undefined
afterEach(() => proxy?.close())

async function page(before: number | undefined, most: number): Promise<EarlierBuilds> {
  const from = before === undefined ? '' : `&before=${before}`
  const response = await proxy?.ask(`/insight/earlier-builds?most=${most}${from}`)
  return EarlierBuilds.parse(await response?.json())
}

/** All pages, one after the other. */
async function walked(most: number) {
  const pages: EarlierBuilds[] = []
  for (let before: number | undefined; pages.length < 100;) {
    const next = await page(before, most)
    pages.push(next)
    before = next.builds.at(-1)?.availableAt
    if (before === undefined) break
  }
  return {
    pages,
    ids: pages.flatMap(({ builds }) => builds.map(({ id }) => id)),
    malformed: pages.reduce((sum, one) => sum + one.malformed, 0),
  }
}

/** Some of the last minutes, of the last days, many within one instant, and one of years ago. */
const history = aged(
  ...[3_000_000, 90_000, 4000, 4000, 4000, 4000, 4000, 3999.9],
  ...Array.from({ length: 40 }, (_, index) => 60 - index),
  ...[5, 5, 4, 1, 0, 0],
)

describe('builds received before a time', () => {
  test.each<[string, Liberties]>([
    ['lists since a time with that time', { since: 'inclusive' }],
    ['lists since a time without that time', { since: 'exclusive' }],
    ['gives a few at once', { most: 7 }],
    ['has no list', { list: 404 }],
    ['has no list, and greets before it streams', { list: 404, isHesitant: true }],
    ["doesn't let the list be read", { list: 403 }],
    ['rejects the credentials for the list', { list: 401 }],
  ])('come newest first and once each from a server that %s', async (_, liberties) => {
    proxy = await startProxyOnSocket({ buildData: serving(history, liberties) })
    const { ids, pages } = await walked(8)
    expect(ids).toEqual(history.map(({ id }) => id).toReversed())
    const source = liberties.list === undefined ? 'list' : 'export'
    expect(pages.map((one) => one.source)).toEqual(pages.map(() => source))
    // The five of one instant are one page with those before them.
    expect(pages.every(({ builds }) => builds.length <= 12)).toBe(true)
  })

  test('come from the export stream where the list is silent, and later at once', async () => {
    let lists = 0
    const serve = serving(history, { list: 404 })
    const { clock, ask } = (proxy = await startProxyOnSocket({
      buildData: (request, ...rest) => {
        if (request.url.startsWith('/api/builds')) lists++
        else serve(request, ...rest)
      },
    }))
    const ticking = setInterval(() => {
      clock.advance(500)
    }, 5)
    const first = await ask('/insight/earlier-builds?most=1')
    clearInterval(ticking)
    const { builds, source } = EarlierBuilds.parse(await first.json())
    expect([builds.at(0)?.id, source]).toEqual([history.at(-1)?.id, 'export'])
    await page(now, 5)
    // A page, and one build to be sure.
    expect(lists).toBe(2)
  })

  test('are waited for where one build of the list comes soon', async () => {
    const serve = serving(history)
    let lists = 0
    const { clock, ask } = (proxy = await startProxyOnSocket({
      buildData: (request, ...rest) => {
        if (++lists > 1) serve(request, ...rest)
      },
    }))
    const ticking = setInterval(() => {
      clock.advance(500)
    }, 5)
    const { source } = EarlierBuilds.parse(
      await (await ask('/insight/earlier-builds?most=1')).json(),
    )
    clearInterval(ticking)
    expect(source).toBe('list')
  })

  test.each([undefined, 404])('are found however dense they are: list %s', async (list) => {
    const dense = aged(
      ...Array.from({ length: 90 }, (_, index) => 900 / (Math.floor(index / 3) + 3)),
    ).map((build) => ({ ...build, at: Math.floor(build.at) }))
    proxy = await startProxyOnSocket({
      buildData: serving(dense, list === undefined ? {} : { list }),
    })
    expect((await walked(7)).ids).toEqual(dense.map(({ id }) => id).toReversed())
  })

  test.each([
    ['in four minutes, a thousand at once', 1000, { perSecond: 200, endAge: 0 }],
    ['in four minutes, a hundred at once', 100, { perSecond: 200, endAge: 0 }],
    ['in two seconds, four minutes ago', 1000, { perSecond: 20_000, endAge: 4 * minute }],
  ] as const)('come after a few requests: 50,000 %s', async (_, most, { perSecond, endAge }) => {
    const dense = Array.from({ length: 50_000 }, (__, index) => ({
      id: idOf(index),
      at: now - endAge - Math.floor(((49_999 - index) * 1000) / perSecond),
    }))
    let requests = 0
    const serve = serving(dense, { most })
    proxy = await startProxyOnSocket({
      buildData: (request, ...rest) => {
        requests++
        serve(request, ...rest)
      },
    })
    const newest = await page(undefined, 100)
    expect(requests).toBeLessThanOrEqual(25)
    const further = await page(newest.builds.at(-1)?.availableAt, 100)
    const ids = [...newest.builds, ...further.builds].map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(200)
    expect(ids).toEqual(
      dense
        .slice(-ids.length)
        .map(({ id }) => id)
        .toReversed(),
    )
  })

  test.each(['end', 'break'] as const)(
    'are all there although the export stream is cut off twice by its %s',
    async (by) => {
      const { clock, ask } = (proxy = await startProxyOnSocket({
        buildData: serving(history, { list: 404, cut: { times: 2, by } }),
      }))
      const ticking = setInterval(() => {
        clock.advance(1000)
      }, 5)
      const response = await ask(`/insight/earlier-builds?most=${history.length}`)
      clearInterval(ticking)
      const { builds } = EarlierBuilds.parse(await response.json())
      expect(builds.map(({ id }) => id)).toEqual(history.map(({ id }) => id).toReversed())
    },
  )

  test('are read from an export stream although one is too long, and none says its name', async () => {
    const odd = history.map((build, index) => ({ ...build, isOdd: index === 20 }))
    proxy = await startProxyOnSocket({
      buildData: serving(odd, { list: 404, isNameless: true }),
    })
    const { ids, malformed } = await walked(8)
    expect(ids).toEqual(odd.flatMap(({ id, isOdd }) => (isOdd ? [] : id)).toReversed())
    expect(malformed).toBe(1)
  })

  test('are all there although a moment has more of them than the list gives', async () => {
    const dense = aged(...Array<number>(5).fill(9), ...Array<number>(30).fill(7), 4, 3)
    proxy = await startProxyOnSocket({ buildData: serving(dense, { most: 10 }) })
    const { ids } = await walked(8)
    expect(ids.toSorted()).toEqual(dense.map(({ id }) => id))
  })

  test('are none where there are none before', async () => {
    proxy = await startProxyOnSocket({ buildData: serving(aged(10)) })
    expect(await page(now - 10 * minute, 5)).toEqual({ builds: [], malformed: 0, source: 'list' })
  })

  test('are listed again as soon as the list is back, where the export stream is refused', async () => {
    let list: number | undefined = 404
    const buildData: PlainAnswer = (request, response, raw) => {
      if (request.url.startsWith('/build-export/')) response.writeHead(403).end()
      else serving(aged(1), list === undefined ? {} : { list })(request, response, raw)
    }
    proxy = await startProxyOnSocket({ buildData })
    expect((await proxy.ask(`/insight/earlier-builds?most=5&before=${now}`)).status).toBe(404)
    list = undefined
    expect((await page(now, 5)).builds).toHaveLength(1)
  })

  test.each([undefined, 404])(
    'end with the oldest after a few requests, not with the beginning of time: list %s',
    async (list) => {
      let requests = 0
      const serve = serving(history.slice(-40), list === undefined ? {} : { list })
      const buildData: PlainAnswer = (request, ...rest) => {
        if (request.url.includes('since')) requests++
        serve(request, ...rest)
      }
      proxy = await startProxyOnSocket({ buildData })
      const { builds } = await page(now - 61 * minute, 8)
      expect(builds).toEqual([])
      expect(requests).toBeLessThanOrEqual(3)
    },
  )

  test('are counted once where they are no builds', async () => {
    const odd = history.map((build, index) => ({ ...build, isOdd: index % 6 === 1 }))
    proxy = await startProxyOnSocket({ buildData: serving(odd, { most: 7 }) })
    const { ids, malformed } = await walked(8)
    expect(ids).toEqual(odd.flatMap(({ id, isOdd }) => (isOdd ? [] : id)).toReversed())
    // Those of one instant look the same.
    expect(malformed).toBe(new Set(odd.flatMap(({ at, isOdd }) => (isOdd ? at : []))).size)
  })

  test('are found also if the clock of the server is an hour behind', async () => {
    const late = history.map((build) => ({ ...build, at: build.at - 60 * minute }))
    const behind: PlainAnswer = (request, response, raw) => {
      const [, from] = /since\/(\d+)$/.exec(request.url) ?? []
      if (Number(from) > now - 60 * minute) response.writeHead(400).end()
      else serving(late, { list: 404 })(request, response, raw)
    }
    proxy = await startProxyOnSocket({ buildData: behind })
    expect((await walked(20)).ids).toEqual(late.map(({ id }) => id).toReversed())
  })

  test.each(['most=0', 'most=x', 'before=-1&most=5', ''])('are refused for %j', async (query) => {
    proxy = await startProxyOnSocket({ buildData: serving([]) })
    const response = await proxy.ask(`/insight/earlier-builds?${query}`)
    expect(response.status).toBe(400)
  })
})

const isOf = (line: unknown, buildId: string): boolean =>
  typeof line === 'object' && line !== null && 'buildId' in line && line.buildId === buildId

test('facts are read from the events of each build, once for everybody', async () => {
  const buildId = idOf(1)
  let reads = 0
  const event = (eventType: string, data: object, timestamp = now): string =>
    `event: BuildEvent\ndata: ${JSON.stringify({ timestamp, type: { eventType, majorVersion: 1, minorVersion: 0 }, data })}\n\n`
  proxy = await startProxyOnSocket({
    buildData: ({ url }, response) => {
      if (!url.startsWith(`/build-export/v2/build/${buildId}/events`)) {
        return void response.writeHead(404).end()
      }
      reads += 1
      const build = { buildId, timestamp: now, toolType: 'gradle', toolVersion: '9' }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`event: Build\ndata: ${JSON.stringify(build)}\n\n`)
      response.write(event('BuildStarted', {}, now - 9000))
      response.write(event('UserTag', { tag: 'CI' }))
      response.end(event('BuildFinished', { failureId: 4 }, now - 2000))
    },
  })
  const read = async (): Promise<unknown[]> => {
    const response =
      proxy && (await postJson(proxy, '/insight/facts', { buildIds: [buildId, idOf(2)] }))
    const lines: unknown[] = []
    if (!response?.body) return lines
    for await (const line of readLines(response.body)) lines.push(JSON.parse(line))
    return lines
  }
  const found = await read()
  const facts = { outcome: 'failed', durationMs: 7000, tags: ['CI'], receivedAt: now }
  expect(found.find((line) => isOf(line, buildId))).toMatchObject({ buildId, facts })
  expect(found.filter((line) => !isOf(line, buildId))).toEqual([
    { buildId: idOf(2), problem: 'The build server has no events of this build.' },
  ])
  await read()
  expect(reads).toBe(1)
})
