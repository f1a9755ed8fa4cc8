import { afterEach, expect, test } from 'vitest'
import { toolsWithAttributes } from '../../../protocol/build-data.ts'
import { type BuildExport, createBuildExport, type ExportView } from './build-export.ts'
import { createBuildListReader } from './build-list-reader.ts'
import {
  type ListBehaviour,
  listedBuilds,
  type ListServer,
  startListServer,
} from './build-list-server.test-support.ts'
import { createBuildPages, type SearchRequest } from './build-pages.ts'

let server: ListServer | undefined

afterEach(() => {
  server?.close()
  server = undefined
})

const tools = toolsWithAttributes
const all: SearchRequest = { query: undefined, verdict: () => 'yes' }
const shop: SearchRequest = {
  query: 'project:shop',
  verdict: ({ project }) => (project === undefined ? 'unknown' : project === 'shop' ? 'yes' : 'no'),
}

async function begin(
  wanted: SearchRequest,
  behaviour: ListBehaviour,
  options: { readonly most?: number; readonly write?: () => Promise<void> } = {},
) {
  const started = await startListServer(behaviour)
  server = started
  const { request, clock, readFacts } = started
  const reader = createBuildListReader(request, clock)
  const written: string[] = []
  const endings: string[] = []
  const pages = createBuildPages(wanted, {
    reader,
    factsOf: () => undefined,
    readFacts,
    pageSize: 50,
  })
  const exported = createBuildExport(pages, {
    clock,
    random: () => 0,
    file: {
      write: async (found) => {
        await options.write?.()
        written.push(...found.map(({ facts }) => facts.buildId))
      },
      close: () => Promise.resolve(void endings.push('closed')),
      discard: () => Promise.resolve(void endings.push('discarded')),
    },
    ...(options.most === undefined ? {} : { most: options.most }),
  })
  return { exported, clock, written, endings }
}

function until(exported: BuildExport, is: (view: ExportView) => boolean): Promise<ExportView> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (is(exported.getSnapshot())) resolve(exported.getSnapshot())
    }
    exported.subscribe(check)
    check()
  })
}

const isOver = ({ state }: ExportView): boolean =>
  ['done', 'failed', 'cancelled'].includes(state.is)

test.each<[string, Partial<ListBehaviour>, number, number]>([
  ['searches', { tools }, 110, 0],
  ['ignores queries', { tools, search: 'ignores' }, 110, 0],
  ['knows only since and maxBuilds', { isPlain: true }, 330, 330],
])('of a server that %s all that may match is written once', async (_, behaviour, all, unsure) => {
  const builds = listedBuilds(330)
  const { exported, written, endings } = await begin(shop, { builds, ...behaviour })
  expect(await until(exported, isOver)).toEqual({ state: { is: 'done' }, written: all, unsure })
  expect(endings).toEqual(['closed'])
  const matching = builds.filter(({ project }) => all === 330 || project === 'shop')
  expect(written.toSorted()).toEqual(matching.map(({ id }) => id))
})

test('an outage in the middle is waited for, and what was written does not come twice', async () => {
  const builds = listedBuilds(300)
  let isAway = false
  const { exported, clock, written } = await begin(all, {
    builds,
    instead: (count) => {
      isAway = count > 2 && count < 6
      return isAway ? { status: 503 } : undefined
    },
  })
  for (let outage = 0; outage < 3; outage++) {
    const view = await until(
      exported,
      ({ state }) => state.is === 'waiting' && state.until > clock.now(),
    )
    expect(view).toMatchObject({ state: { isBusy: true } })
    expect(view.written).toBeGreaterThan(0)
    clock.advance(60_000)
    await until(exported, ({ state }) => state.is !== 'waiting' || state.until > clock.now())
  }
  expect(await until(exported, isOver)).toMatchObject({ state: { is: 'done' }, written: 300 })
  expect(written).toEqual(builds.map(({ id }) => id).reverse())
})

test('what no retry helps can be resumed later, behind what was written', async () => {
  const builds = listedBuilds(120)
  let isRefused = true
  const { exported, written } = await begin(all, {
    builds,
    instead: (count) => (count > 1 && isRefused ? { status: 404 } : undefined),
  })
  expect(await until(exported, isOver)).toMatchObject({ state: { is: 'failed', canResume: true } })
  isRefused = false
  exported.resume()
  expect(await until(exported, isOver)).toMatchObject({ state: { is: 'done' }, written: 120 })
  expect(written).toEqual(builds.map(({ id }) => id).reverse())
})

test('it ends at a stated limit, and when it is cancelled', async () => {
  const builds = listedBuilds(300)
  const limited = await begin(all, { builds }, { most: 120 })
  const view = await until(limited.exported, isOver)
  expect(view).toMatchObject({ written: 120, state: { is: 'done' } })
  expect(view.state).toMatchObject({ note: expect.stringContaining('120 builds') as string })
  server?.close()

  const cancelled = await begin(all, { builds })
  await until(cancelled.exported, ({ written }) => written > 0)
  cancelled.exported.cancel()
  const { written } = cancelled.exported.getSnapshot()
  expect(cancelled.exported.getSnapshot().state.is).toBe('cancelled')
  expect(cancelled.written).toHaveLength(written)
  expect(cancelled.endings).toEqual(['discarded'])
})

test('a file that cannot be written ends it with what to do', async () => {
  const full = () => Promise.reject(new Error('disk full'))
  const builds = listedBuilds(10)
  const { exported, endings } = await begin(all, { builds }, { write: full })
  expect(await until(exported, isOver)).toMatchObject({
    state: { is: 'failed', canResume: false, problem: { status: 507 } },
    written: 0,
  })
  expect(endings).toEqual(['discarded'])
})
