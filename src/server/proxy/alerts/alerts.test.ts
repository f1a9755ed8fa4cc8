import { setImmediate as nextTurn, setTimeout as afterMs } from 'node:timers/promises'
import { pino } from 'pino'
import { lawBuilds, tileLaws } from '../../../facts/tile-laws.test-support.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { type SharedSearch, sharedSearchBuilds } from '../../../protocol/shared-search.ts'
import type { Wall } from '../../../protocol/wall.ts'
import { problem } from '../../../protocol/problem.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { countAlerts, projectsTile } from '../../store/alerts.ts'
import { sayOfTile } from '../../store/claims.ts'
import type { Database } from '../../store/database.ts'
import { onEachDatabase } from '../../store/on-each-database.test-support.ts'
import { samplePerson } from '../../store/sample-history.test-support.ts'
import { type AlertRules, unnotedSince } from './alert-tile.ts'
import type { AuditEntry } from '../history/audit.ts'
import { type AlertWatch, type AlertWatchOptions, startAlertWatch } from './alert-watch.ts'
import { type PlainServer, startPlainServer } from '../plain-server.test-support.ts'
import { createWebhook } from './webhook.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 5, 9)
const secretPath = '/services/canary-7f3a91c2d4e8'

onEachDatabase((open) => {
  let database: Database
  let clock: ManualClock
  let hook: PlainServer
  let hookStatus: number
  /** What the search answers, whoever asks. */
  let picture: Pick<SharedSearch, 'builds' | 'search' | 'problem'>
  let isLive: boolean
  let clockSkewMs: number
  /** Builds whose events are there. */
  const readable: Facts[] = []
  /** Why builds failed, for whoever reads their events. */
  const causes = new Map<string, BuildFailure[]>()
  /** Whether the server answers who reads them. */
  let isReading: boolean
  /** How many messages are on their way. */
  let sending: number
  /** How many queries and transactions haven't ended. */
  let queries: number
  const log: string[] = []
  const audited: AuditEntry[] = []
  /** What was searched for. */
  const asked: string[] = []
  const watches: { watch: AlertWatch; close: () => Promise<void> }[] = []

  beforeEach(async () => {
    database = await open()
    queries = 0
    const executor = database.kysely.getExecutor()
    const provide = executor.provideConnection.bind(executor)
    executor.provideConnection = async (consumer) => {
      queries++
      return provide(consumer).finally(() => queries--)
    }
    clock = createManualClock(start)
    hookStatus = 200
    hook = await startPlainServer((_, response) => {
      response.writeHead(hookStatus, { location: 'http://127.0.0.1:9/elsewhere' }).end('ok')
    })
    picture = { builds: [], search: 'supported', problem: null }
    isLive = true
    clockSkewMs = 0
    sending = 0
    log.length = 0
    audited.length = 0
    asked.length = 0
    readable.length = 0
    causes.clear()
    isReading = true
  })
  afterEach(async () => {
    await Promise.all(watches.splice(0).map(({ close }) => close()))
    await hook.close()
    await database.close()
  })

  /** A proxy that looks after the tile `checkout`, unless told otherwise; several may do so at once. */
  function startWatch(
    more: Partial<AlertRules> = {},
    {
      tiles = [{ title: 'checkout', query: 'project:checkout', pinned: false }],
      defaultBranches = {},
      changing,
    }: Partial<Pick<AlertWatchOptions, 'defaultBranches'> & Pick<Wall, 'tiles'>> & {
      /** A wall that somebody saves meanwhile. */
      readonly changing?: Pick<Wall, 'tiles'> & { readonly at?: number }
    } = {},
  ): AlertWatch {
    const logger = pino({ level: 'debug' }, { write: (line) => log.push(line) })
    const webhook = createWebhook({
      url: { reveal: () => `${hook.url.origin}${secretPath}` },
      clock,
      version: '1',
    })
    const watch = startAlertWatch({
      rules: {
        walls: ['main'],
        everyProject: false,
        redFor: [0, 60],
        recovered: true,
        webhookHosts: [],
        routes: [],
        ...more,
      },
      walls: () =>
        Promise.resolve([
          { name: 'main', tiles, order: 'stable', group: 'none', ...changing },
          { name: 'all', tiles: [], order: 'stable', group: 'none' },
        ]),
      remindDays: [7],
      boards: [],
      routes: [],
      boardRules: { dashboard: undefined, redact: (text) => text },
      defaultBranches,
      database,
      webhook: {
        ...webhook,
        send: async (messages) => {
          sending++
          const delivery = await webhook.send(messages)
          sending--
          return delivery
        },
      },
      searches: {
        request: (query) => {
          asked.push(query)
          const matches = compile(parse(query), { now: clock.now(), timeZone: 'UTC' })
          const all = picture.builds.filter((facts) => matches(facts) === 'yes')
          const builds = all.slice(0, sharedSearchBuilds)
          const told = { query, askedAt: clock.now(), ageMs: 0, pollMs: 1000 }
          return Promise.resolve({ ...picture, ...told, builds })
        },
        size: () => 1,
        close: () => undefined,
      },
      facts: {
        read: async function* (buildIds, signal) {
          if (!isReading) {
            await new Promise((resolve) => {
              signal.addEventListener('abort', resolve)
            })
            return
          }
          for (const buildId of buildIds) {
            const result = await Promise.resolve(readable.find((one) => one.buildId === buildId))
            if (result === undefined) yield { buildId, problem: 'No events.' }
            else yield { buildId, result, bytes: 1 }
          }
        },
      },
      failures: {
        read: async function* (buildIds) {
          for (const buildId of buildIds) {
            const result = await Promise.resolve(causes.get(buildId) ?? [])
            yield { buildId, result, bytes: 1 }
          }
        },
      },
      isLive: () => isLive,
      clockSkewMs: () => clockSkewMs,
      audit: { record: (entry) => void audited.push(entry) },
      origin: 'https://builds.example',
      clock,
      random: () => 0,
      logger,
    })
    watches.push({
      watch,
      close: async () => {
        await watch.close()
        await webhook.close()
      },
    })
    return watch
  }

  /**
   * Lets the rounds that are due come to their end: each then waits for its next one. What is sent beside them waits for
   * the database and the receiver alone. SQLite works in this process, and needs no timer.
   */
  async function settle(): Promise<void> {
    for (let calm = 0; calm < 6; calm++) {
      await (database.dialect === 'sqlite' ? nextTurn() : afterMs(1))
      if (clock.pending() < watches.length || sending > 0 || queries > 0) calm = 0
    }
  }
  async function pass(ms: number): Promise<void> {
    const step = ms > 30 * minute ? 5 * minute : 30_000
    for (let left = ms; left > 0; left -= step) {
      clock.advance(Math.min(step, left))
      await settle()
    }
  }
  const texts = (): string[] =>
    hook.received.map(
      ({ body }) => z.strictObject({ text: z.string() }).parse(JSON.parse(body)).text,
    )

  function build(
    minutes: number,
    outcome: 'failed' | 'succeeded',
    more: Partial<Facts> = {},
  ): Facts {
    return {
      buildId: `b${String(minutes + 5000).padStart(12, '0')}`,
      receivedAt: start + minutes * minute,
      buildTool: 'gradle',
      buildToolVersion: '9',
      agentVersion: '4',
      project: 'checkout',
      outcome,
      ...more,
    }
  }
  const arrive = (...builds: Facts[]): void => {
    picture = { ...picture, builds: [...builds, ...picture.builds] }
  }
  /** A watch that has seen the tile well, two minutes in. */
  async function watchWell(more: Partial<AlertRules> = {}): Promise<AlertWatch> {
    arrive(build(-10, 'succeeded'))
    const watch = startWatch(more)
    await settle()
    await pass(2 * minute)
    return watch
  }

  test('a tile that was just saved is watched at once, and what failed before is no news', async () => {
    const at = (project: string) => ({
      tiles: [{ title: project, query: `project:${project}`, pinned: false }],
    })
    const changing = { ...at('checkout'), at: start }
    const watch = startWatch({ redFor: [0] }, { changing })
    await settle()
    await pass(minute)
    arrive(build(0.5, 'failed', { project: 'web' }))
    arrive(build(0.5, 'succeeded', { project: 'docs' }))
    const [web, docs] = [at('web').tiles, at('docs').tiles]
    Object.assign(changing, { tiles: [...web, ...docs], at: start + minute })
    watch.readWalls()
    clock.advance(1000)
    await settle()
    const broken = build(1.05, 'failed', { project: 'docs' })
    arrive(broken)
    watch.learn(broken)
    clock.advance(3000)
    await settle()
    expect(texts()).toEqual([expect.stringContaining('docs is failing')])
  })

  test('of a wall that somebody saves, a tile is watched from then on, and no longer once it is removed', async () => {
    const tile = (project: string) => ({
      title: project,
      query: `project:${project}`,
      pinned: false,
    })
    const changing = { tiles: [tile('checkout')] }
    startWatch({ redFor: [0] }, { changing })
    await settle()
    const web = { project: 'web' }
    arrive(build(1, 'failed', web))
    await pass(2 * minute)
    changing.tiles = [tile('checkout'), tile('web')]
    await pass(2 * minute)
    expect(texts()).toEqual([])
    arrive(build(6, 'failed', web), build(5, 'succeeded', web))
    arrive(build(7, 'failed'))
    await pass(4 * minute)
    expect(texts().sort()).toEqual([
      expect.stringContaining('checkout is failing'),
      expect.stringContaining('web is failing'),
    ])
    changing.tiles = [tile('web')]
    await pass(minute)
    arrive(build(9, 'succeeded'))
    await pass(2 * minute)
    expect(texts()).toHaveLength(2)
  })

  describe('the laws of tiles hold for alerts', () => {
    const laws = tileLaws.map((law, index) => ({ ...law, project: `law-${index}` }))
    const failing = laws.filter(({ state }) => state.status === 'failing')
    /** The laws of which the project has caused an alert that it is failing. */
    async function alerted(): Promise<readonly string[]> {
      clock.advance(120 * minute)
      await settle()
      const end = start + 119 * minute
      for (const { builds, project } of laws) {
        const all = lawBuilds(builds, end, project)
        arrive(...all.toReversed())
        for (const { watch } of watches) all.forEach(watch.learn)
      }
      await pass(2 * minute)
      return laws
        .filter(({ project }) => texts().some((text) => text.includes(`${project} is failing`)))
        .map(({ law }) => law)
    }

    test('on a wall', async () => {
      const tiles = laws.map(({ project, rule }) => ({
        title: project,
        query: `project:${project}`,
        pinned: false,
        branch: rule?.tile ?? rule?.projects?.Checkout,
      }))
      startWatch({ redFor: [0] }, { tiles })
      await settle()
      expect(await alerted()).toEqual(failing.map(({ law }) => law))
    })

    test('for every project', async () => {
      const ruled = laws.flatMap(({ project, rule: { tile, projects } = {} }) => {
        const branch = tile ?? projects?.Checkout
        return branch === undefined ? [] : [[project.toUpperCase(), branch] as const]
      })
      const defaultBranches = Object.fromEntries(ruled)
      startWatch({ walls: [], everyProject: true, redFor: [0] }, { defaultBranches })
      await settle()
      expect(await alerted()).toEqual(failing.map(({ law }) => law))
    })
  })

  test('the builds of the default branch are searched for where those of others fill the answer', async () => {
    arrive(...lawBuilds('main c1 check S', start))
    startWatch({ redFor: [0] })
    await settle()
    await pass(minute)
    arrive(...lawBuilds('main c2 check F', start + minute))
    arrive(...lawBuilds('feature/x c3 check S PR x60', start + 61 * minute).toReversed())
    await pass(2 * minute)
    expect(asked).toContain(
      '(project:checkout) and (value:"Git branch=main" or value:"Git branch=master" or value:"Git branch=trunk")',
    )
    expect(texts()).toEqual([expect.stringContaining('checkout is failing')])
  })

  describe('people are notified', () => {
    test('of the cause, also where the feed learns it a moment after the failure', async () => {
      const watch = await watchWell()
      const broken = build(2, 'failed')
      causes.set(broken.buildId, [{ message: 'Compilation failed.', task: ':app:compileJava' }])
      watch.learn(broken)
      clock.advance(1000)
      await settle()
      expect(texts()).toEqual([
        expect.stringContaining('Cause: :app:compileJava: Compilation failed.'),
      ])
    })

    test('of who began it, with one period where their name ends with one', async () => {
      const watch = await watchWell()
      watch.learn(build(2, 'failed', { user: 'Sam Jr.' }))
      clock.advance(1000)
      await settle()
      expect(texts()).toEqual([
        expect.stringContaining('It started with a build by Sam Jr. Based on'),
      ])
    })

    test('once that a tile turned red, once that it stays so, and once that it is well', async () => {
      await watchWell()
      arrive(
        build(1, 'failed', {
          requested: [':app:check'],
          user: 'ann',
          values: [{ name: 'Git branch', value: 'main' }],
        }),
      )
      await pass(10 * minute)
      expect(texts()).toEqual([
        '✕ checkout is failing (since Jan 5, 2026, 09:01 UTC). It started with :app:check on main by ann. Based on 2 builds. <https://builds.example/s/b000000005001|Build>',
      ])
      arrive(build(12, 'failed'))
      await pass(60 * minute)
      expect(texts().slice(1)).toEqual([
        expect.stringContaining(
          'still failing after 1 hour (since Jan 5, 2026, 09:01 UTC, 2 builds in a row).',
        ),
      ])
      arrive(build(71, 'succeeded'))
      await pass(5 * minute)
      expect(texts().slice(2)).toEqual([
        '✓ checkout has recovered. It had been failing since Jan 5, 2026, 09:01 UTC. Based on 4 builds. <https://builds.example/s/b000000005071|Build>',
      ])
    })

    test('who is on it; of what sleeps not that it still fails, until it wakes', async () => {
      const said = { tile: 'project:checkout', kind: 'claim', reason: null, until: null } as const
      const act = { ...samplePerson('ann'), at: start + 2 * minute }
      await watchWell({ redFor: [0, 30, 60] })
      arrive(build(1, 'failed'))
      await pass(2 * minute)
      await sayOfTile(database, said, act)
      await pass(30 * minute)
      const until = start + 100 * minute
      await sayOfTile(database, { ...said, kind: 'sleep', reason: 'known', until }, act)
      await pass(60 * minute)
      expect(texts().slice(1)).toEqual([
        expect.stringMatching(
          /after 30 minutes \(.*\)\. ann has been on it since Jan 5, 2026, 09:02 UTC\. /,
        ),
      ])
      await pass(10 * minute)
      expect(texts().slice(2)).toEqual([expect.stringContaining('still failing after 1 hour')])
    })

    test('once by several proxies on one database, and not again after a restart', async () => {
      await watchWell()
      for (let proxy = 0; proxy < 3; proxy++) startWatch()
      await settle()
      arrive(build(3, 'failed'))
      await pass(5 * minute)
      expect(texts()).toHaveLength(1)
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      startWatch()
      await settle()
      await pass(5 * minute)
      expect(texts()).toHaveLength(1)
      arrive(build(20, 'succeeded'))
      await pass(2 * minute)
      expect(texts()).toHaveLength(2)
    })

    test('after a restart of what happened meanwhile', async () => {
      await watchWell()
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      clock.advance(3 * 60 * minute)
      arrive(build(30, 'failed'))
      startWatch()
      await settle()
      expect(texts()).toEqual([expect.stringContaining('still failing after 1 hour')])
    })

    test('after a restart of a first build that failed meanwhile', async () => {
      startWatch()
      await settle()
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      clock.advance(10 * minute)
      arrive(build(5, 'failed'))
      startWatch()
      await settle()
      expect(texts()).toEqual([expect.stringContaining('is failing (since Jan 5, 2026, 09:05')])
    })

    test('of a new failure where success came and went between two looks', async () => {
      await watchWell()
      arrive(build(1, 'failed'))
      await pass(minute)
      arrive(build(5, 'failed'), build(4, 'succeeded'))
      await pass(5 * minute)
      expect(texts()).toEqual([
        expect.stringContaining('since Jan 5, 2026, 09:01 UTC'),
        expect.stringContaining('since Jan 5, 2026, 09:05 UTC'),
      ])
    })

    test.each([
      { search: 'unsupported', problem: null },
      { search: 'unknown', problem: problem(403, 'x', 'Not allowed', 'No permission.') },
    ] as const)('by the feed alone where the search is $search', async (standing) => {
      picture = { builds: [], ...standing }
      const watch = startWatch()
      await settle()
      watch.learn(build(0, 'succeeded'))
      await pass(minute)
      watch.learn(build(1, 'failed', { project: 'other' }))
      await pass(minute)
      expect(texts()).toEqual([])
      watch.learn(build(2, 'failed'))
      isLive = false
      await pass(5 * minute)
      expect(texts()).toEqual([])
      isLive = true
      await pass(minute)
      expect(texts()).toHaveLength(1)
    })
  })

  describe.each([
    ['every project', { walls: [], everyProject: true }],
    ['a wall without tiles', { walls: ['all'] }],
  ])('where %s is watched', (_, rules) => {
    test('people are notified of one that turned red and of one that recovered, and of no other', async () => {
      const watch = startWatch(rules)
      await settle()
      watch.learn(build(0, 'succeeded', { project: 'Web shop' }))
      watch.learn(build(0, 'succeeded', { project: 'docs' }))
      await pass(minute)
      const broken = build(1, 'failed', { project: 'Web shop', user: 'ann' })
      watch.learn(broken)
      arrive(broken)
      await pass(5 * minute)
      expect(texts()).toEqual([
        '✕ Web shop is failing (since Jan 5, 2026, 09:01 UTC). It started with a build by ann. Based on 2 builds. <https://builds.example/s/b000000005001|Build>',
      ])
      expect(new Set(asked)).toEqual(new Set(['buildOutcome:failed', 'project:"Web shop"']))
      watch.learn(build(7, 'succeeded', { project: 'web SHOP' }))
      await pass(5 * minute)
      expect(texts().slice(1)).toEqual([expect.stringContaining('✓ Web shop has recovered')])
    })

    test('the message has the cause, also where the feed learns it a moment later', async () => {
      const watch = startWatch(rules)
      await settle()
      watch.learn(build(0, 'succeeded'))
      await pass(minute)
      const broken = build(1, 'failed')
      causes.set(broken.buildId, [{ message: 'Compilation failed.', task: ':app:compileJava' }])
      watch.learn(broken)
      arrive(broken)
      await pass(minute)
      expect(texts()).toEqual([
        expect.stringContaining('Cause: :app:compileJava: Compilation failed.'),
      ])
    })

    test('nobody is notified of one that was red before the watch began', async () => {
      arrive(build(-100, 'failed'), build(-110, 'succeeded'))
      const watch = startWatch(rules)
      await settle()
      watch.learn(build(1, 'failed'))
      await pass(70 * minute)
      expect(texts()).toEqual([])
    })

    test('people are notified of a new one whose first build fails', async () => {
      const watch = startWatch(rules)
      await settle()
      const first = build(3, 'failed', { project: 'new' })
      await pass(3 * minute)
      watch.learn(first)
      arrive(first)
      await pass(2 * minute)
      expect(texts()).toEqual([expect.stringContaining('new is failing (since Jan 5, 2026, 09:03')])
    })

    test('after a restart people are notified of one whose first build failed meanwhile, and of none that was red before the first start', async () => {
      arrive(build(-100, 'failed', { project: 'old' }))
      startWatch(rules)
      await settle()
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      clock.advance(10 * minute)
      arrive(build(5, 'failed', { project: 'new' }))
      startWatch(rules)
      await settle()
      expect(texts()).toEqual([expect.stringContaining('new is failing (since Jan 5, 2026, 09:05')])
      await pass(70 * minute)
      expect(texts().slice(1)).toEqual([
        expect.stringContaining('new is still failing after 1 hour'),
      ])
    })

    test('who starts next hears again of failures that could not be searched for yet', async () => {
      const watch = startWatch(rules)
      await settle()
      picture = { ...picture, problem: problem(503, 'x', 'Busy', 'Try again later.') }
      const broken = build(1, 'failed')
      watch.learn(broken)
      await pass(5 * minute)
      expect(await unnotedSince(database, clock.now())).toBeLessThanOrEqual(broken.receivedAt)
      picture = { ...picture, problem: null, builds: [broken] }
      await pass(minute)
      expect(await unnotedSince(database, clock.now())).toBe(clock.now())
      expect(texts()).toHaveLength(1)
    })

    test('nobody is notified of a failure that was fixed since, though that build was missed', async () => {
      const watch = startWatch(rules)
      await settle()
      const broken = build(1, 'failed')
      arrive(build(2, 'succeeded'), broken)
      watch.learn(broken)
      await pass(5 * minute)
      expect(texts()).toEqual([])
    })

    test('several proxies send it once, and after a restart send what broke meanwhile', async () => {
      for (let proxy = 0; proxy < 3; proxy++) startWatch(rules)
      await settle()
      arrive(build(1, 'succeeded'))
      for (const { watch } of watches) watch.learn(build(1, 'succeeded'))
      await pass(2 * minute)
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      clock.advance(10 * minute)
      arrive(build(5, 'failed'))
      for (let proxy = 0; proxy < 3; proxy++) startWatch(rules)
      await settle()
      await pass(5 * minute)
      expect(texts()).toEqual([expect.stringContaining('checkout is failing (since Jan 5, 2026')])
    })

    test('by the feed alone where the server does not search; while it is silent nobody is notified', async () => {
      picture = { builds: [], search: 'unsupported', problem: null }
      const watch = startWatch({ ...rules, redFor: [0] })
      await settle()
      await pass(2 * minute)
      // Read by a browser, of the past.
      watch.learn(build(-5, 'succeeded', { project: 'old' }))
      watch.learn(build(1, 'failed', { project: 'old' }))
      watch.learn(build(1, 'succeeded'))
      await pass(2 * minute)
      watch.learn(build(4, 'failed'))
      isLive = false
      await pass(5 * minute)
      expect(texts()).toEqual([])
      isLive = true
      await pass(minute)
      expect(texts()).toEqual([expect.stringContaining('checkout is failing')])
    })
  })

  test('a project of which nothing has been heard for long is forgotten, and begins anew', async () => {
    const watch = startWatch({ walls: [], everyProject: true })
    await settle()
    watch.learn(build(0, 'succeeded'))
    await pass(minute)
    const known = () =>
      database.kysely
        .selectFrom('alert_tiles')
        .select('tile')
        .where('tile', 'not like', 'noted%')
        .execute()
    expect(await known()).toHaveLength(2)
    clock.advance(100 * 24 * 60 * minute)
    await settle()
    expect(await known()).toEqual([{ tile: projectsTile }])
    const broken = build(100 * 24 * 60, 'failed')
    watch.learn(broken)
    arrive(broken)
    await pass(minute)
    expect(texts()).toEqual([expect.stringContaining('checkout is failing')])
  })

  test('a project with a tile of its own is reported once, under the title of that tile', async () => {
    arrive(build(-10, 'succeeded'), build(-10, 'succeeded', { project: 'web' }))
    const watch = startWatch({ everyProject: true })
    await settle()
    const broken = [build(1, 'failed'), build(2, 'failed', { project: 'web' })]
    arrive(...broken)
    broken.forEach(watch.learn)
    await pass(5 * minute)
    expect(texts().toSorted()).toEqual([
      expect.stringContaining('checkout is failing'),
      expect.stringContaining('web is failing'),
    ])
  })

  describe.each([
    ['a wall', { walls: ['main'] }, 'supported'],
    ['a wall, where the server does not search', { walls: ['main'] }, 'unsupported'],
    ['every project', { walls: [], everyProject: true }, 'supported'],
    [
      'every project, where the server does not search',
      { walls: [], everyProject: true },
      'unsupported',
    ],
  ] as const)('after a restart, for %s,', (_of, watched, search) => {
    const rules = { redFor: [0], ...watched }
    const job = (at: number, name: string, outcome: 'failed' | 'succeeded'): Facts =>
      build(at, outcome, { requested: [name], values: [{ name: 'CI job', value: name }] })
    async function failing(): Promise<AlertWatch> {
      const before = [job(-11, 'test', 'succeeded'), job(-10, 'lint', 'succeeded')]
      if (search === 'supported') arrive(...before.toReversed())
      picture = { ...picture, search }
      const first = startWatch(rules)
      await settle()
      for (const one of [...before, job(1, 'lint', 'succeeded'), job(2, 'test', 'failed')]) {
        if (search === 'supported' && one.receivedAt > start) arrive(one)
        first.learn({ ...one, receivedAt: Math.max(one.receivedAt, start) })
      }
      await pass(2 * minute)
      expect(texts()).toEqual([expect.stringContaining('checkout is failing')])
      readable.push(job(2, 'test', 'failed'))
      await Promise.all(watches.splice(0).map(({ close }) => close()))
      clock.advance(minute)
      const watch = startWatch(rules)
      await settle()
      return watch
    }
    const tell = async (watch: AlertWatch, one: Facts): Promise<void> => {
      if (search === 'supported') arrive(one)
      watch.learn(one)
      await pass(2 * minute)
    }

    test('another job that succeeds is no recovery', async () => {
      const watch = await failing()
      await tell(watch, job(6, 'lint', 'succeeded'))
      expect(texts()).toHaveLength(1)
      await tell(watch, job(8, 'test', 'failed'))
      expect(texts()).toHaveLength(1)
    })

    test('the job that failed is one once it succeeds', async () => {
      const watch = await failing()
      await tell(watch, job(6, 'test', 'succeeded'))
      expect(texts().slice(1)).toEqual([expect.stringContaining('checkout has recovered')])
    })
  })

  test('a build that is not read in time after a restart keeps no other tile waiting', async () => {
    const tiles = ['checkout', 'web'].map((project) => {
      return { title: project, query: `project:${project}`, pinned: false }
    })
    const web = { project: 'web' }
    arrive(build(-1, 'succeeded'), build(-1, 'succeeded', web))
    startWatch({ redFor: [0] }, { tiles })
    await settle()
    arrive(build(1, 'failed'))
    await pass(2 * minute)
    expect(texts()).toHaveLength(1)
    await Promise.all(watches.splice(0).map(({ close }) => close()))
    // Among the newest builds it is no longer.
    picture = { ...picture, builds: [build(-1, 'succeeded', web)] }
    isReading = false
    startWatch({ redFor: [0] }, { tiles })
    await settle()
    arrive(build(3, 'failed', web))
    await pass(2 * minute)
    expect(texts().slice(1)).toEqual([expect.stringContaining('web is failing')])
  })

  test('people are notified once of a job that keeps failing while hundreds of builds of others succeed', async () => {
    const job = (at: number, name: string, outcome: 'failed' | 'succeeded'): Facts =>
      build(at, outcome, {
        values: [
          { name: 'CI job', value: name },
          { name: 'Git commit id', value: `c${at}` },
        ],
      })
    arrive(job(-10, 'lint', 'succeeded'), job(-11, 'test', 'succeeded'))
    const watch = startWatch({ redFor: [0] })
    await settle()
    for (let at = 2; at < 200; at++) {
      const one = at % 2 === 0 ? job(at, 'test', 'failed') : job(at, 'lint', 'succeeded')
      arrive(one)
      watch.learn(one)
      await pass(minute)
    }
    expect(texts()).toEqual([expect.stringContaining('is failing (since Jan 5, 2026, 09:02 UTC)')])
  })

  test.each([
    ['ahead', 7],
    ['behind', -7],
  ])('a build server whose clock is %s delays and hides no failure', async (_how, skew) => {
    clockSkewMs = skew * minute
    const [rules, web] = [{ redFor: [0], everyProject: true }, { project: 'web' }]
    arrive(build(skew - 10, 'succeeded'), build(skew - 10, 'succeeded', web))
    const watch = startWatch(rules)
    await settle()
    watch.learn(build(skew, 'succeeded', web))
    await pass(2 * minute)
    const broken = [build(skew + 2, 'failed'), build(skew + 2, 'failed', web)]
    arrive(...broken)
    broken.forEach(watch.learn)
    // No round of the watch is due by then.
    clock.advance(1000)
    await expect
      .poll(() => texts().toSorted())
      .toEqual([
        expect.stringContaining('checkout is failing'),
        expect.stringContaining('web is failing'),
      ])
    arrive(build(skew + 3, 'succeeded'), build(skew + 3, 'succeeded', web))
    await pass(2 * minute)
    await expect
      .poll(() => texts().slice(2).toSorted())
      .toEqual([
        expect.stringContaining('checkout has recovered'),
        expect.stringContaining('web has recovered'),
      ])
  })

  describe('nobody is notified', () => {
    test('of what was red before anybody looked, nor that it is well again', async () => {
      arrive(build(-100, 'failed'), build(-110, 'succeeded'))
      startWatch()
      await settle()
      await pass(5 * minute)
      arrive(build(3, 'succeeded'))
      await pass(5 * minute)
      expect(texts()).toEqual([])
    })

    test('anything while the picture is stale', async () => {
      await watchWell()
      arrive(build(1, 'failed'))
      picture = { ...picture, problem: problem(503, 'x', 'Busy', 'Busy.') }
      await pass(10 * minute)
      expect(texts()).toEqual([])
    })

    test('that a tile is well where that is not wanted', async () => {
      await watchWell({ recovered: false })
      arrive(build(1, 'failed'))
      await pass(minute)
      arrive(build(5, 'succeeded'))
      await pass(5 * minute)
      expect(texts()).toHaveLength(1)
    })
  })

  test('a recovery that the database did not take is sent once it does', async () => {
    await watchWell({ redFor: [0] })
    arrive(build(1, 'failed'))
    await pass(minute)
    await database.kysely.schema.alterTable('alerts').renameTo('alerts_away').execute()
    arrive(build(3, 'succeeded'))
    await pass(3 * minute)
    // What is wrong is the log's to say: it need not be that the database doesn't respond.
    const told = log.filter((line) => line.includes("couldn't be checked"))
    expect(told.join('')).toMatch(
      /"reason":"(?:no such table: |relation \\")alerts[^,]*,"msg":"1 tile /,
    )
    expect(log.join('')).not.toContain("isn't responding")
    await database.kysely.schema.alterTable('alerts_away').renameTo('alerts').execute()
    await pass(2 * minute)
    expect(texts()).toEqual([
      expect.stringContaining('checkout is failing'),
      expect.stringContaining('checkout has recovered'),
    ])
  })

  describe('a webhook', () => {
    test('that is down is tried again a few times with growing waits, and its address is not logged', async () => {
      await watchWell()
      hookStatus = 503
      arrive(build(1, 'failed'))
      await pass(3 * minute)
      const tried = hook.received.length
      expect(tried).toBeGreaterThan(1)
      expect(await countAlerts(database, start)).toEqual({ waiting: 1, failed: 0, sent: 0 })
      hookStatus = 200
      await pass(10 * minute)
      expect(hook.received).toHaveLength(tried + 1)
      expect(new Set(texts()).size).toBe(1)
      expect(audited).toEqual([
        {
          actor: { kind: 'system', name: 'Sightline' },
          from: null,
          action: 'alert-sent',
          subject: 'webhook',
          detail: texts()[0],
          outcome: 'done',
        },
      ])
      expect(log.join()).toContain('The webhook responded with 503.')
      expect(log.join()).not.toContain('canary')
      expect(log.join()).not.toContain(hook.url.host)
    })

    test('that was down gets what still matters in its order, another tile without waiting for it', async () => {
      const tiles = ['checkout', 'web'].map((project) => {
        return { title: project, query: `project:${project}`, pinned: false }
      })
      arrive(build(-10, 'succeeded'), build(-10, 'succeeded', { project: 'web' }))
      startWatch({ redFor: [0] }, { tiles })
      await settle()
      await pass(2 * minute)
      for (const [minutes, outcome] of [
        [2, 'failed'],
        [3, 'succeeded'],
        [4, 'failed'],
        [5, 'succeeded'],
        [6, 'failed'],
      ] as const) {
        arrive(build(minutes, outcome))
        await pass(minute)
        hookStatus = 503
      }
      const before = hook.received.length
      hookStatus = 200
      arrive(build(6, 'failed', { project: 'web' }))
      await pass(minute)
      expect(texts().slice(before)).toContainEqual(expect.stringContaining('web is failing'))
      await pass(20 * minute)
      const own = texts()
        .slice(before)
        .filter((text) => text.includes('checkout'))
      expect(own).toEqual([
        expect.stringContaining('has recovered. It had been failing since Jan 5, 2026, 09:02'),
        expect.stringContaining('is failing (since Jan 5, 2026, 09:06 UTC'),
      ])
    })

    test.each([
      [404, 'The webhook responded with 404. It may have been removed: check its URL.'],
      [302, "The webhook responded with 302. Redirects aren't followed: check its URL."],
    ])('that answers %i is given up at once, and not followed', async (status, reason) => {
      await watchWell()
      hookStatus = status
      arrive(build(1, 'failed'))
      await pass(10 * minute)
      expect(hook.received).toHaveLength(1)
      expect(log.join()).toContain(`dropped: ${reason}`)
      const detail = `Not sent: ${reason} ${texts()[0] ?? ''}`
      expect(audited).toMatchObject([{ action: 'alert-sent', outcome: 'failed', detail }])
      expect(await countAlerts(database, start)).toEqual({ waiting: 0, failed: 1, sent: 0 })
      expect(await countAlerts(database, clock.now())).toEqual({ waiting: 0, failed: 0, sent: 0 })
    })

    test('is tried six times at most', async () => {
      await watchWell({ redFor: [0] })
      hookStatus = 500
      arrive(build(1, 'failed'))
      await pass(70 * minute)
      expect(hook.received).toHaveLength(6)
    })

    test('is sent nothing that a build could make a mention or a link of', async () => {
      await watchWell()
      const user = '<!channel> & <https://evil.example|Build>\r\n✓\u202e\0'
      arrive(build(1, 'failed', { user, requested: ['x'.repeat(100_000)] }))
      await pass(minute)
      const [text = ''] = texts()
      expect(text).toContain('by &lt;!channel&gt; &amp; &lt;https://evil.example|Build&gt; ✓.')
      expect(text).not.toMatch(/[\n\r\0\u202e]/)
      expect(text.length).toBeLessThan(1500)
    })
  })
})
