import { expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { allOf, type BuildFilter, every, leaf } from './build-filter.ts'
import type { Listing } from './build-listing.ts'
import { searchBuilds } from './build-search.ts'
import { addBuilds, beginBuild, completeBuild, pruneBuilds } from './build-writing.ts'
import type { Database } from './database.ts'
import { onEachDatabase, openForEachTest } from './on-each-database.test-support.ts'
import { build, id, message } from './sample-builds.test-support.ts'
import { positionsByStart } from './term-writing.ts'

onEachDatabase(suite)

const never = new AbortController().signal
const tagged = (tag: string): BuildFilter => leaf({ type: 'text', kind: 'tag', key: tag })

/** Every third build is tagged, every 1,000th is rare; one starts each second. */
const factsOf = (n: number): Facts => ({
  buildId: id(n),
  receivedAt: n,
  buildTool: 'gradle',
  buildToolVersion: '9.1',
  agentVersion: '4.0',
  tags: [n % 3 === 0 ? 'Third' : 'other', ...(n % 1000 === 0 ? ['rare', `only ${n}`] : [])],
  startTime: n * 1000,
})

function suite(open: () => Promise<Database>): void {
  const database = openForEachTest(open)

  const add = (from: number, to: number): Promise<void> =>
    addBuilds(
      database,
      Array.from({ length: to - from }, (_, n) =>
        build(from + n, { events: [], facts: factsOf(from + n) }),
      ),
    )

  async function found(filter: BuildFilter, listing: Listing = {}): Promise<string[]> {
    const ids: string[] = []
    const options = { wanted: 50, signal: never }
    for await (const some of searchBuilds(database, listing, filter, options)) {
      ids.push(...some.map(({ buildId }) => buildId))
    }
    return ids
  }

  test('finds what passes in both directions, over many stretches', async () => {
    await add(1, 6001)
    expect(await found(tagged('rare'))).toEqual([1, 2, 3, 4, 5, 6].map((n) => id(n * 1000)))
    expect(await found(tagged('rare'), { newestFirst: true })).toEqual(
      [6, 5, 4, 3, 2, 1].map((n) => id(n * 1000)),
    )
    expect(await found(allOf([tagged('rare'), tagged('third')]))).toEqual([id(3000), id(6000)])
    expect(await found(tagged('third'))).toHaveLength(2000)
    expect(await found(every)).toHaveLength(6000)
    const started: BuildFilter = leaf({
      type: 'between',
      column: 'start_time',
      low: 3_000_000,
      high: 4_000_000,
    })
    expect(await found(started)).toHaveLength(1001)
  })

  test('lets others have their turn while it looks in vain', async () => {
    await add(1, 6001)
    let turns = 0
    const count = (): void => {
      turns += 1
      if (turns < 1000) setImmediate(count)
    }
    setImmediate(count)
    const tool: BuildFilter = leaf({ type: 'tool', key: 'none' })
    expect(await found(tool, { newestFirst: true })).toEqual([])
    expect(turns).toBeGreaterThanOrEqual(2)
  })

  test('ends when it is given up', async () => {
    await add(1, 6001)
    const gone = new AbortController()
    const search = searchBuilds(database, {}, every, { wanted: 50, signal: gone.signal })
    await search.next()
    gone.abort()
    expect(await search.next()).toMatchObject({ done: true })
  })

  test('does not find builds that arrive meanwhile, and says from where they come', async () => {
    await add(1, 101)
    const search = searchBuilds(database, {}, every, { wanted: 50, signal: never })
    await search.next()
    await add(101, 201)
    let step = await search.next()
    let count = 50
    while (step.done !== true) {
      count += step.value.length
      step = await search.next()
    }
    expect(count).toBe(100)
    expect(await found(every, { after: step.value })).toEqual(
      Array.from({ length: 100 }, (_, n) => id(101 + n)),
    )
  })

  test('a build that is begun is found by its facts once they are complete', async () => {
    const position = await beginBuild(database, message(3))
    expect(await found(tagged('third'))).toEqual([])
    await completeBuild(database, position, { attributes: null, facts: factsOf(3) })
    expect(await found(tagged('third'))).toEqual([id(3)])
  })

  test('builds that are removed leave nothing behind that is searched', async () => {
    await add(1, 1201)
    await pruneBuilds(database, 100)
    expect(await found(tagged('third'))).toHaveLength(34)
    const { kysely } = database
    expect(await kysely.selectFrom('build_facts').selectAll().execute()).toHaveLength(100)
    expect(await kysely.selectFrom('build_terms').selectAll().execute()).toHaveLength(100)
    const texts = await kysely.selectFrom('search_terms').select('text').orderBy('text').execute()
    expect(texts.map(({ text }) => text)).toEqual(['tother', 'tthird'])
  })

  test('start times show where builds lie', async () => {
    await add(1, 6001)
    const at = async (from: number, to: number) =>
      positionsByStart(database, from * 1000, to * 1000)
    const middle = await at(3000, 3001)
    expect(middle?.low).toBeLessThanOrEqual(3000)
    expect(middle?.low).toBeGreaterThan(1)
    expect(middle?.high).toBeGreaterThanOrEqual(3001)
    expect(middle?.high).toBeLessThan(6000)
    expect(await at(7000, 8000)).toBeUndefined()
  })
}
