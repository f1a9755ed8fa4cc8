import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../property-runs.test-support.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createFeedRows, createMinuteCounts, type Ending } from './feed-rows.ts'

const idOf = (number: number): string => number.toString(36).padStart(13, '0')

function build(number: number, more: Record<string, unknown> = {}): BuildMessage {
  return {
    buildId: idOf(number),
    timestamp: 1_780_000_000_000 + number,
    toolType: number % 2 === 0 ? 'gradle' : 'maven',
    toolVersion: `9.${number % 5}`,
    agentVersion: '4.2',
    ...more,
  }
}

function facts(number: number, user: string): Facts {
  return {
    buildId: idOf(number),
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4.2',
    user,
  }
}

describe('the rows of the feed', () => {
  test('are numbered from 1 as they arrive', () => {
    const rows = createFeedRows(10)
    expect([rows.oldest(), rows.newest()]).toEqual([1, 0])
    expect(rows.add(build(7))).toBe(true)
    expect(rows.row(1)).toEqual({ arrival: 1, build: build(7), facts: undefined })
    expect(rows.row(0)).toBeUndefined()
    expect(rows.row(2)).toBeUndefined()
  })

  test('are the same objects until facts come', () => {
    const rows = createFeedRows(10)
    rows.add(build(7))
    const before = rows.row(1)
    expect(rows.row(1)).toBe(before)
    expect(rows.join(facts(7, 'ann'))).toBe(before)
    expect(rows.row(1)?.facts?.user).toBe('ann')
    expect(rows.row(1)).not.toBe(before)
  })

  test('keep a build with more fields than are known as it is', () => {
    const rows = createFeedRows(2)
    const odd = build(1, { region: 'eu', list: [1] })
    rows.add(odd)
    expect(rows.row(1)?.build).toEqual(odd)
    for (const number of [2, 3, 4]) rows.add(build(number))
    expect(rows.row(3)?.build).toEqual(build(3))
  })

  test('keep builds of so many versions that they are no vocabulary', () => {
    const rows = createFeedRows(20_000)
    const many = Array.from({ length: 12_000 }, (_, n) => build(n, { toolVersion: `v${n}` }))
    for (const one of many) rows.add(one)
    for (const n of [0, 5000, 9999, 10_001, 11_999]) expect(rows.row(n + 1)?.build).toEqual(many[n])
  })

  test('behave like a list of builds without repeats, cut at the front', () => {
    const step = fc.record({ id: fc.nat(40), kind: fc.constantFrom('add', 'add', 'join') })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { maxLength: 200 }),
        (limit, steps) => {
          const rows = createFeedRows(limit)
          let kept: { id: number; arrival: number; user: string | undefined }[] = []
          let arrivals = 0
          steps.forEach(({ id, kind }, at) => {
            const known = kept.find((one) => one.id === id)
            if (kind === 'join') {
              expect(rows.join(facts(id, `u${at}`)) !== undefined).toBe(known !== undefined)
              if (known !== undefined) known.user = `u${at}`
              return
            }
            expect(rows.add(build(id))).toBe(known === undefined)
            if (known === undefined) {
              kept = [...kept, { id, arrival: (arrivals += 1), user: undefined }].slice(-limit)
            }
          })
          expect(rows.newest()).toBe(arrivals)
          expect(rows.oldest()).toBe(kept[0]?.arrival ?? 1)
          for (const { id, arrival, user } of kept) {
            expect(rows.arrivalOf(idOf(id))).toBe(arrival)
            const row = rows.row(arrival)
            expect(row?.build).toEqual(build(id))
            expect(row?.arrival).toBe(arrival)
            expect(row?.facts?.user).toBe(user)
          }
          expect(rows.row(rows.oldest() - 1)).toBeUndefined()
          for (let id = 0; id <= 40; id++) {
            if (!kept.some((one) => one.id === id)) expect(rows.arrivalOf(idOf(id))).toBeUndefined()
          }
        },
      ),
      { numRuns: runs(500) },
    )
  })
})

const minute = 60_000
const now = 29_000_000 * minute + 30_000

test('the last sixty minutes are there, oldest first, the current one last', () => {
  const counts = createMinuteCounts()
  counts.add(now)
  counts.add(now - 59 * minute)
  counts.add(now - 60 * minute)
  const last = counts.last(now)
  expect(last).toHaveLength(60)
  expect(last.at(-1)).toEqual({ minute: now - 30_000, succeeded: 0, failed: 0, unknown: 1 })
  expect(last[0]?.unknown).toBe(1)
  expect(last.reduce((sum, { unknown }) => sum + unknown, 0)).toBe(2)
})

test('a build whose outcome becomes known moves within its minute', () => {
  const counts = createMinuteCounts()
  counts.add(now - 5 * minute)
  counts.last(now)
  counts.move(now - 5 * minute, 'unknown', 'failed')
  expect(counts.last(now)[54]).toMatchObject({ succeeded: 0, failed: 1, unknown: 0 })
})

test('the same array is given until something changed or a minute has passed', () => {
  const counts = createMinuteCounts()
  counts.add(now)
  const before = counts.last(now)
  expect(counts.last(now + 1000)).toBe(before)
  expect(counts.last(now + minute)).not.toBe(before)
})

test('builds of a clock that is ahead count as of this minute, and move there', () => {
  const counts = createMinuteCounts()
  counts.add(now + 10 * minute)
  expect(counts.last(now).at(-1)?.unknown).toBe(1)
  counts.move(now + 10 * minute, 'unknown', 'succeeded')
  expect(counts.last(now).at(-1)).toMatchObject({ succeeded: 1, unknown: 0 })
})

test('nothing is lost where the clock was an hour ahead for a while, and little is kept in a day', () => {
  const counts = createMinuteCounts()
  const countedAt = (at: number): number[] =>
    counts.last(at).map(({ succeeded, unknown }) => succeeded + unknown)
  for (let ago = 1440; ago >= 0; ago--) counts.add(now - ago * minute)
  expect(countedAt(now)).toEqual(Array(60).fill(1))
  expect(countedAt(now + 60 * minute)).toEqual(Array(60).fill(0))
  counts.move(now - 30 * minute, 'unknown', 'succeeded')
  expect(countedAt(now)).toEqual(Array(60).fill(1))
  expect(countedAt(now - 1000 * minute).reduce((sum, count) => sum + count)).toBe(180)
})

test('they agree with counting all builds anew', () => {
  const endings: Ending[] = ['unknown', 'succeeded', 'failed']
  const build = fc.record({
    ago: fc.integer({ min: -3, max: 70 }),
    ending: fc.constantFrom(...endings),
  })
  fc.assert(
    fc.property(fc.array(build, { maxLength: 60 }), fc.nat(4), (builds, looks) => {
      const counts = createMinuteCounts()
      builds.forEach(({ ago }, index) => {
        counts.add(now - ago * minute)
        if (index % (looks + 2) === 0) counts.last(now)
      })
      for (const { ago, ending } of builds) counts.move(now - ago * minute, 'unknown', ending)
      counts.last(now).forEach((shown, index) => {
        const ago = 59 - index
        const here = builds.filter((one) => (ago === 0 ? one.ago <= 0 : one.ago === ago))
        for (const ending of endings) {
          expect(shown[ending]).toBe(here.filter((one) => one.ending === ending).length)
        }
      })
    }),
  )
})
