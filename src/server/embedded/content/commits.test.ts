import { describe, expect, test } from 'vitest'
import { hourMs } from '../../../protocol/clock.ts'
import { featureBranch, headOf, mainBranch } from './build-plan.ts'
import { projects } from './company.ts'
import { lastWorkingTime } from './rhythm.ts'
import { createSeededRandom } from './seeded-random.ts'
import { brokenTest } from './story.ts'

const wednesday = Date.UTC(2026, 10, 18)
const random = createSeededRandom('commits')

describe('the newest commit of a branch', () => {
  test('is in the past, and the same until the next is made', () => {
    for (const project of projects) {
      const branch = mainBranch(project, random)
      const company = { seed: 1, pace: 1 }
      const ids: string[] = []
      for (let at = wednesday + 8 * hourMs; at < wednesday + 18 * hourMs; at += hourMs / 20) {
        const head = headOf(company, project, branch, at)
        expect(head.at).toBeLessThanOrEqual(at)
        expect(headOf(company, project, branch, head.at).id).toBe(head.id)
        if (ids.at(-1) !== head.id) ids.push(head.id)
      }
      expect(new Set(ids).size).toBe(ids.length)
      // Nothing is merged to a main branch that the story has broken.
      expect(ids.length).toBeGreaterThan(project.name === brokenTest.project ? 2 : 10)
    }
  })

  test('is not made at night, unless builds come so fast that somebody must be at work', () => {
    const [project] = projects
    if (project === undefined) throw new RangeError('no project')
    const branch = featureBranch(1, project, wednesday, random)
    const night = wednesday + 23.9 * hourMs
    const head = headOf({ seed: 1, pace: 1 }, project, branch, night)
    expect(head.at).toBeLessThanOrEqual(lastWorkingTime(night))
    expect(headOf({ seed: 1, pace: 100 }, project, branch, night).at).toBeGreaterThan(
      night - hourMs,
    )
  })
})
