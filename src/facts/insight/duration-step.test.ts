import { describe, expect, test } from 'vitest'
import type { Facts } from '../../protocol/facts.ts'
import { createBuildRows, createRowWriter } from './build-rows.ts'
import { durationSteps, lastStep } from './duration-step.ts'

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function randoms(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Durations around `middle`, log-normal, as those of builds are. */
function noise(random: () => number, count: number, middle: number, spread = 0.25): number[] {
  return Array.from({ length: count }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return middle * Math.exp(spread * normal)
  })
}

const minute = 60_000
const seeds = Array.from({ length: 200 }, (_, seed) => seed)

describe('a step in durations', () => {
  test.each([20, 60, 400])('is hardly ever seen in the noise of %i builds', (count) => {
    const seen = seeds.filter((seed) => lastStep(noise(randoms(seed), count, 6 * minute)))
    expect(seen.length).toBeLessThanOrEqual(2)
  })

  test.each([
    ['in the middle', 60, 60],
    ['lately', 150, 15],
    ['long ago', 15, 150],
  ])('from 6 to 9 minutes is found %s, close to its place', (_, before, after) => {
    const missed = seeds.filter((seed) => {
      const random = randoms(seed)
      const step = lastStep([
        ...noise(random, before, 6 * minute, 0.15),
        ...noise(random, after, 9 * minute, 0.15),
      ])
      return step === undefined || Math.abs(step.at - before) > 3
    })
    expect(missed.length).toBeLessThanOrEqual(6)
  })

  test('is exact where durations hardly vary', () => {
    const random = randoms(7)
    const values = [...noise(random, 40, minute, 0.02), ...noise(random, 30, 2 * minute, 0.02)]
    expect(lastStep(values)).toEqual({ from: 0, at: 40 })
  })

  test('down is one too', () => {
    const random = randoms(8)
    const values = [...noise(random, 40, 3 * minute, 0.05), ...noise(random, 30, minute, 0.05)]
    expect(lastStep(values)?.at).toBe(40)
  })

  test('is the last of several, and what was before it begins with the one before', () => {
    const random = randoms(9)
    const values = [4, 8, 16].flatMap((middle) => noise(random, 40, middle * minute, 0.05))
    expect(lastStep(values)).toEqual({ from: 40, at: 80 })
  })

  test('is not seen in a slow rise', () => {
    const seen = seeds.filter((seed) => {
      const random = randoms(seed)
      const rise = Array.from({ length: 120 }, (_, index) => Math.exp(index / 120))
      return lastStep(rise.flatMap((factor) => noise(random, 1, factor * 6 * minute, 0.1)))
    })
    expect(seen.length).toBeLessThanOrEqual(4)
  })

  test.each([1, 3, 9])('is not seen in %i slow builds at the end', (slow) => {
    const seen = seeds.filter((seed) => {
      const random = randoms(seed)
      return lastStep([...noise(random, 80, minute), ...noise(random, slow, 30 * minute)])
    })
    expect(seen.length).toBeLessThanOrEqual(2)
  })

  test.each([5, 60, 110])('is found where it is in spite of one outlier at %i', (place) => {
    const random = randoms(10)
    const values = [...noise(random, 60, minute, 0.05), ...noise(random, 60, 2 * minute, 0.05)]
    values[place] = 10_000 * minute
    expect(Math.abs((lastStep(values)?.at ?? 0) - 60)).toBeLessThanOrEqual(1)
  })

  test.each([0, 1, 19])('is not looked for in %i builds', (count) => {
    const values = Array.from({ length: count }, (_, index) => (index < count / 2 ? 1 : 9) * minute)
    expect(lastStep(values)).toBeUndefined()
  })

  test('is not seen where all take the same time', () => {
    expect(lastStep(Array.from({ length: 300 }, () => minute))).toBeUndefined()
  })

  test("of less than a fifth is nobody's question", () => {
    const random = randoms(11)
    const values = [...noise(random, 200, 100_000, 0.01), ...noise(random, 200, 110_000, 0.01)]
    expect(lastStep(values)).toBeUndefined()
  })
})

function build(index: number, more: Partial<Facts>): Facts {
  return {
    buildId: `b${index}`,
    startTime: index * minute,
    receivedAt: index * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'checkout',
    requested: ['test'],
    outcome: 'succeeded',
    ...more,
  }
}

test('steps are named by project and work, with the first build after them', () => {
  const random = randoms(12)
  const builds = Array.from({ length: 100 }, (_, index) => {
    const [durationMs] = noise(random, 1, (index < 60 ? 6 : 9) * minute, 0.05)
    return [
      build(2 * index, { durationMs }),
      build(2 * index + 1, { durationMs: noise(random, 1, minute)[0], requested: ['lint'] }),
      // Failed builds end whenever they fail.
      build(10_000 + index, { durationMs: index < 50 ? 1 : 10 * minute, outcome: 'failed' }),
    ]
  })
  const rows = createBuildRows()
  // The newest first, as lists are read.
  rows.append(createRowWriter()(builds.flat().reverse()))
  const [step, ...others] = durationSteps(rows)
  expect(others).toEqual([])
  expect(step).toMatchObject({
    project: 'checkout',
    requested: 'test',
    firstBuild: 'b120',
    at: 120 * minute,
    before: { builds: 60 },
    after: { builds: 40 },
  })
  expect(step?.before.p95).toBeLessThan(7 * minute)
  expect(step?.after.p95).toBeGreaterThan(9 * minute)
})
