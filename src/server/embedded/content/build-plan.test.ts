import { describe, expect, test } from 'vitest'
import { planBuild } from './build-plan.ts'
import { createSeededRandom } from './seeded-random.ts'

describe('a plan', () => {
  test('names none of 20,000 builds twice, each made with a random of its own', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => {
      const random = createSeededRandom(7, 'build', 498_000 + (index >> 6), index & 63)
      return planBuild({ seed: 7, pace: 1 }, random, Date.UTC(2026, 10, 20)).buildId
    })
    expect(new Set(ids).size).toBe(20_000)
  })

  test('takes longer with a cold cache, mostly', () => {
    const random = createSeededRandom('cold')
    const plans = Array.from({ length: 4000 }, () =>
      planBuild({ seed: 7, pace: 1 }, random, Date.UTC(2026, 10, 20, 10)),
    ).filter(({ failure }) => failure === null)
    const effort = (cache: string): number => {
      const some = plans.filter((plan) => plan.cache === cache)
      expect(some.length).toBeGreaterThan(30)
      const relative = some.map(
        ({ duration, project, job }) => duration / project.baseDuration / job.effort,
      )
      return relative.reduce((sum, one) => sum + one, 0) / relative.length
    }
    expect(effort('cold')).toBeGreaterThan(2 * effort('warm'))
    expect(effort('warm')).toBeGreaterThan(0.9)
    expect(effort('warm')).toBeLessThan(1.6)
  })
})
