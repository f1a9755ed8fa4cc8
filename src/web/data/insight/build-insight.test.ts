import { createServer, type IncomingMessage } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../../protocol/clock.ts'
import { BuildsRequest } from '../../../protocol/insight.ts'
import { problemError } from '../../../protocol/problem.ts'
import { createBuildListReader } from '../builds/build-list-reader.ts'
import { type BuildSearch, createBuildSearch } from '../builds/build-search.ts'
import { createRequest, createStreamedRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'
import {
  type BuildInsight,
  createBuildInsights,
  type InsightView,
  type InsightWorker,
} from './build-insight.ts'
import { createInsightEngine } from './insight-engine.ts'
import { createReadCaches, createReadFailures, createServerInsight } from './server-insight.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

/** Timers of up to so many ms are due at once. */
function hastyClock(most: number): Clock {
  return {
    now: Date.now,
    after: (ms, callback) => {
      const timer = setTimeout(callback, ms > most ? ms : 0)
      return () => {
        clearTimeout(timer)
      }
    },
  }
}

/** What ends a request has its time. */
const clock = hastyClock(7999)

const begin = 1_780_000_000_000
const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** What a small server answers to the failures of builds: lines, a status, or the end in the middle. */
type Failures = (buildIds: readonly string[], count: number) => string | number

interface Small {
  readonly builds: number
  readonly failures?: Failures
  /** The status and body of the optional operations. */
  readonly groups?: readonly [status: number, type: string, body: string]
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  request.setEncoding('utf8')
  for await (const part of request) text += String(part)
  return text
}

/** A proxy with `builds` builds, the newest first, every third of which failed. */
async function start({ builds, failures = () => 404, groups }: Small) {
  const asked: string[] = []
  let counts = 0
  const made = (index: number) => {
    const at = begin - index * 1000
    const model = {
      rootProjectName: index % 2 === 0 ? 'shop' : 'bank',
      hasFailed: index % 3 === 0,
      buildStartTime: at,
      buildDuration: 1000,
    }
    const about = { buildToolType: 'gradle', buildToolVersion: '9', buildAgentVersion: '4' }
    const id = `${index < 0 ? 'n' : 'b'}${String(Math.abs(index)).padStart(12, '0')}`
    return { id, availableAt: at, ...about, models: { gradleAttributes: { model } } }
  }
  const all = Array.from({ length: builds }, (_, index) => made(index))
  /** So many builds come, newer than all before. */
  const come = (count: number): void => {
    all.unshift(...Array.from({ length: count }, (_, index) => made(index - count)))
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://small')
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    asked.push(url.pathname)
    if (url.pathname === '/session') {
      send(200, { token: 't', expiresAt: begin * 2, user: { name: 'ann', roles: ['viewer'] } })
    } else if (['/insight/failures', '/insight/caches'].includes(url.pathname)) {
      void bodyOf(request).then((text) => {
        counts += 1
        const { buildIds } = BuildsRequest.parse(JSON.parse(text))
        const answer = failures(buildIds, counts)
        if (typeof answer === 'number') send(answer, {})
        else response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(answer)
      })
    } else if (url.pathname === '/upstream/build-data/api/builds/groups' && groups !== undefined) {
      response.writeHead(groups[0], { 'content-type': groups[1] }).end(groups[2])
    } else if (url.pathname === '/upstream/build-data/api/builds') {
      const cursor = url.searchParams.get('fromBuild')
      const from = 1 + all.findIndex(({ id }) => id === cursor)
      send(200, all.slice(from, from + Number(url.searchParams.get('maxBuilds'))))
    } else send(404, {})
  })
  const { fetch: fetch_, close } = await onLoopback(server)
  ends.push(() => void close())
  const isOnline = (): boolean => true
  const session = createSession({ fetch: fetch_, clock, isOnline })
  const common = { fetch: fetch_, session, clock, isOnline }
  const request = createRequest(common)
  const search = createBuildSearch(
    { query: undefined, verdict: () => 'yes' },
    {
      reader: createBuildListReader(request, clock),
      ...{
        clock,
        random: () => 0,
        factsOf: () => undefined,
        readFacts: () => Promise.resolve(new Map()),
      },
    },
  )
  const open = createBuildInsights({
    clock: hastyClock(Infinity),
    startWorker,
    readCaches: createReadCaches({
      send: createStreamedRequest(common),
      clock,
      random: () => 0,
    }),
    readFailures: createReadFailures({
      send: createStreamedRequest(common),
      clock,
      random: () => 0,
    }),
  })
  return { search, insight: open(search), open, server: createServerInsight(request), asked, come }
}

let broken: Parameters<InsightWorker['listen']>[1] | undefined

/** The engine in this thread; what is sent is copied, as to another one. */
function startWorker(): InsightWorker {
  let isEnded = false
  let notify: Parameters<InsightWorker['listen']>[0] = () => undefined
  const take = createInsightEngine((message) => {
    const copy = structuredClone(message)
    setTimeout(() => {
      if (!isEnded) notify(copy)
    }, 0)
  })
  return {
    post: (message, transfer) => {
      const copy = structuredClone(message, { transfer: [...transfer] })
      setTimeout(() => {
        if (!isEnded) take(copy)
      }, 0)
    },
    listen: (onMessage, onBroken) => {
      notify = onMessage
      broken = onBroken
    },
    end: () => {
      isEnded = true
    },
  }
}

/** Resolves with the first view that is so; somebody listens until the end of the test. */
function until(insight: BuildInsight, isSo: (view: InsightView) => boolean): Promise<InsightView> {
  return new Promise((resolve) => {
    const look = (): void => {
      const view = insight.getSnapshot()
      if (isSo(view)) resolve(view)
    }
    ends.push(insight.subscribe(look))
    look()
  })
}

function untilRead(search: BuildSearch, read: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const { state } = search.getSnapshot()
      if (search.getSnapshot().read >= read && state.is !== 'reading') resolve()
      else if (state.is === 'resting') search.upTo(read)
    }
    ends.push(search.subscribe(look))
    look()
  })
}

const lines = (ids: readonly string[], line: (id: string) => object): string =>
  ids.map((buildId) => `${JSON.stringify({ buildId, ...line(buildId) })}\n`).join('')

const timedOut = (id: string): object => ({
  failures: [
    { message: `Timed out after ${Number(id.slice(1))} s`, exception: 'TimeoutException' },
  ],
})

describe('the builds of a search', () => {
  test('are folded once each where newer ones are shown before them', async () => {
    const { search, insight, come } = await start({ builds: 60 })
    await until(insight, ({ builds }) => builds >= 60)
    await untilRead(search, 60)
    come(4)
    await search.lookForNewer()
    search.showNewer()
    await until(insight, ({ builds }) => builds >= 64)
    const { builds, groups } = await insight.query({ kind: 'groups', by: 'project' })
    expect([builds, insight.getSnapshot().builds]).toEqual([64, 64])
    expect(groups.map(({ key, builds: of }) => [key, of])).toEqual([
      ['bank', 32],
      ['shop', 32],
    ])
    const span = await insight.query({ kind: 'span' })
    expect(span).toMatchObject({ from: begin - 59_000, to: begin + 4000 })
  })

  test('are folded as they are found, up to as many as are wanted', async () => {
    const { search, insight } = await start({ builds: 950 })
    await until(insight, ({ builds }) => builds >= 100)
    await untilRead(search, 300)
    expect((await until(insight, ({ builds }) => builds >= 300)).builds).toBe(300)
    const { builds, groups } = await insight.query({ kind: 'groups', by: 'project' })
    expect(builds).toBe(300)
    expect(groups.map(({ key, builds: of, failed }) => [key, of, failed])).toEqual([
      ['bank', 150, 50],
      ['shop', 150, 50],
    ])
    search.all()
    await until(insight, (view) => view.builds === 950)
    const bounds = [begin - 1_000_000, begin + 1_000_000]
    const request = { bounds, to: begin + 1, step: 2_000_000 }
    const { series } = await insight.query({ kind: 'trends', request })
    expect(series[0]?.points).toMatchObject([{ builds: 950, failed: 317, p50: 1000 }])
  })

  test('are the same for whoever looks, and forgotten when nobody does', async () => {
    const { search, insight, open } = await start({ builds: 30 })
    expect(open(search)).toBe(insight)
    await until(insight, ({ builds }) => builds === 30)
    for (const end of ends.splice(1)) end()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(insight.getSnapshot().builds).toBe(0)
    await until(insight, ({ builds }) => builds === 30)
  })

  test('are folded anew after the worker broke', async () => {
    const { insight } = await start({ builds: 30 })
    await until(insight, ({ builds }) => builds === 30)
    broken?.(problemError(413, 'x', 'Stopped', 'It ran out of memory.'))
    await until(insight, ({ fault }) => fault !== undefined)
    await expect(insight.query({ kind: 'span' })).rejects.toThrow('not running')
    insight.restart()
    await until(insight, ({ builds, fault }) => builds === 30 && fault === undefined)
  })
})

describe('the failures of failed builds', () => {
  test('are read in batches, the newest first, as many as are wanted', async () => {
    const batches: (readonly string[])[] = []
    const { search, insight } = await start({
      builds: 2400,
      failures: (ids) => {
        batches.push(ids)
        return lines(ids, timedOut)
      },
    })
    await untilRead(search, 2400)
    await until(insight, ({ builds }) => builds === 2400)
    insight.readFailures(650)
    const view = await until(
      insight,
      ({ failures: { known, state } }) => known >= 650 && state.is === 'resting',
    )
    expect(view.failures).toMatchObject({ all: 800, known: 650, unreadable: 0 })
    expect(batches.map((ids) => ids.length)).toEqual([500, 150])
    expect(batches[0]?.[1]).toBe('b000000000003')
    const { groups } = await insight.query({ kind: 'groups', by: 'failure' })
    expect(groups.map(({ builds }) => builds)).toEqual([650, 150])
    const known = groups.find(({ key }) => key !== null)
    expect(known?.failure?.message).toBe('Timed out after 0 s')
    const members = await insight.query({
      kind: 'members',
      failure: known?.key ?? '',
      most: 3,
    })
    expect(members).toEqual(['b000000000000', 'b000000000003', 'b000000000006'])
  })

  test('that were read stay when the rest cannot be had, and are read on from there', async () => {
    const { search, insight } = await start({
      builds: 1800,
      failures: (ids, count) => (count === 2 ? 500 : lines(ids, timedOut)),
    })
    await untilRead(search, 1800)
    await until(insight, ({ builds }) => builds === 1800)
    insight.readFailures(1000)
    const view = await until(insight, ({ failures: { state } }) => state.is === 'failed')
    expect(view.failures).toMatchObject({ all: 600, known: 500 })
    insight.readFailures(1000)
    await until(insight, ({ failures: { known } }) => known === 600)
  })

  test('are not read any further where the server has the events of no build', async () => {
    const { search, insight, asked } = await start({
      builds: 600,
      failures: (ids) => lines(ids, () => ({ problem: 'The build server has no events.' })),
    })
    await untilRead(search, 600)
    await until(insight, ({ builds }) => builds === 600)
    insight.readFailures(1000)
    const view = await until(insight, ({ failures: { state } }) => state.is === 'unavailable')
    expect(view.failures).toMatchObject({
      unreadable: 200,
      state: { reason: 'The build server has no events.' },
    })
    expect(asked.filter((path) => path === '/insight/failures')).toHaveLength(1)
  })

  test('of builds that could not be read are read when that is tried again', async () => {
    const { search, insight } = await start({
      builds: 60,
      failures: (ids, count) =>
        lines(ids, (id) =>
          count === 1 || (count === 2 && id.endsWith('3')) ? { problem: 'Busy.' } : timedOut(id),
        ),
    })
    await untilRead(search, 60)
    await until(insight, ({ builds }) => builds === 60)
    insight.readFailures(1000)
    await until(insight, ({ failures: { state } }) => state.is === 'unavailable')
    for (const unreadable of [2, 0]) {
      insight.readFailures(1000)
      const { failures } = await until(
        insight,
        ({ failures: { state, unreadable: now } }) => state.is === 'resting' && now === unreadable,
      )
      expect(failures).toMatchObject({ all: 20, known: 20 })
    }
    const { groups } = await insight.query({ kind: 'groups', by: 'failure' })
    expect(groups.map(({ builds, key }) => [builds, key === null])).toEqual([[20, false]])
  })

  test('can be stopped, and gone on with', async () => {
    const { search, insight } = await start({
      builds: 600,
      failures: (ids) => lines(ids, timedOut),
    })
    await untilRead(search, 600)
    await until(insight, ({ builds }) => builds === 600)
    insight.readFailures(1000)
    insight.cancelFailures()
    const { failures } = await until(insight, ({ failures: { state } }) => state.is === 'cancelled')
    expect(failures.known).toBeLessThan(200)
    insight.readFailures(1000)
    await until(insight, ({ failures: { known } }) => known === 200)
  })

  test('of builds that the response leaves out are an incomplete response', async () => {
    const { insight } = await start({ builds: 30, failures: () => '\n' })
    await until(insight, ({ builds }) => builds === 30)
    insight.readFailures(1000)
    const view = await until(insight, ({ failures: { state } }) => state.is === 'failed')
    expect(view.failures.known).toBe(0)
  })
})

describe('what came from the build cache', () => {
  test('is read of builds all over the time, and stands in trends', async () => {
    const batches: (readonly string[])[] = []
    const { search, insight } = await start({
      builds: 1024,
      failures: (ids) => {
        batches.push(ids)
        return lines(ids, () => ({ cache: { hits: 3, cacheable: 4 } }))
      },
    })
    await untilRead(search, 1024)
    await until(insight, ({ builds }) => builds === 1024)
    insight.readCaches(64)
    const { caches } = await until(insight, ({ caches: { known } }) => known === 64)
    expect(caches).toMatchObject({ all: 1024, known: 64, unreadable: 0 })
    expect(batches.map((ids) => ids.length)).toEqual([20, 44])
    const places = batches.flat().map((id) => Number(id.slice(1)))
    expect(places.toSorted((a, b) => a - b)).toEqual(places.map((_, place) => place * 16))
    const bounds = Array.from({ length: 9 }, (_, index) => begin - 1023_000 + index * 128_000)
    const request = { bounds, to: begin + 1, step: 128_000 }
    const { series } = await insight.query({ kind: 'trends', request })
    expect(series[0]?.points.map(({ cacheHits, cacheable }) => [cacheHits, cacheable])).toEqual(
      Array.from({ length: 8 }, () => [24, 32]),
    )
    expect(series[0]?.total).toMatchObject({ cacheHits: 192, cacheable: 256 })
  })

  test('is unknown after a few requests where the server has no such models', async () => {
    const reason = 'The build server gives no build cache models.'
    const { search, insight } = await start({
      builds: 300,
      failures: (ids) => lines(ids, () => ({ problem: reason })),
    })
    await untilRead(search, 300)
    await until(insight, ({ builds }) => builds === 300)
    insight.readCaches(200)
    const { caches } = await until(insight, ({ caches: { state } }) => state.is === 'unavailable')
    expect(caches).toMatchObject({ unreadable: 20, state: { reason } })
  })
})

describe('groups of the build server itself', () => {
  const groups = { builds: 7, groups: [], allGroups: 0 }
  const signal = new AbortController().signal

  async function asks(answer: Small['groups']): Promise<readonly [unknown, number]> {
    const { server, asked } = await start({ builds: 0, ...(answer && { groups: answer }) })
    const request = (by: 'project' | 'user') =>
      server.groups({ query: '', by }).queryFn?.({ signal } as never)
    const first = await request('project')
    expect(await request('user')).toEqual(first)
    return [first, asked.filter((path) => path.endsWith('/groups')).length]
  }

  test('are taken where it has them', async () => {
    const answer = [200, 'application/json', JSON.stringify(groups)] as const
    expect(await asks(answer)).toEqual([groups, 2])
  })

  test.each([
    ['no such operation', undefined],
    ['another method', [405, 'application/json', '{}'] as const],
    ['something else', [200, 'application/json', '[1]'] as const],
  ])('are folded here after %s, which is found out once', async (_, answer) => {
    expect(await asks(answer)).toEqual([null, 1])
  })

  test('are requested again after the server was busy', async () => {
    expect(await asks([503, 'application/json', '{}'])).toEqual([null, 2])
  })

  test('of a time before 1970, as beside the last forty years, are of none', async () => {
    const asked: string[] = []
    const server = createServerInsight(((path: string) => {
      asked.push(path.replace(/^.*\?/, ''))
      return Promise.resolve(null)
    }) as never)
    const range = { from: -5.5, to: 9 }
    await server.trends({ query: 'a', by: undefined, range }).queryFn?.({ signal } as never)
    expect(asked).toEqual(['query=a&from=0&to=9'])
  })
})
