import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import type { BranchRule } from './tile-branch.ts'
import { tileBuildsOf, lawBuilds, tileLaws } from './tile-laws.test-support.ts'
import { noSpell, spellAfter, type TileState, tileState, turnBetween } from './tile-state.ts'

const hour = 60 * 60 * 1000
const now = Date.UTC(2026, 0, 5, 12)

/** A build that ended so, `hoursAgo` before now; on a branch that nothing names unless told. */
function build(
  hoursAgo: number,
  outcome?: 'succeeded' | 'failed',
  more: Partial<Facts> = {},
): Facts {
  return {
    buildId: `b${String(Math.round(hoursAgo * 3600)).padStart(12, '0')}`,
    receivedAt: now - hoursAgo * hour,
    buildTool: 'gradle',
    buildToolVersion: '9.1',
    agentVersion: '4',
    ...(outcome === undefined ? {} : { outcome }),
    ...more,
  }
}

const on = (branch: string, commit?: string): Partial<Facts> => ({
  values: [
    { name: 'Git branch', value: branch },
    ...(commit === undefined ? [] : [{ name: 'Git commit id', value: commit }]),
  ],
})

function stateOf(
  builds: readonly Facts[],
  at: Partial<{ now: number; timeZone: string }> = {},
  rule?: BranchRule,
): TileState {
  return tileState(tileBuildsOf(builds), { now, timeZone: 'UTC', ...at }, rule)
}

test.each(tileLaws)('$law', ({ builds, rule, state }) => {
  expect(stateOf(lawBuilds(builds, now), {}, rule)).toMatchObject(state)
})

test('what one project of a tile has broken, the success of another does not fix', () => {
  const state = stateOf([
    ...lawBuilds('main c1 check F; main c1 lint S', now, 'checkout'),
    ...lawBuilds('main c7 check S', now + 1000, 'web'),
  ])
  expect(state).toMatchObject({ status: 'failing', inARow: 1, between: 2 })
})

test('what is rarely built stays red, however many builds of others come after it, in whatever order', () => {
  const rare = lawBuilds('main c1 check F; main c1 lint S', now, 'rare')
  const busy = lawBuilds('main c2 check S x500', now + 501 * 60_000, 'busy')
  for (const builds of [[...rare, ...busy], [...rare, ...busy].reverse()]) {
    const { status, breaking, inARow, isMore } = stateOf(builds)
    expect({ status, breaking: breaking?.buildId, inARow, isMore }).toEqual({
      status: 'failing',
      breaking: rare[0]?.buildId,
      inARow: 1,
      isMore: true,
    })
  }
  // Its fix is seen, too, and ten successes end it for good.
  const fixed = lawBuilds('main c1 check F; main c3 check S', now, 'rare')
  expect(stateOf([...busy, ...fixed]).status).toBe('healthy')
  const gone = lawBuilds('main c1 check F job=old; main c3 check S job=new x10', now, 'rare')
  expect(stateOf([...gone, ...busy]).status).toBe('healthy')
  expect(stateOf([...gone, ...busy].reverse()).status).toBe('healthy')
})

test('a slow build of an older commit does not hide that a newer one has failed', () => {
  const built = (commit: string, ended: number, hours: number, outcome: 'succeeded' | 'failed') =>
    build(ended, outcome, { ...on('main', commit), project: 'shop', durationMs: hours * hour })
  const newest = built('c5', 3, 0.5, 'failed')
  const slow = built('c3', 2, 4, 'failed')
  const between = built('c4', 1, 3, 'succeeded')
  expect(stateOf([newest, slow, between])).toMatchObject({ status: 'failing', inARow: 2 })
  expect(stateOf([newest, slow, between, built('c6', 0, 0.1, 'succeeded')]).status).toBe('healthy')
})

test('a failure of a machine whose clock is ahead is fixed by what comes after it', () => {
  const ahead = { ...on('main', 'c1'), startTime: now + 24 * hour, durationMs: 1000 }
  const failed = build(3, 'failed', ahead)
  expect(stateOf([failed]).status).toBe('failing')
  const fixed = { ...on('main', 'c2'), startTime: now - 2 * hour, durationMs: 1000 }
  expect(stateOf([failed, build(1, 'succeeded', fixed)]).status).toBe('healthy')
})

test('builds of several projects are complete while none of them has lost one', () => {
  const of = (project: string, ended: number, outcome: 'succeeded' | 'failed', task: string) =>
    build(ended, outcome, { ...on('main', 'c1'), project, requested: [task] })
  const before = [of('shop', 5, 'failed', 'check'), of('shop', 6, 'succeeded', 'check')]
  const stretch = { status: 'failing', inARow: 1, isOpen: false, isMore: false }
  const lint = (project: string, hours: readonly number[]) =>
    hours.map((ended) => of(project, ended, 'succeeded', 'lint'))
  const both = [...lint('shop', [1, 2, 3]), ...lint('web', [1.5, 2.5, 3.5])]
  expect(stateOf([...both, ...before])).toMatchObject(stretch)
  // Twelve of another are kept at least, so that before these there may have been more.
  const busy = Array.from({ length: 12 }, (_, at) => of('busy', at / 100, 'succeeded', 'lint'))
  expect(stateOf([...busy, ...both, ...before]).isMore).toBe(true)
  const early = Array.from({ length: 12 }, (_, at) => of('busy', 7 + at, 'succeeded', 'lint'))
  expect(stateOf([...both, ...before, ...early]).isMore).toBe(false)
  // Of one project alone all are kept.
  const many = Array.from({ length: 40 }, (_, at) => of('shop', at / 100, 'failed', 'check'))
  expect(stateOf([...many, ...before])).toMatchObject({ ...stretch, inARow: 41 })
})

test('where the beginning of failures is forgotten amid successes of others, it was before what is known', () => {
  const mixed = 'main c1 test F job=a; main c2 lint S job=b'
  const busy = lawBuilds(Array.from({ length: 100 }, () => mixed).join(';'), now)
  expect(stateOf(busy)).toMatchObject({
    status: 'failing',
    inARow: 30,
    isOpen: true,
    news: undefined,
    breaking: { commits: [] },
  })
  // What is known of all builds is known to begin there, and so is what nothing before could have hidden.
  expect(stateOf(lawBuilds('main c0 lint S job=b; main c1 test F job=a', now)).isOpen).toBe(false)
  const nightly = 'main c1 lint S job=b x100; main c2 test F job=a'
  expect(stateOf(lawBuilds(nightly, now))).toMatchObject({ isOpen: false, news: 'failed' })
  const same = `main c0 test S job=a; ${mixed}; ${mixed}; ${mixed}; ${mixed}; ${mixed}; ${mixed}`
  expect(stateOf(lawBuilds(same, now))).toMatchObject({ isOpen: false, inARow: 6 })
})

test('since when, and how many in a row, are of the same stretch', () => {
  const flaky = 'main c1 check S x30; main c2 check F; main c2 check S'
  const [first] = lawBuilds(flaky, now).slice(-1)
  expect(stateOf(lawBuilds(flaky, now))).toMatchObject({
    status: 'flaky',
    inARow: 1,
    since: first?.receivedAt,
    isOpen: false,
  })
  const green = lawBuilds(`${flaky}; main c3 check S x9`, now)
  expect(stateOf(green)).toMatchObject({
    status: 'healthy',
    inARow: 10,
    since: green.at(-10)?.receivedAt,
    isOpen: false,
  })
})

test('a tile fails, fails anew after a success between two looks, and recovers', () => {
  const look = (builds: string) => stateOf(lawBuilds(builds, now))
  const good = spellAfter(noSpell, look('main c1 check S'))
  expect(good).toBe(noSpell)
  const broken = spellAfter(good, look('main c1 check S; main c2 check F'))
  expect(turnBetween(good, broken)).toBe('failed')
  expect(spellAfter(broken, stateOf([]))).toBe(broken)
  const anew = spellAfter(
    broken,
    stateOf(
      lawBuilds(
        'main c1 check S; main c2 check F; main c3 check S; main c4 check F',
        now + 120_000,
      ),
    ),
  )
  expect(turnBetween(broken, anew)).toBe('failed')
  expect(turnBetween(anew, anew)).toBeUndefined()
  expect(turnBetween(anew, spellAfter(anew, look('main c5 check S')))).toBe('recovered')
})

describe('a tile', () => {
  test('without builds is empty', () => {
    expect(stateOf([])).toMatchObject({
      status: 'empty',
      newest: undefined,
      since: undefined,
      inARow: 0,
    })
  })

  test('whose builds are all being stored is unknown', () => {
    expect(stateOf([build(2), build(1)])).toMatchObject({
      status: 'unknown',
      storing: 2,
      strip: [],
    })
  })

  test('is failing while the last finished build failed, whatever is stored after it', () => {
    const state = stateOf([build(0), build(1), build(2, 'failed'), build(3, 'succeeded')])
    expect(state).toMatchObject({ status: 'failing', storing: 2, inARow: 1, isOpen: false })
    // What is older than the newest that has ended will not say how it stands.
    expect(stateOf([build(1), build(2, 'failed'), build(3)]).storing).toBe(1)
    expect(state.newest?.buildId).toBe(build(2).buildId)
  })

  test('names the build with which the failures began', () => {
    const first = build(5, 'failed', { ...on('main'), requested: [':app:check'], user: 'ann' })
    const state = stateOf([
      build(1, 'failed', { user: 'ben' }),
      build(3, 'failed', { user: 'cem' }),
      first,
      build(6, 'succeeded'),
    ])
    expect(state).toMatchObject({ inARow: 3, since: first.receivedAt, isOpen: false })
    expect(state.breaking).toMatchObject({
      buildId: first.buildId,
      receivedAt: first.receivedAt,
      requested: [':app:check'],
      branch: 'main',
      user: 'ann',
    })
  })

  test('names the last success of the same work before it, and the commits that were built between', () => {
    const all = lawBuilds(
      'main c1 check S; main c1 lint S; main c2 lint S; main c3 lint S; main c4 check F; main c5 check F',
      now,
    )
    const { breaking } = stateOf(all)
    expect(breaking?.lastGood).toBe(all[0]?.buildId)
    expect(breaking?.commits.map(({ commit }) => commit)).toEqual(['c4', 'c3', 'c2'])
    // Of other work, where the same has never succeeded; of another project, never.
    const other = lawBuilds('main c1 lint S; main c2 check F', now)
    expect(stateOf(other).breaking?.lastGood).toBe(other[0]?.buildId)
    const [foreign] = lawBuilds('main c0 check S', now - 500_000, 'another')
    const alone = stateOf([...lawBuilds('main c2 check F', now), ...(foreign ? [foreign] : [])])
    expect(alone.breaking).toMatchObject({ lastGood: undefined, commits: [] })
  })

  test('names the cause of the build with which it began, whatever failed later', () => {
    const failed = (name: string) => ({
      requested: ['check'],
      tests: { failed: [{ task: ':test', name }], flaky: [], passedTasks: [] },
    })
    const state = stateOf([
      build(1, 'failed', failed('CartTest.pays')),
      build(2, 'failed', failed('FooTest.bar')),
      build(3, 'succeeded', { requested: ['check'] }),
    ])
    expect(state.breaking?.cause?.what).toBe('FooTest.bar')
  })

  test('says who committed before the account that ran the build, and why by the newest failure that knows', () => {
    const author = { name: 'Git Author', value: 'Ann' }
    const tests = { failed: [{ task: ':test', name: 'CartTest.pays' }], flaky: [], passedTasks: [] }
    const state = stateOf([
      build(1, 'failed', { tests, requested: ['check'] }),
      build(2, 'failed', { user: 'runner', requested: ['check'], values: [author] }),
      build(3, 'succeeded', { requested: ['check'] }),
    ])
    expect(state.breaking).toMatchObject({ user: 'Ann', cause: { what: 'CartTest.pays' } })
    expect(state.times).toBe(2)
    const failure = { message: 'expected 3\nbut was 4', task: ':app:test' }
    const causeOf = (more: Partial<Facts>) => stateOf([build(1, 'failed', more)]).breaking?.cause
    expect(causeOf({ failure })).toEqual({ what: ':app:test', message: 'expected 3' })
    expect(causeOf({ failure, tests })).toEqual({ what: 'CartTest.pays', message: 'expected 3' })
    const failedTest = { className: 'a.b.CartTest', name: 'pays', others: 2 }
    expect(causeOf({ failure: { ...failure, test: failedTest } })?.what).toBe('CartTest.pays')
    expect(causeOf({ failure: null })).toBeUndefined()
  })

  test('is fixed for an hour, or until the next build', () => {
    const fixed = (text: string, minutes: number) =>
      stateOf(lawBuilds(text, now - minutes * 60_000)).news
    expect(fixed('main c1 check F; main c2 check S x3', 50)).toBe('fixed')
    expect(fixed('main c1 check F; main c2 check S x3', 60)).toBeUndefined()
    expect(fixed('main c1 check F; main c2 check S', 3000)).toBe('fixed')
  })

  test('that was slower long ago is not slower now', () => {
    const slow = lawBuilds('main c1 check S took=600 x20; main c2 check S took=780 x3', now)
    expect(stateOf(slow, { now: now + 6 * 24 * hour }).status).toBe('slower')
    expect(stateOf(slow, { now: now + 8 * 24 * hour }).status).toBe('healthy')
    expect(stateOf(slow).slower).toEqual({
      buildId: slow.at(-1)?.buildId,
      before: slow.at(-4)?.buildId,
      recentMs: 780_000,
      usualMs: 600_000,
      requested: ['check'],
    })
  })

  test('finds the branch in a tag where no value says it', () => {
    const state = stateOf([build(1, 'failed', { tags: ['CI', 'branch:pr-812'] })])
    expect(state.breaking?.branch).toBe('pr-812')
    expect(state.isOpen).toBe(true)
  })

  test('shows the last 20 outcomes, the oldest first', () => {
    const builds = Array.from({ length: 30 }, (_, index) =>
      build(index, index === 0 ? 'failed' : 'succeeded'),
    )
    const { strip } = stateOf(builds)
    expect(strip).toHaveLength(20)
    expect(strip.at(-1)).toEqual({ buildId: build(0).buildId, outcome: 'failed' })
  })

  test('compares the durations of today with all', () => {
    const builds = [
      build(1, 'succeeded', { durationMs: 100 }),
      build(2, 'succeeded', { durationMs: 300 }),
      build(3, 'succeeded'),
      build(13, 'succeeded', { durationMs: 500 }),
    ]
    expect(stateOf(builds).durations).toEqual({ medianMs: 300, todayMs: 200, today: 2 })
    // In Auckland the day has begun 13 hours earlier, at 11:00 UTC.
    const there = stateOf(builds, { timeZone: 'Pacific/Auckland' }).durations
    expect(there).toEqual({ medianMs: 300, todayMs: 100, today: 1 })
    expect(() => stateOf(builds, { timeZone: 'Nowhere/At-All' })).toThrow(RangeError)
  })

  test('says the same in whatever order its builds arrive', () => {
    const outcomes = fc.constantFrom('succeeded' as const, 'failed' as const, undefined)
    fc.assert(
      fc.property(
        fc
          .array(fc.tuple(outcomes, fc.constantFrom('main', 'other')), { maxLength: 60 })
          .map((all) =>
            all.map(([outcome, branch], index) => build(index * 0.7, outcome, on(branch))),
          )
          .chain((all) =>
            fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
          ),
        ([all, shuffled]) => {
          const state = stateOf(all)
          expect(stateOf([...shuffled, ...all])).toEqual(state)
          const isMain = ({ values }: Facts) => values?.[0]?.value === 'main'
          const finished = all.filter(({ outcome }) => outcome !== undefined)
          const [last] = finished.some(isMain) ? finished.filter(isMain) : finished
          expect(state.status === 'failing').toBe(last?.outcome === 'failed')
          expect(state.breaking !== undefined).toBe(state.status === 'failing')
          expect(state.flaky !== undefined).toBe(state.status === 'flaky')
          if (state.since !== undefined)
            expect(state.since).toBeLessThanOrEqual(state.newest?.receivedAt ?? 0)
        },
      ),
    )
  })
})
