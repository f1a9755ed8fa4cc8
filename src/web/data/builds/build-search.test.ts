import { afterEach, describe, expect, test } from 'vitest'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createBuildListReader, type OnLoss, type WantedPage } from './build-list-reader.ts'
import {
  type ListBehaviour,
  type ListedBuild,
  listedBuilds,
  type ListServer,
  startListServer,
} from './build-list-server.test-support.ts'
import type { SearchRequest } from './build-pages.ts'
import { type BuildSearch, type BuildSearchView, createBuildSearch } from './build-search.ts'

let server: ListServer | undefined

afterEach(() => {
  server?.close()
  server = undefined
})

const tools = toolsWithAttributes
const all: SearchRequest = { query: undefined, verdict: () => 'yes' }

/** As the language answers `project:shop`. */
const shop: SearchRequest = {
  query: 'project:shop',
  verdict: ({ project }) => (project === undefined ? 'unknown' : project === 'shop' ? 'yes' : 'no'),
}

interface Searching {
  readonly search: BuildSearch
  readonly server: ListServer
  /** Resolves with the view once `is` holds of it. */
  readonly until: (is: (view: BuildSearchView) => boolean) => Promise<BuildSearchView>
  readonly states: readonly string[]
}

async function begin(
  question: SearchRequest,
  behaviour: ListBehaviour,
  factsOf: (buildId: string) => Facts | undefined = () => undefined,
  onLoss?: OnLoss,
): Promise<Searching> {
  const started = await startListServer(behaviour)
  server = started
  const { request, clock, readFacts } = started
  const reader = createBuildListReader(request, clock, onLoss)
  const search = createBuildSearch(question, { reader, clock, random: () => 0, factsOf, readFacts })
  const states: string[] = []
  let check: (() => void) | undefined
  search.subscribe(() => {
    states.push(search.getSnapshot().state.is)
    check?.()
  })
  return {
    search,
    server: started,
    states,
    until: (is) =>
      new Promise((resolve) => {
        check = () => {
          if (is(search.getSnapshot())) resolve(search.getSnapshot())
        }
        check()
      }),
  }
}

const isStill = ({ state }: BuildSearchView): boolean =>
  !['idle', 'reading', 'waiting'].includes(state.is)
const isDone = ({ state }: BuildSearchView): boolean => state.is === 'done'
const ids = ({ found }: BuildSearchView): string[] => found.map(({ facts }) => facts.buildId)
const newestFirst = (builds: ListBehaviour['builds']): string[] =>
  builds.map(({ id }) => id).reverse()

describe('a server that knows all there is', () => {
  test('is read page by page, and to the end only on demand', async () => {
    const builds = listedBuilds(250)
    const { search, until, server: asking } = await begin(all, { builds, tools })
    const first = await until(isStill)
    expect(first.state).toEqual({ is: 'resting' })
    expect(ids(first)).toEqual(newestFirst(builds).slice(0, 100))
    expect(asking.asked).toHaveLength(1)
    search.more()
    expect((await until(({ found }) => found.length === 200)).read).toBe(200)
    search.all()
    expect(ids(await until(isDone))).toEqual(newestFirst(builds))
    expect(asking.asked.at(-1)?.get('fromBuild')).toBe(builds[0]?.id)
  })

  test('searches, and is sent only once what no build matches', async () => {
    const builds = listedBuilds(450)
    const { search, until, server: asking } = await begin(shop, { builds, tools })
    search.all()
    const view = await until(isDone)
    expect(view.found).toHaveLength(150)
    expect(view.read).toBe(150)
    expect(view.ability.search).toBe('yes')
    expect(view.found.every(({ facts }) => facts.project === 'shop')).toBe(true)
    expect(asking.asked.filter((query) => query.get('query')?.includes('1969'))).toHaveLength(1)
    expect(asking.asked.filter((query) => query.get('query') === 'project:shop')).toHaveLength(3)
  })

  test('may give short pages: only an empty one is the end', async () => {
    const builds = listedBuilds(90)
    const { until } = await begin(all, { builds, tools, shortPages: true })
    expect(ids(await until(isStill))).toEqual(newestFirst(builds))
  })

  test('reports what it does not like in a query, and where', async () => {
    const queryMistakes = [{ from: 0, to: 6, message: 'Unknown field projec.' }]
    const { until, search } = await begin(
      { ...shop, query: 'projec:x' },
      {
        builds: listedBuilds(3),
        tools,
        instead: (_, query) =>
          query.get('query') === 'projec:x' ? { status: 400, more: { queryMistakes } } : undefined,
      },
    )
    const { state } = await until(isStill)
    expect(state).toMatchObject({ is: 'refused', problem: { problem: { queryMistakes } } })
    expect(search.getSnapshot().found).toEqual([])
  })

  test('but may not give the attributes of some builds has their events read', async () => {
    const builds = listedBuilds(120)
    const { until, search } = await begin(all, {
      builds,
      tools,
      denied: ({ project }) => project === 'bank',
      events: ({ project }) => ({ project, outcome: 'failed' }),
    })
    search.all()
    const { found, byEvents } = await until(isDone)
    expect(found.filter(({ facts }) => facts.outcome === 'failed')).toHaveLength(80)
    expect(found.filter(({ facts }) => facts.outcome === 'succeeded')).toHaveLength(40)
    expect(byEvents.all).toBe(80)
  })

  test.each([1, 100])(
    'may begin each page with the last build before, asked for %i',
    async (most) => {
      const builds = listedBuilds(230)
      const { until, search } = await begin(all, {
        builds,
        tools,
        isOverlapping: true,
        mostAtOnce: most,
      })
      search.all()
      const { found, state } = await until(isDone)
      // A page of one build that was read before says nothing of what follows.
      expect([found.length, 'note' in state]).toEqual(most === 1 ? [1, true] : [230, false])
    },
  )

  test('that refuses a query without saying where is still one that searches', async () => {
    const { until } = await begin(
      { ...shop, query: 'project:broken(' },
      { builds: listedBuilds(3), tools },
    )
    expect((await until(isStill)).state).toMatchObject({ is: 'refused' })
  })

  test('is believed where it reads a query otherwise, and that is counted', async () => {
    const builds = listedBuilds(9)
    const picky: SearchRequest = { query: 'project:shop', verdict: () => 'no' }
    const { until } = await begin(picky, { builds, tools })
    const view = await until(isStill)
    expect([view.found.length, view.disputed]).toEqual([3, 3])
  })
})

describe('a server that does not search', () => {
  test.each(['refuses', 'ignores'] as const)('and %s queries is filtered here', async (search) => {
    const builds = listedBuilds(30)
    const { until } = await begin(shop, { builds, tools, search })
    const view = await until(isStill)
    expect(view.state).toEqual({ is: 'done' })
    expect(view.ability.search).toBe(search === 'refuses' ? 'refused' : 'ignored')
    expect(view.found.map(({ facts }) => facts.project)).toEqual(Array(10).fill('shop'))
    expect(view.read).toBe(30)
  })

  test('is not read without end for nothing', async () => {
    const builds = listedBuilds(2500)
    const none: SearchRequest = { query: 'project:none', verdict: () => 'no' }
    const { until, search } = await begin(none, { builds, tools, search: 'ignores' })
    expect(await until(isStill)).toMatchObject({ read: 2000, found: [], state: { is: 'resting' } })
    search.more()
    expect(await until(isDone)).toMatchObject({ read: 2500, found: [] })
  })

  test('is read only as far back as the query goes', async () => {
    const builds = listedBuilds(500)
    const from = builds[420]?.availableAt ?? 0
    const { until } = await begin(
      { ...shop, from: () => from },
      { builds, tools, search: 'ignores' },
    )
    expect(await until(isStill)).toMatchObject({ read: 100, state: { is: 'done' } })
  })

  test.each([
    ['the newer tools', ['gradle', 'maven', 'bazel'], ['gradle', 'maven', 'bazel']],
    ['all models', [], []],
  ])('and refuses %s gets requests for what it has', async (_, known, expected) => {
    const builds = listedBuilds(3)
    const { until } = await begin(shop, { builds, tools: known, search: 'refuses' })
    const view = await until(isStill)
    expect(view.ability.tools).toEqual(expected)
    expect(view.unsure).toBe(known.length === 0 ? 3 : 0)
  })

  test('nor knows models leaves builds that may match, unless others know them', async () => {
    const builds = listedBuilds(3)
    const known = (buildId: string): Facts | undefined =>
      buildId === builds[1]?.id
        ? {
            buildId,
            receivedAt: 1,
            buildTool: 'gradle',
            buildToolVersion: '9',
            agentVersion: '4',
            project: 'bank',
          }
        : undefined
    const { until } = await begin(shop, { builds, search: 'ignores' }, known)
    const view = await until(isStill)
    expect(ids(view)).toEqual([builds[2]?.id, builds[0]?.id])
    expect(view.unsure).toBe(2)
    expect(view.ability.tools).toEqual([])
  })

  test('and lists the oldest first is walked backwards, as far as the query goes', async () => {
    const builds = listedBuilds(800)
    const from = builds[220]?.availableAt ?? 0
    const { until, search } = await begin({ ...shop, from: () => from }, { builds, isPlain: true })
    search.all()
    const view = await until(isDone)
    expect(view.ability).toMatchObject({ walk: 'list', search: 'ignored', tools: [] })
    // What was received before that didn't start after it.
    expect(ids(view)).toEqual(newestFirst(builds.slice(220)))
    expect(view.unsure).toBe(580)
  })

  test('and lists the oldest first is known even if the first is dated ahead', async () => {
    const [first, ...others] = listedBuilds(30)
    const builds = [...(first ? [{ ...first, availableAt: 1_900_000_000_000 }] : []), ...others]
    const { until } = await begin(all, { builds, isPlain: true })
    expect((await until(isStill)).ability.walk).toBe('list')
  })

  test.each([
    ['without', false],
    ['with', true],
  ])(
    'and lists the oldest first, %s those of the time it is sent, is known by a page of one moment',
    async (_, isInclusive) => {
      const [moment = 0] = listedBuilds(9).map(({ availableAt }) => availableAt)
      const builds = listedBuilds(9).map((build, index) =>
        index < 3
          ? { ...build, availableAt: moment }
          : { ...build, availableAt: moment + index - 2 },
      )
      const behaviour = { builds, isPlain: true, isInclusive, mostInPage: 2 }
      const late: SearchRequest = { ...shop, verdict: () => 'unknown', from: () => moment + 4 }
      const { until } = await begin(late, behaviour)
      const view = await until(isDone)
      expect(view.ability.walk).toBe('list')
      expect(ids(view)).toEqual(newestFirst(builds.slice(6)))
    },
  )

  test('nor knows models is searched by what the events of its builds say', async () => {
    const builds = listedBuilds(350)
    const readable = ({ project, id }: ListedBuild) =>
      id === builds[1]?.id ? undefined : { project }
    const { until, search } = await begin(shop, { builds, isPlain: true, events: readable })
    search.all()
    const view = await until(isDone)
    const expected = builds.filter(({ project, id }) => project === 'shop' || id === builds[1]?.id)
    expect(ids(view)).toEqual(newestFirst(expected))
    expect(view.unsure).toBe(1)
  })

  test('and has no model of a tool that Sightline does not know has the events say how it went', async () => {
    const builds = listedBuilds(2).map((build) => ({ ...build, tool: 'buck2' }))
    const { until } = await begin(all, {
      builds,
      tools,
      events: ({ project }) => ({ project, outcome: 'failed' }),
    })
    const { found } = await until(isDone)
    expect(found.map(({ facts }) => [facts.project, facts.outcome])).toEqual([
      ['bank', 'failed'],
      ['shop', 'failed'],
    ])
  })

  test('nor knows models waits for the events of single builds no longer than 5 seconds', async () => {
    const builds = listedBuilds(6)
    const { until, server: asking } = await begin(shop, {
      builds,
      isPlain: true,
      isStoring: true,
      events: ({ project, id }) => (id === builds[5]?.id ? undefined : { project }),
    })
    const ticking = setInterval(() => {
      asking.clock.advance(1000)
    }, 5)
    const view = await until(isStill)
    clearInterval(ticking)
    expect(ids(view)).toEqual([builds[5]?.id, builds[3]?.id, builds[0]?.id])
    expect(view.unsure).toBe(1)
  })

  test('and sends no list is named, with what it says instead', async () => {
    const { until } = await begin(all, { builds: [], instead: () => ({ status: 200 }) })
    const { state } = await until(isStill)
    expect(state.is === 'failed' && state.problem.message).toBe(
      'The build server\'s list of builds can\'t be read. Instead, it sent: "The answer is 200."',
    )
  })

  test('but is upgraded searches from the next first page on', async () => {
    const behaviour = { builds: listedBuilds(9), tools, search: 'ignores' as 'ignores' | undefined }
    server = await startListServer(behaviour)
    const reader = createBuildListReader(server.request, server.clock)
    const wanted = { query: 'project:shop', after: undefined, max: 100, withAttributes: true }
    const lengths = async (): Promise<unknown> => {
      const answer = await reader.page(wanted, new AbortController().signal)
      return answer.ok && [answer.ability.search, answer.page.builds.length]
    }
    expect(await lengths()).toEqual(['ignored', 9])
    behaviour.search = undefined
    expect(await lengths()).toEqual(['yes', 3])
  })

  test.each([
    ['is only looked at again', 'ignores'],
    ['has learned to search', undefined],
  ] as const)(
    'but %s by another search says of a page on its way that it is filtered here',
    async (_, later) => {
      const behaviour: { -readonly [Key in keyof ListBehaviour]: ListBehaviour[Key] } = {
        builds: listedBuilds(9),
        tools,
        search: 'ignores',
      }
      server = await startListServer(behaviour)
      const { request } = server
      let release = (): void => undefined
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      const slow: typeof request = async (path, schema, init) => {
        const answer = await request(path, schema, init)
        if (path.includes('fromBuild')) await released
        return answer
      }
      const reader = createBuildListReader(slow, server.clock)
      const { signal } = new AbortController()
      const wanted = { query: 'project:shop', after: undefined, max: 4, withAttributes: true }
      const first = await reader.page(wanted, signal)
      const after = first.ok ? first.page.builds.at(-1) : undefined
      const next = reader.page({ ...wanted, after }, signal)
      await expect.poll(() => server?.asked.some((query) => query.has('fromBuild'))).toBe(true)
      behaviour.search = later
      const other = reader.page(wanted, signal)
      if (later === undefined) await other
      release()
      expect(await next).toMatchObject({ ability: { search: 'ignored' } })
      await other
    },
  )

  test('nor knows models has so many events read for one step, unless all is wanted', async () => {
    const builds = listedBuilds(2300)
    const { until, search } = await begin(all, { builds, isPlain: true, events: () => ({}) })
    await until(isStill)
    search.upTo(10_000)
    const { state, read } = await until((view) => view.read > 100 && isStill(view))
    expect([state.is, read]).toEqual(['resting', 1100])
    search.all()
    expect((await until(isDone)).found).toHaveLength(2300)
  })

  test.each([
    ['that is not there', { status: 404 }, 'missing'],
    ['that Sightline may not read', { status: 502, more: { upstreamStatus: 403 } }, 'denied'],
    ['for no credentials', { status: 502, more: { upstreamStatus: 401 } }, 'rejected'],
  ])('in a list %s is read elsewhere, and why is known', async (_, instead, fault) => {
    const builds = listedBuilds(30)
    const { until } = await begin(all, { builds, instead: () => instead, events: () => ({}) })
    const view = await until(isDone)
    expect(ids(view)).toEqual(newestFirst(builds))
    expect(view.ability).toMatchObject({ fault })
  })

  test('in a list that is silent is read elsewhere after 12 seconds, and the next time at once', async () => {
    const builds = listedBuilds(30)
    server = await startListServer({ builds, isSilent: true })
    const { asked, clock } = server
    const reader = createBuildListReader(server.request, clock)
    const read = async () => {
      const wanted = { query: undefined, after: undefined, max: 5, withAttributes: true }
      const answer = await reader.page(wanted, new AbortController().signal)
      return answer.ok && [answer.ability.walk, answer.ability.fault, answer.page.builds.length]
    }
    const first = read()
    await expect.poll(() => asked.length).toBe(1)
    clock.advance(8000)
    await expect.poll(() => asked.length).toBe(2)
    clock.advance(4000)
    expect(await first).toEqual(['export', 'silent', 5])
    expect(await read()).toEqual(['export', 'silent', 5])
    expect(asked).toHaveLength(2)
  })

  test('has a list for the next search once there is one', async () => {
    const builds = listedBuilds(30)
    let isThere = false
    server = await startListServer({
      builds,
      tools,
      instead: () => (isThere ? undefined : { status: 404 }),
    })
    const reader = createBuildListReader(server.request, server.clock)
    const walkOf = async (more: Partial<WantedPage> = {}) => {
      const wanted = { query: undefined, after: undefined, max: 5, withAttributes: true, ...more }
      const answer = await reader.page(wanted, new AbortController().signal)
      if (!answer.ok) throw answer.refusal
      return [answer.ability.walk, answer.page.builds.at(-1)] as const
    }
    const [walk, after] = await walkOf()
    isThere = true
    // A search that has begun goes on as it began.
    expect([walk, (await walkOf({ after }))[0]]).toEqual(['list', 'list'])
    expect((await walkOf())[0]).toBe('none')
  })

  test.each([
    ['all', all, 250],
    ['those of a query', shop, 0],
  ])('and lists nothing without a start time still gives %s', async (_, wanted, sure) => {
    const builds = listedBuilds(250)
    const server = { builds, isPlain: true, needsSince: true }
    const { until, search } = await begin(wanted, server)
    search.all()
    const view = await until(isDone)
    expect(view.ability).toMatchObject({ walk: 'list', search: 'ignored' })
    expect(ids(view).length - view.unsure).toBe(sure)
    expect(ids(view)).toHaveLength(250)
  })

  test('backwards gives all builds of one moment, also when they fill a page', async () => {
    const moment = listedBuilds(300)[20]?.availableAt ?? 0
    const builds = listedBuilds(300).map((build, index) =>
      index < 20 || index > 270 ? build : { ...build, availableAt: moment },
    )
    const { until, search } = await begin(all, { builds, isPlain: true })
    search.all()
    expect(new Set(ids(await until(isDone)))).toEqual(new Set(builds.map(({ id }) => id)))
  })
})

describe('faults', () => {
  test('a page that takes its time is waited for where one build comes soon', async () => {
    const builds = listedBuilds(5)
    const { until, server: slow } = await begin(all, {
      builds,
      tools,
      isSilent: (count) => count === 1,
    })
    await expect.poll(() => slow.asked.length).toBe(1)
    slow.clock.advance(8000)
    expect((await until(isDone)).ability.walk).toBe('none')
  })

  test('a page that takes too long is requested in smaller parts, down to one build', async () => {
    const builds = listedBuilds(40)
    const { until, search } = await begin(all, { builds, tools, mostAtOnce: 12 })
    search.all()
    const view = await until(isDone)
    expect(view.pageSize).toBe(12)
    expect(ids(view)).toEqual(newestFirst(builds))
  })

  test('a server that is too slow for one build is reported', async () => {
    const { until } = await begin(all, { builds: listedBuilds(3), tools, mostAtOnce: 0 })
    const { state, pageSize } = await until(isStill)
    expect(state).toMatchObject({ is: 'failed', problem: { status: 504 } })
    expect(pageSize).toBe(1)
  })

  test('a busy server gets the next request when it wants it', async () => {
    const builds = listedBuilds(5)
    const { until, server: asking } = await begin(all, {
      builds,
      tools,
      instead: (count) =>
        count === 1 ? { status: 429, headers: { 'retry-after': '7' } } : undefined,
    })
    const waiting = await until(({ state }) => state.is === 'waiting')
    expect(waiting.state).toMatchObject({ until: asking.clock.now() + 7000 })
    asking.clock.advance(6999)
    expect(asking.asked).toHaveLength(1)
    asking.clock.advance(1)
    expect((await until(isDone)).found).toHaveLength(5)
  })

  test('a page that fails loses nothing: that page is requested again', async () => {
    const builds = listedBuilds(150)
    const { until, search } = await begin(all, {
      builds,
      tools,
      instead: (count) => (count === 2 ? { status: 500 } : undefined),
    })
    await until(isStill)
    search.all()
    const failed = await until(({ state }) => state.is === 'failed')
    expect(failed.found).toHaveLength(100)
    search.retry()
    expect(ids(await until(isDone))).toEqual(newestFirst(builds))
  })

  test('a server that repeats itself ends the list, with a note', async () => {
    const builds = listedBuilds(120)
    const { until, search } = await begin(all, { builds, tools, isStuck: true })
    search.all()
    const { state, found } = await until(isDone)
    expect('note' in state && state.note).toMatch(
      /returned build \w+ again instead of the next page/,
    )
    expect(found).toHaveLength(100)
  })

  test('what is no build is skipped, counted and named', async () => {
    const builds = [...listedBuilds(3), { id: 'NOT-AN-ID', availableAt: 1, project: 'x' }]
    const losses: unknown[] = []
    const { until } = await begin(
      all,
      { builds, tools },
      () => undefined,
      (loss) => losses.push(loss),
    )
    expect(await until(isStill)).toMatchObject({ malformed: 1, read: 3 })
    expect(losses).toEqual([
      {
        server: 'build server',
        endpoint: 'GET /api/builds',
        build: 'NOT-AN-ID',
        field: 'id',
        reason: expect.any(String) as unknown,
      },
    ])
  })

  test('a page without a readable build ends the list, with a note', async () => {
    const builds = [{ id: 'NOT-AN-ID', availableAt: 1, project: 'x' }]
    const { until } = await begin(all, { builds, tools })
    const { state, malformed } = await until(isStill)
    expect('note' in state && state.note).toMatch(/next page of the list isn't readable/)
    expect(malformed).toBe(1)
  })

  test('a cancelled search keeps what it has, and goes on on demand', async () => {
    const builds = listedBuilds(300)
    const { until, search } = await begin(all, { builds, tools })
    await until(({ found }) => found.length > 0)
    search.all()
    search.cancel()
    const cancelled = await until(isStill)
    expect(cancelled.state).toEqual({ is: 'cancelled' })
    expect(ids(cancelled)).toEqual(newestFirst(builds).slice(0, cancelled.found.length))
    search.all()
    expect(ids(await until(isDone))).toEqual(newestFirst(builds))
  })
})

describe('builds that come after a search', () => {
  const later = (count: number, project: 'shop' | 'bank') =>
    Array.from({ length: count }, (_, index) => ({
      id: `${project === 'shop' ? 's' : 'k'}${String(index).padStart(12, '0')}`,
      availableAt: 1_790_000_000_000 + index,
      project,
    }))

  test.each(['yes', 'ignores'] as const)(
    'are counted, and shown before the others on demand: search %s',
    async (ability) => {
      const builds = [...listedBuilds(9)]
      const { search, until } = await begin(shop, {
        builds,
        tools,
        ...(ability === 'ignores' && { search: ability }),
      })
      const before = ids(await until(isDone))
      await search.lookForNewer()
      expect(search.getSnapshot().newer).toEqual([])
      const added = [...later(2, 'shop'), ...later(2, 'bank')]
      builds.push(...added)
      await search.lookForNewer()
      await search.lookForNewer()
      const { newer, found } = search.getSnapshot()
      expect(found).toHaveLength(before.length)
      const matching = newestFirst(added.filter(({ project }) => project === 'shop'))
      expect(newer.map(({ facts }) => facts.buildId)).toEqual(matching)
      search.showNewer()
      expect(ids(search.getSnapshot())).toEqual([...matching, ...before])
      await search.lookForNewer()
      expect(search.getSnapshot().newer).toEqual([])
    },
  )

  test('too many to be read are said to be more, and are not looked for again', async () => {
    const builds = [...listedBuilds(3)]
    const { search, server: list, until } = await begin(shop, { builds, tools })
    await until(isDone)
    builds.push(...later(150, 'shop'))
    await search.lookForNewer()
    expect(search.getSnapshot().newer).toHaveLength(100)
    expect(search.getSnapshot().isNewerOpen).toBe(true)
    const requests = list.asked.length
    await search.lookForNewer()
    expect(list.asked).toHaveLength(requests)
  })

  test('cost nothing where the server fails', async () => {
    const { search, until } = await begin(shop, {
      builds: listedBuilds(6),
      tools,
      instead: (count) => (count > 4 ? { status: 500 } : undefined),
    })
    const before = ids(await until(isDone))
    await search.lookForNewer()
    expect(ids(search.getSnapshot())).toEqual(before)
    expect(search.getSnapshot().state.is).toBe('done')
  })
})
