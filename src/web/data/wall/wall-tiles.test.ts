import { describe, expect, test } from 'vitest'
import { lawBuilds } from '../../../facts/tile-laws.test-support.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem } from '../../../protocol/problem.ts'
import type { SharedSearch } from '../../../protocol/shared-search.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import type { Feed, FeedRow, FeedView } from '../live/feed-state.ts'
import { necessaryText, type TileQuery } from './wall-router.ts'
import { createWallTiles, type WallQueries } from './wall-tiles.ts'

const minute = 60_000
const begin = Date.UTC(2026, 0, 5, 9)

function build(number: number, more: Partial<Facts> = {}): Facts {
  return {
    buildId: `b${String(number).padStart(12, '0')}`,
    receivedAt: begin + number * 1000,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'core',
    outcome: 'succeeded',
    ...more,
  }
}

function question(key: string, query: string, more: Partial<TileQuery> = {}): TileQuery {
  return {
    key,
    search: query,
    match: {
      by: 'query',
      at: (now) => compile(parse(query), { now, timeZone: 'UTC' }),
      isRelative: query.includes('-1h'),
      needs: necessaryText(parse(query)),
    },
    ...more,
  }
}

const ofProject = (project: string): TileQuery => ({
  key: `project ${project}`,
  search: `project:${project}`,
  match: { by: 'project', project },
})

interface Told {
  readonly questions?: readonly TileQuery[]
  readonly ofProject?: WallQueries['ofProject']
  readonly limit?: number
  /** How far the time goes on whenever somebody looks at it, ms. */
  readonly slowness?: number
}

/** A wall over a feed and a search that say what they are told. */
function wallOf({ questions = [], limit = 300, slowness = 0, ...more }: Told) {
  const manual = createManualClock(begin)
  let looks = 0
  const clock = { ...manual, now: () => manual.now() + (looks += slowness) }
  const rows: (Facts | undefined)[] = []
  const feedListeners = new Set<() => void>()
  let version = 0
  let view: FeedView
  let upstream: FeedView['upstream']
  let isAway = false
  const show = (changed: readonly number[]): void => {
    version += 1
    view = {
      connection: { state: 'live' },
      upstream,
      lastHeardAt: manual.now(),
      oldest: 0,
      newest: rows.length - 1,
      dropped: 0,
      malformed: 0,
      gaps: 0,
      isPartial: false,
      perMinute: [],
      version,
      row: (arrival) => {
        const facts = rows[arrival]
        return facts && rowOf(arrival, facts)
      },
      behindMs: undefined,
      clockDifference: 0,
      changed,
    }
    for (const listener of feedListeners) listener()
  }
  const feed: Feed = {
    subscribe: (listener) => {
      feedListeners.add(listener)
      return () => feedListeners.delete(listener)
    },
    getSnapshot: () => view,
    reconnect: () => undefined,
    skipToNow: () => undefined,
  }
  show([])
  const asked: string[] = []
  const answers = new Map<string, readonly Facts[]>()
  const tiles = createWallTiles({
    feed,
    clock,
    random: () => 0,
    timeZone: 'UTC',
    queries: { questions, ofProject: more.ofProject },
    limit,
    request: (query): Promise<SharedSearch> => {
      asked.push(query)
      const builds = [...(answers.get(query) ?? [])]
      const times = { askedAt: begin, ageMs: 0, pollMs: 30_000 }
      if (isAway) {
        const fault = problem(503, 'away', 'Away', 'The server is away.')
        return Promise.resolve({
          ...{ query, builds: [], ...times, search: 'unknown', problem: fault },
        })
      }
      return Promise.resolve({ query, builds, ...times, search: 'supported', problem: null })
    },
  })
  const statuses = (): Record<string, string> =>
    Object.fromEntries(tiles.getSnapshot().tiles.map(({ key, status }) => [key, status]))
  return {
    tiles,
    clock: manual,
    asked,
    answers,
    statuses,
    feedListeners,
    arrive: (...facts: (Facts | undefined)[]) => {
      rows.push(...facts)
      show([])
    },
    /** The build server goes, or comes back. */
    setAway: (now: boolean) => {
      isAway = now
      upstream = {
        upstream: now ? 'retrying' : 'live',
        since: begin,
        now: manual.now(),
        lastHeardAt: null,
        nextAttemptAt: null,
        malformed: 0,
        message: '',
      }
      show([])
    },
    /** More becomes known of a row. */
    learn: (arrival: number, facts: Facts) => {
      rows[arrival] = facts
      show([arrival])
    },
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= 250) {
        manual.advance(Math.min(left, 250))
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      }
    },
  }
}

function rowOf(arrival: number, facts: Facts): FeedRow {
  const { buildId, receivedAt, buildTool, buildToolVersion, agentVersion } = facts
  const tool = { toolType: buildTool, toolVersion: buildToolVersion, agentVersion }
  return { arrival, build: { buildId, timestamp: receivedAt, ...tool }, facts }
}

const bad = question('bad', 'buildOutcome:failed')
const good = question('good', 'buildOutcome:succeeded')

describe('the tiles of a wall', () => {
  test('are searched for again as soon as the build server is back', async () => {
    const wall = wallOf({ questions: [bad] })
    wall.setAway(true)
    wall.answers.set(bad.search ?? '', [build(1, { outcome: 'failed' })])
    wall.tiles.subscribe(() => undefined)
    await wall.pass(5000)
    expect(wall.tiles.getSnapshot().tiles).toMatchObject([{ status: 'empty', unread: 'failed' }])
    expect(wall.tiles.toKeep()).toEqual([])
    wall.setAway(false)
    await wall.pass(2000)
    expect(wall.tiles.getSnapshot().tiles).toMatchObject([{ status: 'failing', unread: undefined }])
  })

  test('take what the feed has kept and what arrives, each build where it belongs', async () => {
    const wall = wallOf({ questions: [bad, good] })
    wall.arrive(build(1), build(2, { outcome: 'failed' }))
    wall.tiles.subscribe(() => undefined)
    expect(wall.tiles.getSnapshot()).toMatchObject({ isCaughtUp: false })
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ bad: 'failing', good: 'healthy' })
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(true)
    wall.arrive(build(3))
    await wall.pass(1500)
    expect(wall.tiles.tile('good').getSnapshot()?.state).toMatchObject({
      inARow: 2,
      newest: build(3),
    })
    expect(wall.tiles.tile('bad').getSnapshot()?.state.inARow).toBe(1)
  })

  test('know builds from the oldest that the feed has kept, or from when they were opened', async () => {
    const wall = wallOf({ questions: [good] })
    expect(wall.tiles.watchingSince()).toBeUndefined()
    wall.tiles.subscribe(() => undefined)
    const opened = wall.clock.now()
    expect(wall.tiles.watchingSince()).toBe(opened)
    wall.arrive({ ...build(1), receivedAt: opened - 60_000 }, build(2))
    await wall.pass(1500)
    expect(wall.tiles.watchingSince()).toBe(opened - 60_000)
  })

  test('take what the search finds as well, a build that came both ways once', async () => {
    const wall = wallOf({ questions: [bad] })
    const failed = build(2, { outcome: 'failed' })
    wall.answers.set('buildOutcome:failed', [failed, build(1, { outcome: 'failed' })])
    wall.arrive(failed)
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    expect(wall.tiles.tile('bad').getSnapshot()?.state.inARow).toBe(2)
    expect(wall.tiles.tile('bad').getSnapshot()?.search).toEqual({
      is: 'answered',
      problem: undefined,
    })
  })

  test('search for the default branch too, where the answer is full of others', async () => {
    const wall = wallOf({ questions: [question('core', 'project:core')] })
    const reviews = lawBuilds('feature/x c2 check S PR x50', begin + 60 * minute, 'core')
    const main =
      '(project:core) and (value:"Git branch=main" or value:"Git branch=master" or value:"Git branch=trunk")'
    wall.answers.set('project:core', reviews.toReversed())
    wall.answers.set(main, lawBuilds('main c1 check F', begin, 'core'))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(2500)
    expect(new Set(wall.asked)).toEqual(new Set(['project:core', main]))
    expect(wall.statuses()).toEqual({ core: 'failing' })
    wall.tiles.follow({ questions: [bad] })
    wall.asked.length = 0
    await wall.pass(120_000)
    expect(new Set(wall.asked)).toEqual(new Set(['buildOutcome:failed']))
  })

  test('learn how a build ended when that becomes known', async () => {
    const wall = wallOf({ questions: [question('core', 'project:core')] })
    const { outcome: _outcome, ...started } = build(1)
    wall.arrive(started)
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ core: 'unknown' })
    wall.learn(0, build(1, { outcome: 'failed' }))
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ core: 'failing' })
  })

  test('search once for two tiles of one query, and not at all for an invalid query', async () => {
    const wrong = question('wrong', '', { search: undefined, match: { by: 'nothing' } })
    const wall = wallOf({ questions: [bad, { ...bad, key: 'too' }, wrong] })
    wall.answers.set('buildOutcome:failed', [build(1, { outcome: 'failed' })])
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    expect(wall.asked).toEqual(['buildOutcome:failed'])
    expect(wall.statuses()).toEqual({ bad: 'failing', too: 'failing', wrong: 'empty' })
  })

  test('are notified one by one: a tile to which nothing came is not', async () => {
    const wall = wallOf({ questions: [bad, good] })
    wall.tiles.subscribe(() => undefined)
    await wall.pass(2000)
    const told: string[] = []
    for (const key of ['bad', 'good']) wall.tiles.tile(key).subscribe(() => told.push(key))
    let standings = 0
    wall.tiles.subscribe(() => (standings += 1))
    wall.arrive(build(1))
    wall.arrive(build(2))
    await wall.pass(1500)
    expect(told).toEqual(['good'])
    expect(standings).toBe(1)
    wall.arrive(build(3))
    await wall.pass(1500)
    // It stands as before: only the tile itself has news.
    expect([told.length, standings]).toEqual([2, 1])
  })

  test('of the last hour let go of what is older, also when nothing arrives', async () => {
    const wall = wallOf({ questions: [question('recent', 'buildStartTime>-1h')] })
    wall.arrive(build(1, { startTime: begin - 30 * minute }))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ recent: 'healthy' })
    await wall.pass(32 * minute)
    expect(wall.statuses()).toEqual({ recent: 'empty' })
  })

  test('that nobody looks at any more leave no timer and no listener behind', async () => {
    const wall = wallOf({ questions: [bad] })
    const leave = [wall.tiles.subscribe(() => undefined), wall.tiles.subscribe(() => undefined)]
    wall.arrive(build(1))
    await wall.pass(1500)
    leave[0]?.()
    expect(wall.feedListeners.size).toBe(1)
    leave[1]?.()
    expect([wall.feedListeners.size, wall.clock.pending()]).toEqual([0, 0])
    // Looked at again they have missed nothing.
    wall.arrive(build(2, { outcome: 'failed' }))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ bad: 'failing' })
  })

  test('hold the page up for a moment only, however much the feed has kept: the newest comes first', async () => {
    const wall = wallOf({ questions: [good, bad], slowness: 1 })
    const many = Array.from({ length: 2000 }, (_, index) => build(index))
    wall.arrive(...many, build(2001, { outcome: 'failed' }))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(250)
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(false)
    expect(wall.statuses()).toMatchObject({ bad: 'failing' })
    await wall.pass(20_000)
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(true)
    expect(wall.tiles.tile('good').getSnapshot()?.state.newest).toEqual(build(1999))
  })

  test('look at each arrival once, however often the feed has news before they look', async () => {
    const looked: string[] = []
    const counting: TileQuery['match'] = {
      by: 'query',
      at: () => (facts) => {
        looked.push(facts.buildId)
        return 'yes'
      },
      isRelative: false,
      needs: undefined,
    }
    const wall = wallOf({ questions: [question('all', '', { match: counting })] })
    wall.arrive(build(0))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(1500)
    for (let at = 1; at <= 200; at++) wall.arrive(build(at))
    await wall.pass(1500)
    expect(looked).toHaveLength(201)
    expect(new Set(looked).size).toBe(201)
  })

  test('update a few at a time where all have news, and keep their places for a while', async () => {
    const questions = Array.from({ length: 300 }, (_, at) => question(`t${at}`, 'project:core'))
    const wall = wallOf({ questions })
    wall.arrive(build(0))
    wall.tiles.subscribe(() => undefined)
    await wall.pass(10_000)
    const told: string[] = []
    for (const { key } of questions) wall.tiles.tile(key).subscribe(() => told.push(key))
    let moves = 0
    wall.tiles.subscribe(() => (moves += 1))
    const atOnce: number[] = []
    wall.arrive(build(1, { outcome: 'failed' }))
    for (let step = 0; step < 14; step++) {
      const before = told.length
      await wall.pass(250)
      atOnce.push(told.length - before)
    }
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(32)
    expect(new Set(told).size).toBe(300)
    expect(told).toHaveLength(300)
    // The first that changed have moved at once, the others together when they all may.
    expect(moves).toBe(1)
    await wall.pass(2000)
    expect(moves).toBe(2)
    expect(new Set(Object.values(wall.statuses()))).toEqual(new Set(['failing']))
  })
})

describe('a viewer of a wall', () => {
  test('sees all tiles of a large one in their places as soon as it has been read', async () => {
    const questions = Array.from({ length: 300 }, (_, at) => question(`t${at}`, 'project:core'))
    const wall = wallOf({ questions })
    wall.arrive(build(0, { outcome: 'failed' }))
    let moves = 0
    wall.tiles.subscribe(() => (moves += 1))
    await wall.pass(1000)
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(true)
    expect(Object.values(wall.statuses()).filter((status) => status !== 'failing')).toEqual([])
    expect(moves).toBe(1)
  })

  test('may leave, or look again, during a notification: after leaving it gets nothing', async () => {
    const wall = wallOf({ questions: [good] })
    const told: string[] = []
    const leave: (() => void)[] = []
    const comesAgain = (): void => {
      told.push('again')
      wall.tiles.tile('good').subscribe(comesAgain)
    }
    for (const name of ['one', 'other']) {
      leave.push(
        wall.tiles.subscribe(() => {
          told.push(name)
          for (const go of leave) go()
        }),
      )
    }
    wall.tiles.tile('good').subscribe(comesAgain)
    wall.arrive(build(1))
    await wall.pass(1500)
    expect(told).toEqual(['one', 'again'])
    expect([wall.feedListeners.size, wall.clock.pending()]).toEqual([0, 0])
  })
})

describe('a wall of all projects', () => {
  test('has a tile for each as it arrives, whatever the case of its name, and searches for it', async () => {
    const wall = wallOf({ ofProject })
    wall.tiles.subscribe(() => undefined)
    wall.arrive(build(1), build(2, { project: 'web', outcome: 'failed' }))
    await wall.pass(1500)
    wall.arrive(build(3, { project: 'CORE' }), build(4, { project: null }), undefined)
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ 'project core': 'healthy', 'project web': 'failing' })
    expect(wall.tiles.tile('project core').getSnapshot()?.state.inARow).toBe(2)
    expect(wall.asked.toSorted()).toEqual(['buildOutcome:failed', 'project:core', 'project:web'])
  })

  test('has one for each that failed within a week, however long before it was opened', async () => {
    const wall = wallOf({ ofProject })
    const day = 24 * 60 * minute
    const old = build(2, { project: 'old', outcome: 'failed', receivedAt: begin - 8 * day })
    const red = build(1, { project: 'web', outcome: 'failed', receivedAt: begin - 2 * day })
    wall.answers.set('buildOutcome:failed', [red, old])
    wall.answers.set('project:web', [red])
    wall.tiles.subscribe(() => undefined)
    wall.arrive(build(3))
    await wall.pass(2000)
    expect(wall.statuses()).toEqual({ 'project core': 'healthy', 'project web': 'failing' })
  })

  test('says how many have no room, and still follows those that have', async () => {
    const wall = wallOf({ ofProject, limit: 2 })
    wall.tiles.subscribe(() => undefined)
    for (let at = 0; at < 5; at++) wall.arrive(build(at, { project: `p${at}` }))
    await wall.pass(1500)
    expect(wall.tiles.getSnapshot()).toMatchObject({ leftOut: 3 })
    expect(wall.tiles.getSnapshot().tiles).toHaveLength(2)
    const [first] = wall.tiles.getSnapshot().tiles
    wall.arrive(build(9, { project: first?.newest?.project ?? '', outcome: 'failed' }))
    await wall.pass(1500)
    expect(wall.tiles.tile(first?.key ?? '').getSnapshot()?.state.status).toBe('failing')
  })
})

describe('a wall whose queries change', () => {
  const red = build(1, { outcome: 'failed' })
  const core = question('0:project:core', 'project:core')
  /** It knows two tiles by the search alone: the feed would not tell of them again. */
  async function known() {
    const wall = wallOf({ questions: [bad, good] })
    wall.answers.set('buildOutcome:failed', [red])
    wall.answers.set('buildOutcome:succeeded', [build(2)])
    wall.tiles.subscribe(() => undefined)
    wall.arrive(build(3, { project: 'web' }))
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ bad: 'failing', good: 'healthy' })
    return wall
  }

  test('keeps what it knows of earlier queries, at once, in the new order', async () => {
    const wall = await known()
    wall.answers.set('project:core', [build(4, { outcome: 'failed' })])
    const before = wall.tiles.tile('bad').getSnapshot()
    wall.tiles.follow({ questions: [core, good, bad] })
    expect(Object.entries(wall.statuses())).toEqual([
      ['0:project:core', 'empty'],
      ['good', 'healthy'],
      ['bad', 'failing'],
    ])
    expect(wall.tiles.tile('bad').getSnapshot()).toBe(before)
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(true)
    await wall.pass(1500)
    expect(wall.statuses()).toMatchObject({ '0:project:core': 'failing' })
    wall.arrive(build(5))
    await wall.pass(1500)
    expect(wall.statuses()).toMatchObject({ '0:project:core': 'healthy' })
  })

  test('a new tile has what the feed has kept, too', async () => {
    const wall = await known()
    wall.tiles.follow({ questions: [bad, question('web', 'project:web')] })
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ bad: 'failing', web: 'healthy' })
  })

  test('stops searching for what has gone, and searches at once for what has come', async () => {
    const wall = await known()
    wall.asked.length = 0
    wall.tiles.follow({ questions: [good, core] })
    await wall.pass(90_000)
    expect(new Set(wall.asked)).toEqual(new Set(['project:core', 'buildOutcome:succeeded']))
    wall.arrive(build(9, { outcome: 'failed', project: 'web' }))
    await wall.pass(1500)
    expect(wall.statuses()).not.toHaveProperty('bad')
  })

  test('knows a project as a tile of its own, and as one again', async () => {
    const wall = wallOf({ ofProject })
    wall.tiles.subscribe(() => undefined)
    wall.arrive(build(1, { outcome: 'failed' }), build(2, { project: 'web' }))
    await wall.pass(1500)
    wall.tiles.follow({ questions: [core] })
    expect(wall.statuses()).toEqual({ '0:project:core': 'failing' })
    wall.arrive(build(3), build(4, { project: 'docs' }))
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({ '0:project:core': 'healthy' })
    wall.tiles.follow({ questions: [], ofProject })
    expect(wall.tiles.getSnapshot()).toMatchObject({ tiles: [], isCaughtUp: false })
    await wall.pass(1500)
    expect(wall.statuses()).toEqual({
      'project docs': 'healthy',
      'project core': 'healthy',
      'project web': 'healthy',
    })
  })

  test('of something else altogether looks at all of it before it says where anything stands', async () => {
    const wall = await known()
    wall.tiles.follow({ questions: [core] })
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(false)
    await wall.pass(1500)
    expect(wall.tiles.getSnapshot().isCaughtUp).toBe(true)
  })
})
