import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  between,
  createSeededRandom,
  exponential,
  logNormal,
  pick,
  pickWeighted,
  poisson,
  whole,
} from './seeded-random.ts'

const many = 20_000

function mean(draw: () => number): number {
  let sum = 0
  for (let round = 0; round < many; round++) sum += draw()
  return sum / many
}

describe('a seeded source', () => {
  test('repeats itself for the same key and differs for another', () => {
    fc.assert(
      fc.property(fc.integer(), fc.string(), (seed, name) => {
        const draw = (...key: (string | number)[]): number[] => {
          const random = createSeededRandom(...key)
          return Array.from({ length: 20 }, random)
        }
        expect(draw(seed, name)).toEqual(draw(seed, name))
        expect(draw(seed, name)).not.toEqual(draw(seed + 1, name))
        expect(draw(seed, name)).not.toEqual(draw(seed, `${name}.`))
      }),
    )
  })

  test('stays within [0, 1) and fills it evenly', () => {
    const random = createSeededRandom('even')
    const tenths = new Array<number>(10).fill(0)
    for (let round = 0; round < many; round++) {
      const tenth = Math.floor(random() * 10)
      tenths[tenth] = (tenths[tenth] ?? NaN) + 1
    }
    expect(tenths).toHaveLength(10)
    for (const count of tenths) expect(count / many).toBeCloseTo(0.1, 1)
  })

  test('has unrelated first numbers for keys that differ by one', () => {
    const first = Array.from({ length: many }, (_, key) => createSeededRandom('window', key)())
    expect(mean(() => first.pop() ?? NaN)).toBeCloseTo(0.5, 1)
    const pairs = Array.from({ length: many }, (_, key) => {
      const low = createSeededRandom('window', key)() < 0.5
      return low === createSeededRandom('window', key + 1)() < 0.5 ? 1 : 0
    })
    expect(mean(() => pairs.pop() ?? NaN)).toBeCloseTo(0.5, 1)
  })
})

describe('a choice', () => {
  test('lies within its bounds', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 99 }), fc.nat(50), (seed, low, size) => {
        const random = createSeededRandom(seed)
        const number = whole(random, low, low + size)
        expect(Number.isInteger(number)).toBe(true)
        expect(number).toBeGreaterThanOrEqual(low)
        expect(number).toBeLessThanOrEqual(low + size)
        expect(between(random, low, low + 1)).toBeLessThan(low + 1)
      }),
    )
  })

  test('from nothing is refused', () => {
    expect(() => pick(Math.random, [])).toThrow(RangeError)
    expect(() => pickWeighted(Math.random, [])).toThrow(RangeError)
  })

  test('by weight is as frequent as its weight', () => {
    const random = createSeededRandom('weights')
    const items = [{ weight: 6 }, { weight: 3 }, { weight: 1 }]
    const frequent = mean(() => (pickWeighted(random, items) === items[0] ? 1 : 0))
    expect(frequent).toBeCloseTo(0.6, 1)
  })
})

describe('a distribution', () => {
  test('has the median or the mean that was given', () => {
    const random = createSeededRandom('distributions')
    expect(mean(() => (logNormal(random, 200, 0.5) < 200 ? 1 : 0))).toBeCloseTo(0.5, 1)
    expect(mean(() => exponential(random, 30)) / 30).toBeCloseTo(1, 1)
    expect(mean(() => poisson(random, 40)) / 40).toBeCloseTo(1, 1)
  })

  test('stays finite when chance gives its lowest number', () => {
    const lowest = (): number => 0
    expect(logNormal(lowest, 200, 0.5)).toBe(200)
    expect(exponential(lowest, 30)).toBe(0)
    expect(poisson(lowest, 5)).toBe(0)
  })
})
