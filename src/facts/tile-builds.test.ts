import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { addBuild, noBuilds, type TileBuilds } from './tile-builds.ts'

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

function tileOf(builds: readonly Facts[]): TileBuilds {
  return builds.reduce(addBuild, noBuilds)
}

/** Arrivals: the announcement of a build, and what becomes known of it, in any order. */
const arrivals = fc
  .uniqueArray(fc.integer({ min: 0, max: 90 }), { minLength: 1, maxLength: 80 })
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
          const announced = build(numbers[index] ?? 0, { receivedAt })
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
          expect(tileOf(shuffled)).toEqual(tileOf(all))
        },
      ),
    )
  })

  test('are the very same object when something arrives for the second time', () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        const tile = tileOf(all)
        for (const facts of all) expect(addBuild(tile, facts)).toBe(tile)
        for (const facts of all) expect(addBuild(tile, structuredClone(facts))).toBe(tile)
      }),
    )
  })

  test('are 50 at most, the newest, newest first', () => {
    fc.assert(
      fc.property(arrivals, (all) => {
        const { finished, newest } = tileOf(all)
        const known = new Map(all.map((facts) => [facts.buildId, facts]))
        const order = [...known.values()].sort(
          (a, b) => b.receivedAt - a.receivedAt || (a.buildId < b.buildId ? 1 : -1),
        )
        const ids = (builds: readonly Facts[]): string[] => builds.map(({ buildId }) => buildId)
        expect(ids(newest)).toEqual(ids(order).slice(0, 10))
        expect(ids(finished)).toEqual(
          ids(order.filter(({ outcome }) => outcome !== undefined)).slice(0, 40),
        )
      }),
    )
  })

  test('keep the last failure however many builds are stored after it', () => {
    const stored = Array.from({ length: 500 }, (_, index) => build(index + 2))
    const { finished, newest } = tileOf([build(1, { outcome: 'failed' }), ...stored])
    expect(finished.map(({ outcome }) => outcome)).toEqual(['failed'])
    expect(newest).toHaveLength(10)
  })

  test('know more when more becomes known, and forget nothing when less comes later', () => {
    const full = build(1, { outcome: 'failed', user: 'ann', fields: { 'gradle.x': 1 } })
    const { finished } = tileOf([full, build(1)])
    expect(finished).toEqual([full])
    const more = addBuild({ finished, newest: finished }, { ...full, fields: { 'gradle.y': 2 } })
    expect(more.finished[0]?.fields).toEqual({ 'gradle.x': 1, 'gradle.y': 2 })
  })
})
