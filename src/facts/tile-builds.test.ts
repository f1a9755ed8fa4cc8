import fc from 'fast-check'
import { tileBuildsOf } from './tile-laws.test-support.ts'
import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { addBuild, addBuilds, keepBuilds, noBuilds } from './tile-builds.ts'

function build(number: number, more: Partial<Facts> = {}): Facts {
  return {
    buildId: `b${String(number).padStart(12, '0')}`,
    receivedAt: 1000 * number,
    buildTool: 'gradle',
    buildToolVersion: '9.1',
    agentVersion: '4',
    ...more,
  }
}

/** Of three projects, one of which is built rarely. */
function projectOf(number: number): string {
  return number < 20 ? 'rare' : number % 2 === 0 ? 'a' : 'b'
}

/** Arrivals: the announcement of a build, and what becomes known of it, in any order. */
const arrivals = fc
  .uniqueArray(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 150 })
  .chain((numbers) =>
    fc
      .tuple(
        ...numbers.map((number) =>
          fc.record({
            // Times tie now and then.
            receivedAt: fc.constant(1000 * Math.floor(number / 3)),
            outcome: fc.constantFrom('succeeded' as const, 'failed' as const, undefined),
          }),
        ),
      )
      .map((details) =>
        details.flatMap(({ receivedAt, outcome }, index) => {
          const announced = build(numbers[index] ?? 0, {
            receivedAt,
            project: projectOf(numbers[index] ?? 0),
          })
          return outcome === undefined
            ? [announced]
            : [announced, { ...announced, outcome, tags: ['a'] }]
        }),
      ),
  )

describe('the builds of a tile', () => {
  test('are the same in whatever order they arrive', () => {
    fc.assert(
      fc.property(
        arrivals.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([all, shuffled]) => {
          expect(tileBuildsOf(shuffled)).toEqual(tileBuildsOf(all))
        },
      ),
    )
  })

  test('are the same whether they arrive one by one or many at once', () => {
    fc.assert(
      fc.property(arrivals, fc.array(fc.nat({ max: 300 }), { maxLength: 5 }), (all, cuts) => {
        const whole = all.reduce(addBuild, noBuilds)
        expect(tileBuildsOf(all)).toEqual(whole)
        const edges = [0, ...cuts.map((cut) => cut % all.length).sort((a, b) => a - b), all.length]
        const parts = edges.slice(1).map((end, index) => all.slice(edges[index], end))
        expect(parts.reduce(addBuilds, noBuilds)).toEqual(whole)
      }),
    )
  })

  test('are the very same object when something arrives for the second time', () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        const tile = tileBuildsOf(all)
        for (const facts of all) expect(addBuild(tile, facts)).toBe(tile)
        for (const facts of all) expect(addBuild(tile, structuredClone(facts))).toBe(tile)
      }),
    )
  })

  test('are the newest of all and of each project, newest first, and not more than are kept', () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        const { mainline: finished, newest } = tileBuildsOf(all)
        const known = new Map(all.map((facts) => [facts.buildId, facts]))
        const order = [...known.values()].sort(
          (a, b) => b.receivedAt - a.receivedAt || (a.buildId < b.buildId ? 1 : -1),
        )
        const ids = (builds: readonly Facts[]): string[] => builds.map(({ buildId }) => buildId)
        expect(ids(newest)).toEqual(ids(order).slice(0, 10))
        const isFailed = ({ outcome }: Facts): number => Number(outcome === 'failed')
        const ended = order
          .filter(({ outcome }) => outcome !== undefined)
          .sort((a, b) => b.receivedAt - a.receivedAt || isFailed(b) - isFailed(a))
        const isKept = (facts: Facts, index: number): boolean =>
          index < 60 ||
          ended.slice(0, index).filter(({ project }) => project === facts.project).length < 12
        expect(ids(finished)).toEqual(ids(ended.filter(isKept)))
      }),
    )
  })

  test('have a failure after a success that was received in the same millisecond, whatever their ids', () => {
    const at = { receivedAt: 7 }
    for (const [one, other] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const builds = [
        build(one, { ...at, outcome: 'failed' }),
        build(other, { ...at, outcome: 'succeeded' }),
      ]
      const [newest] = tileBuildsOf(builds).mainline
      expect(newest?.outcome).toBe('failed')
    }
  })

  test('keep the last failure however many builds are stored after it', () => {
    const stored = Array.from({ length: 500 }, (_, index) => build(index + 2))
    const { mainline: finished, newest } = tileBuildsOf([
      build(1, { outcome: 'failed' }),
      ...stored,
    ])
    expect(finished.map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(newest).toHaveLength(10)
  })

  test('know more when more becomes known, and forget nothing when less comes later', () => {
    const full = build(1, { outcome: 'failed', user: 'ann', fields: { 'gradle.x': 1 } })
    const { mainline: finished } = tileBuildsOf([full, build(1)])
    expect(finished).toEqual([full])
    const more = addBuild(tileBuildsOf([full]), { ...full, fields: { 'gradle.y': 2 } })
    expect(more.mainline[0]?.fields).toEqual({ 'gradle.x': 1, 'gradle.y': 2 })
  })

  test('of pull requests and other branches never displace those of a mainline', () => {
    const on = (branch: string, ...tags: string[]): Partial<Facts> => ({
      outcome: 'succeeded',
      values: [{ name: 'Git branch', value: branch }],
      tags,
    })
    const many = Array.from({ length: 300 }, (_, index) =>
      build(index + 2, index % 2 === 0 ? on('feature/x', 'PR-1') : on('develop')),
    )
    const tile = tileBuildsOf([build(1, { ...on('main'), outcome: 'failed' }), ...many])
    const counts = [tile.mainline.length, tile.branches.length, tile.drafts.length]
    expect(counts).toEqual([1, 60, 40])
  })

  test('move when it becomes known where they belong', () => {
    const tile = tileBuildsOf([
      build(1, { outcome: 'failed' }),
      build(1, { outcome: 'failed', tags: ['PR-1'] }),
    ])
    expect([tile.mainline, tile.drafts.map(({ buildId }) => buildId)]).toEqual([
      [],
      [build(1).buildId],
    ])
  })

  test('that no longer belong to a tile leave it', () => {
    const tile = tileBuildsOf([build(1, { outcome: 'failed' }), build(2)])
    expect(keepBuilds(tile, () => true)).toBe(tile)
    expect(keepBuilds(tile, () => false)).toEqual(noBuilds)
  })
})
