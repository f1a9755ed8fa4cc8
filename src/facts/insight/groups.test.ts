import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import type { BuildFailure, Facts } from '../../protocol/facts.ts'
import { type BuildGrouping, buildGroupings } from '../../protocol/insight.ts'
import {
  type BuildRows,
  createBuildRows,
  createRowWriter,
  type KeyedFailure,
  startOf,
  textOf,
} from './build-rows.ts'
import { groupBuilds } from './groups.ts'

const keyOf = ({ exception, message }: BuildFailure): string => `${exception ?? ''} ${message}`

function keyed(failures: readonly BuildFailure[]): readonly KeyedFailure[] {
  return failures.map((failure) => ({ failure, key: keyOf(failure) }))
}

const build = fc.record(
  {
    buildId: fc.constant(''),
    receivedAt: fc.integer({ min: 1_000_000, max: 1_000_400 }),
    startTime: fc.option(fc.integer({ min: 1_000_000, max: 1_000_400 })),
    buildTool: fc.constantFrom('gradle', 'maven'),
    buildToolVersion: fc.constant('9'),
    agentVersion: fc.constant('4'),
    project: fc.option(fc.constantFrom('', 'checkout', 'payments', 'core')),
    user: fc.constantFrom('ada', 'ben'),
    values: fc.constantFrom<NonNullable<Facts['values']>[]>(
      [],
      [{ name: 'Git branch', value: 'main' }],
    ),
    requested: fc.constantFrom<string[][]>([], ['test'], ['clean', 'build']),
    outcome: fc.option(fc.constantFrom<('succeeded' | 'failed')[]>('succeeded', 'failed')),
    durationMs: fc.option(fc.integer({ min: 0, max: 1000 })),
  },
  { requiredKeys: ['buildId', 'receivedAt', 'buildTool', 'buildToolVersion', 'agentVersion'] },
)

const builds = fc
  .array(build, { maxLength: 80 })
  .map((all) => all.map((one, index): Facts => ({ ...one, buildId: `b${index}` })))

const failures = fc.array(
  fc.array(
    fc.record({
      message: fc.constantFrom('timed out', 'no such host'),
      exception: fc.constantFrom('A', 'B'),
    }),
    { maxLength: 5 },
  ),
  { minLength: 80, maxLength: 80 },
)

/** In batches, as pages come in. */
function rowsOf(all: readonly Facts[], pageLength: number): BuildRows {
  const rows = createBuildRows()
  const write = createRowWriter()
  for (let from = 0; from < all.length; from += pageLength) {
    rows.append(write(all.slice(from, from + pageLength)))
  }
  return rows
}

interface Counted {
  builds: number
  failed: number
  unknown: number | undefined
  firstSeen: number
  lastSeen: number
}

/** What a plain loop over the same builds counts. */
function plainly(
  all: readonly Facts[],
  namesOf: (facts: Facts, index: number) => readonly (string | null)[],
): Map<string | null, Counted> {
  const groups = new Map<string | null, Counted & { unknown: number }>()
  for (const [index, facts] of all.entries()) {
    for (const name of namesOf(facts, index)) {
      const at = startOf(facts)
      const group = groups.get(name) ?? {
        ...{ builds: 0, failed: 0, unknown: 0 },
        ...{ firstSeen: at, lastSeen: at },
      }
      groups.set(name, group)
      group.builds += 1
      if (facts.outcome === 'failed') group.failed += 1
      if (typeof facts.outcome !== 'string') group.unknown += 1
      group.firstSeen = Math.min(group.firstSeen, at)
      group.lastSeen = Math.max(group.lastSeen, at)
    }
  }
  return groups
}

function countedIn(rows: BuildRows, by: BuildGrouping): Map<string | null, Counted> {
  return new Map(
    groupBuilds(rows, by).groups.map(({ key, builds, failed, unknown, firstSeen, lastSeen }) => [
      key,
      { builds, failed, unknown, firstSeen, lastSeen },
    ]),
  )
}

test('a build dated by a wrong clock is counted, but its time is only that of a group of its own', () => {
  const [begin, wrong] = [1_780_000_000_000, 253_402_300_799_000]
  const dated = (index: number, startTime: number, project: string): Facts => ({
    ...{ buildId: `b${index}`, receivedAt: begin, buildTool: 'gradle' },
    ...{ buildToolVersion: '9', agentVersion: '4', startTime, project },
  })
  const usual = Array.from({ length: 40 }, (_, index) => dated(index, begin + index, 'shop'))
  const all = [dated(40, wrong, 'shop'), ...usual, dated(41, wrong, 'odd')]
  const { groups } = groupBuilds(rowsOf(all, 50), 'project')
  expect(groups.map(({ builds, lastSeen }) => [builds, lastSeen])).toEqual([
    [41, begin + 39],
    [1, wrong],
  ])
  const [shop] = groups
  expect(shop?.newestBuild).toBe('b39')
  expect(shop?.bars.reduce((sum, bar) => sum + bar.builds, 0)).toBe(40)
})

describe('groups of builds', () => {
  test('are what a plain loop counts, however the builds came in', () => {
    const by = fc.constantFrom(...buildGroupings.filter((one) => one !== 'failure'))
    fc.assert(
      fc.property(builds, by, fc.integer({ min: 1, max: 90 }), (all, facet, pageLength) => {
        const expected = plainly(all, (facts) => [
          facet === 'outcome' ? (facts.outcome ?? null) : nameOf(textOf(facts, facet)),
        ])
        expect(countedIn(rowsOf(all, pageLength), facet)).toEqual(expected)
      }),
      { numRuns: runs(300) },
    )
  })

  test('by failure have each failed build once for each failure, those of unknown failures under null', () => {
    fc.assert(
      fc.property(builds, failures, (all, of) => {
        const rows = rowsOf(all, 30)
        for (const [index, several] of of.entries()) rows.setFailures(`b${index}`, keyed(several))
        const expected = plainly(all, (facts, index) => {
          if (facts.outcome !== 'failed') return []
          const keys = new Set((of[index] ?? []).map(keyOf))
          return keys.size === 0 ? [null] : [...keys]
        })
        expect(countedIn(rows, 'failure')).toEqual(expected)
        expect(groupBuilds(rows, 'failure').failed).toBe(
          all.filter(({ outcome }) => outcome === 'failed').length,
        )
      }),
      { numRuns: runs(300) },
    )
  })

  test('stand largest first, with bars of equal width that have every build once', () => {
    fc.assert(
      fc.property(builds, (all) => {
        const { groups, allGroups, builds: count } = groupBuilds(rowsOf(all, 7), 'project')
        expect(count).toBe(all.length)
        expect(allGroups).toBe(groups.length)
        const sizes = groups.map((group) => group.builds)
        expect(sizes).toEqual([...sizes].sort((a, b) => b - a))
        for (const group of groups) {
          expect(group.bars.length).toBeLessThanOrEqual(30)
          expect(group.bars.reduce((sum, bar) => sum + bar.builds, 0)).toBe(group.builds)
          expect(group.bars.reduce((sum, bar) => sum + bar.failed, 0)).toBe(group.failed)
          expect(group.bars.reduce((sum, bar) => sum + (bar.unknown ?? 0), 0)).toBe(group.unknown)
          const [first, second, third] = group.bars
          if (first && second && third) {
            expect(third.from - second.from).toBe(second.from - first.from)
          }
        }
      }),
      { numRuns: runs(300) },
    )
  })

  test('name their newest build, and its failure', () => {
    const all = [failedBuild('old', 10), failedBuild('new', 30), failedBuild('middle', 20)]
    const rows = rowsOf(all, 2)
    for (const { buildId } of all) {
      const failure = { message: 'timed out', exception: 'A', task: buildId }
      rows.setFailures(buildId, keyed([{ message: 'other', task: buildId }, failure]))
    }
    const group = groupBuilds(rows, 'failure').groups.find(({ key }) => key === 'A timed out')
    expect(group).toMatchObject({ newestBuild: 'new', failure: { task: 'new' }, builds: 3 })
  })

  test('are at most 200, and say how many there are', () => {
    const all = Array.from({ length: 500 }, (_, index) => ({
      ...failedBuild(`b${index}`, index),
      project: `p${index}`,
    }))
    const { groups, allGroups } = groupBuilds(rowsOf(all, 100), 'project')
    expect([groups.length, allGroups]).toEqual([200, 500])
  })
})

test('the newest failed builds come first where failures are to be looked up', () => {
  const rows = rowsOf([failedBuild('a', 1), failedBuild('c', 3), failedBuild('b', 2)], 10)
  expect(rows.withoutFailure(2)).toEqual(['c', 'b'])
  rows.setFailures('c', [])
  expect(rows.withoutFailure(2)).toEqual(['b', 'a'])
  expect(rows.failures()).toEqual({ all: 3, known: 1 })
})

function nameOf(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text
}

function failedBuild(buildId: string, startTime: number): Facts {
  return {
    buildId,
    startTime,
    receivedAt: startTime + 5,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'checkout',
    outcome: 'failed',
  }
}

test('a group has the commonest spelling of its text, whichever came first and whatever else is called so', () => {
  const spelled = (user: string, project: string, index: number): Facts => ({
    buildId: `b${index}`,
    receivedAt: index,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    user,
    project,
  })
  const users = ['ADA', 'ada', 'Ada', 'ada', 'ΟΔΟΣ', 'οδος', 'οδος']
  const all = users.map((user, index) => spelled(user, 'ADA', index))
  for (const pageLength of [1, 3, 100]) {
    const rows = rowsOf(all, pageLength)
    expect(groupBuilds(rows, 'user').groups.map(({ key, builds }) => [key, builds])).toEqual([
      ['ada', 4],
      ['οδος', 3],
    ])
    expect(groupBuilds(rows, 'project').groups.map(({ key }) => key)).toEqual(['ADA'])
  }
})
