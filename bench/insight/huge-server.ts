import type { Surroundings } from './page-steps.ts'
import { openStream, sendBuild, startRawServer } from './raw-server.ts'

/** How a build server lists its builds: by query from the newest, or, as specified, all since a time. */
export type Listing = 'search' | 'since'

/** A build server with so many builds that nobody reads all of them. */
export interface HugeServer extends Surroundings {
  /** Of all requests so far: how many, and when the last of them came, ms. */
  readonly seen: () => { readonly count: number; readonly lastAt: number }
}

const minuteMs = 60_000
const yearMs = 365 * 24 * 60 * minuteMs
/** What a request takes a server that is not on this machine. */
const delayMs = 10
const testCount = 200

interface Wish {
  readonly failedOnly: boolean
  readonly from: number
  readonly to: number
}

/** Makes up `count` builds of the last year while it answers; written from what is specified, apart from the product. */
export async function startHugeServer(count: number, listing: Listing): Promise<HugeServer> {
  const now = Date.now()
  const stepMs = yearMs / count
  let [requests, lastAt] = [0, 0]

  /** The newest is 0. */
  const startOf = (place: number): number => Math.floor(now - 60_000 - place * stepMs)
  const idOf = (place: number): string => `b${String(place).padStart(12, '0')}`
  const placeOf = (id: string | null): number => (id === null ? -1 : Number(id.slice(1)))
  const isFailed = (place: number): boolean => place % 7 === 0

  function summary(place: number): object {
    return {
      id: idOf(place),
      availableAt: startOf(place) + 30_000,
      buildToolType: 'gradle',
      buildToolVersion: '9.2',
      buildAgentVersion: '4.2',
    }
  }

  function withAttributes(place: number): object {
    const model = {
      id: idOf(place),
      buildStartTime: startOf(place),
      buildDuration: 60_000 + ((place * 7919) % 300_000),
      gradleVersion: '9.2',
      rootProjectName: `project-${(place * 7) % 90}`,
      requestedTasks: ['clean', `:module-${place % 40}:check`],
      hasFailed: isFailed(place),
      tags: [place % 3 === 0 ? 'LOCAL' : 'CI'],
      values: [{ name: 'Git branch', value: place % 3 === 0 ? 'main' : `topic/${place % 900}` }],
      environment: { username: `user-${place % 120}`, publicHostname: `agent-${place % 60}` },
    }
    return { ...summary(place), models: { gradleAttributes: { model } } }
  }

  function found(after: number, most: number, { failedOnly, from, to }: Wish): number[] {
    const places: number[] = []
    const first = Math.max(after + 1, Math.floor((now - 60_000 - to) / stepMs) - 1)
    for (let place = first; place < count && places.length < most; place++) {
      const at = startOf(place)
      if (at < from) break
      if (at < to && (!failedOnly || isFailed(place))) places.push(place)
    }
    return places
  }

  function list(search: URLSearchParams): readonly object[] {
    const most = Math.min(1000, Number(search.get('maxBuilds') ?? 100))
    if (listing === 'since' || search.get('reverse') !== 'true') {
      const since = Number(search.get('since') ?? 0)
      const oldest = Math.floor((now - 30_000 - since) / stepMs)
      const last = Math.min(count - 1, oldest)
      const length = Math.max(0, Math.min(most, last + 1))
      return Array.from({ length }, (_, n) => summary(last - n))
    }
    const places = found(placeOf(search.get('fromBuild')), most, wishOf(search.get('query') ?? ''))
    const isDetailed = search.getAll('models').some((names) => names.includes('gradle-attributes'))
    return places.map(isDetailed ? withAttributes : summary)
  }

  const server = await startRawServer((request, response) => {
    requests++
    lastAt = performance.now()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench')
    const events = /^\/build-export\/v2\/build\/(b\d+)\/events$/.exec(pathname)
    setTimeout(() => {
      if (events !== null) {
        const place = placeOf(events[1] ?? null)
        const build = { buildId: idOf(place), at: startOf(place) }
        sendBuild(response, build, eventsOf(place, isFailed(place)))
      } else if (pathname === '/api/builds') {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify(list(searchParams)))
      } else if (pathname.startsWith('/build-export/')) openStream(response)
      else response.writeHead(404).end()
    }, delayMs)
  })
  return { ...server, seen: () => ({ count: requests, lastAt }) }
}

/** As much of the search language as is needed: the outcome, and one range of start times. */
function wishOf(query: string): Wish {
  const [, from, to] = /buildStartTime:\[(\S+) to (\S+?)\]/.exec(query) ?? []
  const after = /buildStartTime:?>=?(\d{4}\S+?)(?:\)|\s|$)/.exec(query)?.[1]
  return {
    failedOnly: /buildOutcome:"?failed/i.test(query),
    from: Date.parse(from ?? after ?? '1960-01-01'),
    to: to === undefined ? Infinity : Date.parse(to) + 1,
  }
}

/** A task of tests, and in a build that failed, why. */
function* eventsOf(place: number, failed: boolean): Generator<[string, object]> {
  yield ['BuildStarted', {}]
  yield ['TaskStarted', { id: 1, path: `:module-${place % 40}:test`, className: 'Test' }]
  for (let n = 0; n < testCount; n++) {
    const ran = { task: 1, id: 100 + n }
    const name = { name: `checks case ${n}`, className: `com.acme.Suite${n % 20}Test` }
    yield ['TestStarted', { ...ran, parent: null, ...name, suite: false }]
    const came = { failed: failed && n % 50 === place % 50, skipped: false, failureId: null }
    yield ['TestFinished', { ...ran, ...came }]
  }
  const thrown = {
    className: 'org.gradle.api.GradleException',
    message: `Timed out after ${place} ms waiting for agent-${place % 50}.example.com`,
    causes: [],
    metadata: { taskPath: `:module-${place % 40}:test` },
  }
  if (failed) yield ['ExceptionData', { exceptions: { '1': thrown } }]
  yield ['BuildFinished', { failureId: failed ? '1' : null, failure: null }]
}
