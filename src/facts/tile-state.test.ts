import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { Facts } from '../protocol/facts.ts'
import { addBuild, noBuilds } from './tile-builds.ts'
import { bothOutcomes, flakySince, localDay, type TileState, tileState } from './tile-state.ts'

const hour = 60 * 60 * 1000
const now = Date.UTC(2026, 0, 5, 12)

/** A build that ended so, `hoursAgo` before now; on a branch of its own unless told. */
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
): TileState {
  return tileState(builds.reduce(addBuild, noBuilds), { now, timeZone: 'UTC', ...at })
}

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
    expect(state.breaking).toEqual({
      buildId: first.buildId,
      receivedAt: first.receivedAt,
      requested: [':app:check'],
      branch: 'main',
      user: 'ann',
    })
  })

  test('finds the branch in a tag where no value says it', () => {
    const state = stateOf([build(1, 'failed', { tags: ['CI', 'branch:pr-812'] })])
    expect(state.breaking?.branch).toBe('pr-812')
    expect(state.isOpen).toBe(true)
  })

  test.each([
    ['one commit failed and succeeded', [on('main', 'c1'), on('main', 'c1')], 23, 'commit', 'c1'],
    ['one branch failed and succeeded', [on('main', 'c2'), on('main', 'c1')], 23, 'branch', 'main'],
  ] as const)('is flaky when %s within a day', (_, [later, earlier], hours, of, name) => {
    const state = stateOf([build(0, 'succeeded', later), build(hours, 'failed', earlier)])
    expect(state).toMatchObject({ status: 'flaky', flaky: { of, name }, inARow: 1, since: now })
  })

  test.each([
    ['the day has passed', [on('main'), on('main')], 24],
    ['it was another branch', [on('main'), on('other')], 2],
    ['nothing says the branch', [{}, {}], 2],
  ] as const)('is healthy after a failure when %s', (_, [later, earlier], hours) => {
    const state = stateOf([build(0, 'succeeded', later), build(hours, 'failed', earlier)])
    expect(state).toMatchObject({ status: 'healthy', flaky: undefined, breaking: undefined })
  })

  test('is healthy since the build that was healthy first', () => {
    const main = on('main')
    const state = stateOf([
      build(1, 'succeeded', main),
      build(3, 'succeeded', main),
      build(20, 'succeeded', main),
      build(28, 'failed', main),
    ])
    // 20 hours ago it was flaky; 3 hours ago the failure was more than a day old.
    expect(state).toMatchObject({ status: 'healthy', inARow: 3, since: now - 3 * hour })
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
          const [last] = all.filter(({ outcome }) => outcome !== undefined)
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

/** Builds of a few branches and commits over several days, the newest first. */
const builds = fc
  .array(
    fc.record({
      outcome: fc.constantFrom('succeeded' as const, 'failed' as const),
      branch: fc.constantFrom('main', 'other', undefined),
      commit: fc.constantFrom('c1', 'c2', undefined),
      hours: fc.integer({ min: 0, max: 14 }),
    }),
    { maxLength: 30 },
  )
  .map((all) => {
    let receivedAt = Date.UTC(2026, 0, 5)
    return all.map(({ outcome, branch, commit, hours }, index): Facts => {
      receivedAt -= hours * hour
      const values = [
        ...(branch === undefined ? [] : [{ name: 'Git branch', value: branch }]),
        ...(commit === undefined ? [] : [{ name: 'Git commit id', value: commit }]),
      ]
      const tool = { buildTool: 'gradle', buildToolVersion: '9', agentVersion: '4' }
      return { buildId: `b${index}`, receivedAt, outcome, values, ...tool }
    })
  })

test('it was flaky whenever something had had both outcomes by then', () => {
  fc.assert(
    fc.property(builds, (finished) => {
      const byThen = finished.map((_, index) => bothOutcomes(finished.slice(index)) !== undefined)
      expect(flakySince(finished)).toEqual(byThen)
    }),
    { numRuns: runs(1000) },
  )
})

test('what has had both outcomes has builds within a day of the newest that say so', () => {
  fc.assert(
    fc.property(builds, (finished) => {
      const found = bothOutcomes(finished)
      if (found === undefined) return
      const name = found.of === 'commit' ? 'Git commit id' : 'Git branch'
      const recent = finished.filter(
        ({ receivedAt }) => receivedAt > (finished[0]?.receivedAt ?? 0) - 24 * hour,
      )
      const outcomes = recent.flatMap(({ values, outcome }) =>
        values?.some((one) => one.name === name && one.value === found.name) ? [outcome] : [],
      )
      expect(new Set(outcomes)).toEqual(new Set(['succeeded', 'failed']))
    }),
  )
})

test.each([
  ['UTC', Date.UTC(2026, 0, 5, 12), Date.UTC(2026, 0, 5), 24],
  ['UTC', Date.UTC(2026, 0, 5), Date.UTC(2026, 0, 5), 24],
  ['UTC', Date.UTC(2026, 0, 6) - 1, Date.UTC(2026, 0, 5), 24],
  ['Pacific/Auckland', Date.UTC(2026, 0, 5, 12), Date.UTC(2026, 0, 5, 11), 24],
  // Clocks go forward, and back.
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 12), Date.UTC(2026, 2, 28, 23), 23],
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 12), Date.UTC(2026, 9, 24, 22), 25],
] as const)('in %s the day of %d is whole', (zone, instant, from, hours) => {
  expect(localDay(instant, zone)).toEqual({ from, to: from + hours * hour })
})

test('whatever was asked before, an instant is of the day that has its date', () => {
  const zone = fc.constantFrom('UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe')
  const instants = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2027, 0) })
  fc.assert(
    fc.property(zone, instants, instants, (timeZone, one, other) => {
      const date = (at: number) => new Date(at).toLocaleDateString('en-CA', { timeZone })
      const { from, to } = localDay(one, timeZone)
      expect(other >= from && other < to).toBe(date(other) === date(one))
      expect([date(from), date(to - 1)]).toEqual([date(one), date(one)])
      expect([date(from - 1), date(to)]).not.toContain(date(one))
    }),
  )
})

test('a zone that there is not is refused', () => {
  expect(() => localDay(0, 'Nowhere/At-All')).toThrow(RangeError)
})
