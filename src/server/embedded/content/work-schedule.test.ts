import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scheduleWork, type Work } from './work-schedule.ts'

const works = fc
  .array(
    fc.record({
      picks: fc.array(fc.nat(), { maxLength: 3 }),
      cost: fc.integer({ min: 1, max: 50 }),
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((pieces): Work[] =>
    pieces.map(({ picks, cost, failed }, index) => ({
      dependsOn: index === 0 ? [] : picks.map((pick) => pick % index),
      cost,
      failed: failed && index % 5 === 4,
    })),
  )

const workers = fc.integer({ min: 1, max: 8 })

describe('a schedule of work', () => {
  test('begins nothing before what it depends on has ended well', () => {
    fc.assert(
      fc.property(works, workers, fc.boolean(), (work, count, goOn) => {
        const slots = scheduleWork(work, count, goOn)
        const byIndex = new Map(slots.map((slot) => [slot.index, slot]))
        for (const { index, begin } of slots) {
          for (const dependency of work[index]?.dependsOn ?? []) {
            expect(byIndex.get(dependency)?.end).toBeLessThanOrEqual(begin)
            expect(work[dependency]?.failed).toBe(false)
          }
        }
      }),
    )
  })

  test('keeps no more workers busy than there are, and is in order', () => {
    fc.assert(
      fc.property(works, workers, (work, count) => {
        const slots = scheduleWork(work, count, true)
        for (const [position, { begin }] of slots.entries()) {
          const busy = slots.filter((other) => other.begin <= begin && begin < other.end)
          expect(busy.length).toBeLessThanOrEqual(count)
          expect(begin).toBeGreaterThanOrEqual(slots[position - 1]?.begin ?? 0)
        }
      }),
    )
  })

  test('does everything where nothing fails', () => {
    fc.assert(
      fc.property(works, workers, fc.boolean(), (work, count, goOn) => {
        const sound = work.map((piece) => ({ ...piece, failed: false }))
        expect(scheduleWork(sound, count, goOn)).toHaveLength(work.length)
      }),
    )
  })

  test('begins nothing after a failure unless it is told to go on', () => {
    fc.assert(
      fc.property(works, workers, (work, count) => {
        const slots = scheduleWork(work, count, false)
        const failures = slots.filter(({ index }) => work[index]?.failed)
        const first = Math.min(...failures.map(({ end }) => end))
        for (const { begin } of slots) expect(begin).toBeLessThan(first)
      }),
    )
  })

  test('goes on with what does not depend on the failure', () => {
    const piece = (dependsOn: number[], failed = false): Work => ({ dependsOn, cost: 1, failed })
    const work = [piece([], true), piece([0]), piece([1]), piece([])]
    expect(scheduleWork(work, 1, true).map(({ index }) => index)).toEqual([0, 3])
  })
})
